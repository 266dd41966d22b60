package skill

import (
	"context"
	"net/http"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/fetch"
	"github.com/railkit/railkit/platform/record"
)

// JobCheck asks a public skill's server whether it is there.
const JobCheck job.Kind = "agent_skill_check"

const (
	every         = 5 * time.Minute
	checkPatience = 5 * time.Second
	mostFailures  = 2 // in a row, from which on a skill is unhealthy

	// Skills whose servers let a check wait take up no more than these workers of the queue, which payments need too.
	checksAtOnce = 4
	busy         = 3 * time.Second
)

// Check asks the server of a public skill, if that is due, and comes back when the next check is. It moves the next
// check on before it asks, so that of several servers one asks.
func (s *Service) Check(ctx context.Context, workspaceID, id string) (again time.Duration, err error) {
	k, err := s.c.Store.Skill(ctx, workspaceID, id)
	if err != nil || !k.Public || !k.DeletedAt.IsZero() {
		return 0, err
	}
	now := s.c.Clock.Now()
	if wait := k.Health.DueAt.Sub(now); wait > 0 {
		return wait, nil
	}
	select {
	case s.checking <- struct{}{}:
		defer func() { <-s.checking }()
	default:
		return busy, nil
	}
	err = record.Do(ctx, s.c.Store, workspaceID, func(ctx context.Context, tx Tx) error {
		return tx.ClaimSkillCheck(ctx, k, now.Add(every))
	})
	if err != nil {
		return 0, record.UnlessStale(err)
	}
	k.Health.DueAt = now.Add(every)
	k.Health = s.ask(ctx, k)
	if ctx.Err() != nil { // the server stops: nothing was found out
		return 0, ctx.Err()
	}
	err = record.Do(ctx, s.c.Store, workspaceID, func(ctx context.Context, tx Tx) error {
		return tx.SkillChecked(ctx, k)
	})
	return every, record.UnlessStale(err)
}

// ask asks with HEAD, which does nothing by definition, and without the skill's secret. Whatever the server answers, a
// refusal or a price too, shows that it is there; only errors of its own count as failures. 501 is said by servers that
// do not know HEAD.
func (s *Service) ask(ctx context.Context, k Skill) Health {
	asking, cancel := context.WithTimeout(ctx, checkPatience)
	defer cancel()
	begun := time.Now()
	res, err := s.c.Client.Do(asking, fetch.Request{Method: http.MethodHead, URL: k.URL})
	h := Health{
		Failures: k.Health.Failures, HTTPStatus: res.Status, Latency: time.Since(begun), CheckedAt: s.c.Clock.Now(),
		DueAt: k.Health.DueAt, Status: k.Health.Status,
	}
	switch {
	case err != nil:
		h.Reason = "failed"
		if f, is := fault.As(err); is {
			h.Reason = f.Code
		}
	case res.Status >= http.StatusInternalServerError && res.Status != http.StatusNotImplemented:
		h.Reason = "http_status"
	default:
		h.Failures, h.Status = 0, Healthy
		return h
	}
	if h.Failures++; h.Failures >= mostFailures {
		h.Status = Unhealthy
	}
	return h
}

// Sweep makes jobs of checks that are overdue.
func (s *Service) Sweep(ctx context.Context) error {
	rows, err := s.c.Store.UncheckedSkills(ctx, s.c.Clock.Now().Add(-record.SweepJobs), record.SlowBatch)
	if err != nil {
		return err
	}
	return record.Each(rows, func(k Skill) error {
		return record.Do(ctx, s.c.Store, k.WorkspaceID, func(ctx context.Context, tx Tx) error {
			return tx.Enqueue(ctx, job.Job{Kind: JobCheck, WorkspaceID: k.WorkspaceID, ID: k.ID})
		})
	})
}
