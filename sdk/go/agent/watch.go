package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	railkit "github.com/railkit/railkit/sdk/go"
)

// mostPoll is how long a poll waits for its answer. An agent knows its status from KillPoll and this before at most.
const mostPoll = 10 * time.Second

// Blocked says why nothing is paid: ErrKilled for good, ErrStopped while a kill switch is on or the agent is not
// active, ErrUnreachable while the last poll got no answer or there was none yet. Nil: the agent may pay.
func (r *Runtime) Blocked() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.gone && r.live.Err() != nil {
		return ErrClosed
	}
	return r.blocked
}

// Context is for the agent's work: it ends when the agent was killed, at the next poll, or when the runtime is closed.
// context.Cause is then ErrKilled or ErrClosed.
func (r *Runtime) Context() context.Context { return r.live }

// watch asks for the agent's status until it is killed or closed.
func (r *Runtime) watch() {
	r.poll()
	close(r.asked)
	for r.sleep(r.live, r.cfg.KillPoll) == nil {
		r.poll()
	}
}

func (r *Runtime) poll() {
	ctx, cancel := context.WithTimeout(r.live, min(mostPoll, r.cfg.KillPoll))
	defer cancel()
	st, err := r.client.Status(ctx)
	if r.live.Err() == nil {
		r.know(r.verdict(st, err))
	}
}

// killedNow asks whether the agent was killed, without waiting for the next poll.
func (r *Runtime) killedNow() bool {
	r.poll()
	return errors.Is(r.Blocked(), ErrKilled)
}

// verdict says why an agent with this status may not pay. What is not understood is no permission.
func (r *Runtime) verdict(st *railkit.AgentState, err error) error {
	if err != nil {
		err = refusal(err)
		if errors.Is(err, ErrKilled) || errors.Is(err, ErrUnreachable) {
			return err
		}
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	switch {
	case !strings.EqualFold(st.AgentID, r.cfg.AgentID):
		return fmt.Errorf("%w: the answer is about another agent", ErrUnreachable)
	case st.Status == string(wire.AgentKilled):
		return ErrKilled
	case st.KillSwitch:
		return fmt.Errorf("%w: a kill switch is on", ErrStopped)
	case st.Status != string(wire.AgentActive):
		return fmt.Errorf("%w: its status is %q", ErrStopped, st.Status)
	}
	return nil
}

// know keeps what the API last said. An agent that was killed stays so, whatever is said later.
func (r *Runtime) know(blocked error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone {
		return
	}
	if (blocked == nil) != (r.blocked == nil) {
		r.log.Info("whether the agent may pay has changed", "blocked", blocked)
	}
	r.blocked = blocked
	if errors.Is(blocked, ErrKilled) {
		r.gone = true
		r.end(ErrKilled)
	}
}

// ready waits for the end of the first poll, and says whether the agent may pay.
func (r *Runtime) ready(ctx context.Context) error {
	select {
	case <-r.asked:
	case <-r.live.Done():
	case <-ctx.Done():
		return ctx.Err()
	}
	return r.Blocked()
}
