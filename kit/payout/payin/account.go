package payin

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat/bank"
	"github.com/railkit/railkit/kit/payout/depositaccount"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/virtual"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/platform/record"
)

// source is an account number at which fiat arrives: a deposit account, or a recipient's virtual account with the
// withdrawal address to which its coins go. One of the two is there.
type source struct {
	deposit *depositaccount.Account
	virtual *virtual.Account
	address withdraw.Address
}

func ofDeposit(a depositaccount.Account) source { return source{deposit: &a} }

func (s *Service) ofVirtual(ctx context.Context, v virtual.Account) (source, error) {
	a, err := s.c.Store.WithdrawAddress(ctx, v.WorkspaceID, v.WithdrawAddressID)
	return source{virtual: &v, address: a}, err
}

func (a source) workspace() string {
	if a.deposit != nil {
		return a.deposit.WorkspaceID
	}
	return a.virtual.WorkspaceID
}

// partner is the partner's id of the workspace and of the account.
func (a source) partner() (customerID, id string) {
	if a.deposit != nil {
		return a.deposit.CustomerID, a.deposit.PartnerID
	}
	return a.address.CustomerID, a.virtual.PartnerID
}

// feePoints is our fee, in basis points, as the partner was asked to take it.
func (a source) feePoints() int64 {
	if a.deposit != nil {
		return a.deposit.FeePoints
	}
	return a.virtual.FeePoints
}

func (a source) polledAt() time.Time {
	if a.deposit != nil {
		return a.deposit.PolledAt
	}
	return a.virtual.PolledAt
}

// since is the instant from which on the partner's list is read, if so much of what was taken in is read again.
func (a source) since(again time.Duration) time.Time {
	until := time.Time{}
	if a.deposit != nil {
		until = a.deposit.ActivitiesUntil
	} else {
		until = a.virtual.ActivitiesUntil
	}
	if until.IsZero() {
		return until
	}
	return until.Add(-again)
}

// base is what every pay-in of the account has.
func (a source) base() order.PayIn {
	if d := a.deposit; d != nil {
		return order.PayIn{AccountID: d.ID, AccountReference: d.Reference, PartnerAccountID: d.PartnerID}
	}
	return order.PayIn{AccountID: a.virtual.ID, PartnerAccountID: a.virtual.PartnerID}
}

// byPartner finds the account with the partner's id.
func (s *Service) byPartner(ctx context.Context, partnerID string) (source, error) {
	d, err := s.c.Store.DepositAccountByPartner(ctx, partnerID)
	if !errors.Is(err, fault.ErrNotFound) {
		return ofDeposit(d), err
	}
	v, err := s.c.Store.VirtualAccountByPartner(ctx, partnerID)
	if err != nil {
		return source{}, err
	}
	return s.ofVirtual(ctx, v)
}

// sourceOf is the account at which the fiat of an order arrived.
func (s *Service) sourceOf(ctx context.Context, o order.Order) (source, error) {
	if o.Type == order.OnRamp {
		d, err := s.c.Store.DepositAccount(ctx, o.WorkspaceID, o.PayIn.AccountID)
		return ofDeposit(d), err
	}
	v, err := s.c.Store.VirtualAccount(ctx, o.WorkspaceID, o.PayIn.AccountID)
	if err != nil {
		return source{}, err
	}
	return s.ofVirtual(ctx, v)
}

// newOrder is an order without events yet. Its id follows from the partner's id of the bank transfer, so that two
// servers that hear of it at once insert the same row, and one of them sees that it lost.
func (s *Service) newOrder(ctx context.Context, a source, depositID string) (o order.Order, err error) {
	_, partnerID := a.partner()
	o = order.Order{WorkspaceID: a.workspace(), ID: record.DerivedID("payin", a.workspace(), partnerID, depositID)}
	if d := a.deposit; d != nil {
		o.Type, o.Origin = order.OnRamp, order.FromAccount
		o.Chain, o.Address, o.Source, o.Destination = d.Chain, d.Address, d.Source, d.Destination
		o.Rail = bank.DefaultRail(d.Source)
		o.WalletID, err = s.c.Deposits.WalletOf(ctx, *d)
		return o, err
	}
	to, err := s.c.Accounts.Payee(ctx, o.WorkspaceID, a.address.RecipientID, a.address.BankAccountID)
	o.Type, o.Origin = order.GlobalPayment, order.FromVirtual
	o.RecipientID, o.RecipientName = to.Recipient.ID, to.Recipient.Name
	o.BankAccountID, o.LastFour = to.Account.ID, to.Account.Shown.LastFour
	o.WithdrawAddressID, o.Address = a.address.ID, a.address.Address
	o.ReturnAddress = a.address.At(s.c.Clock.Now()).ReturnAddress
	o.Chain, o.Source = a.address.Chain, a.address.Currency
	o.Destination, o.Rail = a.address.Destination, a.address.Rail
	return o, err
}
