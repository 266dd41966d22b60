package payout_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/kit/payout/pair"
	"github.com/railkit/railkit/money"
	railkit "github.com/railkit/railkit/sdk/go"
)

// matrix is one platform on every network of the sandbox, with a recipient who has a bank account in each currency and
// a wallet on each network.
type matrix struct {
	*railkit.Client
	t         *testing.T
	app       *apptest.App
	ctx       context.Context
	recipient string
	accounts  map[money.Currency]string
	wallets   map[string]string
	cells     sync.WaitGroup
}

// banks are the numbers of a bank account in each currency.
var banks = map[money.Currency]railkit.BankAccountRequest{
	money.MXN: mexican, money.EUR: {IBAN: "DE89370400440532013000", BIC: "AGBMDEMM"},
	money.GBP: {SortCode: "202959", AccountNumber: "63748472"},
	money.BRL: {PixKey: "fulano@example.com", TaxID: "39053344705"},
	money.USD: {
		AccountNumber: "1234567890", RoutingNumber: "111000025", AccountType: "checking",
		Address: &railkit.PostalAddress{
			Street: "S 1", City: "Austin", State: "TX", PostalCode: "78701", Country: "US",
		},
	},
}

// Each stablecoin of each network goes to a bank and comes from one, in each currency, or is refused with the reason:
// by address, account and quote alike. The table of docs/networks.md is of the same data.
func TestPayout_Matrix(t *testing.T) {
	t.Parallel()
	m := newMatrix(t)
	for _, n := range chain.Networks(chain.Sandbox) {
		for _, coin := range []money.Currency{money.USDC, money.USDT} {
			for _, fiat := range money.Fiat {
				for r, try := range map[pair.Ramp][2]func(string, money.Currency, money.Currency){
					pair.Off: {m.paysOut, m.refusesOut}, pair.On: {m.paysIn, m.refusesIn},
				} {
					if pair.Why(r, chain.Sandbox, n.Slug, coin) == "" {
						try[0](n.Slug, coin, fiat)
					} else {
						try[1](n.Slug, coin, fiat)
					}
				}
			}
		}
	}
	m.cells.Wait()
}

func newMatrix(t *testing.T) *matrix {
	t.Helper()
	options := []apptest.Option{apptest.WithPartner(t)}
	for _, n := range chain.Networks(chain.Sandbox) {
		options = append(options, watching(n.Slug))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*testwait.Bound)
	t.Cleanup(cancel)
	m := &matrix{
		t: t, ctx: ctx, app: apptest.New(t, options...), accounts: map[money.Currency]string{},
		wallets: map[string]string{},
	}
	m.Client = m.app.Client()
	m.recipient = must(m.Recipients.Create(ctx, person("Ana Ruiz")))(t).ID
	for currency, numbers := range banks {
		m.accounts[currency] = must(m.BankAccounts.Create(ctx, m.recipient, numbers))(t).ID
	}
	owner := m.app.Register(m.Client, "ana@example.com")
	for _, n := range chain.Networks(chain.Sandbox) {
		w := must(m.Wallets.Create(ctx, owner.Passkey, railkit.PrepareWalletRequest{
			WalletName: "On " + n.Name, SubOrganizationID: owner.Sub.SubOrganizationID,
		}))(t)
		must(m.Addresses.Create(ctx, owner.Passkey, railkit.PrepareAccountRequest{
			WalletID: w.WalletID, Chain: n.Slug,
		}))(t)
		m.wallets[n.Slug] = w.WalletID
	}
	return m
}

// paysOut sends a stablecoin to the withdrawal address of a bank account.
func (m *matrix) paysOut(slug string, coin, fiat money.Currency) {
	m.t.Helper()
	cell := fmt.Sprintf("%s on %s to %s", coin, slug, fiat)
	a, err := m.WithdrawAddresses.Create(m.ctx, railkit.WithdrawAddressRequest{
		BeneficiaryAccountID: m.accounts[fiat], Chain: slug, Currency: string(coin),
	})
	if err != nil {
		m.t.Errorf("%s: %v", cell, err)
		return
	}
	came, err := m.Sandbox.Deposit(m.ctx, railkit.DepositRequest{WithdrawAddressID: a.ID, Amount: "20"})
	if err != nil {
		m.t.Errorf("%s: %v", cell, err)
		return
	}
	m.quotes(cell, slug, coin, fiat, pair.Off, "")
	m.cells.Go(func() {
		o, err := m.Orders.WaitDeposit(m.ctx, came.TxHash, look)
		if err == nil {
			o, err = m.Orders.Wait(m.ctx, o.ID, look)
		}
		if err != nil || o.Status != railkit.OrderCompleted || o.Destination.Currency != string(fiat) {
			m.t.Errorf("%s: %+v, %v", cell, o, err)
		}
	})
}

// paysIn sends money of a bank to a deposit account.
func (m *matrix) paysIn(slug string, coin, fiat money.Currency) {
	m.t.Helper()
	cell := fmt.Sprintf("%s to %s on %s", fiat, coin, slug)
	a, err := m.DepositAccounts.Create(m.ctx, m.accountOn(slug, coin, fiat))
	if err != nil {
		m.t.Errorf("%s: %v", cell, err)
		return
	}
	came, err := m.Sandbox.BankDeposit(m.ctx, railkit.BankDepositRequest{DepositAccountID: a.ID, Amount: "500"})
	if err != nil {
		m.t.Errorf("%s: %v", cell, err)
		return
	}
	m.quotes(cell, slug, coin, fiat, pair.On, "")
	m.cells.Go(func() {
		o, err := m.Orders.WaitSettlement(m.ctx, came.PartnerDepositID, look)
		if err != nil || o.Status != railkit.OrderCompleted || o.Destination.Chain != slug {
			m.t.Errorf("%s: %+v, %v", cell, o, err)
		}
	})
}

func (m *matrix) accountOn(slug string, coin, fiat money.Currency) railkit.DepositAccountRequest {
	return railkit.DepositAccountRequest{
		WalletID: m.wallets[slug], SourceCurrency: string(fiat), DestinationCurrency: string(coin), Chain: slug,
	}
}

func (m *matrix) refusesOut(slug string, coin, fiat money.Currency) {
	m.t.Helper()
	cell := fmt.Sprintf("%s on %s to %s", coin, slug, fiat)
	_, err := m.WithdrawAddresses.Create(m.ctx, railkit.WithdrawAddressRequest{
		BeneficiaryAccountID: m.accounts[fiat], Chain: slug, Currency: string(coin),
	})
	wantError(m.t, cell, err, 400, unnamed(pair.Off, slug))
	m.quotes(cell, slug, coin, fiat, pair.Off, "pair_unsupported")
}

// unnamed is the refusal of what has to name a chain: the document does not name those on which nothing is paid.
func unnamed(r pair.Ramp, slug string) string {
	for _, coin := range []money.Currency{money.USDC, money.USDT} {
		if pair.Why(r, chain.Sandbox, slug, coin) == "" {
			return "pair_unsupported"
		}
	}
	return "validation_failed"
}

func (m *matrix) refusesIn(slug string, coin, fiat money.Currency) {
	m.t.Helper()
	cell := fmt.Sprintf("%s to %s on %s", fiat, coin, slug)
	_, err := m.DepositAccounts.Create(m.ctx, m.accountOn(slug, coin, fiat))
	wantError(m.t, cell, err, 400, unnamed(pair.On, slug))
	m.quotes(cell, slug, coin, fiat, pair.On, "pair_unsupported")
}

// quotes wants a price for what there is, and the same refusal as an address or an account has for what there is not.
func (m *matrix) quotes(cell, slug string, coin, fiat money.Currency, r pair.Ramp, code string) {
	m.t.Helper()
	var err error
	if r == pair.Off {
		_, err = m.Payments.QuoteOffRamp(m.ctx, railkit.OffRampQuoteRequest{
			SourceAmount: "20", SourceCurrency: string(coin), DestinationCurrency: string(fiat), Chain: slug,
		})
	} else {
		_, err = m.Payments.QuoteOnRamp(m.ctx, railkit.OnRampQuoteRequest{
			SourceAmount: "500", SourceCurrency: string(fiat), DestinationCurrency: string(coin), Chain: slug,
		})
	}
	if code != "" {
		wantError(m.t, cell+", its quote", err, 400, code)
	} else if err != nil {
		m.t.Errorf("%s, its quote: %v", cell, err)
	}
}
