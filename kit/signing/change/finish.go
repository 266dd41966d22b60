package change

import (
	"context"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/wallet"
)

// Finish writes what the enclave made and a crash kept out of the database.
func (s *Service) Finish(ctx context.Context, tx Tx, a activity.Activity, out client.Outcome) error {
	switch wire.ActivityType(a.Kind) {
	case wire.SignMessage, wire.OverridePrice, wire.AgentX402:
		return s.activities.Finish(ctx, tx, a) // what came of it is the enclave's to tell
	case wire.CreateSubOrganization:
		return s.passkeys.FinishRegistration(ctx, tx, a, out)
	case wire.CreateWallet, wire.AgentWallet:
		w, addresses, err := wallet.Of(a, out)
		if err != nil {
			return err
		}
		return s.wallets.Finish(ctx, tx, a, w, addresses)
	case wire.CreatePolicy, wire.UpdatePolicy, wire.DeletePolicy:
		return s.rules.FinishPolicy(ctx, tx, a, out)
	case wire.UpdateApprovalConfig:
		return s.rules.FinishConfig(ctx, tx, a, out)
	case wire.AddPayee, wire.RemovePayee:
		return s.payees.Finish(ctx, tx, a, out)
	case wire.CreateAgent, wire.ActivateAgent, wire.SetAgentLimits, wire.SetAgentStatus, wire.RotateAgentSecret,
		wire.DeleteAgent, wire.SetKillSwitch:
		return s.agents.Finish(ctx, tx, a, out)
	case wire.CreateAuthenticator, wire.DeleteAuthenticator:
		return s.passkeys.Finish(ctx, tx, a, out)
	case wire.UpdateRecovery:
		return s.recoveries.FinishRule(ctx, tx, a, out)
	case wire.CancelRecovery:
		return s.recoveries.FinishCancel(ctx, tx, a, out)
	}
	addresses, err := wallet.AddressesOf(a, out)
	if err != nil {
		return err
	}
	return s.wallets.FinishAddresses(ctx, tx, a, addresses)
}
