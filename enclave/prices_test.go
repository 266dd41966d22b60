package enclave

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

var market = map[string]string{"ETH": "3000", "USDC": "1"}

// Only the key that was sealed at genesis names prices, and only in a sheet.
func TestSigning_E13_ForgedSheets(t *testing.T) {
	w := newWorld(t)
	good := signSheet(t, 1, sheet(time.Now(), market))
	proof, err := wire.SignStatement(w.identity, wire.Statement{Kind: wire.KindState})
	if err != nil {
		t.Fatal(err)
	}
	for name, forged := range map[string]wire.SignedSheet{
		"another key":        signSheet(t, 2, sheet(time.Now(), market)),
		"no signature":       {Payload: good.Payload},
		"short signature":    {Payload: good.Payload, Signature: good.Signature[:80]},
		"another price":      {Payload: strings.Replace(good.Payload, "3000", "3", 1), Signature: good.Signature},
		"a trailing byte":    {Payload: good.Payload + " ", Signature: good.Signature},
		"the enclave's word": {Payload: proof.Payload, Signature: proof.Signature},
		"nothing":            {},
	} {
		_, err := w.Prices(wire.PricesRequest{Sheet: forged})
		refused(t, name, err, refusal.ErrSheet)
	}
	other := sheet(time.Now(), market)
	other.Environment = "production"
	_, err = w.Prices(wire.PricesRequest{Sheet: signSheet(t, 1, other)})
	refused(t, "another environment's", err, refusal.ErrSheet)
	if p := byAsset(w.Info().Prices); p["ETH"].Refused == "" || p["ETH"].USD != "" {
		t.Errorf("after forged sheets only: %+v", p["ETH"])
	}
	if _, err := w.Prices(wire.PricesRequest{Sheet: good}); err != nil {
		t.Errorf("the real one: %v", err)
	}
}

// A signature under the price key is worth nothing as a statement of the enclave,
// and the other way round, also where one key does both.
func TestSigning_E13_SheetIsNoProof(t *testing.T) {
	w := newWorld(t)
	signed, err := wire.SignSheet(w.identity, sheet(time.Now(), market))
	if err != nil {
		t.Fatal(err)
	}
	own := w.Info().IdentityKey
	if _, err := (wire.Proof{
		Payload: signed.Payload, Signature: signed.Signature, PublicKey: own,
	}).Open(own); err == nil {
		t.Error("a sheet is taken for a statement")
	}
	proof, err := wire.SignStatement(w.identity, wire.Statement{Kind: wire.KindState})
	if err != nil {
		t.Fatal(err)
	}
	if (wire.SignedSheet{Payload: proof.Payload, Signature: proof.Signature}).Verify(own) {
		t.Error("a statement is taken for a sheet")
	}
}

func TestSigning_E13_RestartKeepsPricesAndAnchors(t *testing.T) {
	w := newWorld(t)
	first := time.Now()
	w.prices(first, market)
	jumped := w.prices(first.Add(10*time.Second), map[string]string{"ETH": "5000", "USDC": "1.01"})
	if jumped["ETH"].Refused == "" || jumped["USDC"].Refused != "" {
		t.Fatalf("after a jump: %+v", jumped)
	}
	for range 2 { // from the journal, and from a checkpoint
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		w.opts.every = 3
		w.open()
		if got := byAsset(w.Info().Prices); got["ETH"] != jumped["ETH"] || got["USDC"] != jumped["USDC"] {
			t.Errorf("after a restart %+v, before %+v", got, jumped)
		}
	}
	seq := w.Info().Seq
	_, err := w.Prices(wire.PricesRequest{Sheet: signSheet(t, 1, sheet(first, market))})
	refused(t, "an older sheet after a restart", err, refusal.ErrSheet)
	w.prices(first.Add(10*time.Second), market)
	if now := w.Info().Seq; now != seq {
		t.Errorf("sheets that change nothing are entries: %s and %s", seq, now)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.opts.AcceptPrices = true
	w.open()
	if got := byAsset(w.Info().Prices)["ETH"]; got.USD != "5000" || got.Refused != "" {
		t.Errorf("after the operator accepted: %+v", got)
	}
}

// The host sets the machine's clock. Back, prices expire no later than this
// enclave ever saw; ahead, sheets of that future are not believed.
func TestSigning_E13_ClockGames(t *testing.T) {
	wall := time.Now().Round(0)
	w := newWorldWith(t, Options{wall: func() time.Time { return wall }, AcceptTime: true})
	w.prices(wall.Add(-11*time.Minute), market)
	start := wall
	wall = start.Add(4*time.Minute + 30*time.Second) // as far as uptime and slack bear out
	if p := byAsset(w.Info().Prices)["ETH"]; p.Refused != "expired" {
		t.Fatalf("after its end: %+v", p)
	}
	wall = start.Add(-time.Hour)
	if p := byAsset(w.Info().Prices)["ETH"]; p.Refused != "expired" {
		t.Errorf("with the clock set back: %+v", p)
	}
	_, err := w.Prices(wire.PricesRequest{Sheet: signSheet(t, 1, sheet(start.Add(-11*time.Minute), market))})
	refused(t, "the expired one with the clock set back", err, refusal.ErrSheet)
	wall = start.Add(24 * time.Hour)
	_, err = w.Prices(wire.PricesRequest{Sheet: signSheet(t, 1, sheet(wall, market))})
	refused(t, "tomorrow's with the clock set ahead", err, refusal.ErrSheet)
	w.prices(start.Add(5*time.Minute), market)
}

// An override is a body like any other: one stamp of the organization's passkey.
func TestSigning_E13_OverrideNeedsAStamp(t *testing.T) {
	w := newWorld(t)
	owner, other := w.register("a@example.com"), w.register("b@example.com")
	first := time.Now()
	w.prices(first, market)
	w.prices(first.Add(10*time.Second), map[string]string{"ETH": "5000"})
	b := w.fresh(owner, wire.OverridePrice, wire.OverridePriceParams{Asset: "ETH", USD: "5000"})
	body := w.body(b)
	_, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(other, body)})
	refused(t, "another's stamp", err, refusal.ErrStamp)
	preview, err := w.Preview(wire.PreviewRequest{Body: body})
	if err != nil {
		t.Fatal(err)
	}
	if p := w.statement(&preview).Preview.Price; p == nil || p.USD != "5000" || p.Asset != "ETH" {
		t.Errorf("the preview shows %+v", p)
	}
	if st := w.must(owner, b); st.Result.Price == nil || st.Result.Price.USD != "5000" {
		t.Errorf("its result: %+v", st.Result)
	}
	bare := w.body(w.fresh(owner, wire.OverridePrice, wire.OverridePriceParams{Asset: "ETH", USD: "5000"}))
	out, err := w.Submit(wire.SubmitRequest{Body: bare})
	if err != nil || out.State != wire.Held {
		t.Errorf("without a stamp: %s, %v", out.State, err)
	}
}

// A price that moved too far is none for a rule, until the organization's own stamp.
func TestSigning_E13_OverrideLetsARuleReckonAgain(t *testing.T) {
	w, alice, account := funded(t)
	bob := w.register("bob@example.com")
	bobs := w.wallet(bob, "Main")
	w.policy(alice, account.WalletID, wire.Rules{DailyUSD: "100"})
	w.policy(bob, bobs.WalletID, wire.Rules{DailyUSD: "100"})
	w.prices(time.Now().Add(30*time.Second), map[string]string{"ETH": "4000"})
	if d := w.denied(alice, payment(account.Address)); d.Rule != "unknownPrice" {
		t.Errorf("after a jump: %+v", d)
	}
	w.done(w.body(w.fresh(alice, wire.OverridePrice, wire.OverridePriceParams{Asset: "ETH", USD: "4000"})), alice)
	w.done(w.body(w.fresh(alice, wire.SignIntent, payment(account.Address))), alice)
	if d := w.denied(bob, payment(bobs.Address)); d.Rule != "unknownPrice" {
		t.Errorf("for who did not stamp it: %+v", d)
	}
}

func TestPricesOverTheSocketAreJSON(t *testing.T) {
	w := newWorld(t)
	reply, err := w.Prices(wire.PricesRequest{Sheet: signSheet(t, 1, sheet(time.Now(), market))})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(reply)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"asset":"ETH","usd":"3000"`, `"asset":"POL"`, `"refused":"no signed price yet"`} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("%s is not in %s", want, raw)
		}
	}
}
