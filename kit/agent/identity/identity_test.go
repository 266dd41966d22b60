package identity

import (
	"context"
	"errors"
	"testing"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
)

// signer says one thing, and remembers what it was asked.
type signer struct {
	reply wire.AgentReply
	err   error
	asked wire.VerifyAgentRequest
	looks int // how often it was asked about an agent
}

func (s *signer) Agent(context.Context, string) (wire.AgentReply, error) {
	s.looks++
	return s.reply, s.err
}

func (s *signer) VerifyAgent(_ context.Context, q wire.VerifyAgentRequest) (wire.AgentReply, error) {
	s.asked = q
	return s.reply, s.err
}

func (s *signer) Tenant(_ context.Context, id string) (auth.Tenant, error) {
	return auth.Tenant{WorkspaceID: id, Modules: []auth.Module{auth.Agents}}, nil
}

func (s *signer) Stopped(_ context.Context, a wire.AgentReply) (bool, error) {
	return a.Status == wire.AgentKilled, nil
}

func TestAgents_Principal(t *testing.T) {
	s := &signer{reply: wire.AgentReply{AgentID: "a", WorkspaceID: "w", Status: wire.AgentActive}}
	p, err := New(s, s, s, "sandbox").VerifyAgent(
		t.Context(),
		auth.AgentClaim{AgentID: "A", Timestamp: "1", MAC: "m", Method: "POST", Path: "/v1/x", Body: []byte("{}")},
	)
	if err != nil || p.ID != "a" ||
		p.WorkspaceID != "w" || p.Kind != auth.ByAgent || p.Environment != "sandbox" || !p.HasModule(auth.Agents) {
		t.Errorf("%+v, %v", p, err)
	}
	if s.asked != (wire.VerifyAgentRequest{
		AgentID: "a", Method: "POST", Path: "/v1/x", Timestamp: "1", MAC: "m", BodyHash: wire.Digest("{}"),
	}) {
		t.Errorf("asked %+v", s.asked)
	}
	for _, a := range []auth.Access{
		auth.AccessRead, auth.AccessWrite, auth.AccessAgentRead, auth.AccessAgentWrite, auth.AccessManage,
		auth.AccessOperate,
	} {
		if p.May(a) || p.AcrossWorkspaces() {
			t.Errorf("an agent may %s", a)
		}
	}
	if !p.May(auth.AccessOwnAgentRead) {
		t.Error("an agent may not read what is its own")
	}
}

// A call of an agent about itself asks the signer once. One about another agent asks about that one, and is refused.
func TestAgents_OwnIsAskedOnce(t *testing.T) {
	s := &signer{reply: wire.AgentReply{AgentID: "a1", WorkspaceID: "w", Status: wire.AgentActive}}
	kit := New(s, s, s, "sandbox")
	p, err := kit.VerifyAgent(t.Context(), auth.AgentClaim{AgentID: "a1", Method: "GET"})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"a1", "A1"} {
		if a, err := kit.Own(t.Context(), p, id); err != nil || a.AgentID != "a1" || s.looks != 0 {
			t.Errorf("%s: %+v, %v, asked %d times", id, a, err, s.looks)
		}
	}
	s.reply.AgentID = "a2"
	if a, err := kit.Own(t.Context(), p, "a2"); err == nil || s.looks != 1 {
		t.Errorf("another agent: %+v, asked %d times", a, s.looks)
	}
	key := auth.Principal{Tenant: p.Tenant, Kind: auth.ByKey, Scopes: []auth.Scope{auth.Integrator}}
	s.reply.AgentID = "a1"
	if _, err := kit.Own(t.Context(), key, "a1"); err != nil || s.looks != 2 {
		t.Errorf("an API key: %v, asked %d times", err, s.looks)
	}
}

func TestAgents_QueryOfAWrite(t *testing.T) {
	s := &signer{}
	for method, good := range map[string]bool{
		"GET": true, "HEAD": true, "POST": false, "PATCH": false, "DELETE": false,
	} {
		_, err := New(s, s, s, "sandbox").VerifyAgent(t.Context(), auth.AgentClaim{Method: method, Query: true})
		if f, _ := fault.As(err); good != (err == nil) || !good && f.Kind != fault.Invalid {
			t.Errorf("%s: %v", method, err)
		}
	}
}

func TestAgents_KilledOrUnavailable(t *testing.T) {
	killed := &fault.Error{Kind: fault.Unauthenticated, Code: "agent_killed"}
	for _, want := range []error{killed, fault.ErrUnavailable, errors.New("broken")} {
		s := &signer{err: want}
		if p, err := New(s, s, s, "sandbox").VerifyAgent(t.Context(), auth.AgentClaim{}); !errors.Is(err, want) ||
			p.ID != "" {
			t.Errorf("%+v, %v", p, err)
		}
		if _, err := New(s, s, s, "sandbox").Status(t.Context(), auth.Principal{}, "a"); !errors.Is(err, want) {
			t.Errorf("status: %v", err)
		}
	}
	s := &signer{reply: wire.AgentReply{AgentID: "a", WorkspaceID: "w", Status: wire.AgentKilled}}
	v, err := New(s, s, s, "sandbox").Status(t.Context(), auth.Principal{Tenant: auth.Tenant{WorkspaceID: "w"}}, "a")
	if err != nil || !v.KillSwitch || v.Status != "killed" {
		t.Errorf("%+v, %v", v, err)
	}
}
