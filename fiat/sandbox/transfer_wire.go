package sandbox

import (
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
)

// transfer is a payment as answers and notices show it.
type transfer struct {
	ID          string             `json:"id"`
	Reference   string             `json:"client_reference_id"`
	Customer    string             `json:"on_behalf_of"`
	State       fiat.TransferState `json:"state"`
	Currency    money.Currency     `json:"currency"`
	Amount      string             `json:"amount"`
	Fee         string             `json:"developer_fee"`
	Source      transferSource     `json:"source"`
	Destination transferTarget     `json:"destination"`
	Receipt     receipt            `json:"receipt"`
	Return      *returned          `json:"return_details"`
	CreatedAt   time.Time          `json:"created_at"`
	UpdatedAt   time.Time          `json:"updated_at"`
}

type transferSource struct {
	Rail     string         `json:"payment_rail"`
	Currency money.Currency `json:"currency"`
	Wallet   string         `json:"bridge_wallet_id"`
	From     string         `json:"from_address"`
}

type transferTarget struct {
	Rail        string         `json:"payment_rail"`
	Currency    money.Currency `json:"currency"`
	Account     string         `json:"external_account_id,omitempty"`
	To          string         `json:"to_address,omitempty"`
	Amount      string         `json:"amount,omitempty"`
	TrackingKey string         `json:"tracking_number,omitempty"`
	TraceNumber string         `json:"trace_number,omitempty"`
	IMAD        string         `json:"imad,omitempty"`
}

type receipt struct {
	Initial     string  `json:"initial_amount"`
	Fee         string  `json:"developer_fee"`
	ExchangeFee string  `json:"exchange_fee"`
	Subtotal    string  `json:"subtotal_amount"`
	Gas         string  `json:"gas_fee"`
	Rate        string  `json:"exchange_rate"`
	Final       string  `json:"final_amount"`
	Hash        *string `json:"destination_tx_hash"`
}

type returned struct {
	Code     string         `json:"code"`
	Reason   string         `json:"reason"`
	Amount   string         `json:"refunded_amount,omitempty"`
	Currency money.Currency `json:"refunded_currency,omitempty"`
}

func (p *payment) wire() transfer {
	w := transfer{
		ID: p.ID, Reference: p.Reference, Customer: p.Customer, State: p.State, Currency: p.Gross.Currency,
		Amount: p.Gross.String(), Fee: p.Fee.String(), CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt,
		Source: transferSource{"bridge_wallet", p.Gross.Currency, p.Wallet, p.From},
		Destination: transferTarget{
			Rail: string(p.Rail), Currency: p.Net.Currency, Account: p.Account, To: p.To,
			TrackingKey: p.TrackingKey, TraceNumber: p.TraceNumber, IMAD: p.IMAD,
		},
		Receipt: p.receipt(),
	}
	if p.Rail == "" {
		w.Destination.Rail = p.Chain
	}
	if p.Fixed {
		w.Destination.Amount = p.Net.String()
	}
	if p.Code != "" {
		w.Return = &returned{Code: p.Code, Reason: p.Reason}
	}
	if p.Refunded != nil {
		w.Return.Amount, w.Return.Currency = p.Refunded.String(), p.Refunded.Currency
	}
	return w
}

func (p *payment) receipt() receipt {
	none := money.Of(0, p.Gross.Currency).String()
	r := receipt{
		Initial: p.Gross.String(), Fee: p.Fee.String(), ExchangeFee: none, Gas: none, Subtotal: p.subtotal().String(),
		Rate: p.Rate.String(), Final: p.Net.String(),
	}
	if p.Hash != "" {
		r.Hash = &p.Hash
	}
	return r
}

// subtotal is what is changed: all but the developer's fee.
func (p *payment) subtotal() money.Amount {
	return money.Of(p.Gross.Minor-p.Fee.Minor, p.Gross.Currency)
}

func getTransfer(v *view, r request) (any, error) {
	p, err := paymentOf(v, r.PathValue("transfer"))
	return p.wire(), err
}

// listTransfers lists all, or those of the customer and reference that are asked for.
func listTransfers(v *view, r request) (any, error) {
	where, args := "true", []any{}
	customer := r.PathValue("customer")
	if customer == "" {
		customer = r.URL.Query().Get("customer_id")
	}
	if customer != "" {
		where, args = where+" AND owner = ?", append(args, customer)
	}
	if reference := r.URL.Query().Get("client_reference_id"); reference != "" {
		where, args = where+" AND ref = ?", append(args, reference)
	}
	found, err := list[payment](v, r, transferKind, where, args...)
	wires := page[transfer]{found.Count, []transfer{}}
	for _, p := range found.Data {
		wires.Data = append(wires.Data, p.wire())
	}
	return wires, err
}
