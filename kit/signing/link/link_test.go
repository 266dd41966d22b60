package link

import (
	"testing"

	"github.com/railkit/railkit/enclave/wire"
)

// Whatever a passkey stamps has its own kind of link: the page refuses a body of
// another one.
func TestLink_EveryStampedBodyHasOne(t *testing.T) {
	stamped := []wire.ActivityType{
		wire.CreateWallet, wire.CreateWalletAccounts, wire.SignIntent, wire.SignTransaction, wire.CreateAgent,
		wire.SignMessage,
		wire.CreatePolicy, wire.UpdatePolicy, wire.DeletePolicy, wire.UpdateApprovalConfig, wire.ApproveActivity,
		wire.CreateAuthenticator, wire.DeleteAuthenticator, wire.OverridePrice, wire.UpdateRecovery,
		wire.CancelRecovery, wire.AddPayee, wire.RemovePayee,
		wire.ActivateAgent, wire.SetAgentLimits, wire.SetAgentStatus, wire.RotateAgentSecret, wire.DeleteAgent,
		wire.SetKillSwitch,
	}
	for _, kind := range stamped {
		if KindOf[kind] == "" {
			t.Errorf("%s has none", kind)
		}
	}
	if len(KindOf) != len(stamped) {
		t.Errorf("there are %d, of %d bodies", len(KindOf), len(stamped))
	}
}
