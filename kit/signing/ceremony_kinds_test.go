package signing

import (
	"testing"

	"github.com/railkit/railkit/enclave/wire"
)

// Whatever a passkey stamps has its own kind of link: the page refuses a body of
// another one.
func TestSigning_EveryStampedBodyHasItsLink(t *testing.T) {
	stamped := []wire.ActivityType{
		wire.CreateWallet, wire.CreateWalletAccounts, wire.SignIntent, wire.SignTransaction, wire.CreateAgent, wire.SignMessage,
		wire.CreatePolicy, wire.UpdatePolicy, wire.DeletePolicy, wire.UpdateApprovalConfig, wire.ApproveActivity,
		wire.CreateAuthenticator, wire.DeleteAuthenticator, wire.OverridePrice, wire.UpdateRecovery, wire.CancelRecovery,
	}
	for _, kind := range stamped {
		if ceremonyKinds[kind] == "" {
			t.Errorf("%s has none", kind)
		}
	}
	if len(ceremonyKinds) != len(stamped) {
		t.Errorf("there are %d, of %d bodies", len(ceremonyKinds), len(stamped))
	}
}
