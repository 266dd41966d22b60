package fiat

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/money"
)

func TestPayout_TransferCheck(t *testing.T) {
	q := TransferRequest{
		CustomerID: "c", WalletID: "w", Reference: "r", Source: money.USDC, Destination: money.MXN, AccountID: "a",
		Gross: money.Of(100, money.USDC), Fee: money.Of(1, money.USDC),
	}
	good := Transfer{
		ID: "t", CustomerID: "c", WalletID: "w", Reference: "r", AccountID: "a", State: TransferSubmitted,
		Source: q.Gross, Fee: q.Fee, Destination: money.Of(50, money.MXN),
	}
	if err := good.Check(q); err != nil {
		t.Error(err)
	}
	fixed := q
	fixed.Gross, fixed.Net = money.Amount{}, money.Of(50, money.MXN)
	if err := good.Check(fixed); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Transfer){
		"reference": func(t *Transfer) { t.Reference = "x" }, "customer": func(t *Transfer) { t.CustomerID = "x" }, "account": func(t *Transfer) { t.AccountID = "" },
		"wallet": func(t *Transfer) { t.WalletID = "x" }, "source": func(t *Transfer) { t.Source.Currency = money.USDT },
		"destination": func(t *Transfer) { t.Destination.Currency = money.EUR }, "fee": func(t *Transfer) { t.Fee.Minor = 0 },
		"address": func(t *Transfer) { t.ToAddress = "0x" },
	} {
		bad := good
		change(&bad)
		if !errors.Is(bad.Check(q), ErrAnswer) || !errors.Is(bad.Check(fixed), ErrAnswer) {
			t.Error(name)
		}
	}
	less, paid, waiting := good, good, good
	less.Source.Minor, paid.Destination.Minor, paid.State, waiting.Destination.Minor = 99, 0, TransferProcessed, 0
	if !errors.Is(less.Check(q), ErrAnswer) || !errors.Is(paid.Check(fixed), ErrAnswer) || waiting.Check(fixed) != nil {
		t.Error("amounts")
	}
}

// What a caller of our API is told of a partner that fails.
func TestPayout_PartnerFailures(t *testing.T) {
	for _, tc := range []struct {
		err    error
		code   string
		status int
		wait   time.Duration
	}{
		{fmt.Errorf("x: %w", ErrAnswer), "partner_failed", 502, 0},
		{ErrKeyReused, "partner_failed", 502, 0},
		{ErrNotFound, "partner_failed", 502, 0},
		{errors.New("a bug"), "partner_failed", 502, 0},
		{fmt.Errorf("x: %w", ErrUnavailable), "partner_unavailable", 503, retry},
		{ErrInsufficient, "partner_unavailable", 503, retry},
		{&Busy{}, "partner_unavailable", 503, retry},
		{fmt.Errorf("x: %w", &Busy{After: 7 * time.Second}), "partner_unavailable", 503, 7 * time.Second},
		{&Refusal{Code: "invalid_account_number", Message: "of 4242", Field: "clabe"}, "partner_refused", 422, 0},
		{fault.Field("a", "b"), "validation_failed", 400, 0},
	} {
		f, ok := fault.As(Fault(tc.err))
		if !ok || f.Code != tc.code || f.Kind.Status() != tc.status || f.RetryAfter != tc.wait {
			t.Errorf("%v: %+v", tc.err, f)
		}
	}
	f, _ := fault.As(Fault(&Refusal{Code: "invalid_account_number", Message: "of 4242", Field: "clabe"}))
	if f.Details["reason"] != "invalid_account_number" || f.Details["field"] != "clabe" || f.Message != ErrNotTaken.Message {
		t.Errorf("%+v", f)
	}
	if Fault(nil) != nil {
		t.Error("nothing is no fault")
	}
}
