package decide

import (
	"time"

	"github.com/railkit/railkit/enclave/wire"
)

// previewAgent tells what a body about an agent would do. Whoever stamps sees the agent as it would stand.
func (s *State) previewAgent(org *organization, r Request, now time.Time) (*wire.Preview, error) {
	sub := Submission{Request: r}
	e, err := s.decideAgentRule(org, sub, stamping, now)
	if err != nil {
		return nil, err
	}
	shown := &wire.Preview{Waits: e.waits(), KillSwitch: e.KillSwitch}
	if e.Held != nil { // what would be held is shown as if it were not
		if e, err = s.decideAgentRule(org, sub, actor{voted: true}, now); err != nil {
			return nil, err
		}
	}
	if a := e.Agent; a != nil {
		view := a.Agent
		view.SealedSecret = nil
		shown.Agent, shown.AgentName, shown.AgentID = &view, a.Name, a.ID
		shown.AgentDeleted = e.Kind == EventAgentDeleted
		if a.NewSecret {
			shown.NewSecret, shown.RecipientPublicKey = true, a.RecipientPublicKey
		}
		if before, err := org.agent(a.ID); err == nil {
			shown.AgentBefore = before.Limits
		}
	}
	return shown, nil
}

// decideAgentRule decides whatever is about an agent and is no payment.
func (s *State) decideAgentRule(org *organization, sub Submission, by actor, now time.Time) (Event, error) {
	switch p := sub.params.(type) {
	case *wire.CreateAgentParams:
		return s.decideAgent(org, sub.Request, p, now)
	case *wire.ActivateAgentParams:
		return s.decideActivation(org, sub, p, by, now)
	case *wire.SetAgentLimitsParams:
		return s.decideAgentLimits(org, sub, p, by, now)
	case *wire.SetAgentStatusParams:
		return s.decideAgentStatus(org, sub, p, by, now)
	case *wire.RotateAgentSecretParams:
		return s.decideRotation(org, sub, p, by, now)
	case *wire.DeleteAgentParams:
		return s.decideAgentDeletion(org, p)
	case *wire.SetKillSwitchParams:
		return s.decideKillSwitch(org, sub, p, by, now)
	}
	return Event{}, ErrBody.Msg("type is unknown")
}
