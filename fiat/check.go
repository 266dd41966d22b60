package fiat

import (
	"fmt"

	"github.com/railkit/railkit/money"
)

// Check compares what the partner tells of a transfer with what was asked for. A
// transfer that is about anything else is ErrAnswer: nobody may take it for the
// one that was meant.
func (t Transfer) Check(q TransferRequest) error {
	switch {
	case t.Reference != q.Reference:
		return mismatch("reference")
	case t.CustomerID != q.CustomerID:
		return mismatch("customer")
	case t.Source.Currency != q.Source, t.Destination.Currency != q.Destination:
		return mismatch("currency")
	case t.AccountID != q.AccountID:
		return mismatch("bank account")
	case !SameOnChain(t.ToAddress, q.ToAddress):
		return mismatch("address")
	case t.WalletID != "" && t.WalletID != q.WalletID:
		return mismatch("wallet")
	case q.Gross.Currency != "" && t.Source != q.Gross, t.Fee.Minor != q.Fee.Minor, !t.pays(q.Net):
		return mismatch("amount")
	}
	return nil
}

// pays tells whether a fixed net amount is what is paid. It need not be named
// before it was.
func (t Transfer) pays(net money.Amount) bool {
	if net.Currency == "" || t.Destination.IsZero() && t.State != TransferProcessed {
		return true
	}
	return t.Destination == net
}

// Check compares what the partner tells of a virtual account with what was asked for. Instructions that are in another
// currency, or coins that go anywhere else, are ErrAnswer.
func (v VirtualAccount) Check(q VirtualAccountRequest) error {
	switch {
	case v.Instructions.Currency != "" && v.Instructions.Currency != q.Source, v.Currency != q.Currency:
		return mismatch("currency")
	case v.Chain != q.Chain:
		return mismatch("chain")
	case !SameOnChain(v.Address, q.Address):
		return mismatch("address")
	case v.FeePoints != q.FeePoints:
		return mismatch("fee")
	}
	return nil
}

func mismatch(what string) error { return fmt.Errorf("another %s than asked for: %w", what, ErrAnswer) }
