package bridge

import (
	"fmt"
	"regexp"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
)

// transferAnswer is a transfer as it is told.
type transferAnswer struct {
	ID          string  `json:"id"`
	Reference   string  `json:"client_reference_id"`
	CustomerID  string  `json:"on_behalf_of"`
	State       string  `json:"state"`
	Amount      decimal `json:"amount"`
	Fee         decimal `json:"developer_fee"`
	Source      side    `json:"source"`
	Destination side    `json:"destination"`
	Receipt     receipt `json:"receipt"`
	Return      struct {
		Reason   string  `json:"reason"`
		Code     string  `json:"code"`
		Refunded decimal `json:"refunded_amount"`
	} `json:"return_details"`
	CreatedAt string `json:"created_at"`
	UpdatedAt string `json:"updated_at"`
}

type side struct {
	Currency      string  `json:"currency"`
	WalletID      string  `json:"bridge_wallet_id"`
	AccountID     string  `json:"external_account_id"`
	ToAddress     string  `json:"to_address"`
	Amount        decimal `json:"amount"`
	IMAD          string  `json:"imad"`
	TraceNumber   string  `json:"trace_number"`
	Tracking      string  `json:"tracking_number"`
	TransactionID string  `json:"transaction_id"`
	EndToEndID    string  `json:"end_to_end_id"`
	UETR          string  `json:"uetr"`
}

type receipt struct {
	Initial decimal `json:"initial_amount"`
	Fee     decimal `json:"developer_fee"`
	Final   decimal `json:"final_amount"`
	Rate    decimal `json:"exchange_rate"`
	Hash    string  `json:"destination_tx_hash"`
}

// states are the partner's words for how far a transfer is. A word that is not here
// is one to wait for: it says neither that the money arrived nor that it did not.
var states = map[string]fiat.TransferState{
	"pending": fiat.TransferAwaiting, "awaiting_funds": fiat.TransferAwaiting, "in_review": fiat.TransferInReview,
	"funds_received": fiat.TransferFunded, "payment_submitted": fiat.TransferSubmitted,
	"payment_processed": fiat.TransferProcessed, "undeliverable": fiat.TransferUndeliverable,
	"returned": fiat.TransferReturned, "refund_in_flight": fiat.TransferReturned, "refunded": fiat.TransferRefunded,
	"canceled": fiat.TransferCanceled, "error": fiat.TransferError, "refund_failed": fiat.TransferError,
	"missing_return_policy": fiat.TransferError,
}

var word = pattern(`^[a-z_]{2,40}$`)

func (a transferAnswer) transfer() (fiat.Transfer, error) {
	source, destination := money.Currency(a.Source.Currency), money.Currency(a.Destination.Currency)
	if err := a.readable(source, destination); err != nil {
		return fiat.Transfer{}, err
	}
	t := fiat.Transfer{
		ID: a.ID, Reference: a.Reference, CustomerID: a.CustomerID, State: a.state(),
		WalletID: a.Source.WalletID, AccountID: a.Destination.AccountID, ToAddress: a.Destination.ToAddress,
		TrackingKey: a.Destination.Tracking, IMAD: a.Destination.IMAD, Hash: a.Receipt.Hash,
		TraceNumber: first(a.Destination.TraceNumber, a.Destination.TransactionID,
			a.Destination.EndToEndID, a.Destination.UETR),
		ReturnReason: harmless(a.Return.Reason, nil), ReturnCode: a.code(),
	}
	return t, a.amounts(&t, source, destination)
}

func (a transferAnswer) readable(source, destination money.Currency) error {
	if !source.Known() || !destination.Known() || !word().MatchString(a.State) {
		return fmt.Errorf("a transfer without a state or currencies: %w", fiat.ErrAnswer)
	}
	return firstOf(told(a.ID), told(a.CustomerID))
}

func (a transferAnswer) state() fiat.TransferState {
	if s, ok := states[a.State]; ok {
		return s
	}
	return fiat.TransferInReview
}

// amounts reads the sums and holds them together. What was paid has an amount.
func (a transferAnswer) amounts(t *fiat.Transfer, source, destination money.Currency) error {
	var errs [7]error
	t.Source, errs[0] = a.Receipt.Initial.or(a.Source.Amount).or(a.Amount).amount(source)
	t.Fee, errs[1] = a.Receipt.Fee.or(a.Fee).rest(source)
	t.Destination, errs[2] = a.Receipt.Final.or(a.Destination.Amount).rest(destination)
	t.Rate, errs[3] = a.Receipt.Rate.rate()
	t.Refunded, errs[4] = a.Return.Refunded.rest(source)
	t.UpdatedAt, errs[5] = instant(a.UpdatedAt)
	t.CreatedAt, errs[6] = instant(a.CreatedAt)
	if err := firstOf(errs[:]...); err != nil {
		return err
	}
	if t.State == fiat.TransferRefunded && t.Refunded.IsZero() {
		t.Refunded = t.Source
	}
	if t.Fee.Minor > t.Source.Minor || t.Refunded.Minor > t.Source.Minor ||
		t.State == fiat.TransferProcessed && t.Destination.IsZero() {
		return fmt.Errorf("amounts that do not fit: %w", fiat.ErrAnswer)
	}
	return nil
}

// railCodes are how rails number their returns: ACH R03, SEPA AC04, SPEI 03.
var railCodes = regexp.MustCompile(`^(R[0-9]{2}|[A-Z]{2}[0-9]{2}|[0-9]{2})\b`)

// code is the rail's code, by itself or in front of the reason.
func (a transferAnswer) code() string {
	return first(railCodes.FindString(a.Return.Code), railCodes.FindString(a.Return.Reason))
}
