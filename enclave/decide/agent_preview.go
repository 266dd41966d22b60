package decide

import (
	"github.com/railkit/railkit/enclave/wire"
)

// showAgent tells what a body about an agent would do. Whoever stamps sees the agent as it would stand.
func showAgent[P any](judge func(call, *P) (Event, error)) func(call, *P) (*wire.Preview, error) {
	return func(c call, p *P) (*wire.Preview, error) {
		e, err := judge(c, p)
		if err != nil {
			return nil, err
		}
		shown := &wire.Preview{Waits: e.waits(), KillSwitch: e.KillSwitch}
		if e.Held != nil { // what would be held is shown as if it were not
			if e, err = judge(c.as(actor{voted: true}), p); err != nil {
				return nil, err
			}
		}
		c.org.showChange(shown, e)
		return shown, nil
	}
}

// showChange shows the agent of an event beside what it is now.
func (o *organization) showChange(shown *wire.Preview, e Event) {
	a := e.Agent
	if a == nil {
		return
	}
	view := a.Agent
	view.SealedSecret = nil
	shown.Agent, shown.AgentName, shown.AgentID, shown.Accounts = &view, a.Name, a.ID, e.Accounts
	shown.AgentDeleted = e.Kind == EventAgentDeleted
	if a.NewSecret {
		shown.NewSecret, shown.RecipientPublicKey = true, a.RecipientPublicKey
	}
	if before, err := o.agent(a.ID); err == nil {
		shown.AgentBefore = before.Limits
	}
}
