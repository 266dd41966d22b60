package wallet

import (
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/activity"
)

// Kinds are the bodies about wallets. Calls of their own answer them.
func (s *Service) Kinds() []activity.Kind {
	return []activity.Kind{
		{Type: wire.CreateWallet, Finish: activity.Within(s.Finish)},
		{Type: wire.CreateWalletAccounts, Finish: activity.Within(s.finishLostAddresses)},
	}
}
