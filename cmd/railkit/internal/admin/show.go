package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store"
	"github.com/railkit/railkit/store/lookup"
)

// mostShown is how many entries of each kind a screen has.
const mostShown = 20

// sight is all that is known of one thing.
type sight struct {
	lookup.Object
	WorkspaceName string            `json:"workspaceName,omitempty"`
	Order         *rest.OrderDetail `json:"order,omitempty"`
	Events        []rest.Event      `json:"events"` // the newest, oldest of them first
	Record        []rest.AuditEntry `json:"record"` // newest first
	Jobs          []lookup.Job      `json:"jobs"`
	Next          []string          `json:"next"`
}

// show prints what is known of an id, whatever has it. It reads alone.
func show(ctx context.Context, env cli.Env, args []string) (err error) {
	f := cli.Flags(env, "admin show")
	asJSON := f.Bool("json", false, "print JSON")
	id := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		id, args = args[0], args[1:]
	}
	l, err := settings(f, args)
	if err == nil {
		err = l.CheckDatabase()
	}
	if err != nil {
		return err
	}
	if id == "" {
		return cli.UsageError(errors.New("say what to show: railkit admin show ID"))
	}
	if err := checkTables(ctx, app.Config{Server: l.Server}); err != nil {
		return err
	}
	s, err := openRecord(ctx, l.Server)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	sights, err := look(ctx, s, id)
	switch {
	case err != nil:
		return err
	case len(sights) == 0:
		return fmt.Errorf("nothing has this id here. Looked for: %s", lookup.Places)
	case *asJSON:
		e := json.NewEncoder(env.Out)
		e.SetIndent("", "  ")
		return e.Encode(map[string]any{"found": sights})
	}
	for _, each := range sights {
		each.print(env)
	}
	return nil
}

// look finds what has an id, and what belongs to each.
func look(ctx context.Context, s *store.Store, id string) (all []sight, err error) {
	found, err := s.Lookup().Find(ctx, id)
	if err != nil {
		return nil, err
	}
	for _, o := range found {
		one := sight{Object: o}
		if err := one.complete(ctx, s); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

func (o *sight) complete(ctx context.Context, s *store.Store) (err error) {
	w, err := s.Workspace(ctx, o.WorkspaceID)
	if err != nil && !errors.Is(err, fault.ErrNotFound) {
		return err
	}
	o.WorkspaceName = w.Name
	if o.Kind == "order" {
		if err := o.readOrder(ctx, s); err != nil {
			return err
		}
	}
	if o.Events, err = newest(ctx, s, o.WorkspaceID, o.ID); err != nil {
		return err
	}
	o.Record, _, _, err = audit.Page(ctx, s, audit.Filter{
		WorkspaceID: o.WorkspaceID, Resource: o.ID, Limit: mostShown,
	})
	if err != nil {
		return err
	}
	if o.Jobs, err = s.Lookup().Jobs(ctx, o.ID); err != nil {
		return err
	}
	if o.Kind == "agent" && o.Status == "" {
		o.Status = agentStatus(o.Events)
	}
	o.Next = o.next()
	return nil
}

// agentStatus is what an agent became last, as its events say: the signer keeps it, and no row does.
func agentStatus(events []rest.Event) (status string) {
	for _, e := range events {
		var data rest.EventAgent
		switch {
		case e.Type == string(event.AgentActivated):
			status = "active"
		case e.Type == string(event.AgentStatus) && json.Unmarshal(e.Data, &data) == nil:
			status = data.Status
		}
	}
	return status
}

// readOrder reads the order with its timeline. It has the last four digits of a bank account, and no more.
func (o *sight) readOrder(ctx context.Context, s *store.Store) error {
	orders := payout.New(payout.Config{
		Stores: s.Payout().Stores(), Clock: clock.System{}, Log: slog.New(slog.DiscardHandler),
	}).Orders
	d := desk{}
	detail, err := orders.Get(ctx, d.operator(o.WorkspaceID), o.ID)
	o.Order = &detail
	return err
}

// newest are the newest events about an id.
func newest(ctx context.Context, s *store.Store, workspaceID, id string) ([]rest.Event, error) {
	var views []rest.Event
	f := event.Filter{WorkspaceID: workspaceID, Object: id, Limit: 200}
	for {
		events, err := s.Events(ctx, f)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			views = append(views, e.View())
		}
		views = views[max(len(views)-mostShown, 0):]
		if len(events) < f.Limit {
			return views, nil
		}
		f.After = events[len(events)-1].Seq
	}
}
