package railkit_test

import (
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/trontest"
	railkit "github.com/railkit/railkit/sdk/go"
)

const (
	tronPayee = "TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC"
	tronOther = "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC"
)

// What a server says of a payment on Tron is held against what was asked for, and against the bytes that were signed.
func TestTamperedTron(t *testing.T) {
	net := trontest.New(t)
	w := worldOf(t, apptest.Rig(t, net.Nodes, net.Sandbox))
	wallet := w.wallet(t).WalletID
	own, err := w.client.Addresses.Create(t.Context(), w.pk, railkit.PrepareAccountRequest{
		WalletID: wallet, Chain: "tron",
	})
	if err != nil {
		t.Fatal(err)
	}
	for asset, amount := range map[string]string{"native": "200", "USDT": "100"} {
		net.Gives(own.Address, asset, amount)
	}
	net.Settle()
	pay := railkit.PrepareTransactionRequest{
		Type: railkit.TransferToken, PayAgain: true, SignWith: own.Address, Network: "tron", To: tronPayee, Amount: "1",
		TokenAddress: net.USDT,
	}
	body := func(old, replacement string) func(object) {
		return func(d object) {
			w.rebody(d, func(text string) string { return strings.Replace(text, old, replacement, 1) })
		}
	}
	shown := func(change func(*wire.Preview)) func(object) {
		return func(d object) {
			d["preview"] = w.again(d["preview"], func(st *wire.Statement) { change(st.Preview) })
		}
	}
	effect := func(change func(*chain.Effect)) func(object) {
		return shown(func(p *wire.Preview) { change(&p.Effects[0]) })
	}
	w.lies(t, "POST /v1/transactions/prepare", []attack{
		{"a body of another amount", railkit.ReasonBody, body("0f4240", "1f4240")},
		{"a body of another token", railkit.ReasonBody, body(`"to":"`+net.USDT, `"to":"`+tronOther)},
		{"a body for another cluster", railkit.ReasonBody, body(`"nile"`, `"mainnet"`)},
		{"another payee shown", railkit.ReasonPreview, effect(func(e *chain.Effect) { e.To = tronOther })},
		{"another token shown", railkit.ReasonPreview, effect(func(e *chain.Effect) { e.Asset = tronOther })},
		{"another amount shown", railkit.ReasonPreview, effect(func(e *chain.Effect) { e.Amount = "1" })},
		{"nothing shown", railkit.ReasonPreview, shown(func(p *wire.Preview) { p.Effects = nil })},
		{"more than a hundred TRX for bytes", railkit.ReasonFee,
			shown(func(p *wire.Preview) { p.DataFee = "100000001" })},
	}, func() error {
		_, err := w.client.Transactions.Prepare(t.Context(), pay)
		return err
	})
	other, err := w.client.Transactions.Send(t.Context(), w.pk, pay)
	if err != nil {
		t.Fatal(err)
	}
	made := func(change func(*wire.Transaction)) func(object) {
		return func(d object) {
			d["proof"] = w.again(d["proof"], func(st *wire.Statement) {
				x := st.Result.Transaction
				change(x)
				d["txHash"], d["signedTransaction"] = x.TxHash, x.SignedTransaction
			})
		}
	}
	pay.Amount = "2"
	w.lies(t, "POST /v1/transactions/confirm", []attack{
		{"another hash", railkit.ReasonResult, made(func(x *wire.Transaction) { x.TxHash = strings.Repeat("ab", 32) })},
		{"another payment of the same key", railkit.ReasonResult, made(func(x *wire.Transaction) {
			x.SignedTransaction, x.TxHash = other.SignedTransaction, other.TxHash
		})},
		{"bytes that are cut", railkit.ReasonResult, made(func(x *wire.Transaction) {
			x.SignedTransaction = x.SignedTransaction[:len(x.SignedTransaction)-2]
		})},
	}, func() error {
		_, err := w.client.Transactions.Send(t.Context(), w.pk, pay)
		return err
	})
}

// lies makes a call once untouched, and under each lie.
func (w *world) lies(t *testing.T, pattern string, attacks []attack, call func() error) {
	t.Helper()
	if err := call(); err != nil {
		t.Fatalf("untouched: %v", err)
	}
	for _, a := range attacks {
		w.restart(t)
		w.host.On(pattern, onData(a.do))
		wantReason(t, a.name, call(), a.want)
		w.host.On(pattern)
	}
}
