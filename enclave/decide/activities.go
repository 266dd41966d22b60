package decide

import (
	"time"

	"github.com/railkit/railkit/enclave/wire"
)

// call is one look at a body: whose it is, on whose word it comes, and what the time is. A preview is a call as well,
// on the word of a passkey that is about to stamp.
type call struct {
	*State
	org *organization
	sub Submission
	by  actor
	now time.Time
}

// as is the same call on another's word.
func (c call) as(by actor) call {
	c.by = by
	return c
}

// activity is how bodies of one type are read, judged and shown.
type activity struct {
	params func() any // a pointer to empty parameters, to be read into
	bare   bool       // may come without a passkey's stamp
	key    bool       // takes the stamp of a delegation's key
	judge  func(call) (Event, error)
	show   func(call) (*wire.Preview, error)
}

// activities has a row for every type of body. A body may come without a passkey's stamp where it tightens, is covered
// by a delegation, has an authority of its own, or is held for votes. The stamp of a delegation's key is worth nothing
// but on the two signings of exact bytes.
var activities = map[wire.ActivityType]activity{
	// Nobody's yet: decideOrganization judges it, and there is nobody to show it to.
	wire.CreateSubOrganization: {params: func() any { return new(wire.CreateSubOrganizationParams) }},

	wire.CreateWallet:         row(makeWallet, showWallet),
	wire.CreateWalletAccounts: row(addAccounts, showAccounts),

	wire.SignIntent:      row(signIntent, showIntent),
	wire.SignTransaction: row(signExact, showExact).keyed(),
	wire.SignMessage:     row(signMessage, showMessage).keyed(),

	wire.CreatePolicy:         row(createPolicy, showPolicy(createPolicy)).stampless(),
	wire.UpdatePolicy:         row(updatePolicy, showPolicy(updatePolicy)).stampless(),
	wire.DeletePolicy:         row(deletePolicy, showPolicy(deletePolicy)).stampless(),
	wire.UpdateApprovalConfig: row(changeConfig, showConfig).stampless(),
	wire.ApproveActivity:      row(vote, showVote),
	wire.OverridePrice:        row(overridePrice, showOverride).stampless(),

	wire.CreateAuthenticator: row(addPasskey, showPasskey).stampless(),
	wire.DeleteAuthenticator: row(removePasskey, showPasskeyRemoval).stampless(),
	wire.RecoverUser:         row(beginRecovery, nil).stampless(),
	wire.CancelRecovery:      row(cancelRecovery, showRecoveryCancel),
	wire.UpdateRecovery:      row(changeRecovery, showRecoveryRule).stampless(),

	wire.AddPayee:    row(addPayee, showPayee(addPayee)).stampless(),
	wire.RemovePayee: row(removePayee, showPayee(removePayee)).stampless(),

	wire.CreateAgent:       row(createAgent, showAgent(createAgent)),
	wire.ActivateAgent:     row(activateAgent, showAgent(activateAgent)).stampless(),
	wire.SetAgentLimits:    row(limitAgent, showAgent(limitAgent)).stampless(),
	wire.SetAgentStatus:    row(haltAgent, showAgent(haltAgent)).stampless(),
	wire.RotateAgentSecret: row(rotateSecret, showAgent(rotateSecret)).stampless(),
	wire.DeleteAgent:       row(deleteAgent, showAgent(deleteAgent)).stampless(),
	wire.SetKillSwitch:     row(switchKill, showAgent(switchKill)).stampless(),

	wire.AgentPayment: row(paying(call.readPayment)),
	wire.AgentX402:    row(paying(call.readX402)),
	wire.AgentWallet:  row(makeAgentWallet, showAgentWallet),
}

// row makes an activity of functions that take its parameters. Without show it has no preview.
func row[P any](judge func(call, *P) (Event, error), show func(call, *P) (*wire.Preview, error)) activity {
	a := activity{
		params: func() any { return new(P) },
		judge:  func(c call) (Event, error) { return judge(c, c.sub.params.(*P)) },
	}
	if show != nil {
		a.show = func(c call) (*wire.Preview, error) { return show(c, c.sub.params.(*P)) }
	}
	return a
}

func (a activity) stampless() activity {
	a.bare = true
	return a
}

func (a activity) keyed() activity {
	a.bare, a.key = true, true
	return a
}
