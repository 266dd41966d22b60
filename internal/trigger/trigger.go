// Package trigger has the sandbox do what an event tells of, through the public API only: no event is invented. A flow
// makes everything that it needs anew, so that it can be run again and again, and waits for its event.
//
// Read trigger.go, then flows.go.
package trigger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	railkit "github.com/railkit/railkit/sdk/go"
)

// Flow is what leads to one type of event.
type Flow struct {
	Type string
	Does string

	wallet bool // it needs a passkey, and so the origin of the passkey page
	// run does it, and tells which event is its own: the one about an object, or whose data name it.
	run func(ctx context.Context, s *sandbox) (id string, err error)
}

// Sandbox is where flows run.
type Sandbox struct {
	Client *railkit.Client
	// CeremonyOrigin is where passkeys are made. "": flows with a wallet are refused.
	CeremonyOrigin string
	// Says is told what is done, step by step; nil: nobody is.
	Says func(step string)
}

// Errors of a wrong call.
var (
	ErrUnknown    = errors.New("there is no flow that leads to events of this type")
	ErrProduction = errors.New("this is production: its events move real money, and nothing is triggered there; use a sandbox")
	ErrOrigin     = errors.New("the flow makes a wallet, which needs the origin of the passkey page")
)

// Run does what leads to an event, and returns the event.
func Run(ctx context.Context, at Sandbox, kind string) (railkit.Event, error) {
	i := slices.IndexFunc(Flows, func(f Flow) bool { return f.Type == kind })
	if i < 0 {
		return railkit.Event{}, ErrUnknown
	}
	if Flows[i].wallet && at.CeremonyOrigin == "" {
		return railkit.Event{}, ErrOrigin
	}
	h, err := at.Client.Health(ctx)
	if err != nil {
		return railkit.Event{}, err
	}
	if h.Environment != "sandbox" {
		return railkit.Event{}, ErrProduction
	}
	if at.Says == nil {
		at.Says = func(string) {}
	}
	s := &sandbox{Sandbox: at}
	if s.after, err = s.end(ctx); err != nil {
		return railkit.Event{}, err
	}
	id, err := Flows[i].run(ctx, s)
	if err != nil {
		return railkit.Event{}, err
	}
	at.Says("waiting for " + kind)
	return s.wait(ctx, kind, id)
}

// sandbox is one run of a flow.
type sandbox struct {
	Sandbox
	after int64 // number of the last event from before the run
}

// end is the number of the workspace's last event.
func (s *sandbox) end(ctx context.Context) (int64, error) {
	o := railkit.EventOptions{Limit: 200, Types: []string{"kill_switch.*"}} // few, so that it is soon at the end
	for {
		page, err := s.Client.Events.List(ctx, o)
		if err != nil || !page.HasMore {
			return after(page), err
		}
		o.After = &page.After
	}
}

func after(page *railkit.EventList) int64 {
	if page == nil {
		return 0
	}
	return page.After
}

// wait waits for an event of a type since the run began that is about an object, or whose data name it.
func (s *sandbox) wait(ctx context.Context, kind, id string) (railkit.Event, error) {
	o := railkit.EventOptions{After: &s.after, Types: []string{kind}}
	for e, err := range s.Client.Events.Stream(ctx, o) {
		if err != nil {
			return e, fmt.Errorf("waiting for %s: %w", kind, err)
		}
		if e.Object.ID == id || names(e.Data, id) {
			return e, nil
		}
	}
	return railkit.Event{}, ctx.Err()
}

// names tells whether one of the values is an id.
func names(data json.RawMessage, id string) bool {
	var values map[string]any
	if json.Unmarshal(data, &values) != nil {
		return false
	}
	for _, v := range values {
		if text, is := v.(string); is && strings.EqualFold(text, id) { // addresses have two spellings
			return true
		}
	}
	return false
}
