package x402

import (
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Receipt is what a facilitator says of a settlement, and a shop of a payment. It is a hint: only the chain tells
// whether money moved.
type Receipt struct {
	Success      bool           `json:"success"`
	ErrorReason  string         `json:"errorReason,omitempty"`
	ErrorMessage string         `json:"errorMessage,omitempty"`
	Payer        string         `json:"payer,omitempty"`
	Transaction  string         `json:"transaction"` // "" where nothing was sent
	Network      string         `json:"network"`
	Amount       string         `json:"amount,omitempty"` // of the scheme upto: what was taken
	Extensions   jsontext.Value `json:"extensions,omitempty"`
	Extra        jsontext.Value `json:"extra,omitempty"`
}

// Pending reports whether the transaction was sent and its end is not known.
func (r Receipt) Pending() bool {
	return !r.Success && r.ErrorReason == ReasonSettlementPending && r.Transaction != ""
}

// receiptMPP is the header Payment-Receipt.
type receiptMPP struct {
	Status    string    `json:"status"`
	Timestamp time.Time `json:"timestamp"`
	Reference string    `json:"reference"`
}

// ReadReceipt reads the receipt of an answer in any dialect. found is false where there is none.
func ReadReceipt(header http.Header) (r Receipt, found bool, err error) {
	for _, name := range []string{HeaderReceipt, HeaderReceiptV1, "Payment-Receipt"} {
		text, found, err := oneHeader(header.Values(name))
		if !found && err == nil {
			continue
		}
		var raw jsontext.Value
		if err == nil {
			raw, err = DecodeHeader(text)
		}
		if err == nil && name == "Payment-Receipt" {
			var in receiptMPP
			err = json.Unmarshal(raw, &in)
			return Receipt{Success: in.Status == "success", Transaction: in.Reference}, true, err
		}
		if err == nil {
			err = json.Unmarshal(raw, &r)
		}
		return r, true, err
	}
	return Receipt{}, false, nil
}
