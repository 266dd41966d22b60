package railkit_test

import (
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// waiting is a payment that no block takes, on a network that the test has alone.
func (w *world) waiting(t *testing.T) *railkit.Transaction {
	t.Helper()
	n, _ := chain.BySlug(chain.Sandbox, "polygon")
	token, _ := n.TokenBySymbol("USDC")
	from := w.account(t).Address
	w.fund(t, n.Slug, from)
	if err := w.Devnet.SetAutomine(t.Context(), n.Slug, false); err != nil {
		t.Fatal(err)
	}
	req := transfer(from)
	req.ChainID, req.TokenAddress = n.ChainID, token.Address
	sent, err := w.client.Transactions.Send(t.Context(), w.pk, req)
	if err != nil {
		t.Fatal(err)
	}
	return sent
}

func TestReplacement(t *testing.T) {
	apptest.Alone(t, "polygon")
	w := newWorld(t)
	sent := w.waiting(t)
	from := sent.From
	faster, err := w.client.Transactions.SpeedUp(t.Context(), w.pk, sent)
	if err != nil || *faster.Nonce != *sent.Nonce || faster.Replaces != sent.TransactionID ||
		faster.Type != "speed_up" {
		t.Fatalf("speed up: %+v, %v", faster, err)
	}
	void, err := w.client.Transactions.Void(t.Context(), w.pk, faster)
	if err != nil || *void.Nonce != *sent.Nonce || void.To != from || void.Type != "void" {
		t.Fatalf("void: %+v, %v", void, err)
	}
	for name, req := range map[string]railkit.ReplaceRequest{
		"nothing to replace": {Type: railkit.TypeVoid}, "another type": {Type: railkit.Call, Replaces: sent},
		"without a proof": {Type: railkit.TypeVoid, Replaces: &railkit.Transaction{TransactionID: sent.TransactionID}},
		"too dear":        {Type: railkit.TypeVoid, Replaces: void, FeeLimit: "1"},
	} {
		if _, err := w.client.Transactions.PrepareReplacement(t.Context(), req); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	other := *sent
	other.SignedTransaction = void.SignedTransaction
	_, err = w.client.Transactions.PrepareReplacement(t.Context(), railkit.ReplaceRequest{
		Type: railkit.TypeVoid, Replaces: &other,
	})
	wantReason(t, "other bytes than its proof", err, railkit.ReasonResult)
}

// A host that prepares another replacement than the one that was asked for.
func TestTamperedReplacement(t *testing.T) {
	apptest.Alone(t, "polygon")
	under(t, "POST /v1/transactions/prepare", func(w *world) []attack {
		rebody := w.rebody
		preview := func(change func(*wire.Preview)) func(object) {
			return func(d object) {
				d["preview"] = w.again(d["preview"], func(st *wire.Statement) { change(st.Preview) })
			}
		}
		return append(proofAttacks(w, "preview", wire.KindResult), []attack{
			{"the place of another", railkit.ReasonBody, func(d object) {
				rebody(d, func(s string) string {
					return strings.Replace(s, `"fingerprint":"sha256:`, `"fingerprint":"sha256:0`, 1)
				})
			}},
			{"another nonce", railkit.ReasonBody, func(d object) {
				rebody(d, func(s string) string { return strings.Replace(s, `"nonce":"`, `"nonce":"1`, 1) })
			}},
			{"no place", railkit.ReasonBody, func(d object) {
				rebody(d, func(s string) string {
					before, after, _ := strings.Cut(s, `,"replaces":{`)
					_, after, _ = strings.Cut(after, "}")
					return before + after
				})
			}},
			{"another amount", railkit.ReasonBody, func(d object) {
				rebody(d, func(s string) string { return strings.ReplaceAll(s, "1851960", "1851961") })
			}},
			{"shown for another", railkit.ReasonPreview,
				preview(func(p *wire.Preview) { p.Replaces = railkit.Fingerprint("another") })},
			{"shown for another nonce", railkit.ReasonPreview, preview(func(p *wire.Preview) { p.Nonce = "77" })},
			{"shown with another amount", railkit.ReasonPreview,
				preview(func(p *wire.Preview) { p.Effects[0].Amount = "1" })},
			{"shown with another receiver", railkit.ReasonPreview,
				preview(func(p *wire.Preview) { p.Effects[0].To = usdc })},
			{"shown with two effects", railkit.ReasonPreview,
				preview(func(p *wire.Preview) { p.Effects = append(p.Effects, p.Effects[0]) })},
			{"from another sender", railkit.ReasonPreview,
				preview(func(p *wire.Preview) { p.SignWith = usdc })},
			{"a higher fee than the limit", railkit.ReasonFee,
				preview(func(p *wire.Preview) { p.MaxTotalFee = "1" + strings.Repeat("0", 18) })},
		}...)
	}, func(t *testing.T, w *world) func() error {
		sent := w.waiting(t)
		return func() error {
			_, err := w.client.Transactions.PrepareReplacement(t.Context(), railkit.ReplaceRequest{
				Type: railkit.TypeSpeedUp, Replaces: sent,
			})
			return err
		}
	})
}
