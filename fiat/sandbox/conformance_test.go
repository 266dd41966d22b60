package sandbox_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/bridge"
	"github.com/railkit/railkit/fiat/fiattest"
	"github.com/railkit/railkit/fiat/sandbox"
	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/money"
)

// The sandbox's server and the client of the real partner are together what the
// kits rely on.
func TestPartner_Conformance(t *testing.T) {
	t.Parallel()
	one := onChain(t)
	own := func(t *testing.T) fiattest.Bench { return onChain(t).bench(t, fiattest.Place{}) }
	// What is on a chain, on one of each way of taking a transaction once.
	for name, at := range map[string]fiattest.Place{
		"Base": {}, "Solana": {Chain: "solana", Address: solanaPayee},
	} {
		shared := func(t *testing.T) fiattest.Bench { return one.bench(t, at) }
		t.Run(name, func(t *testing.T) {
			t.Run("Registration", func(t *testing.T) { fiattest.Registration(t, shared) })
			t.Run("Transfers", func(t *testing.T) { fiattest.Transfers(t, shared) })
			t.Run("VirtualAccounts", func(t *testing.T) { fiattest.VirtualAccounts(t, shared) })
		})
	}
	t.Run("Faults", func(t *testing.T) { fiattest.Faults(t, own) })
	t.Run("Notices", func(t *testing.T) { fiattest.Notices(t, own, sandbox.SignatureHeader) })
}

// bench is the partner behind the server's own client, which has to make sense of
// what goes wrong.
func (p *partner) bench(t *testing.T, at fiattest.Place) fiattest.Bench {
	t.Helper()
	pem, err := os.ReadFile(filepath.Join(p.folder, control.PublicKeyFile))
	if err != nil {
		t.Fatal(err)
	}
	key, err := bridge.ParsePublicKey(pem)
	if err != nil {
		t.Fatal(err)
	}
	c, err := bridge.New(bridge.Config{URL: p.url, Key: p.key, PublicKey: key, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return fiattest.Bench{
		Partner: c, Place: at, Control: p.control,
		Keep: func(reference string, paid int) { p.paid(reference, paid, 0) },
		Credit: func(customer, _ string, a fiat.LiquidationAddress, amount money.Amount) {
			p.credit(t, c, customer, a, amount)
		},
		Receive: func(v fiat.VirtualAccount, amount money.Amount, held bool) string {
			sender := "Ana Ruiz"
			if held {
				sender = "Held Ruiz"
			}
			d, err := p.control.Deposit(t.Context(), control.BankDeposit{
				Account: v.ID, Amount: amount.String(), SenderName: sender,
			})
			if err != nil {
				t.Fatal(err)
			}
			return d.ID
		},
	}
}

// credit sends tokens to an address and waits until its wallet has them.
func (p *partner) credit(
	t *testing.T, c fiat.Partner, customer string, a fiat.LiquidationAddress, amount money.Amount,
) {
	t.Helper()
	there := func() (n int) {
		all, err := c.Drains(context.Background(), customer, a.ID, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range all {
			if d.State == "payment_processed" {
				n++
			}
		}
		return n
	}
	before := there()
	if _, err := chains(t).Faucet(t.Context(), a.Chain, a.Address,
		amount.Currency.Upper(), amount.String()); err != nil {
		t.Fatal(err)
	}
	p.eventually("the deposit is in the wallet", func() bool { return there() > before })
}
