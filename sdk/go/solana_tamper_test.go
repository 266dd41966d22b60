package railkit_test

import (
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/enclave/wire"
	railkit "github.com/railkit/railkit/sdk/go"
)

func TestTamperedSolana(t *testing.T) {
	w := newSolWorld(t)
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
	effect := func(i int, change func(*chain.Effect)) func(object) {
		return shown(func(p *wire.Preview) { change(&p.Effects[i]) })
	}
	n, own := byte(0), sol(w.own)
	again := w.pays("1")
	again.PayAgain = true
	w.lies(t, "POST /v1/transactions/prepare", append(proofAttacks(w.world, "preview", wire.KindResult), []attack{
		{"a body to another owner", railkit.ReasonBody, body(solPayee, solOther)},
		{"a body of another amount", railkit.ReasonBody, body("40420f", "41420f")},
		{"a body of another mint", railkit.ReasonBody, body("743b44", "743b45")},
		{"a body with more rent", railkit.ReasonPreview, body(`"maxRent":"2100000"`, `"maxRent":"9100000"`)},
		{"a body without the rent", railkit.ReasonPreview, body(`,"maxRent":"2100000"`, "")},
		{"a body for another cluster", railkit.ReasonBody, body(`"devnet"`, `"mainnet"`)},
		{"a body in place of another", railkit.ReasonBody,
			body(`"gasLimit"`, `"replaces":{"fingerprint":"sha256:ab","nonce":"0"},"gasLimit"`)},
		{"rent shown lower", railkit.ReasonPreview, effect(0, func(e *chain.Effect) { e.Amount = "1" })},
		{"rent shown for another", railkit.ReasonPreview, effect(0, func(e *chain.Effect) { e.To = solOther })},
		{"rent not shown", railkit.ReasonPreview, shown(func(p *wire.Preview) { p.Effects = p.Effects[1:] })},
		{"the dollars of the fee missing", railkit.ReasonPreview, shown(func(p *wire.Preview) { p.FeeUSD = "" })},
		{"the dollars of the rent missing", railkit.ReasonPreview, shown(func(p *wire.Preview) { p.RentUSD = "" })},
		{"the dollars of both missing", railkit.ReasonPreview,
			shown(func(p *wire.Preview) { p.FeeUSD, p.RentUSD = "", "" })},
		{"the dollars of the fee too few", railkit.ReasonPreview, shown(func(p *wire.Preview) { p.FeeUSD = "0.0009" })},
		{"the dollars of the rent too few", railkit.ReasonPreview, shown(func(p *wire.Preview) { p.RentUSD = "0.03" })},
		{"a rent of nothing", railkit.ReasonPreview, shown(func(p *wire.Preview) { p.RentUSD = "0" })},
		{"more dollars than all costs", railkit.ReasonPreview, shown(func(p *wire.Preview) { p.CostUSD = "0.1" })},
		{"dollars that are no number", railkit.ReasonPreview, shown(func(p *wire.Preview) { p.RentUSD = "cheap" })},
		{"less rent in SOL", railkit.ReasonPreview, shown(func(p *wire.Preview) { p.MaxRent = "2100" })},
		{"no rent in SOL", railkit.ReasonPreview, shown(func(p *wire.Preview) { p.MaxRent = "" })},
		{"his token account shown", railkit.ReasonPreview, effect(1, func(e *chain.Effect) {
			e.To = solana.AssociatedAddress(sol(solPayee), sol(solMint), solana.TokenProgram).String()
		})},
		{"another mint shown", railkit.ReasonPreview, effect(1, func(e *chain.Effect) { e.Asset = solOther })},
		{"another cluster shown", railkit.ReasonPreview, shown(func(p *wire.Preview) { p.ChainID = "mainnet" })},
		{"an answer with a chain id", railkit.ReasonResult, func(d object) { d["chainId"] = 101 }},
		{"a fee of a tenth of SOL, and rent", railkit.ReasonFee, func(d object) {
			body(`"maxTotalFee":"10000"`, `"maxTotalFee":"100000000"`)(d)
			shown(func(p *wire.Preview) { p.MaxTotalFee = "100000000" })(d)
		}},
	}...), func() error {
		_, err := w.client.Transactions.Prepare(t.Context(), again)
		return err
	})

	durable := solana.Instruction{Program: solana.SystemProgram, Accounts: []solana.Account{
		{Address: sol(solOther), Written: true}, {Address: sol(solPayee)}, {Address: own, Signs: true},
	}, Data: []byte{4, 0, 0, 0}}
	w.lies(t, "POST /v1/transactions/sign", []attack{
		{"a durable nonce shown as a transfer", railkit.ReasonPreview, shown(func(p *wire.Preview) {
			p.Effects = []chain.Effect{{Kind: chain.Transfer, Asset: "native", From: w.own, To: solPayee, Amount: "5"}}
		})},
		{"a durable nonce that is not told", railkit.ReasonPreview, shown(func(p *wire.Preview) { p.Warnings = nil })},
		{"another fee", railkit.ReasonPreview, shown(func(p *wire.Preview) { p.MaxTotalFee = "4999" })},
		{"other bytes", railkit.ReasonBody, body("0x01", "0x02")},
	}, func() error {
		_, err := w.client.Transactions.PrepareSigning(t.Context(), railkit.SignTransactionRequest{
			SignWith: w.own, Network: "solana", Type: railkit.TypeSolana,
			UnsignedTransaction: w.exact(t, w.own, durable, solana.TransferCoin(own, sol(solPayee), 5)),
		})
		return err
	})

	other, err := w.client.Transactions.Send(t.Context(), w.pk, w.pays("2"))
	if err != nil {
		t.Fatal(err)
	}
	w.lies(t, "POST /v1/transactions/confirm", w.confirmAttacks(other), func() error {
		n++
		w.hash(n)
		_, err := w.client.Transactions.Send(t.Context(), w.pk, again)
		return err
	})
}

// One body has one message, and one message one body, whatever the host has the signer say of a first one later.
func TestTamperedSolana_Once(t *testing.T) {
	w := newSolWorld(t)
	sent, err := w.client.Transactions.Send(t.Context(), w.pk, w.pays("1"))
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*wire.Statement){
		"another body":    func(st *wire.Statement) { st.Fingerprint = railkit.Fingerprint("another") },
		"another message": func(st *wire.Statement) { st.Result.Transaction.TxHash = solana.Signature{1}.String() },
	} {
		w.host.On("GET /v1/transactions/sign/{id}", onData(func(d object) {
			d["proof"] = w.again(d["proof"], change)
			d["txHash"] = statement(d["proof"]).Result.Transaction.TxHash
		}))
		_, err := w.client.Transactions.Get(t.Context(), sent.TransactionID)
		wantReason(t, name, err, railkit.ReasonResult)
	}
}

// confirmAttacks are lies about what was signed, some with the signer's own word for them: a client that reads the
// bytes itself finds those too.
func (w *solWorld) confirmAttacks(other *railkit.Transaction) []attack {
	made := func(change func(*wire.Transaction)) func(object) {
		return func(d object) {
			d["proof"] = w.again(d["proof"], func(st *wire.Statement) {
				t := st.Result.Transaction
				change(t)
				d["txHash"], d["signedTransaction"] = t.TxHash, t.SignedTransaction
			})
		}
	}
	return append(proofAttacks(w.world, "proof", wire.KindPreview), []attack{
		{"another id", railkit.ReasonResult, func(d object) { d["txHash"] = solana.Signature{1}.String() }},
		{"another id, of the signer's", railkit.ReasonResult,
			made(func(t *wire.Transaction) { t.TxHash = solana.Signature{1}.String() })},
		{"no id", railkit.ReasonResult, made(func(t *wire.Transaction) { t.TxHash = "" })},
		{"another network", railkit.ReasonResult, func(d object) { d["network"] = "base" }},
		{"a broken signature", railkit.ReasonResult, made(func(t *wire.Transaction) {
			raw, _ := chain.ParseHex(t.SignedTransaction)
			raw[len(raw)-1] ^= 1 // v1 ends with it
			t.SignedTransaction, t.TxHash = chain.Hex(raw), solana.Family{}.ID(raw)
		})},
		{"the message of another payment", railkit.ReasonResult, made(func(t *wire.Transaction) {
			t.TxHash, t.SignedTransaction = other.TxHash, other.SignedTransaction
		})},
	}...)
}
