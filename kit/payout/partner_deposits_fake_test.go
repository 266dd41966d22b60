package payout_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
)

// virtualAccount is one of the partner in memory, with what happened to it, oldest first.
type virtualAccount struct {
	fiat.VirtualAccount
	customer   string
	activities []fiat.Activity
}

// numbers are an account's of each currency, right by their check digits.
var numbers = map[money.Currency]fiat.Instructions{
	money.USD: {Rails: []fiat.Rail{fiat.ACH, fiat.Wire}, Details: fiat.Details{
		AccountNumber: "900000000001", RoutingNumber: "021000021",
	}},
	money.MXN: {Rails: []fiat.Rail{fiat.SPEI}, Details: fiat.Details{CLABE: "646180157000000004"}},
	money.EUR: {Rails: []fiat.Rail{fiat.SEPA}, Details: fiat.Details{
		IBAN: "DE89370400440532013000", BIC: "COBADEFFXXX",
	}},
	money.GBP: {Rails: []fiat.Rail{fiat.FasterPayments}, Details: fiat.Details{
		AccountNumber: "31926819", SortCode: "601613",
	}},
	money.BRL: {Rails: []fiat.Rail{fiat.PIX}, Details: fiat.Details{
		BRCode: "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-426655440000" +
			"5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D",
	}},
}

func (d *till) CreateVirtualAccount(
	_ context.Context, key, customer string, q fiat.VirtualAccountRequest,
) (fiat.VirtualAccount, error) {
	return once(d, "CreateVirtualAccount", key, []any{customer, q}, func() (fiat.VirtualAccount, error) {
		i := numbers[q.Source]
		i.Currency, i.BankName, i.BankAddress, i.Beneficiary = q.Source, "Bank", "1 Main St", "Acme"
		v := fiat.VirtualAccount{
			ID: d.id("virtual"), Active: true, Chain: q.Chain, Currency: q.Currency, Address: q.Address,
			FeePoints: q.FeePoints, Instructions: i,
		}
		d.virtuals[v.ID] = &virtualAccount{VirtualAccount: v, customer: customer}
		return v, nil
	})
}

// virtual finds an account of a customer, unless the next call of the method is to fail.
func (d *till) virtual(method, customer, id string) (*virtualAccount, error) {
	d.calls[method]++
	if f := d.faults[method]; len(f) > 0 {
		d.faults[method] = f[1:]
		if f[0].err != nil {
			return nil, f[0].err
		}
	}
	v := d.virtuals[id]
	if v == nil || v.customer != customer {
		return nil, fiat.ErrNotFound
	}
	return v, nil
}

func (d *till) VirtualAccount(_ context.Context, customer, id string) (fiat.VirtualAccount, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	v, err := d.virtual("VirtualAccount", customer, id)
	if err != nil {
		return fiat.VirtualAccount{}, err
	}
	return v.VirtualAccount, nil
}

func (d *till) SetVirtualAccountActive(
	_ context.Context, key, customer, id string, active bool,
) (fiat.VirtualAccount, error) {
	request := []any{customer, id, active}
	return once(d, "SetVirtualAccountActive", key, request, func() (fiat.VirtualAccount, error) {
		v := d.virtuals[id]
		if v == nil || v.customer != customer {
			return fiat.VirtualAccount{}, fiat.ErrNotFound
		}
		if v.Active != active {
			kind := fiat.AccountDeactivated
			if active {
				kind = fiat.AccountActivated
			}
			d.happened(v, fiat.Activity{Type: kind})
		}
		v.Active = active
		return v.VirtualAccount, nil
	})
}

func (d *till) Activities(_ context.Context, customer, id string, since time.Time) ([]fiat.Activity, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	v, err := d.virtual("Activities", customer, id)
	if err != nil {
		return nil, err
	}
	var some []fiat.Activity
	for _, a := range slices.Backward(v.activities) {
		if !a.At.Before(since) {
			some = append(some, a)
		}
	}
	return some, nil
}

func (d *till) ReturnDeposit(_ context.Context, key, customer, deposit string, amount money.Amount) error {
	_, err := once(d, "ReturnDeposit", key, []any{customer, deposit, amount}, func() (bool, error) {
		v, in := d.deposit(customer, deposit)
		switch {
		case v == nil:
			return false, &fiat.Refusal{Code: "not_found", Field: "destination.deposit_id"}
		case in.Amount != amount || spent(v, deposit):
			return false, &fiat.Refusal{Code: "deposit_not_returnable"}
		}
		d.returns = append(d.returns, deposit)
		d.happened(v, fiat.Activity{Type: fiat.RefundInFlight, DepositID: deposit, Amount: amount, Rail: in.Rail})
		return true, nil
	})
	return err
}

// deposit finds what arrived of a deposit, and where.
func (d *till) deposit(customer, deposit string) (*virtualAccount, fiat.Activity) {
	for _, v := range d.virtuals {
		for _, a := range v.activities {
			if v.customer == customer && a.DepositID == deposit && a.Type == fiat.FundsReceived {
				return v, a
			}
		}
	}
	return nil, fiat.Activity{}
}

// spent tells whether a deposit became coins already, or goes back.
func spent(v *virtualAccount, deposit string) bool {
	over := []fiat.ActivityType{fiat.PaymentSubmitted, fiat.PaymentProcessed, fiat.RefundInFlight, fiat.Refunded}
	return slices.ContainsFunc(v.activities, func(a fiat.Activity) bool {
		return a.DepositID == deposit && slices.Contains(over, a.Type)
	})
}

// arrives has a bank transfer arrive at an account, and all that follows happen at once: it becomes coins, or waits in
// review, or goes back where the account is off.
func (d *till) arrives(account fiat.VirtualAccount, in money.Amount, held bool) (deposit string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	v := d.virtuals[account.ID]
	deposit = d.id("deposit")
	rail := v.Instructions.Rails[0]
	happens := func(kind fiat.ActivityType, a fiat.Activity) {
		a.Type, a.DepositID, a.Rail = kind, deposit, rail
		d.happened(v, a)
	}
	happens(fiat.FundsReceived, fiat.Activity{Amount: in, SenderName: "Ana Ruiz", Trace: "TRACE" + deposit})
	switch {
	case !v.Active:
		why := fiat.Activity{Amount: in, Reason: "account_deactivated"}
		happens(fiat.RefundInFlight, why)
		happens(fiat.Refunded, why)
	case held:
		happens(fiat.FundsInReview, fiat.Activity{Amount: in, Reason: "manual_review"})
	default:
		paid := d.coinsOf(v, in)
		paid.Hash = fmt.Sprintf("0x%064x", d.number)
		happens(fiat.PaymentSubmitted, paid)
		happens(fiat.PaymentProcessed, paid)
	}
	return deposit
}

// coinsOf is what an account's deposit becomes, and the fee of it.
func (d *till) coinsOf(v *virtualAccount, in money.Amount) fiat.Activity {
	fee, err := in.Share(v.FeePoints)
	rate, wrong := money.ParseRate(d.sell)
	coins, over := rate.Convert(money.Of(in.Minor-fee.Minor, in.Currency), v.Currency)
	if err := errors.Join(err, wrong, over); err != nil {
		d.t.Error(err)
	}
	return fiat.Activity{Amount: coins, Fee: fee}
}

// happens adds an activity to an account's list, and gives its id. It happens now if it says nothing else.
func (d *till) happens(account string, a fiat.Activity) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.happened(d.virtuals[account], a)
}

func (d *till) happened(v *virtualAccount, a fiat.Activity) string {
	a.ID, a.AccountID = d.id("activity"), v.ID
	if a.At.IsZero() {
		a.At = d.clock.Now()
	}
	v.activities = append(v.activities, a)
	return a.ID
}
