// Package killswitch is the operator's switch that stops the work of all agents of the platform. The owner of a
// sub-organization has another one, in the signer; a call meets the same error of both.
//
// The switch is a row of the database, so that it stops every server at once and stays on over their restarts. Whoever
// can rewrite that row can switch it off; then each owner's own switch, and the limits, still hold in the signer.
package killswitch

import (
	"context"
	"net/http"
	"time"

	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
)

// Platform is the workspace in whose audit record the switch is: none that anybody has.
const Platform = "platform"

// State is the switch as it stands.
type State struct {
	On    bool      `json:"on"`
	Since time.Time `json:"since"` // zero: it was never used
}

// Tx is what the switch needs of a transaction of the database.
type Tx interface {
	Now(context.Context) (time.Time, error)
	SetKillSwitch(context.Context, State) error // leaves one that stands so already
}

// Store is what the switch needs of a database.
type Store interface {
	KillSwitch(context.Context) (State, error)
	record.Writer[Tx]
}

// Service reads and turns the switch.
type Service struct{ store Store }

// New makes a Service.
func New(store Store) *Service { return &Service{store} }

// State tells how the switch stands. Every call reads it anew: no server is a moment behind.
func (s *Service) State(ctx context.Context) (State, error) { return s.store.KillSwitch(ctx) }

// On reports whether it is on.
func (s *Service) On(ctx context.Context) (bool, error) {
	st, err := s.State(ctx)
	return st.On, err
}

// Open refuses a call of an agent that does work while the switch is on.
func (s *Service) Open(ctx context.Context) error {
	on, err := s.On(ctx)
	if err == nil && on {
		err = refusal.ErrKillSwitch
	}
	return err
}

// Set turns the switch, for a reason. The same again is recorded too, and leaves the time since when it stands so.
func (s *Service) Set(ctx context.Context, cmd *command.Command, on bool, reason string) (command.Answer, error) {
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		now, err := tx.Now(ctx)
		if err != nil {
			return command.Reply{}, err
		}
		if err := tx.SetKillSwitch(ctx, State{on, now}); err != nil {
			return command.Reply{}, err
		}
		return command.Reply{
			Status: http.StatusOK, Message: "Kill switch set",
			Audit: command.Audit{
				Action: "agents.kill_switch", Resource: "agents", WorkspaceID: Platform,
				Detail: map[string]string{"reason": reason}, After: map[string]any{"on": on},
			},
		}, nil
	})
}
