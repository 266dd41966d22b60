package stories_test

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
	railkit "github.com/railkit/railkit/sdk/go"
)

// agentWorld is a running platform, and a way to the signer that makes agents: the
// API has none yet.
type agentWorld struct {
	*apptest.App
	t      *testing.T
	signer *client.Client
}

func newAgentWorld(t *testing.T) *agentWorld {
	t.Helper()
	a := apptest.New(t)
	w := &agentWorld{a, t, client.New(a.EnclaveSock, a.EnclaveKey)}
	t.Cleanup(func() { _ = w.signer.Close() })
	// A signer takes no write of the second in which it started: it may have taken it before.
	time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(time.Second))) // the clock moves on
	return w
}

// tenant is a workspace with a key and an owner of agents.
type tenant struct {
	key   string
	owner apptest.Owner
}

func (w *agentWorld) tenant(modules ...auth.Module) tenant {
	w.t.Helper()
	_, key := w.NewWorkspace([]auth.Scope{auth.Integrator}, append(modules, auth.Signing)...)
	return tenant{key, w.Register(w.ClientWith(key), "owner@example.com")}
}

// bot is an agent and its secret.
type bot struct{ id, secret string }

func (w *agentWorld) bot(o apptest.Owner, name string) bot {
	w.t.Helper()
	out := w.create(o, name, "")
	return bot{out.Statement.Result.Agent.ID, out.AgentSecret}
}

func (w *agentWorld) create(o apptest.Owner, name, recipient string) client.Outcome {
	w.t.Helper()
	return apptest.Signing{
		Signer: w.signer, OrganizationID: o.Sub.SubOrganizationID, Stamp: o.Passkey.Authenticator.Stamp,
	}.Agent(w.t, name, recipient)
}

func (w *agentWorld) client(b bot) *railkit.AgentClient {
	w.t.Helper()
	c, err := railkit.NewAgentClient(railkit.AgentConfig{
		BaseURL: w.BaseURL, AgentID: b.id, Secret: b.secret, StrictDecoding: true, Retry: railkit.Retry{Attempts: 1},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// signed are the headers of a request at some seconds from now.
func (b bot) signed(method, path, body string, seconds int64) []string {
	at := strconv.FormatInt(time.Now().Unix()+seconds, 10)
	return []string{"x-agent-id", b.id, "x-request-timestamp", at, "x-agent-auth",
		wire.AgentMAC(b.secret, wire.AgentMessage(method, path, at, wire.Digest(body)))}
}

func (b bot) status() string { return "/v1/agents/" + b.id + "/status" }

func wantCode(t *testing.T, what string, a apptest.Answer, status int, code string) {
	t.Helper()
	if got, _ := a.Field("error").(string); a.Status != status || got != code {
		t.Errorf("%s: %d %s, want %d %s", what, a.Status, a.Body, status, code)
	}
}

func wantError(t *testing.T, what string, err error, status int, code string) {
	t.Helper()
	var e *railkit.Error
	if !errors.As(err, &e) || e.Status != status || e.Code != code {
		t.Errorf("%s: %v, want %d %s", what, err, status, code)
	}
}
