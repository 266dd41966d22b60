package walk

import (
	"strings"

	railkit "github.com/railkit/railkit/sdk/go"
)

const accountsPath = "/v1/payout/accounts"

// payable is a recipient with one bank account and one withdrawal address.
func (w *World) payable() (recipient string) {
	w.T.Helper()
	path := strings.Split(w.bankAccount(), "/") // recipientsPath/{id}/accounts/{accountId}
	recipient = path[len(path)-3]
	account := path[len(path)-1]
	w.must(w.post(accountsPath+"/setup/liquidation-address", map[string]string{
		"beneficiaryId": recipient, "beneficiaryAccountId": account, "chain": "base", "currency": "usdc",
	}), nil)
	return recipient
}

func quotePayout(w *World) Request {
	w.T.Helper()
	return w.post(accountsPath+"/quote", railkit.QuoteRequest{
		BeneficiaryID: w.payable(), Amount: "25.5", Currency: "USDC",
	})
}

const batchesPath = "/v1/payout/batches"

func previewBatch(w *World) Request {
	w.T.Helper()
	return w.post(batchesPath, railkit.BatchRequest{Rows: []railkit.BatchPayment{
		{Reference: w.name("INV"), BeneficiaryID: w.payable(), Amount: "25.5", Currency: "USDC"},
	}})
}

// batch is the path of one that can be executed.
func (w *World) batch() string {
	w.T.Helper()
	var b railkit.BatchDetail
	w.must(previewBatch(w), &b)
	return batchesPath + "/" + b.ID
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
