package walk

import (
	railkit "github.com/railkit/railkit/sdk/go"
)

const depositPath = "/v1/payout/onramp/deposit-accounts"

// createDepositAccount asks for the account of a wallet that has none.
func createDepositAccount(w *World) Request {
	w.T.Helper()
	var made railkit.CreatedWallet
	w.must(confirmWallet(w), &made)
	return w.post(depositPath, railkit.DepositAccountRequest{WalletID: made.WalletID, SourceCurrency: "mxn"})
}

// depositAccount is the path of one.
func (w *World) depositAccount() string {
	w.T.Helper()
	var a railkit.DepositAccountNumber
	w.must(w.post(depositPath, railkit.DepositAccountRequest{ // in this form the answer is in the envelope
		Currency: "mxn", DestinationAddress: w.Owner().Address.Address,
	}), &a)
	return depositPath + "/" + a.ID
}
