package sandbox

import (
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/money"
)

// activity is an event of a virtual account, as lists and notices show it.
type activity struct {
	ID           string         `json:"id"`
	Customer     string         `json:"customer_id"`
	Account      string         `json:"virtual_account_id"`
	Deposit      string         `json:"deposit_id,omitempty"`
	Type         string         `json:"type"`
	Amount       string         `json:"amount,omitempty"`
	Currency     money.Currency `json:"currency,omitempty"`
	DeveloperFee string         `json:"developer_fee_amount,omitempty"`
	ExchangeFee  string         `json:"exchange_fee_amount,omitempty"`
	Subtotal     string         `json:"subtotal_amount,omitempty"`
	Gas          string         `json:"gas_fee,omitempty"`
	Hash         string         `json:"destination_tx_hash,omitempty"`
	Source       *origin        `json:"source,omitempty"`
	Reason       string         `json:"reason,omitempty"`
	CreatedAt    time.Time      `json:"created_at"`
}

// origin is what the partner tells of a depositor's transfer. Which reference there is depends on the rail.
type origin struct {
	Rail        string `json:"payment_rail"`
	SenderName  string `json:"sender_name,omitempty"`
	TrackingKey string `json:"tracking_number,omitempty"` // SPEI
	TraceNumber string `json:"trace_number,omitempty"`    // ACH, Faster Payments
	IMAD        string `json:"imad,omitempty"`            // wire
	UETR        string `json:"uetr,omitempty"`            // SEPA
	EndToEnd    string `json:"end_to_end_id,omitempty"`   // PIX
}

// happened writes an event down, and its notice with it.
func (t *tx) happened(a activity) error {
	a.ID, a.CreatedAt = uuid.NewString(), t.stamp()
	if err := t.put(row{kind: activityKind, id: a.ID, owner: a.Customer, ref: a.Account}, a); err != nil {
		return err
	}
	return t.emit("virtual_account.activity", created, a.ID, "", a)
}

func listActivities(v *view, r request) (any, error) {
	if _, err := getVirtual(v, r); err != nil {
		return nil, err
	}
	return list[activity](v, r, activityKind, "owner = ? AND ref = ?", r.PathValue("customer"), r.PathValue("virtual"))
}
