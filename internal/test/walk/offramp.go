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
	w.must(w.post(withdrawPath, railkit.WithdrawAddressRequest{BeneficiaryAccountID: account}),
		&railkit.WithdrawAddress{})
	return w.post("/v1/payout/accounts/setup/virtual-account", railkit.VirtualAccountRequest{
		BeneficiaryID: recipient, BeneficiaryAccountID: account,
	})
}

func createWithdrawAddress(w *World) Request {
	_, account := w.payee()
	return w.post(withdrawPath, railkit.WithdrawAddressRequest{
		BeneficiaryAccountID: account, WalletID: w.Owner().Wallet.WalletID,
	})
}

// withdrawAddress is the path of one.
func (w *World) withdrawAddress() string {
	w.T.Helper()
	var a railkit.WithdrawAddress
	w.must(createWithdrawAddress(w), &a)
	return withdrawPath + "/" + a.ID
}

func changeReturnAddress(w *World) Request {
	_, account := w.payee()
	var a railkit.WithdrawAddress
	w.must(w.post(withdrawPath, railkit.WithdrawAddressRequest{BeneficiaryAccountID: account}), &a)
	return w.post(withdrawPath+"/"+a.ID+"/return-address", railkit.ReturnAddressRequest{
		WalletID: w.Owner().Wallet.WalletID,
	})
}

// otherReturn is where refunds will go by a change that waits.
const otherReturn = "0x00000000000000000000000000000000000000fF"

// changingReturn is the path of a change that waits. In the sandbox changes take
// effect at once, and so the database is told of it.
func (w *World) changingReturn() string {
	w.T.Helper()
	r := changeReturnAddress(w)
	id := strings.Split(r.Path, "/")[5]
	w.App.Edit(`UPDATE withdraw_addresses
		SET next_wallet_id = 'wallet', next_return_address = $1, next_return_at = 9000000000000000 WHERE id = $2`,
		otherReturn, id)
	return r.Path
}

func confirmReturnAddress(w *World) Request {
	w.T.Helper()
	return w.as(w.member(), "POST", w.changingReturn()+"/confirm", `{"returnAddress":"`+otherReturn+`"}`)
}
