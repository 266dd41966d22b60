package walk

import (
	"sync"
	"time"

	"github.com/railkit/railkit/internal/test/apptest"
)

// Signer signs requests of an agent that are sent more than once. The signer takes each signature of a write once, so
// that each has a second of its own: of now, or the next one that is free.
type Signer struct {
	Agent
	mu   sync.Mutex
	last int64
}

// mostAhead is how far a request's time may be ahead of the clock, in seconds, with room for a slow machine.
const mostAhead = 40

// Sign gives the headers of a request, in pairs.
func (s *Signer) Sign(method, path, body string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.last > time.Now().Unix()+mostAhead {
		time.Sleep(100 * time.Millisecond) // the clock moves on
	}
	s.last = max(time.Now().Unix(), s.last+1)
	return s.signAt(s.last, method, path, body)
}

func reportAgentEvents(w *World) Request {
	body := apptest.JSON(w.T, map[string]any{"events": []map[string]any{
		{"id": w.name("event"), "type": "llm_call", "amount": 0.018}, {"type": "error"},
	}})
	return Request{
		Method: "POST", Path: agentsPath + "/events/batch", Body: body, Agent: &Signer{Agent: w.Agent()},
	}
}
