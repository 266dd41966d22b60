package walk

import (
	"net/http"
	"strconv"
	"time"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/apptest"
)

// Agent is an agent of a workspace.
type Agent struct{ ID, Secret string }

// Agent makes one. The API has no way to it yet, so that the signer is asked.
func (w *World) Agent() Agent {
	w.T.Helper()
	signer := client.New(w.App.EnclaveSock, w.App.EnclaveKey)
	defer signer.Close()
	o := w.Owner()
	out := apptest.Signing{
		Signer: signer, OrganizationID: o.Sub.SubOrganizationID, Stamp: o.Passkey.Stamp,
	}.Agent(w.T, w.name("Agent"), "")
	return Agent{out.Statement.Result.Agent.ID, out.AgentSecret}
}

// Sign gives the headers of a request, in pairs.
func (a Agent) Sign(method, path, body string) []string {
	at := strconv.FormatInt(time.Now().Unix(), 10)
	mac := wire.AgentMAC(a.Secret, wire.AgentMessage(method, path, at, wire.Digest(body)))
	return []string{"X-Agent-Id", a.ID, "X-Request-Timestamp", at, "X-Agent-Auth", mac}
}

func getAgentStatus(w *World) Request {
	return w.by(http.MethodGet, "/v1/agents/"+w.Agent().ID+"/status", nil)
}
