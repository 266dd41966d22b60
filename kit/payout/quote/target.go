package quote

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/provision"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// target is the recipient, bank account and withdrawal address of a payout.
type target struct {
	recipient recipient.Recipient
	account   account.Account
	address   withdraw.Address
}

func (t target) token() money.Currency { return t.address.Currency }

func (t target) own() money.Currency { return t.account.Currency }

// usualChain is the default chain of a request.
const usualChain = "base"

// The errors of targets.
var (
	errNoAccount = fault.Define(fault.Unprocessable, "bank_account_missing",
		"The recipient has no such active bank account",
		"The recipient has no active bank account, or beneficiaryAccountId names none of its own")
	errNoAddress = fault.Define(fault.Unprocessable, "withdraw_address_missing",
		"The bank account has no withdrawal address for this: make one with POST /v1/payout/offramp/withdraw-addresses",
		"No active withdrawal address of the bank account is of the chain and stablecoin that the request names")
)

// target finds the rows of a request. If the request does not name one of them, there has to be only one.
func (s *Service) target(ctx context.Context, workspaceID string, in rest.QuoteRequest, ask asked) (target, error) {
	r, accounts, addresses, err := s.payable(ctx, workspaceID, in.BeneficiaryID)
	if err != nil {
		return target{}, err
	}
	account, err := chooseAccount(accounts, in.BeneficiaryAccountID)
	if err != nil {
		return target{}, err
	}
	all, err := s.addressesOf(ctx, account, addresses)
	if err != nil {
		return target{}, err
	}
	token, err := tokenOf(in, ask)
	if err != nil {
		return target{}, err
	}
	slug := strings.ToLower(in.Chain)
	if why := s.c.Pairs.Never(slug); why != "" {
		return target{}, fault.Field("chain", "must be another network: "+why)
	}
	address, err := chooseAddress(all, slug, token)
	return target{r, account, address}, err
}

// addressesOf are the withdrawal addresses of an account, which are among those that came with it or have to be read.
func (s *Service) addressesOf(
	ctx context.Context, a account.Account, came []withdraw.Address,
) (own []withdraw.Address, err error) {
	if len(came) == 0 {
		return s.c.Store.WithdrawAddressesOf(ctx, a.WorkspaceID, a.ID)
	}
	for _, at := range came {
		if at.BankAccountID == a.ID {
			own = append(own, at)
		}
	}
	return own, nil
}

// payable finds a recipient that can be paid, with its bank accounts in use and their withdrawal addresses. An unknown
// recipient is 422 here, not 404, since it is named in the body.
func (s *Service) payable(
	ctx context.Context, workspaceID, id string,
) (r recipient.Recipient, accounts []account.Account, addresses []withdraw.Address, err error) {
	r, accounts, addresses, err = s.c.Store.Payable(ctx, workspaceID, id, account.MostAccounts)
	if err == nil && len(accounts) == 0 {
		r, err = s.c.Store.Recipient(ctx, workspaceID, id)
	}
	if errors.Is(err, fault.ErrNotFound) || err == nil && r.Status != recipient.Active {
		err = errRecipient
	}
	return r, accounts, addresses, err
}

// chooseAccount takes the account that was named, else the only active one.
func chooseAccount(all []account.Account, id string) (account.Account, error) {
	var active, usable []account.Account
	for _, a := range all {
		if id == "" && a.InUse() || a.ID == id {
			active = append(active, a)
		}
		if id == "" && a.Usable() == nil {
			usable = append(usable, a)
		}
	}
	if len(usable) > 0 { // the others are not registered yet
		active = usable
	}
	switch len(active) {
	case 0:
		return account.Account{}, errNoAccount
	case 1:
		return active[0], active[0].Usable()
	}
	return account.Account{}, fault.Field(
		"beneficiaryAccountId", "is required: the recipient has several active bank accounts",
	)
}

// chooseAddress finds the withdrawal address of a request, or names the field that is missing to choose one.
func chooseAddress(all []withdraw.Address, chain string, token money.Currency) (withdraw.Address, error) {
	var found []withdraw.Address
	for _, a := range all {
		if a.Status == provision.Active && (chain == "" || a.Chain == chain) && (token == "" || a.Currency == token) {
			found = append(found, a)
		}
	}
	found = usual(found)
	switch {
	case len(found) == 0:
		return withdraw.Address{}, errNoAddress
	case len(found) == 1:
		return found[0], nil
	}
	return withdraw.Address{}, fault.Field(
		"chain", "is required: the bank account has withdrawal addresses on several chains",
	)
}

// usual applies the defaults for a request without chain and token: of several addresses those on base, and of these
// the one in USDC.
func usual(all []withdraw.Address) []withdraw.Address {
	for _, is := range []func(withdraw.Address) bool{
		func(a withdraw.Address) bool { return a.Chain == usualChain },
		func(a withdraw.Address) bool { return a.Currency == money.USDC },
	} {
		if some := slices.DeleteFunc(slices.Clone(all), func(a withdraw.Address) bool {
			return !is(a)
		}); len(some) > 0 {
			all = some
		}
	}
	return all
}

// order is the order that the quote becomes at an instant.
func (q Quoted) order(now time.Time) order.Order {
	return order.Order{
		WorkspaceID: q.Quote.WorkspaceID, ID: record.NewID(), Type: order.OffRamp, Origin: order.FromQuote,
		RecipientID: q.Recipient.ID, RecipientName: q.Recipient.Name, BankAccountID: q.Account.ID,
		LastFour:          q.Account.Shown.LastFour,
		WithdrawAddressID: q.Address.ID, Address: q.Address.Address, ReturnAddress: q.Address.At(now).ReturnAddress,
		QuoteID: q.Quote.ID,
		Chain:   q.Address.Chain, Source: q.Address.Currency, Destination: q.Account.Currency, Rail: q.Account.Rail,
		Expected: q.Quote.Terms.Gross, Terms: q.Quote.Terms, ExpiresAt: q.Quote.ExpiresAt,
	}
}
