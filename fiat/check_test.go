package fiat

import (
	"errors"
	"testing"

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
		"reference":   func(t *Transfer) { t.Reference = "x" },
		"customer":    func(t *Transfer) { t.CustomerID = "x" },
		"account":     func(t *Transfer) { t.AccountID = "" },
		"wallet":      func(t *Transfer) { t.WalletID = "x" },
		"source":      func(t *Transfer) { t.Source.Currency = money.USDT },
		"destination": func(t *Transfer) { t.Destination.Currency = money.EUR },
		"fee":         func(t *Transfer) { t.Fee.Minor = 0 },
		"address":     func(t *Transfer) { t.ToAddress = "0x" },
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
