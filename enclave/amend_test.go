package enclave

import (
	"errors"
	"log/slog"
	"math/big"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/journal"
	"github.com/railkit/railkit/enclave/keystore"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/sdk/go/passkey"
)

const (
	usdx       = "0x1111111111111111111111111111111111111111"
	nextKey    = "037cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc47669978" // of the private key 2
	nextOrigin = "http://localhost:9999"
)

var addUSDX = decide.Amendment{Tokens: []decide.NewToken{{
	Chain: "base",
	Token: chain.Token{Symbol: "USDX", Address: usdx, Decimals: 6, DomainName: "USD X", DomainVersion: "1"},
}}}

func yes(chain.Environment, []decide.Change) error { return nil }

// amending is the amendment by who has the unseal secret.
func (w *world) amending(a decide.Amendment) Amending {
	w.t.Helper()
	sealer, err := keystore.ParseSecret(w.secret)
	if err != nil {
		w.t.Fatal(err)
	}
	o := w.opts
	o.Dir, o.Sealer, o.Log = w.dir, sealer, slog.New(slog.DiscardHandler)
	return Amending{Options: o, Wanted: a, Confirm: yes}
}

// amend stops the signer, amends it and starts it again.
func (w *world) amend(a decide.Amendment) {
	w.t.Helper()
	if err := w.Close(); err != nil {
		w.t.Fatal(err)
	}
	if done, err := Amend(w.amending(a)); err != nil || len(done) == 0 {
		w.t.Fatalf("%+v, %v", done, err)
	}
	w.open()
}

// payUSDX is a transfer of millionths of a USDX.
func payUSDX(from, to string, micro int64) wire.SignIntentParams {
	address, _ := evm.ParseAddress(to)
	data, _ := evm.EncodeTransfer(address, big.NewInt(micro))
	return call(from, usdx, chain.Hex(data))
}

var marketX = func() map[string]string {
	all := map[string]string{"USDX": "1"}
	for asset, usd := range market {
		all[asset] = usd
	}
	return all
}()

// An amendment stands in the journal, is stated under the identity key to whoever asks for heads, and is the same after
// every start, with a checkpoint or without.
func TestSigning_K09_AmendmentIsStated(t *testing.T) {
	w := newWorldWith(t, Options{every: 4})
	if w.Info().Sealed.Genesis != w.bound || len(w.Info().Sealed.Amendments) != 0 {
		t.Errorf("before: %+v", w.Info().Sealed)
	}
	state := func() wire.Statement {
		p, err := w.Heads(wire.HeadsRequest{Seqs: []string{"1"}})
		if err != nil {
			t.Fatal(err)
		}
		return w.statement(&p)
	}
	if st := state(); st.Sealed != nil {
		t.Errorf("before: %+v", st.Sealed)
	}
	w.amend(addUSDX)
	w.amend(decide.Amendment{Origins: []string{nextOrigin}, PriceKey: nextKey})
	told := state().Sealed
	if told == nil || told.Genesis != w.bound || len(told.Amendments) != 2 ||
		!reflect.DeepEqual(*told, w.Info().Sealed) {
		t.Fatalf("stated: %+v, told: %+v", told, w.Info().Sealed)
	}
	want := []string{"add origin " + nextOrigin, "change price key to " + nextKey}
	if !reflect.DeepEqual(told.Amendments[1].Changes, want) {
		t.Errorf("%+v", told.Amendments[1])
	}
	first := told.Amendments[0]
	if heads := w.heads(first.Seq); heads[0].Head != first.Head ||
		!strings.HasPrefix(first.Changes[0], "add token USDX on base "+usdx+": 6 decimals") {
		t.Errorf("%+v, the journal has %+v", first, heads)
	}
	base, _ := chain.WithSlug(w.Info().Networks, "base")
	if _, listed := base.TokenByAddress(usdx); !listed ||
		!reflect.DeepEqual(w.Info().Origins, []string{origin, nextOrigin}) {
		t.Errorf("%+v", w.Info())
	}
	for range 3 {
		w.checkpointNow()
		w.reopen()
		if again := state().Sealed; !reflect.DeepEqual(again, told) || w.state.PriceKey != nextKey {
			t.Errorf("after a start: %+v", again)
		}
	}
	if w.replayed > 2*w.every {
		t.Errorf("%d entries were replayed: no checkpoint was taken up", w.replayed)
	}
	whole := w.Info()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.opts.Build = "another build, which replays all"
	w.open()
	if got := w.Info(); !reflect.DeepEqual(got.Sealed, whole.Sealed) ||
		!reflect.DeepEqual(got.Networks, whole.Networks) {
		t.Errorf("replayed in full: %+v", got.Sealed)
	}
}

// Without the unseal secret, beside a running signer, without a word of the operator's or against the rules, nothing
// is written.
func TestSigning_K09_AmendmentRefused(t *testing.T) {
	w := newWorld(t)
	if _, err := Amend(w.amending(addUSDX)); !errors.Is(err, journal.ErrLocked) ||
		!strings.Contains(err.Error(), "stop it first") {
		t.Errorf("beside the running signer: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	before := w.read("journal.log")
	wrong := w.amending(addUSDX)
	secret, err := keystore.NewIdentity()
	if err != nil {
		t.Fatal(err)
	}
	if wrong.Sealer, err = keystore.ParseSecret(secret); err != nil {
		t.Fatal(err)
	}
	if _, err := Amend(wrong); !errors.Is(err, keystore.ErrUnseal) {
		t.Errorf("with another secret: %v", err)
	}
	no := w.amending(addUSDX)
	no.Confirm = func(env chain.Environment, changes []decide.Change) error {
		if env != chain.Sandbox || len(changes) != 1 || changes[0].Name != "add token USDX on base "+usdx {
			t.Errorf("it asks about %s: %+v", env, changes)
		}
		return errors.New("no")
	}
	if _, err := Amend(no); err == nil || err.Error() != "no" {
		t.Errorf("unconfirmed: %v", err)
	}
	bad := w.amending(decide.Amendment{Origins: []string{nextOrigin, "https://example.org"}})
	if _, err := Amend(bad); err == nil || !strings.Contains(err.Error(), "no page of example.org") {
		t.Errorf("an origin of another site, beside a good one: %v", err)
	}
	if after := w.read("journal.log"); len(after) != len(before) {
		t.Errorf("%d bytes were written", len(after)-len(before))
	}
	if _, err := Amend(w.amending(addUSDX)); err != nil {
		t.Fatal(err)
	}
	twice := w.amending(addUSDX)
	twice.Confirm = func(chain.Environment, []decide.Change) error { return errors.New("it asks again") }
	if done, err := Amend(twice); err != nil || done != nil {
		t.Errorf("what is in force already: %+v, %v", done, err)
	}
	w.open()
	if n := len(w.Info().Sealed.Amendments); n != 1 {
		t.Errorf("%d amendments", n)
	}
}

// A genesis from before networks and tokens that the program lists now gets them, by --listed.
func TestSigning_K09_AmendmentOfAnOlderGenesis(t *testing.T) {
	listed := chain.Networks(chain.Sandbox)
	old := listed[1] // base
	old.Tokens = nil
	w := &world{t: t, dir: filepath.Join(t.TempDir(), "enclave")}
	var err error
	if w.secret, err = keystore.NewIdentity(); err != nil {
		t.Fatal(err)
	}
	err = Init(InitOptions{
		Dir: w.dir, Environment: chain.Sandbox, RPID: "localhost", Origins: []string{origin}, PriceKey: priceKey,
		Secret: w.secret, Networks: []chain.Network{old},
	})
	if err != nil {
		t.Fatal(err)
	}
	a := w.amending(decide.Amendment{})
	a.Listed = true
	if done, err := Amend(a); err != nil || len(done) < 2*len(listed)-1 {
		t.Fatalf("%+v, %v", done, err)
	}
	w.open()
	t.Cleanup(func() { _ = w.Close() })
	if got := w.Info().Networks; len(got) != len(listed) {
		t.Errorf("%+v", got)
	}
	for _, n := range listed {
		if got, _ := chain.WithSlug(w.Info().Networks, n.Slug); !reflect.DeepEqual(got, n) {
			t.Errorf("%+v", got)
		}
	}
}

// The disk fails in the middle of an amendment: it stands whole in the journal, or not at all, and can be made again.
func TestSigning_K09_AmendmentOnABadDisk(t *testing.T) {
	for _, kind := range []string{"log", "head", "sync"} {
		for part := range 3 {
			w := newWorld(t)
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			disk := &badDisk{kind: kind, err: errors.New("the disk fails"), part: part}
			a := w.amending(addUSDX)
			a.disk = disk.disk()
			a.Confirm = func(chain.Environment, []decide.Change) error { disk.arm(); return nil }
			if _, err := Amend(a); err == nil || !strings.Contains(err.Error(), "the disk fails") &&
				!strings.Contains(err.Error(), "writing failed") {
				t.Fatalf("%s, %d of 2: %v", kind, part, err)
			}
			if _, err := Amend(w.amending(addUSDX)); err != nil {
				t.Fatalf("%s, %d of 2, again: %v", kind, part, err)
			}
			w.open()
			if n := len(w.Info().Sealed.Amendments); n != 1 {
				t.Errorf("%s, %d of 2: %d amendments", kind, part, n)
			}
		}
	}
}

// A token that becomes listed is no unknown call any more: what has to be within limits in USD is measured by its
// price, and denied as long as there is none.
func TestSigning_K09_TokenThatBecomesListed(t *testing.T) {
	w, alice, account := funded(t)
	free := w.wallet(alice, "Free")
	held := w.body(w.fresh(alice, wire.SignIntent, payUSDX(account.Address, receiver, 1_000_000)))
	shown, err := w.preview(held)
	if err != nil || len(shown.Effects) != 1 || shown.Effects[0].Symbol != "" {
		t.Errorf("preview before: %+v, %v", shown, err)
	}
	w.policy(alice, account.WalletID, wire.Rules{MaxValueUSD: "20", AllowedDestinations: []string{receiver}})
	if d := w.denied(alice, payUSDX(account.Address, receiver, 1)); d.Rule != "unknownCall" {
		t.Errorf("unlisted: %+v", d)
	}
	w.consent(alice, "1") // of what costs more than 100 USD
	freely := func(want wire.OutcomeState, micro int64) *wire.Approval {
		t.Helper()
		body := w.body(w.fresh(alice, wire.SignIntent, payUSDX(free.Address, receiver, micro)))
		return w.in(want, body, alice).Result.Approval
	}
	if a := freely(wire.Held, 1_000_000); a.Reason != wire.ReasonThreshold {
		t.Errorf("unlisted, with approvals: %+v", a)
	}
	w.amend(addUSDX)
	if d := w.denied(alice, payUSDX(account.Address, receiver, 1)); d.Rule != "unknownPrice" ||
		d.Observed != "no price of USDX" {
		t.Errorf("listed and without a price: %+v", d)
	}
	freely(wire.Held, 1_000_000)
	w.prices(time.Now().Add(11*time.Second), marketX)
	if d := w.denied(alice, payUSDX(account.Address, receiver, 20_000_000)); d.Rule != "maxValueUsd" ||
		d.Observed != "20.6" {
		t.Errorf("over the cap: %+v", d)
	}
	if d := w.denied(alice, payUSDX(account.Address, stranger, 1)); d.Rule != "allowedDestinations" {
		t.Errorf("elsewhere: %+v", d)
	}
	w.must(alice, w.fresh(alice, wire.SignIntent, payUSDX(account.Address, receiver, 1_000_000)))
	freely(wire.Done, 1_000_000)
	if a := freely(wire.Held, 101_000_000); a.CostUSD != "101.6" {
		t.Errorf("over the threshold: %+v", a)
	}
}

// Whoever stamped a delegation has seen what was listed then. No amendment gives it more: not by itself, and not by a
// change of its policy that needs no stamp, or by a stamp that the host held back.
func TestSigning_K09_DelegationFromBeforeAnAmendment(t *testing.T) {
	l := newLent(t, false)
	token, _ := evm.ParseAddress(usdx)
	target, _ := evm.ParseAddress(receiver)
	transfer, _ := evm.EncodeTransfer(target, big.NewInt(1_000_000))
	exact := func(by owner, from string, tx evm.Tx) string {
		tx.Type, tx.GasLimit = evm.DynamicFee, 80000
		tx.MaxFeePerGas, tx.MaxPriorityFeePerGas = big.NewInt(2e9-10), big.NewInt(1)
		return l.body(l.fresh(by, wire.SignTransaction, wire.SignTransactionParams{
			SignWith: from, Type: "TRANSACTION_TYPE_ETHEREUM", ChainID: strconv.FormatUint(tx.ChainID, 10),
			UnsignedTransaction: chain.Hex(tx.Unsigned()),
		}))
	}
	ofToken := func(nonce uint64) evm.Tx {
		return evm.Tx{ChainID: 84532, Nonce: nonce, To: &token, Value: new(big.Int), Data: transfer}
	}
	usdxTo := func() string { return exact(l.alice, l.account.Address, ofToken(l.nonce)) }
	ledger := chain.Network{Slug: "ledger", Name: "Ledger", Kind: chain.EVM, ChainID: 99_001, Confirmations: 1,
		Native: chain.Token{Symbol: "ETH", Decimals: 18}}
	coin := func() string {
		return exact(l.alice, l.account.Address, evm.Tx{ChainID: 99_001, To: &target, Value: big.NewInt(1)})
	}
	bob := l.register("bob@example.com")
	other := l.wallet(bob, "Bob's")
	late := l.body(l.fresh(bob, wire.CreatePolicy, wire.CreatePolicyParams{WalletID: other.WalletID,
		Rules: wire.Rules{Delegation: l.delegation(false)}}))
	stamp := l.stamp(bob, late)

	both := addUSDX
	both.Networks = []chain.Network{ledger}
	l.amend(both)
	l.prices(time.Now().Add(11*time.Second), marketX)
	without := func(what, body string, want wire.OutcomeState) {
		t.Helper()
		out, err := l.Submit(wire.SubmitRequest{Body: body})
		if err != nil || out.State != want {
			t.Errorf("%s: %s, %v, want %s", what, out.State, err, want)
		}
	}
	l.becomes("what was listed", wire.Done, l.transfer(receiver, 1_000_000), nil)
	without("a token that was listed later", usdxTo(), wire.Held)
	without("a network that was listed later", coin(), wire.Held)

	st, err := l.State(wire.StateRequest{OrganizationID: l.alice.org, Rules: true})
	if err != nil {
		t.Fatal(err)
	}
	rules := l.statement(&st).State.Policies[0].Rules
	rules.MaxValueUSD = "4"
	tighter := l.body(l.fresh(l.alice, wire.UpdatePolicy, wire.UpdatePolicyParams{PolicyID: l.policyID, Rules: rules}))
	if out, err := l.Submit(wire.SubmitRequest{Body: tighter}); err != nil || out.State != wire.Done {
		t.Fatalf("to tighten without a stamp: %s, %v", out.State, err)
	}
	without("after a change that needs no stamp", usdxTo(), wire.Held)
	l.checkpointNow()
	l.reopen()
	without("after a start", usdxTo(), wire.Held)

	if out, err := l.Submit(wire.SubmitRequest{Body: late, Stamp: stamp}); err != nil || out.State != wire.Done {
		t.Fatalf("a stamp that was held back: %s, %v", out.State, err)
	}
	without("under a stamp that was held back", exact(bob, other.Address, ofToken(0)), wire.Held)

	l.policy(l.alice, l.account.WalletID, wire.Rules{Delegation: l.delegation(false)})
	without("a token, under a new delegation", usdxTo(), wire.Done)
	without("a network, under a new delegation", coin(), wire.Done)
}

// Another price key is another feed: nothing of the old one counts, not even what it signed before, and the operator's
// word for the newest prices cannot be for those.
func TestSigning_K09_PriceKeyChangedAway(t *testing.T) {
	w, alice, account := funded(t)
	w.policy(alice, account.WalletID, wire.Rules{MaxValueUSD: "30"})
	now := time.Now()
	w.prices(now.Add(11*time.Second), map[string]string{"ETH": "2500", "USDC": "1"})
	w.opts.AcceptPrices = true
	w.amend(decide.Amendment{PriceKey: nextKey})
	stolen := signSheet(t, 1, sheet(now.Add(22*time.Second), market))
	if _, err := w.Prices(wire.PricesRequest{Sheet: stolen}); !errors.Is(err, refusal.ErrSheet) {
		t.Errorf("a sheet of the old key: %v", err)
	}
	for _, p := range w.Info().Prices {
		if p.Refused != "no signed price yet" {
			t.Errorf("a price of the old key: %+v", p)
		}
	}
	for _, f := range w.Info().DataFees {
		if f.Refused == "" {
			t.Errorf("a data fee of the old key: %+v", f)
		}
	}
	if d := w.denied(alice, pay(account.Address, receiver, 1)); d.Rule != "unknownPrice" {
		t.Errorf("%+v", d)
	}
	reply, err := w.Prices(wire.PricesRequest{Sheet: signSheet(t, 2, sheet(now, market))})
	if err != nil || byAsset(reply.Assets)["ETH"].USD != market["ETH"] {
		t.Fatalf("%+v, %v", reply, err)
	}
	w.must(alice, w.fresh(alice, wire.SignIntent, pay(account.Address, receiver, 1)))
	w.reopen()
	if got := byAsset(w.Info().Prices)["ETH"]; got.USD != market["ETH"] || got.Refused != "" {
		t.Errorf("after a start: %+v", got)
	}
}

// A page of an origin that was added gets stamps accepted, as the first one does.
func TestSigning_K09_OriginThatWasAdded(t *testing.T) {
	w := newWorld(t)
	registers := func(email, page string) error {
		_, err := w.Submit(wire.SubmitRequest{Body: w.registration(email, passkey.New(page))})
		return err
	}
	refused(t, "before", registers("a@example.com", nextOrigin), refusal.ErrStamp)
	w.amend(decide.Amendment{Origins: []string{nextOrigin}})
	key := passkey.New(nextOrigin)
	out, err := w.Submit(wire.SubmitRequest{Body: w.registration("a@example.com", key)})
	if err != nil {
		t.Fatal(err)
	}
	w.wallet(owner{key, w.statement(out.Proof).Result.SubOrganization.ID}, "Main")
	w.wallet(w.register("b@example.com"), "Main")
	refused(t, "another", registers("c@example.com", "http://localhost:1"), refusal.ErrStamp)
}
