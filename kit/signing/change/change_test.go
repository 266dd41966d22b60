package change_test

import (
	"context"
	"errors"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/change"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/command"
)

type waiting struct{ change.Store }

func (waiting) Activity(_ context.Context, workspaceID, id string) (activity.Activity, error) {
	return activity.Activity{WorkspaceID: workspaceID, ID: id, Kind: string(wire.CreateAgent)}, nil
}

type asked struct {
	signer.Enclave
	times int
}

func (e *asked) Submit(context.Context, wire.SubmitRequest, string) (client.Outcome, error) {
	e.times++
	return client.Outcome{}, fault.Missing("Outcome")
}

type noOrigins struct{ link.Store }

func (noOrigins) ReturnOrigin(context.Context, string, string) (link.Origin, error) {
	return link.Origin{}, fault.Missing("Return origin")
}

// What the signer has done cannot be undone: an address that the page may not lead back to is refused before.
func TestConfirm_ReturnIsCheckedBeforeTheSignerActs(t *testing.T) {
	t.Parallel()
	enclave := &asked{}
	links := link.New(link.Deps{
		Store: noOrigins{}, CeremonyOrigin: "https://pay.example.com", Dashboard: "https://dash.example.com",
		Environment: chain.Sandbox,
	})
	s := change.New(waiting{}, enclave, nil, links, clock.System{})
	s.Register(activity.Kind{
		Type: wire.CreateAgent, Link: link.Agent, Action: "agent.create", Status: 201,
		Reply: func(context.Context, activity.Activity, client.Outcome) (any, error) { return nil, nil },
	})
	for address, want := range map[string]string{
		"shop.example.com": "validation_failed", "https://shop.example.com/": "return_origin_unknown",
		"https://dash.example.com/agents": "not_found",
	} {
		cmd := &command.Command{Return: &command.Return{URL: address}}
		_, err := s.Confirm(t.Context(), cmd, "a", wire.Stamp{})
		if f, is := fault.As(err); !is || f.Code != want {
			t.Errorf("%s: %v, want %s", address, err, want)
		}
		if must := want == "not_found"; must != (enclave.times > 0) {
			t.Errorf("%s: the signer was asked %d times", address, enclave.times)
		}
		enclave.times = 0
	}
}

// late finds the row of another server at the second look.
type late struct {
	change.Store
	looks int
}

func (l *late) Activity(_ context.Context, workspaceID, id string) (activity.Activity, error) {
	if l.looks++; l.looks == 1 {
		return activity.Activity{}, fault.Missing("Activity")
	}
	return activity.Activity{
		WorkspaceID: workspaceID, ID: id, Kind: string(wire.DeleteAgent), Body: "of the other",
	}, nil
}

// gone refuses to preview what another server's call has deleted.
type gone struct {
	signer.Enclave
	body string
}

func (*gone) Preview(context.Context, string) (wire.Proof, wire.Statement, error) {
	return wire.Proof{}, wire.Statement{}, fault.Missing("Agent")
}

func (e *gone) Submit(_ context.Context, q wire.SubmitRequest, _ string) (client.Outcome, error) {
	e.body = q.Body
	return client.Outcome{}, fault.ErrUnavailable
}

// Two servers get one call under one key. The second finds no answer and no row, and then the signer has executed the
// first one's body: it brings that body once more, and does not say that there is nothing to delete.
func TestDo_AnotherServerWasFaster(t *testing.T) {
	t.Parallel()
	enclave, rows := &gone{}, &late{}
	s := change.New(rows, enclave, activity.New(activity.Config{Enclave: enclave, Clock: clock.System{}}), nil,
		clock.System{})
	s.Register(activity.Kind{
		Type: wire.DeleteAgent, Link: link.Agent, Action: "agent.delete", Status: 200,
		Reply: func(context.Context, activity.Activity, client.Outcome) (any, error) { return nil, nil },
	})
	cmd := &command.Command{Key: &command.Key{Hash: "hash", Request: "request"}}
	_, err := s.Do(t.Context(), cmd, activity.Change{Kind: wire.DeleteAgent}, activity.Stamping{})
	if !errors.Is(err, fault.ErrUnavailable) || enclave.body != "of the other" {
		t.Errorf("submitted %q, %v", enclave.body, err)
	}
}
