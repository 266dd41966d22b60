package walk

import (
	"strings"

	railkit "github.com/railkit/railkit/sdk/go"
)

const accountsPath = "/v1/payout/accounts"

// quotePayout asks for a recipient with one bank account and one withdrawal address.
func quotePayout(w *World) Request {
	w.T.Helper()
	path := strings.Split(w.bankAccount(), "/") // recipientsPath/{id}/accounts/{accountId}
	recipient, account := path[len(path)-3], path[len(path)-1]
	w.must(w.post(accountsPath+"/setup/liquidation-address", map[string]string{
		"beneficiaryId": recipient, "beneficiaryAccountId": account, "chain": "base", "currency": "usdc",
	}), nil)
	return w.post(accountsPath+"/quote", railkit.QuoteRequest{
		BeneficiaryID: recipient, Amount: "25.5", Currency: "USDC",
	})
}

func executePayout(w *World) Request {
	w.T.Helper()
	var q railkit.Quote
	w.must(quotePayout(w), &q)
	return w.post(accountsPath+"/execute", railkit.ExecuteRequest{QuoteID: q.QuoteID, BeneficiaryID: q.BeneficiaryID})
}

// payment waits for its deposit.
func (w *World) payment() railkit.Payment {
	w.T.Helper()
	var p railkit.Payment
	w.must(executePayout(w), &p)
	return p
}

func cancelOrder(w *World) Request { return w.post("/v1/orders/"+w.payment().OrderID+"/cancel", nil) }
