package app

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/crash"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/fx"
	"github.com/railkit/railkit/kit/payout/price"
	"github.com/railkit/railkit/kit/payout/quote"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/kit/signing/payee"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store"
	"github.com/railkit/railkit/store/signing"
)

// offRamp is what the kit needs for its off-ramp.
func offRamp(c Config, s *store.Store, book *payee.Service, p payout.Config) payout.Config {
	p.Band = numberOr(c.PayoutRateBand, rateBand)
	p.Transfers, p.Wallets = s.Watch(), wallets{s.Signing(), chain.Environment(c.Environment)}
	p.Payees, p.Proofs = payees{s.Signing(), book}, proofs{s.Signing(), c.EnclaveKey, chain.Environment(c.Environment)}
	p.Fees, p.Least, p.Environment = c.fees(), least, chain.Environment(c.Environment)
	p.Deposits = c.deposits()
	p.Depth = c.WatchDepth
	for slug := range c.RPCURLs {
		p.Chains = append(p.Chains, slug)
	}
	if p.Partner != nil {
		p.Partner = partner{p.Partner}
	}
	p.Rates, p.Quoting = c.feed(p.Partner), c.quoting()
	return p
}

// wallets tells the payout kit where the platform's own wallets are.
type wallets struct {
	signing.Store
	env chain.Environment
}

// AddressOn finds a wallet's address on a chain: the oldest that was made for it,
// else the oldest that is as good: one of the same family.
func (w wallets) AddressOn(ctx context.Context, workspaceID, walletID, slug string) (id, address string, err error) {
	wallet, err := w.Wallet(ctx, workspaceID, walletID)
	if err != nil {
		return "", "", err
	}
	all, err := w.Addresses(ctx, workspaceID, wallet.ID)
	if err != nil {
		return "", "", err
	}
	network, _ := chain.BySlug(w.env, slug)
	for _, a := range all {
		if a.Chain == slug {
			return wallet.EnclaveID, a.Address, nil
		}
		if a.Kind == string(network.Kind) && address == "" {
			address = a.Address
		}
	}
	return wallet.EnclaveID, address, nil
}

// payees tells the payout kit what the books of payees have, and prepares payees for it.
type payees struct {
	rows signing.Store
	book *payee.Service
}

// Find finds a payee by its address in the book of a wallet's owners.
func (p payees) Find(ctx context.Context, workspaceID, walletID, slug, address string) (id, name string, err error) {
	wallet, err := p.rows.Wallet(ctx, workspaceID, walletID)
	if err != nil {
		return "", "", err
	}
	book, err := p.book.Names(ctx, workspaceID, wallet.SubOrganizationID)
	found, _ := book.Find(slug, address)
	return found.ID, found.Name, err
}

// Prepare prepares a payee for the book of a wallet's owners.
func (p payees) Prepare(
	ctx context.Context, workspaceID, walletID string, w withdraw.NewPayee,
) (rest.PreparedActivity, error) {
	wallet, err := p.rows.Wallet(ctx, workspaceID, walletID)
	if err != nil {
		return rest.PreparedActivity{}, err
	}
	prepared, err := p.book.Prepare(ctx, workspaceID, payee.PayeeInput{
		SubOrganizationID: wallet.SubOrganizationID, Name: w.Name, Network: w.Chain, Address: w.Address,
		Kind: wire.BankAccountPayee, BankAccount: &w.BankAccount,
	})
	crash.At("payee", "after-prepare")
	return prepared, err
}

// partner is the payment partner, with the places at which the crash suite ends
// the server: before it is asked, and when it has done it and nobody knows.
type partner struct{ fiat.Partner }

func (p partner) CreateTransfer(ctx context.Context, key string, q fiat.TransferRequest) (fiat.Transfer, error) {
	crash.At("partner", "before-transfer")
	t, err := p.Partner.CreateTransfer(ctx, key, q)
	crash.At("partner", "after-transfer")
	return t, err
}

func (p partner) CreateWallet(ctx context.Context, key, customerID, chain string) (fiat.Wallet, error) {
	w, err := p.Partner.CreateWallet(ctx, key, customerID, chain)
	crash.At("partner", "after-wallet")
	return w, err
}

func (p partner) CreateLiquidationAddress(
	ctx context.Context, key, customerID string, q fiat.LiquidationRequest,
) (fiat.LiquidationAddress, error) {
	crash.At("partner", "before-address")
	a, err := p.Partner.CreateLiquidationAddress(ctx, key, customerID, q)
	crash.At("partner", "after-address")
	return a, err
}

func (p partner) CreateVirtualAccount(
	ctx context.Context, key, customerID string, q fiat.VirtualAccountRequest,
) (fiat.VirtualAccount, error) {
	crash.At("partner", "before-virtual")
	v, err := p.Partner.CreateVirtualAccount(ctx, key, customerID, q)
	crash.At("partner", "after-virtual")
	return v, err
}

func (p partner) SetVirtualAccountActive(
	ctx context.Context, key, customerID, id string, active bool,
) (fiat.VirtualAccount, error) {
	crash.At("partner", "before-switch")
	v, err := p.Partner.SetVirtualAccountActive(ctx, key, customerID, id, active)
	crash.At("partner", "after-switch")
	return v, err
}

func (p partner) ReturnDeposit(ctx context.Context, key, customerID, depositID string, amount money.Amount) error {
	crash.At("partner", "before-return")
	err := p.Partner.ReturnDeposit(ctx, key, customerID, depositID, amount)
	crash.At("partner", "after-return")
	return err
}

// What quotes are made of where nothing else is said.
const (
	quoteLife  = 10 * time.Minute
	rateOldest = 2 * time.Minute
	rateKept   = 30 * time.Second // until it is asked for again
	payoutMost = 1_000_000        // whole units
	rateBand   = 500              // basis points
)

// least is what a deposit has to be in order to be paid out.
var least = money.Of(1_000_000, money.USDC)

// feed is the partner's rates.
func (c Config) feed(partner fx.Source) *fx.Feed {
	if partner == nil {
		partner = noDesk{}
	}
	return fx.New(fx.Config{
		Source: partner, Clock: c.Clock, Log: c.Log, Keep: rateKept, Oldest: durationOr(c.RateOldest, rateOldest),
	})
}

// noDesk is where there is no partner.
type noDesk struct{}

func (noDesk) Rate(context.Context, money.Currency, money.Currency) (fiat.Rate, error) {
	return fiat.Rate{}, errors.Join(fiat.ErrUnavailable, errors.New("no partner is configured"))
}

// fees are what is taken of each payout. The settings were looked at before.
func (c Config) fees() price.Fees {
	return price.Fees{
		Network:  numberOr(c.PayoutNetworkFee, price.Stock.Network),
		Platform: numberOr(c.PayoutPlatformFee, price.Stock.Platform),
	}
}

// deposits are what deposits of fiat money may be, and what is taken of them.
func (c Config) deposits() price.Deposits {
	return price.DepositsOf(price.Fees{
		Network:  numberOr(c.DepositNetworkFee, price.StockOnRamp.Network),
		Platform: numberOr(c.DepositPlatformFee, price.StockOnRamp.Platform),
	}, c.DepositLeast, c.DepositMost)
}

func (c Config) quoting() quote.Settings {
	return quote.Settings{
		Life: durationOr(c.QuoteLife, quoteLife),
		Most: money.Of(numberOr(c.PayoutMost, payoutMost)*least.Minor, least.Currency),
	}
}

func durationOr(text string, stock time.Duration) time.Duration {
	if d, err := time.ParseDuration(text); err == nil {
		return d
	}
	return stock
}

func numberOr(text string, stock int64) int64 {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	return stock
}
