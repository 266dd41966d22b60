package walk

import (
	"strconv"
	"sync/atomic"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/apptest"
)

// Signer signs requests of an agent that are sent more than once. The signer takes each signature of a write once, so
// that each has a second of its own: the next one, up to a minute ahead.
type Signer struct {
	Agent
	sent atomic.Int64
}

// Sign gives the headers of a request, in pairs.
func (s *Signer) Sign(method, path, body string) []string {
	at := strconv.FormatInt(time.Now().Unix()+s.sent.Add(1), 10)
	mac := wire.AgentMAC(s.Secret, wire.AgentMessage(method, path, at, wire.Digest(body)))
	return []string{"X-Agent-Id", s.ID, "X-Request-Timestamp", at, "X-Agent-Auth", mac}
}

func reportAgentEvents(w *World) Request {
	body := apptest.JSON(w.T, map[string]any{"events": []map[string]any{
		{"id": w.name("event"), "type": "llm_call", "amount": 0.018}, {"type": "error"},
	}})
	return Request{
		Method: "POST", Path: agentsPath + "/events/batch", Body: body, Agent: &Signer{Agent: w.Agent()},
	}
}
