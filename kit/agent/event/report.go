package event

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/agent/budget"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// Report takes a batch in. It is the agent's own, signed with the signature.
func (s *Service) Report(
	ctx context.Context, cmd *command.Command, signature string, in ReportEventsInput,
) (command.Answer, error) {
	events, err := read(in)
	if err != nil {
		return command.Answer{}, err
	}
	a, err := s.agents.Agent(ctx, cmd.Principal.ID)
	if err != nil {
		return command.Answer{}, err
	}
	stopped, err := s.budgets.Stopped(ctx, a)
	if err != nil {
		return command.Answer{}, err
	}
	for i := range events {
		e := &events[i]
		e.WorkspaceID, e.AgentID = a.WorkspaceID, a.AgentID
		e.ID = cmp.Or(e.ID, idOf(cmd, signature, i))
	}
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		done, err := count(ctx, tx, a, events, stopped)
		return command.Reply{
			Status: http.StatusOK, Message: "Events recorded", Data: done,
			Audit: command.Audit{
				Action: "agent.events", Resource: a.AgentID, Detail: map[string]string{
					"accepted": strconv.Itoa(done.Accepted), "duplicates": strconv.Itoa(done.Duplicates),
				},
			},
		}, err
	})
}

// idOf is the id of an event without one. A request that comes again has the same idempotency key or, to the byte, the
// same signature.
func idOf(cmd *command.Command, signature string, at int) string {
	request := signature
	if cmd.Key != nil {
		request = cmd.Key.Hash
	}
	return record.DerivedID("agent event", cmd.Principal.ID, request, strconv.Itoa(at))
}

// count keeps a batch, and counts what is new of it. Rows are written in the order of their ids, and accounts in the
// order of their layers, so that no two batches wait for each other.
func count(
	ctx context.Context, tx Tx, a wire.AgentReply, events []Event, stopped bool,
) (done rest.ReportedEvents, err error) {
	now, err := tx.Now(ctx)
	if err != nil {
		return done, err
	}
	done.Events = make([]rest.ReportedEvent, len(events))
	cost := map[budget.Layer]budget.Nano{}
	order := make([]int, len(events))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(events[i].ID, events[j].ID) })
	for _, i := range order {
		e := events[i]
		e.CreatedAt = now
		inserted, err := tx.InsertAgentEvent(ctx, e)
		if err != nil {
			return done, err
		}
		done.Events[i] = rest.ReportedEvent{ID: e.ID, Status: "duplicate"}
		if inserted {
			done.Events[i].Status = "accepted"
			done.Accepted++
			cost[e.Layer] += e.Amount
		}
	}
	done.Duplicates = len(events) - done.Accepted
	month := budget.MonthOf(now)
	for _, l := range []budget.Layer{budget.Infra, budget.Tokens} {
		if cost[l] == 0 {
			continue
		}
		if err := tx.AddSpent(ctx, budget.Account{
			WorkspaceID: a.WorkspaceID, AgentID: a.AgentID, Month: month, Layer: l,
		}, cost[l], budget.Most); err != nil {
			return done, err
		}
	}
	sums, err := tx.Spending(ctx, a.WorkspaceID, a.AgentID, month)
	done.BudgetStatus = budget.View(a, month, sums, stopped)
	return done, err
}
