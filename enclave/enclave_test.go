package enclave

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/sdk/go/passkey"
)

func refused(t *testing.T, what string, err error, want *fault.Error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %s", what, err, want.Code)
	}
}

func TestSigning_TransferIsSignedAsPreviewed(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	body := w.body(w.fresh(alice, wire.SignIntent, payment(account.Address)))

	proof, err := w.Preview(wire.PreviewRequest{Body: body})
	if err != nil {
		t.Fatal(err)
	}
	preview := w.statement(&proof)
	effects := preview.Preview.Effects
	if len(effects) != 1 || effects[0].Display != "25.5 USDC" || effects[0].To != receiver || effects[0].From != account.Address {
		t.Errorf("effects = %+v", effects)
	}
	out, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body), Volatile: volatile(0)})
	if err != nil {
		t.Fatal(err)
	}
	result := w.statement(out.Proof)
	signed, err := evm.ParseHex(result.Result.Transaction.SignedTransaction)
	if err != nil {
		t.Fatal(err)
	}
	tx, _, err := evm.DecodeSigned(signed)
	if err != nil {
		t.Fatal(err)
	}
	if from, err := evm.Recover(signed); err != nil || from.String() != account.Address {
		t.Errorf("signed by %v, %v", from, err)
	}
	if got := tx.Effects(evm.Address{}, w.genesis.Networks[1])[0]; got.Amount != effects[0].Amount || got.To != effects[0].To {
		t.Errorf("signed %+v, previewed %+v", got, effects[0])
	}
	before, _ := strconv.ParseUint(preview.Seq, 10, 64)
	if after, _ := strconv.ParseUint(result.Seq, 10, 64); after <= before || preview.Fingerprint != result.Fingerprint {
		t.Errorf("result %s of %s after preview %s of %s", result.Seq, result.Fingerprint, preview.Seq, preview.Fingerprint)
	}
}

func TestSigning_S01_StampOfAnotherBody(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	body := w.body(w.fresh(alice, wire.SignIntent, payment(account.Address)))
	stamp := w.stamp(alice, body)
	for name, other := range map[string]string{
		"one byte":  strings.Replace(body, `"80000"`, `"80001"`, 1),
		"space":     strings.Replace(body, `{"type"`, `{ "type"`, 1),
		"key order": strings.Replace(body, `"environment":"sandbox",`, "", 1)[:len(body)-len(`"environment":"sandbox",`)-1] + `,"environment":"sandbox"}`,
	} {
		if other == body {
			t.Fatalf("%s: nothing was changed", name)
		}
		_, err := w.Submit(wire.SubmitRequest{Body: other, Stamp: stamp, Volatile: volatile(0)})
		refused(t, name, err, decide.ErrStamp)
	}
	if _, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: stamp, Volatile: volatile(0)}); err != nil {
		t.Errorf("the untouched body: %v", err)
	}
}

func TestSigning_S02_SameBodyFiftyTimes(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	wallet := wire.CreateWalletParams{WalletName: "Second", MnemonicLength: "24", Accounts: ethereum(0)}
	for _, b := range []wire.Body{
		w.fresh(alice, wire.SignIntent, payment(account.Address)),
		w.fresh(alice, wire.CreateWallet, wallet),
		w.fresh(alice, wire.CreateWalletAccounts, wire.CreateWalletAccountsParams{WalletID: account.WalletID, Accounts: ethereum(1)}),
	} {
		body := w.body(b)
		stamp := w.stamp(alice, body)
		before := w.journal.Position().Seq
		proofs := make([]wire.Proof, 50)
		var wg sync.WaitGroup
		for i := range proofs {
			wg.Go(func() {
				out, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: stamp, Volatile: volatile(i)})
				if err != nil {
					t.Errorf("%s: %v", b.Type, err)
					return
				}
				proofs[i] = *out.Proof
			})
		}
		wg.Wait()
		for _, p := range proofs {
			if p != proofs[0] {
				t.Fatalf("%s: two callers have two results", b.Type)
			}
		}
		if n := w.journal.Position().Seq - before; n != 1 {
			t.Errorf("%s: %d journal entries, want 1", b.Type, n)
		}
	}
}

func TestSigning_S03_StrictBodies(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	good := w.body(w.fresh(alice, wire.SignIntent, payment(account.Address)))
	cut := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	for name, body := range map[string]string{
		"duplicate key":      cut(`"to":`, `"to":"`+account.Address+`","to":`),
		"duplicate at top":   cut(`"type":`, `"type":"ACTIVITY_TYPE_CREATE_WALLET","type":`),
		"another case":       cut(`"gasLimit"`, `"GasLimit"`),
		"another case, top":  cut(`"type"`, `"Type"`),
		"unknown key":        cut(`"gasLimit"`, `"extra":"1","gasLimit"`),
		"unknown key, top":   cut(`"type"`, `"extra":"1","type"`),
		"trailing bytes":     good + " x",
		"two values":         good + "{}",
		"byte order mark":    "\ufeff" + good,
		"lone surrogate":     cut(`"base"`, `"\ud800"`),
		"invalid UTF-8":      cut(`"base"`, "\"ba\xffse\""),
		"number for text":    cut(`"80000"`, `80000`),
		"exponent":           cut(`"80000"`, `"8e4"`),
		"leading zero":       cut(`"80000"`, `"080000"`),
		"negative":           cut(`"value":"0"`, `"value":"-1"`),
		"over 256 bits":      cut(`"value":"0"`, `"value":"1`+strings.Repeat("0", 78)+`"`),
		"hexadecimal amount": cut(`"value":"0"`, `"value":"0x0"`),
		"deep nesting":       cut(`"parameters":{`, `"parameters":{"x":`+strings.Repeat("[", 20000)+strings.Repeat("]", 20000)+`,`),
		"not JSON":           "stamp me",
		"empty":              "",
		"too large":          cut(`"chain":`, `"chain":"`+strings.Repeat("a", 200_000)+`","chain":`),
	} {
		if body == good {
			t.Fatalf("%s: nothing was changed", name)
		}
		_, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body), Volatile: volatile(0)})
		refused(t, name, err, decide.ErrBody)
		_, err = w.Preview(wire.PreviewRequest{Body: body})
		refused(t, name+", previewed", err, decide.ErrBody)
	}
	if _, err := w.Submit(wire.SubmitRequest{Body: good, Stamp: w.stamp(alice, good), Volatile: volatile(0)}); err != nil {
		t.Errorf("the untouched body: %v", err)
	}
}

func TestSigning_S09_CounterSeenTwice(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	path := filepath.Join(t.TempDir(), "passkey")
	if err := alice.Save(path); err != nil {
		t.Fatal(err)
	}
	copied, err := passkey.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	clone := owner{copied, alice.org}
	wallet := func(name string) string {
		return w.body(w.fresh(alice, wire.CreateWallet, wire.CreateWalletParams{WalletName: name, MnemonicLength: "12"}))
	}
	first, second := wallet("first"), wallet("second")
	one, two := w.stamp(alice, first), w.stamp(alice, second)
	if _, err := w.Submit(wire.SubmitRequest{Body: second, Stamp: two}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Submit(wire.SubmitRequest{Body: first, Stamp: one}); err != nil {
		t.Errorf("a stamp that arrives late: %v", err)
	}
	third := wallet("third")
	_, err = w.Submit(wire.SubmitRequest{Body: third, Stamp: w.stamp(clone, third)})
	refused(t, "a copied passkey", err, decide.ErrCounter)
}

func TestSigning_S10_CredentialOfAnother(t *testing.T) {
	w := newWorld(t)
	alice, bob := w.register("alice@example.com"), w.register("bob@example.com")
	account := w.wallet(alice, "Main")
	body := w.body(w.fresh(alice, wire.SignIntent, payment(account.Address)))
	_, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(bob, body), Volatile: volatile(0)})
	refused(t, "bob stamps for alice", err, decide.ErrStamp)

	stolen := w.body(w.fresh(bob, wire.SignIntent, payment(account.Address)))
	_, err = w.Submit(wire.SubmitRequest{Body: stolen, Stamp: w.stamp(bob, stolen), Volatile: volatile(0)})
	refused(t, "bob names alice's address", err, decide.ErrAccount)

	unknown := passkey.New(origin)
	w.registration("carol@example.com", unknown) // made, never registered
	_, err = w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(owner{unknown, alice.org}, body), Volatile: volatile(0)})
	refused(t, "an unregistered passkey", err, decide.ErrStamp)
	_, err = w.Submit(wire.SubmitRequest{Body: body, Volatile: volatile(0)})
	refused(t, "no stamp", err, decide.ErrStamp)

	accounts := w.body(w.fresh(bob, wire.CreateWalletAccounts, wire.CreateWalletAccountsParams{WalletID: account.WalletID, Accounts: ethereum(1)}))
	_, err = w.Submit(wire.SubmitRequest{Body: accounts, Stamp: w.stamp(bob, accounts)})
	refused(t, "bob adds to alice's wallet", err, decide.ErrAccount)
}

func TestSigning_S14_BodyOfAnotherKindOrPlace(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	production := w.fresh(alice, wire.SignIntent, payment(account.Address))
	production.Environment = "production"
	other := w.fresh(alice, wire.CreateWallet, payment(account.Address))
	unknown := w.fresh(alice, "ACTIVITY_TYPE_EXPORT_WALLET", payment(account.Address))
	mainnet := payment(account.Address)
	mainnet.ChainID = "8453"
	for name, b := range map[string]wire.Body{
		"made for production":           production,
		"parameters of another type":    other,
		"unknown type":                  unknown,
		"chain id of another network":   w.fresh(alice, wire.SignIntent, mainnet),
		"registration under a stamp":    {Type: wire.CreateSubOrganization, Environment: "sandbox"},
		"no activity id":                {Type: wire.SignIntent, Environment: "sandbox", OrganizationID: alice.org},
		"transfer says something else":  w.fresh(alice, wire.SignIntent, lying(account.Address)),
		"unlisted chain":                w.fresh(alice, wire.SignIntent, elsewhere(account.Address)),
		"exact bytes of a mainnet":      w.fresh(alice, wire.SignTransaction, exact(account.Address, 1, 0)),
		"exact bytes, other chain id":   w.fresh(alice, wire.SignTransaction, wire.SignTransactionParams{SignWith: account.Address, Type: "TRANSACTION_TYPE_ETHEREUM", ChainID: "1", UnsignedTransaction: exact(account.Address, 84532, 0).UnsignedTransaction}),
		"exact bytes of another family": w.fresh(alice, wire.SignTransaction, wire.SignTransactionParams{SignWith: account.Address, Type: "TRANSACTION_TYPE_SOLANA", ChainID: "84532", UnsignedTransaction: exact(account.Address, 84532, 0).UnsignedTransaction}),
	} {
		body := w.body(b)
		_, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body), Volatile: volatile(0)})
		refused(t, name, err, decide.ErrBody)
	}
}

func lying(from string) wire.SignIntentParams {
	p := payment(from)
	p.Transfer = &wire.TransferParams{Token: usdc, To: receiver, Amount: "25"}
	return p
}

func elsewhere(from string) wire.SignIntentParams {
	p := payment(from)
	p.Chain = "dogecoin"
	return p
}

func exact(from string, chainID, nonce uint64) wire.SignTransactionParams {
	to, _ := evm.ParseAddress(receiver)
	tx := evm.Tx{Type: evm.Legacy, ChainID: chainID, Nonce: nonce, GasLimit: 21000, To: &to}
	return wire.SignTransactionParams{
		SignWith: from, Type: "TRANSACTION_TYPE_ETHEREUM", ChainID: strconv.FormatUint(chainID, 10), UnsignedTransaction: evm.Hex(tx.Unsigned()),
	}
}

func TestSigning_S15_Times(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	now := time.Now()
	at := func(made, expires time.Time) wire.Body {
		b := w.fresh(alice, wire.CreateWallet, wire.CreateWalletParams{WalletName: "w" + made.String()[:19], MnemonicLength: "12"})
		b.TimestampMs, b.ExpiresAtMs = strconv.FormatInt(made.UnixMilli(), 10), strconv.FormatInt(expires.UnixMilli(), 10)
		return b
	}
	odd := func(timestamp string) wire.Body {
		b := at(now, now.Add(time.Minute))
		b.TimestampMs = timestamp
		return b
	}
	for name, c := range map[string]struct {
		body wire.Body
		want *fault.Error
	}{
		"61 minutes old":       {at(now.Add(-61*time.Minute), now.Add(-2*time.Minute)), decide.ErrExpired},
		"expired":              {at(now.Add(-16*time.Minute), now.Add(-time.Second)), decide.ErrExpired},
		"6 minutes ahead":      {at(now.Add(6*time.Minute), now.Add(10*time.Minute)), decide.ErrBody},
		"lives two hours":      {at(now, now.Add(2*time.Hour)), decide.ErrBody},
		"expires before made":  {at(now, now.Add(-time.Minute)), decide.ErrBody},
		"not decimal":          {odd("1e12"), decide.ErrBody},
		"over 64 bits":         {odd("99999999999999999999"), decide.ErrBody},
		"empty":                {odd(""), decide.ErrBody},
		"negative":             {odd("-1"), decide.ErrBody},
		"with a leading space": {odd(" 1700000000000"), decide.ErrBody},
	} {
		body := w.body(c.body)
		_, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body)})
		refused(t, name, err, c.want)
	}
	w.must(alice, at(now.Add(4*time.Minute), now.Add(10*time.Minute)))
}

func TestSigning_S15_ClockOfTheHost(t *testing.T) {
	start := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	wall, up := start, time.Duration(0)
	c := newClock(start)
	c.wall, c.since = func() time.Time { return wall }, func() time.Duration { return up }
	step := func(name string, w time.Time, u time.Duration, want time.Time) {
		t.Helper()
		wall, up = w, u
		if got := c.Now(); !got.Equal(want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	step("runs along", start.Add(time.Minute), time.Minute, start.Add(time.Minute))
	step("set back two hours", start.Add(-2*time.Hour), 2*time.Minute, start.Add(time.Minute))
	step("set forward two hours", start.Add(2*time.Hour), 3*time.Minute, start.Add(3*time.Minute+slack))
	step("right again", start.Add(10*time.Minute), 10*time.Minute, start.Add(10*time.Minute))
	wall = start.Add(24 * time.Hour)
	if got := c.accept(); !got.Equal(wall) {
		t.Errorf("accepted %v, want %v", got, wall)
	}
}

func TestSigning_S16_Registration(t *testing.T) {
	w := newWorld(t)
	key := passkey.New(origin)
	body := w.registration("alice@example.com", key)
	first, err := w.Submit(wire.SubmitRequest{Body: body})
	if err != nil {
		t.Fatal(err)
	}
	st := w.statement(first.Proof)
	made := key.Credentials()[0]
	if got := st.Result.Owners.Credentials[0]; got.CredentialID != made.ID || got.PublicKey != made.PublicKey || got.Email != "alice@example.com" {
		t.Errorf("the proof names %+v, the passkey is %+v", got, made)
	}
	again, err := w.Submit(wire.SubmitRequest{Body: body})
	if err != nil || *again.Proof != *first.Proof {
		t.Errorf("the same body again: %v", err)
	}

	ch, err := w.Challenge(wire.ChallengeRequest{WorkspaceID: workspaceID, Email: "bob@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	foreign := w.registrationOf("carol@example.com", ch.Challenge, passkey.New(origin))
	_, err = w.Submit(wire.SubmitRequest{Body: foreign})
	refused(t, "another e-mail's challenge", err, decide.ErrChallenge)
	made2 := "A" + ch.Challenge[1:]
	_, err = w.Submit(wire.SubmitRequest{Body: w.registrationOf("bob@example.com", made2, passkey.New(origin))})
	refused(t, "a challenge that was never issued", err, decide.ErrChallenge)
	good := w.registrationOf("bob@example.com", ch.Challenge, passkey.New(origin))
	swapped := strings.Replace(good, workspaceID, "22222222-2222-4222-8222-222222222222", 1)
	_, err = w.Submit(wire.SubmitRequest{Body: swapped})
	refused(t, "another workspace", err, decide.ErrChallenge)
	_, err = w.Submit(wire.SubmitRequest{Body: w.registrationOf("bob@example.com", ch.Challenge, passkey.New("http://localhost:9999"))})
	refused(t, "another origin", err, decide.ErrStamp)
	if _, err := w.Submit(wire.SubmitRequest{Body: good}); err != nil {
		t.Fatalf("bob: %v", err)
	}
	_, err = w.Submit(wire.SubmitRequest{Body: w.registrationOf("bob@example.com", ch.Challenge, passkey.New(origin))})
	refused(t, "a challenge twice", err, decide.ErrChallenge)
	_, err = w.Submit(wire.SubmitRequest{Body: w.registration("bob@example.com", passkey.New(origin))})
	refused(t, "an e-mail twice", err, decide.ErrEmailTaken)
}

func TestSigning_A03_CancelledIsNeverSigned(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	body := w.body(w.fresh(alice, wire.SignIntent, payment(account.Address)))
	fp := wire.FingerprintRequest{Fingerprint: decide.Fingerprint(body)}
	out, err := w.Cancel(fp)
	if err != nil || out.State != wire.Cancelled {
		t.Fatalf("cancel: %v, %v", out.State, err)
	}
	late, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body), Volatile: volatile(0)})
	if err != nil || late.State != wire.Cancelled || w.statement(late.Proof).Result != nil {
		t.Errorf("a stamp after the cancel: %v, %v", late.State, err)
	}
	signed := w.body(w.fresh(alice, wire.SignIntent, payment(account.Address)))
	if _, err := w.Submit(wire.SubmitRequest{Body: signed, Stamp: w.stamp(alice, signed), Volatile: volatile(0)}); err != nil {
		t.Fatal(err)
	}
	if out, err := w.Cancel(wire.FingerprintRequest{Fingerprint: decide.Fingerprint(signed)}); err != nil || out.State != wire.Done {
		t.Errorf("a cancel after the stamp: %v, %v", out.State, err)
	}
}

func TestSigning_NoncesAndFees(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	sign := func(floor int) (string, error) {
		body := w.body(w.fresh(alice, wire.SignIntent, payment(account.Address)))
		out, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body), Volatile: volatile(floor)})
		if err != nil {
			return "", err
		}
		return w.statement(out.Proof).Result.Transaction.Nonce, nil
	}
	for i, c := range []struct {
		floor int
		want  string
	}{{0, "0"}, {0, "1"}, {1, "2"}, {5, "5"}, {0, "3"}, {0, "4"}, {0, "6"}} {
		if got, err := sign(c.floor); err != nil || got != c.want {
			t.Errorf("%d: nonce %s, %v, want %s", i, got, err, c.want)
		}
	}
	taken := w.body(w.fresh(alice, wire.SignTransaction, exact(account.Address, 84532, 3)))
	_, err := w.Submit(wire.SubmitRequest{Body: taken, Stamp: w.stamp(alice, taken)})
	refused(t, "exact bytes for a signed nonce", err, decide.ErrNonceTaken)
	free := w.fresh(alice, wire.SignTransaction, exact(account.Address, 84532, 7))
	w.must(alice, free)
	if got, err := sign(7); err != nil || got != "8" {
		t.Errorf("after exact bytes: nonce %s, %v", got, err)
	}

	body := w.body(w.fresh(alice, wire.SignIntent, payment(account.Address)))
	dear := volatile(0)
	dear.MaxFeePerGas = "2500000001" // × 80,000 gas is just over the stamped maximum
	_, err = w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body), Volatile: dear})
	refused(t, "a fee over the maximum", err, decide.ErrFee)
	dear.MaxFeePerGas = "2500000000"
	if _, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body), Volatile: dear}); err != nil {
		t.Errorf("the same body with a fee within it: %v", err)
	}
}

func TestSigning_K03_RestartAndTamperedFolder(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	body := w.body(w.fresh(alice, wire.SignIntent, payment(account.Address)))
	stamp := w.stamp(alice, body)
	before, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: stamp, Volatile: volatile(0)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.tryOpen(); err == nil {
		t.Error("a second enclave opened the same folder")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.open()
	after, err := w.Outcome(wire.FingerprintRequest{Fingerprint: decide.Fingerprint(body)})
	if err != nil || *after.Proof != *before.Proof {
		t.Errorf("after a restart the result is another one: %v", err)
	}
	if again := w.must(alice, w.fresh(alice, wire.SignIntent, payment(account.Address))); again.Result.Transaction.Nonce != "1" {
		t.Errorf("after a restart the next nonce is %s", again.Result.Transaction.Nonce)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(w.dir, "journal.log")
	whole, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for name, damaged := range map[string][]byte{
		"truncated": whole[:len(whole)/2], "empty": {}, "a bit flipped": flip(whole, len(whole)/2), "first byte": flip(whole, 0),
	} {
		if err := os.WriteFile(log, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := w.tryOpen(); err == nil {
			t.Errorf("%s: the enclave started", name)
			_ = s.Close()
		}
	}
	if err := os.WriteFile(log, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	w.open()
}

func flip(raw []byte, at int) []byte {
	c := append([]byte(nil), raw...)
	c[at] ^= 1
	return c
}

func TestSigning_K03_GenesisOfAnother(t *testing.T) {
	a, b := newWorld(t), newWorld(t)
	for _, w := range []*world{a, b} {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := os.ReadFile(filepath.Join(b.dir, genesisFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(a.dir, genesisFile), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	a.secret = b.secret
	if s, err := a.tryOpen(); err == nil {
		t.Error("a journal opened under another genesis")
		_ = s.Close()
	}
	if err := Init(InitOptions{Dir: a.dir, Environment: "sandbox", RPID: "localhost", Origins: []string{origin}, PriceKey: priceKey, Secret: a.secret}); err == nil {
		t.Error("a folder was initialised twice")
	}
}

func TestSigning_GenesisRefuses(t *testing.T) {
	for name, o := range map[string]InitOptions{
		"no environment":        {RPID: "localhost", Origins: []string{origin}, PriceKey: priceKey},
		"origin with a path":    {Environment: "sandbox", RPID: "localhost", Origins: []string{origin + "/"}, PriceKey: priceKey},
		"plain http":            {Environment: "sandbox", RPID: "localhost", Origins: []string{"http://example.com"}, PriceKey: priceKey},
		"localhost, production": {Environment: "production", RPID: "localhost", Origins: []string{origin}, PriceKey: priceKey},
		"no origin":             {Environment: "sandbox", RPID: "localhost", PriceKey: priceKey},
		"no price key":          {Environment: "sandbox", RPID: "localhost", Origins: []string{origin}},
	} {
		o.Dir, o.Secret = filepath.Join(t.TempDir(), "enclave"), []byte("correct horse battery staple")
		if err := Init(o); err == nil {
			t.Errorf("%s: accepted", name)
		}
		if _, err := os.Stat(o.Dir); err == nil {
			t.Errorf("%s: left a folder behind", name)
		}
	}
}

func TestSigning_A03_PreviewOfCancelled(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	body := w.body(w.fresh(alice, wire.CreateWallet, wire.CreateWalletParams{WalletName: "w", MnemonicLength: "12"}))
	if _, err := w.Cancel(wire.FingerprintRequest{Fingerprint: decide.Fingerprint(body)}); err != nil {
		t.Fatal(err)
	}
	_, err := w.Preview(wire.PreviewRequest{Body: body})
	refused(t, "a preview after the cancel", err, decide.ErrCancelled)
	for _, odd := range []string{"", "sha256:", "sha256:" + strings.Repeat("A", 64), strings.Repeat("a", 64)} {
		_, err := w.Cancel(wire.FingerprintRequest{Fingerprint: odd})
		refused(t, "cancel "+odd, err, decide.ErrBody)
	}
}

func TestSigning_S10_UnknownOrganization(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	ghost := owner{alice.Authenticator, "99999999-9999-4999-8999-999999999999"}
	body := w.body(w.fresh(ghost, wire.CreateWallet, wire.CreateWalletParams{WalletName: "w", MnemonicLength: "12"}))
	_, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body)})
	refused(t, "an organization that is not there", err, decide.ErrOrganization)
	_, err = w.State(wire.StateRequest{OrganizationID: ghost.org})
	refused(t, "its state", err, decide.ErrOrganization)
	_, err = w.State(wire.StateRequest{OrganizationID: alice.org, WalletID: ghost.org})
	refused(t, "a wallet that is not there", err, decide.ErrAccount)
	_, err = w.State(wire.StateRequest{OrganizationID: alice.org, Address: receiver})
	refused(t, "an address that is not there", err, decide.ErrAccount)
}

func TestSigning_S10_CredentialTwice(t *testing.T) {
	w := newWorld(t)
	first := w.registration("alice@example.com", passkey.New(origin))
	if _, err := w.Submit(wire.SubmitRequest{Body: first}); err != nil {
		t.Fatal(err)
	}
	// Bob's ceremony with alice's credential: an attestation of "none" signs nothing,
	// so a host can put any credential under any challenge of its own.
	ch, err := w.Challenge(wire.ChallengeRequest{WorkspaceID: workspaceID, Email: "bob@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	own := w.registrationOf("bob@example.com", ch.Challenge, passkey.New(origin))
	var body, alices wire.Body
	var params, alicesParams wire.CreateSubOrganizationParams
	for raw, to := range map[string][2]any{own: {&body, &params}, first: {&alices, &alicesParams}} {
		if err := json.Unmarshal([]byte(raw), to[0]); err != nil {
			t.Fatal(err)
		}
	}
	for raw, to := range map[*json.RawMessage]any{&body.Parameters: &params, &alices.Parameters: &alicesParams} {
		if err := json.Unmarshal(*raw, to); err != nil {
			t.Fatal(err)
		}
	}
	params.Attestation.CredentialID, params.Attestation.AttestationObject = alicesParams.Attestation.CredentialID, alicesParams.Attestation.AttestationObject
	body.Parameters = w.json(params)
	_, err = w.Submit(wire.SubmitRequest{Body: w.body(body)})
	refused(t, "alice's credential for bob", err, decide.ErrCredentialTaken)
}

func TestSigning_ChallengesAreBounded(t *testing.T) {
	c := newChallenges()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	var first, last issued
	for i := range perWorkspace + 1 {
		ch, err := c.issue(workspaceID, "alice@example.com", now)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = ch
		}
		last = ch
	}
	if c.find(workspaceID, first.text) != nil || c.find(workspaceID, last.text) == nil {
		t.Error("the oldest challenge did not make room for the newest")
	}
	for i := 1; i < maxWorkspaces; i++ {
		if _, err := c.issue(strconv.Itoa(i), "alice@example.com", now); err != nil {
			t.Fatal(err)
		}
	}
	_, err := c.issue("one more", "alice@example.com", now)
	refused(t, "one workspace too many", err, errBusy)
	if _, err := c.issue("one more", "alice@example.com", now.Add(challengeLife)); err != nil {
		t.Errorf("after the others expired: %v", err)
	}
	if len(c.byRef) != 1 {
		t.Errorf("%d workspaces are remembered, want 1", len(c.byRef))
	}
}
