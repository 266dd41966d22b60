package walk

import (
	"strings"

	railkit "github.com/railkit/railkit/sdk/go"
)

const withdrawPath = "/v1/payout/offramp/withdraw-addresses"

// payee names a recipient and a bank account that is registered.
func (w *World) payee() (recipient, account string) {
	w.T.Helper()
	part := strings.Split(strings.TrimPrefix(w.bankAccount(), recipientsPath+"/"), "/")
	return part[0], part[2]
}

func setupLiquidationAddress(w *World) Request {
	recipient, account := w.payee()
	return w.post("/v1/payout/accounts/setup/liquidation-address", railkit.LiquidationRequest{
		BeneficiaryID: recipient, BeneficiaryAccountID: account, Chain: "base", Currency: "usdc",
	})
}

func setupVirtualAccount(w *World) Request {
	recipient, account := w.payee()
	w.must(w.post(withdrawPath, railkit.WithdrawAddressRequest{BeneficiaryAccountID: account}), &railkit.WithdrawAddress{})
	return w.post("/v1/payout/accounts/setup/virtual-account", railkit.VirtualAccountRequest{
		BeneficiaryID: recipient, BeneficiaryAccountID: account,
	})
}

func createWithdrawAddress(w *World) Request {
	_, account := w.payee()
	return w.post(withdrawPath, railkit.WithdrawAddressRequest{BeneficiaryAccountID: account, WalletID: w.Owner().Wallet.WalletID})
}

// withdrawAddress is the path of one.
func (w *World) withdrawAddress() string {
	w.T.Helper()
	var a railkit.WithdrawAddress
	w.must(createWithdrawAddress(w), &a)
	return withdrawPath + "/" + a.ID
}
