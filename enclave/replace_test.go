package enclave

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
)

// replacing is a payment in the place of another.
func replacing(from, fingerprint, nonce string) wire.SignIntentParams {
	p := payment(from)
	p.Replaces = &wire.ReplacedParams{Fingerprint: fingerprint, Nonce: nonce}
	return p
}

// sign submits a payment and gives what was signed for it.
func (w *world) pay(
	alice owner, p wire.SignIntentParams, floor int,
) (body string, signed *wire.Transaction, err error) {
	w.t.Helper()
	body = w.body(w.fresh(alice, wire.SignIntent, p))
	out, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body), Volatile: volatile(floor)})
	if err != nil {
		return body, nil, err
	}
	return body, w.statement(out.Proof).Result.Transaction, nil
}

func TestSigning_ReplacementTakesTheNonce(t *testing.T) {
	w := newWorld(t)
	w.prices(time.Now(), market)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	first, was, err := w.pay(alice, payment(account.Address), 0)
	if err != nil {
		t.Fatal(err)
	}
	p := replacing(account.Address, wire.Fingerprint(first), "0")
	p.Value, p.Data, p.To, p.Transfer = "0", "0x", account.Address, nil
	body := w.body(w.fresh(alice, wire.SignIntent, p))
	proof, err := w.Preview(wire.PreviewRequest{Body: body})
	if err != nil {
		t.Fatal(err)
	}
	shown := w.statement(&proof).Preview
	if shown.Nonce != "0" || shown.Replaces != wire.Fingerprint(first) || len(shown.Warnings) != 1 {
		t.Errorf("preview = %+v", shown)
	}
	out, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body), Volatile: volatile(0)})
	if err != nil {
		t.Fatal(err)
	}
	now := w.statement(out.Proof).Result.Transaction
	if now.Nonce != was.Nonce || now.TxHash == was.TxHash {
		t.Errorf("replaced %s at %s by %s at %s", was.TxHash, was.Nonce, now.TxHash, now.Nonce)
	}
	again, err := w.Outcome(wire.FingerprintRequest{Fingerprint: wire.Fingerprint(first)})
	if err != nil || w.statement(again.Proof).Result.Transaction.SignedTransaction != was.SignedTransaction {
		t.Errorf("the replaced one is no longer what it was: %v", err)
	}
	w.reopen()
	if twice, err := w.Submit(wire.SubmitRequest{Body: body}); err != nil || *twice.Proof != *out.Proof {
		t.Errorf("after a restart the replacement is another: %v", err)
	}
	if _, next, err := w.pay(alice, payment(account.Address), 0); err != nil || next.Nonce != "1" {
		t.Errorf("the next payment: %+v, %v", next, err)
	}
}

func TestSigning_ReplacementIsRefused(t *testing.T) {
	w := newWorld(t)
	alice, bob := w.register("alice@example.com"), w.register("bob@example.com")
	account, other := w.wallet(alice, "Main"), w.wallet(bob, "Main")
	first, _, err := w.pay(alice, payment(account.Address), 0)
	if err != nil {
		t.Fatal(err)
	}
	foreign, _, err := w.pay(bob, payment(other.Address), 0)
	if err != nil {
		t.Fatal(err)
	}
	second, _, err := w.pay(alice, replacing(account.Address, wire.Fingerprint(first), "0"), 0)
	if err != nil {
		t.Fatal(err)
	}
	cancelled := w.body(w.fresh(alice, wire.SignIntent, payment(account.Address)))
	if _, err := w.Cancel(wire.FingerprintRequest{Fingerprint: wire.Fingerprint(cancelled)}); err != nil {
		t.Fatal(err)
	}
	elsewhere := replacing(account.Address, wire.Fingerprint(second), "0")
	elsewhere.Chain, elsewhere.ChainID = "polygon", "80002"
	for name, c := range map[string]struct {
		params wire.SignIntentParams
		floor  int
		want   *fault.Error
	}{
		"one that was replaced": {replacing(account.Address, wire.Fingerprint(first), "0"),
			0, refusal.ErrReplaced},
		"another nonce": {replacing(account.Address, wire.Fingerprint(second), "1"),
			0, refusal.ErrReplaced},
		"another's transaction": {replacing(account.Address, wire.Fingerprint(foreign), "0"),
			0, refusal.ErrReplaced},
		"another network": {elsewhere, 0, refusal.ErrReplaced},
		"a cancelled one": {replacing(account.Address, wire.Fingerprint(cancelled), "0"),
			0, refusal.ErrReplaced},
		"one of which nothing is known": {replacing(account.Address, wire.Fingerprint("{}"), "0"),
			0, refusal.ErrReplaced},
		"one that is mined": {replacing(account.Address, wire.Fingerprint(second), "0"), 1, refusal.ErrNonceMined},
		"no fingerprint":    {replacing(account.Address, "0x12", "0"), 0, refusal.ErrBody},
		"no number":         {replacing(account.Address, wire.Fingerprint(second), "-1"), 0, refusal.ErrBody},
	} {
		_, _, err := w.pay(alice, c.params, c.floor)
		refused(t, name, err, c.want)
	}
	// A refusal is no result: where the node was behind, the same wish goes through.
	if _, again, err := w.pay(alice,
		replacing(account.Address, wire.Fingerprint(second), "0"), 0); err != nil || again.Nonce != "0" {
		t.Errorf("replacing the newest: %+v, %v", again, err)
	}
	tx := exact(account.Address, 84532, 0)
	body := w.body(w.fresh(alice, wire.SignTransaction, tx))
	_, err = w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body)})
	refused(t, "exact bytes in a taken place", err, refusal.ErrNonceTaken)
}

// Many replacements of one transaction at once: one takes its place, and nothing
// else is signed, before a restart and after it.
func TestSigning_ReplacementsRace(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	first, _, err := w.pay(alice, payment(account.Address), 0)
	if err != nil {
		t.Fatal(err)
	}
	var all []wire.SubmitRequest
	for range 8 {
		body := w.body(w.fresh(alice, wire.SignIntent, replacing(account.Address, wire.Fingerprint(first), "0")))
		all = append(all, wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body), Volatile: volatile(0)})
	}
	for _, when := range []string{"at once", "after a restart"} {
		var done atomic.Int32
		var racing sync.WaitGroup
		for _, q := range all {
			racing.Go(func() {
				if _, err := w.Submit(q); err == nil {
					done.Add(1)
				} else if !errors.Is(err, refusal.ErrReplaced) {
					t.Errorf("%s: %v", when, err)
				}
			})
		}
		racing.Wait()
		if done.Load() != 1 {
			t.Errorf("%s: %d have the place", when, done.Load())
		}
		w.checkpointNow()
		w.reopen()
	}
}
