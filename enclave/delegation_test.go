package enclave

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// delegate is the holder of a delegation's key.
type delegate struct {
	t   testing.TB
	key *ecdsa.PrivateKey
}

func newDelegate(t testing.TB) delegate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return delegate{t, key}
}

func (d delegate) publicKey() string { return wire.CompressP256(&d.key.PublicKey) }

func (d delegate) stamp(body string) *wire.Stamp {
	d.t.Helper()
	sum := sha256.Sum256([]byte(body))
	der, err := ecdsa.SignASN1(rand.Reader, d.key, sum[:])
	if err != nil {
		d.t.Fatal(err)
	}
	text, err := json.Marshal(map[string]string{
		"publicKey": d.publicKey(), "scheme": "SIGNATURE_SCHEME_TK_API_P256", "signature": hex.EncodeToString(der),
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return &wire.Stamp{HeaderName: "X-Stamp", HeaderValue: base64.RawURLEncoding.EncodeToString(text)}
}

// lent is a world with a wallet and a delegation to its receiver: of 5 USD each and 12 a day.
type lent struct {
	*world
	alice    owner
	account  wire.Account
	policyID string
	delegate delegate
	nonce    uint64 // the next free one
}

func newLent(t testing.TB, withKey bool) *lent {
	t.Helper()
	w, alice, account := funded(t)
	l := &lent{world: w, alice: alice, account: account, delegate: newDelegate(t)}
	l.policyID = w.policy(alice, account.WalletID, wire.Rules{Delegation: l.delegation(withKey)})
	return l
}

func (l *lent) delegation(withKey bool) *wire.Delegation {
	d := &wire.Delegation{
		ExpiresAtMs: strconv.FormatInt(time.Now().Add(time.Hour).UnixMilli(), 10), MaxValueUSD: "5", DailyUSD: "12",
		AllowedDestinations: []string{receiver},
	}
	if withKey {
		d.PublicKey = new(l.delegate.publicKey())
	} else {
		d.AnyRequest = true
	}
	return d
}

// bytes are exact bytes of a transfer of millionths of a USDC, with a fee of 0.48
// USD: 80000 gas of 2 gwei at 3000 USD.
func (l *lent) bytes(to string, micro int64) wire.SignTransactionParams {
	token, _ := evm.ParseAddress(usdc)
	target, _ := evm.ParseAddress(to)
	data, _ := evm.EncodeTransfer(target, big.NewInt(micro))
	tx := evm.Tx{
		Type: evm.DynamicFee, ChainID: 84532, Nonce: l.nonce, MaxFeePerGas: big.NewInt(2e9 - 10),
		MaxPriorityFeePerGas: big.NewInt(1), GasLimit: 80000, To: &token, Value: new(big.Int), Data: data,
	}
	return wire.SignTransactionParams{
		SignWith:            l.account.Address,
		Type:                "TRANSACTION_TYPE_ETHEREUM",
		ChainID:             "84532",
		UnsignedTransaction: chain.Hex(tx.Unsigned()),
	}
}

func (l *lent) transfer(to string, micro int64) string {
	l.t.Helper()
	return l.body(l.fresh(l.alice, wire.SignTransaction, l.bytes(to, micro)))
}

func (l *lent) becomes(what string, want wire.OutcomeState, body string, st *wire.Stamp) {
	l.t.Helper()
	out, err := l.Submit(wire.SubmitRequest{Body: body, Stamp: st})
	if err != nil || out.State != want {
		l.t.Fatalf("%s: %s, %v, want %s", what, out.State, err, want)
	}
	if want == wire.Done {
		l.nonce++
	}
	if r := l.statement(out.Proof).Result; (r.Transaction != nil) != (want == wire.Done) ||
		want == wire.Held && r.Approval.Reason != wire.ReasonNoStamp {
		l.t.Errorf("%s: %+v", what, r)
	}
}

// A delegation is bounded by amount, day and destination, and what is outside of
// it waits as if it had no stamp; its count goes on across restarts.
func TestSigning_DelegationWithKey(t *testing.T) {
	l := newLent(t, true)
	signed := func(what string, want wire.OutcomeState, to string, micro int64) {
		t.Helper()
		body := l.transfer(to, micro)
		l.becomes(what, want, body, l.delegate.stamp(body))
	}
	signed("to the edge", wire.Done, receiver, 4_520_000)
	signed("above it", wire.Held, receiver, 4_520_001)
	signed("to a stranger", wire.Held, stranger, 1)
	signed("a second one", wire.Done, receiver, 4_520_000)
	l.reopen()
	signed("above the day", wire.Held, receiver, 1_520_001)
	l.checkpointNow()
	l.reopen()
	signed("to the edge of the day", wire.Done, receiver, 1_520_000)
	signed("nothing is left", wire.Held, receiver, 0)
	body := l.transfer(receiver, 0)
	l.becomes("without its stamp", wire.Held, body, nil)
	body = l.transfer(receiver, 50_000_000)
	l.becomes("by a passkey", wire.Done, body, l.stamp(l.alice, body))
}

// Its key is good for its wallet's signing alone, and no other key is.
func TestSigning_DelegationKeyIsGoodForNothingElse(t *testing.T) {
	l := newLent(t, true)
	other := newDelegate(t)
	body := l.transfer(receiver, 1)
	refuse := func(what, body string, st *wire.Stamp) {
		t.Helper()
		_, err := l.Submit(wire.SubmitRequest{Body: body, Stamp: st, Volatile: volatile(0)})
		refused(t, what, err, refusal.ErrStamp)
	}
	refuse("another key", body, other.stamp(body))
	refuse("stamp of another body", body, l.delegate.stamp(l.transfer(receiver, 1)))
	tampered := l.delegate.stamp(body)
	tampered.HeaderValue += ", " + tampered.HeaderValue
	refuse("stamped twice", body, tampered)
	empty := wire.Rules{MaxValueUSD: "1"}
	vote := wire.ApproveActivityParams{Fingerprint: wire.Fingerprint(body), PolicySet: "x"}
	for kind, params := range map[wire.ActivityType]any{
		wire.SignIntent: payment(l.account.Address),
		wire.CreateWallet: wire.CreateWalletParams{
			WalletName: "x", MnemonicLength: "12", Accounts: ethereum(0),
		},
		wire.CreatePolicy:         wire.CreatePolicyParams{WalletID: l.account.WalletID, Rules: empty},
		wire.UpdatePolicy:         wire.UpdatePolicyParams{PolicyID: l.policyID, Rules: empty},
		wire.DeletePolicy:         wire.DeletePolicyParams{PolicyID: l.policyID},
		wire.UpdateApprovalConfig: wire.ApprovalConfig{Enabled: true, ThresholdUSD: "1", RequiredApprovers: "1"},
		wire.ApproveActivity:      vote,
		wire.OverridePrice:        wire.OverridePriceParams{Asset: "ETH", USD: "3000"},
		wire.CreateAgent:          wire.CreateAgentParams{AgentName: "x"},
	} {
		b := l.body(l.fresh(l.alice, kind, params))
		refuse(string(kind), b, l.delegate.stamp(b))
	}
	second := l.wallet(l.alice, "Second")
	p := l.bytes(receiver, 1)
	p.SignWith = second.Address
	b := l.body(l.fresh(l.alice, wire.SignTransaction, p))
	refuse("another wallet", b, l.delegate.stamp(b))
	bob := l.register("bob@example.com")
	b = l.body(l.fresh(bob, wire.SignTransaction, l.bytes(receiver, 1)))
	_, err := l.Submit(wire.SubmitRequest{Body: b, Stamp: l.delegate.stamp(b)})
	refused(t, "another sub-organization", err, refusal.ErrAccount)
	l.becomes("its own", wire.Done, body, l.delegate.stamp(body))
	out, err := l.Submit(wire.SubmitRequest{Body: body, Stamp: l.delegate.stamp(body)})
	if err != nil || out.State != wire.Done || l.spent() != 480_001 {
		t.Errorf("a second stamp of the same body: %s, %v, spent %d", out.State, err, l.spent())
	}
}

// Without a key it serves the host, within the same bounds.
func TestSigning_DelegationWithoutKey(t *testing.T) {
	l := newLent(t, false)
	l.becomes("no stamp", wire.Done, l.transfer(receiver, 1_000_000), nil)
	l.becomes("too much", wire.Held, l.transfer(receiver, 5_000_000), nil)
	body := l.transfer(receiver, 1)
	_, err := l.Submit(wire.SubmitRequest{Body: body, Stamp: l.delegate.stamp(body)})
	refused(t, "a key that it does not name", err, refusal.ErrStamp)
	_, err = l.submit(l.body(l.fresh(l.alice, wire.SignIntent, pay(l.account.Address, receiver, 1))), owner{})
	refused(t, "an intent, which is for passkeys", err, refusal.ErrUnstamped)
}

// It ends with its policy, with a change of it, and by the enclave's clock; and
// every other policy of the wallet still binds what it signs.
func TestSigning_DelegationEnds(t *testing.T) {
	l := newLent(t, true)
	cap := l.policy(l.alice, l.account.WalletID, wire.Rules{MaxValueUSD: "2"})
	body := l.transfer(receiver, 4_000_000)
	l.becomes("above the wallet's cap", wire.Denied, body, l.delegate.stamp(body))
	l.done(l.body(l.fresh(l.alice, wire.DeletePolicy, wire.DeletePolicyParams{PolicyID: cap})), l.alice)
	narrow := l.delegation(true)
	narrow.MaxValueUSD = "1"
	update := func(d *wire.Delegation) string {
		return l.body(l.fresh(l.alice, wire.UpdatePolicy, wire.UpdatePolicyParams{
			PolicyID: l.policyID, Rules: wire.Rules{MonthlyUSD: "100", Delegation: d},
		}))
	}
	l.in(wire.Held, update(narrow), owner{}) // also a smaller delegation is a new one
	l.done(update(narrow), l.alice)
	body = l.transfer(receiver, 1_000_000)
	l.becomes("above what it is now", wire.Held, body, l.delegate.stamp(body))
	l.done(update(nil), owner{}) // to end it anybody may ask
	body = l.transfer(receiver, 1)
	_, err := l.Submit(wire.SubmitRequest{Body: body, Stamp: l.delegate.stamp(body)})
	refused(t, "after it was taken away", err, refusal.ErrStamp)
}

func TestSigning_DelegationExpires(t *testing.T) {
	wall := time.Now().Round(0)
	w := newWorldWith(t, Options{wall: func() time.Time { return wall }})
	w.prices(wall, market)
	alice := w.register("alice@example.com")
	l := &lent{world: w, alice: alice, account: w.wallet(alice, "Main"), delegate: newDelegate(t)}
	d := l.delegation(true)
	d.ExpiresAtMs = strconv.FormatInt(wall.Add(2*time.Minute).UnixMilli(), 10)
	l.policyID = w.policy(alice, l.account.WalletID, wire.Rules{Delegation: d})
	body := l.transfer(receiver, 1)
	l.becomes("in time", wire.Done, body, l.delegate.stamp(body))
	wall = wall.Add(2 * time.Minute)
	body = l.transfer(receiver, 1)
	l.becomes("at its end", wire.Held, body, l.delegate.stamp(body))
}

// permit is typed data of USDC on Base that ends so much later, for the receiver.
func (l *lent) permit(kind string, micro int64, ends time.Duration) string {
	l.t.Helper()
	return l.body(l.fresh(l.alice, wire.SignMessage, wire.SignMessageParams{
		SignWith: l.account.Address, Type: wire.MessageTypedData,
		Payload: authorizationText(kind, l.account.Address, micro, time.Now().Add(ends).Unix()),
	}))
}

// authorizationText is an EIP-3009 authorization of USDC on Base to the receiver.
func authorizationText(kind, from string, micro, validBefore int64) string {
	var fields []string
	for _, f := range []string{
		"address from", "address to", "uint256 value", "uint256 validAfter", "uint256 validBefore", "bytes32 nonce",
	} {
		of, name, _ := strings.Cut(f, " ")
		fields = append(fields, fmt.Sprintf(`{"name":%q,"type":%q}`, name, of))
	}
	return fmt.Sprintf(`{"types":{"EIP712Domain":[{"name":"chainId","type":"uint256"},{"name":"verifyingContract",`+
		`"type":"address"}],%q:[%s]},`+
		`"primaryType":%q,"domain":{"chainId":84532,"verifyingContract":%q},`+
		`"message":{"from":%q,"to":%q,"value":"%d","validAfter":"0","validBefore":"%d","nonce":"0x%064x"}}`,
		kind, strings.Join(fields, ","), kind, usdc, from, receiver, micro, validBefore, micro)
}

// What is signed under a delegation for others to hand in ends with it, and within
// hours. An hour's delegation gave authorizations that were good until 2286.
func TestSigning_DelegationMessagesEndWithIt(t *testing.T) {
	l := newLent(t, false)
	signed := func(what string, want wire.OutcomeState, body string) {
		t.Helper()
		out, err := l.Submit(wire.SubmitRequest{Body: body})
		if err != nil || out.State != want {
			t.Errorf("%s: %s, %v, want %s", what, out.State, err, want)
		}
	}
	signed("until 2286", wire.Held, l.permit("TransferWithAuthorization", 1, 260*365*24*time.Hour))
	signed("a minute longer than the delegation", wire.Held, l.permit("TransferWithAuthorization", 1, 61*time.Minute))
	signed("for as long", wire.Done, l.permit("TransferWithAuthorization", 1, 59*time.Minute))
	d := l.delegation(false)
	d.ExpiresAtMs = strconv.FormatInt(time.Now().Add(48*time.Hour).UnixMilli(), 10)
	l.policy(l.alice, l.account.WalletID, wire.Rules{Delegation: d})
	signed("five hours under one of two days", wire.Held, l.permit("ReceiveWithAuthorization", 1, 5*time.Hour))
	signed("three", wire.Done, l.permit("ReceiveWithAuthorization", 1, 3*time.Hour))
	d.MaxValiditySeconds = "21600"
	l.policy(l.alice, l.account.WalletID, wire.Rules{Delegation: d})
	signed("five hours where it says six", wire.Done, l.permit("ReceiveWithAuthorization", 2, 5*time.Hour))
	w := l.body(l.fresh(l.alice, wire.SignMessage, wire.SignMessageParams{
		SignWith: l.account.Address, Type: wire.MessageTypedData,
		Payload: authorizationText("TransferWithAuthorization", l.account.Address, 1, 9_999_999_999),
	}))
	l.in(wire.Done, w, l.alice) // with a passkey it is its owner's affair
}

// Exact bytes under a delegation have the next nonce. Nonce 65535 lifted the
// floor: the host could then have any later payment wait behind a gap.
func TestSigning_DelegationTakesTheNextNonce(t *testing.T) {
	l := newLent(t, false)
	l.nonce = 65535
	_, err := l.Submit(wire.SubmitRequest{Body: l.transfer(receiver, 1)})
	refused(t, "a nonce that leaves others out", err, refusal.ErrNonceNotNext)
	body := l.body(l.fresh(l.alice, wire.SignIntent, pay(l.account.Address, receiver, 1)))
	_, err = l.Submit(wire.SubmitRequest{Body: body, Stamp: l.stamp(l.alice, body), Volatile: volatile(65536)})
	refused(t, "a floor above it", err, refusal.ErrFloor)
	l.nonce = 0
	l.becomes("the next nonce", wire.Done, l.transfer(receiver, 1), nil)
}

func (l *lent) signedUnder(q wire.LentRequest) *wire.Lent {
	l.t.Helper()
	q.PolicyID = l.policyID
	p, err := l.State(wire.StateRequest{OrganizationID: l.alice.org, Lent: &q})
	if err != nil {
		l.t.Fatal(err)
	}
	return l.statement(&p).State.Lent
}

// What was signed under a delegation is told when the delegation is gone, across
// restarts: what the node has not mined, and what has not ended.
func TestSigning_DelegationTellsWhatItSigned(t *testing.T) {
	l := newLent(t, false)
	alice := l.alice
	if got := l.signedUnder(wire.LentRequest{}); len(got.Signed) != 0 || got.PolicyID != l.policyID {
		t.Errorf("before anything: %+v", got)
	}
	l.becomes("first", wire.Done, l.transfer(receiver, 1), nil)
	l.becomes("second", wire.Done, l.transfer(receiver, 2), nil)
	ends := time.Now().Add(2 * time.Minute)
	text := authorizationText("TransferWithAuthorization", l.account.Address, 3, ends.Unix())
	permit := l.body(l.fresh(alice, wire.SignMessage, wire.SignMessageParams{
		SignWith: l.account.Address, Type: wire.MessageTypedData, Payload: text,
	}))
	l.in(wire.Done, permit, owner{})
	l.in(wire.Done, l.transfer(receiver, 4), alice) // a passkey's
	l.done(l.body(l.fresh(alice, wire.DeletePolicy, wire.DeletePolicyParams{PolicyID: l.policyID})), alice)
	mined := []wire.MinedNonce{{Chain: "base", Address: l.account.Address, Nonce: "1"}}
	for _, restart := range []func(){func() {}, l.reopen, func() { l.checkpointNow(); l.reopen() }} {
		restart()
		all := l.signedUnder(wire.LentRequest{})
		if len(all.Signed) != 3 || all.More != "" || len(all.Senders) != 1 ||
			all.Senders[0].Address != l.account.Address {
			t.Fatalf("all: %+v", all)
		}
		got := l.signedUnder(wire.LentRequest{Mined: mined})
		if len(got.Signed) != 2 || !reflect.DeepEqual(got.Mined, mined) ||
			!reflect.DeepEqual(got.Signed, all.Signed[:2]) {
			t.Fatalf("after the first is mined: %+v", got)
		}
		a, tx := got.Signed[0], got.Signed[1].Transaction
		if a.Fingerprint != wire.Fingerprint(permit) || a.Authorization == nil ||
			a.Authorization.EndsAt != clock.ISO(time.Unix(ends.Unix(), 0)) ||
			a.Authorization.Nonces[0] != fmt.Sprintf("0x%064x", 3) || a.Authorization.Contract != usdc ||
			a.Transaction != nil {
			t.Errorf("the authorization: %+v", a)
		}
		if tx == nil || tx.Nonce != "1" || tx.Chain != "base" || len(tx.TxHash) != 66 || tx.SignedTransaction != "" ||
			got.Signed[1].SignedAt == "" {
			t.Errorf("the transaction: %+v", got.Signed[1])
		}
		if older := l.signedUnder(wire.LentRequest{Before: a.Seq}); len(older.Signed) != 2 {
			t.Errorf("the next page: %+v", older)
		}
	}
	_, err := l.State(wire.StateRequest{
		OrganizationID: l.register("bob@example.com").org, Lent: &wire.LentRequest{PolicyID: l.policyID},
	})
	refused(t, "of another sub-organization", err, refusal.ErrPolicy)
}

// A delegation from before it had to be asked for by name serves any request, as it
// did: its entry in the journal says neither key nor anyRequest.
func TestSigning_OldDelegationsGoOn(t *testing.T) {
	l := newLent(t, true)
	old := l.delegation(false)
	old.AnyRequest = false
	event := decide.Event{Kind: decide.EventPolicy, TimeMs: time.Now().UnixMilli(),
		OrganizationID: l.alice.org, Policy: &wire.Policy{
			ID: "11111111-1111-4111-8111-111111111111", WalletID: l.account.WalletID,
			Rules: wire.Rules{Delegation: old},
		}}
	l.mu.Lock()
	_, err := l.record(event)
	l.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	l.reopen()
	l.becomes("of an old delegation", wire.Done, l.transfer(receiver, 1), nil)
	out, err := l.Submit(wire.SubmitRequest{Body: l.permit("TransferWithAuthorization", 1, 5*time.Hour)})
	if err != nil || out.State != wire.Held {
		t.Errorf("typed data of five hours: %s, %v", out.State, err)
	}
	for what, d := range map[string]*wire.Delegation{"neither": old, "an empty key": {PublicKey: new(""),
		ExpiresAtMs: old.ExpiresAtMs, MaxValueUSD: "1", DailyUSD: "1", AllowedDestinations: []string{receiver}}} {
		body := l.body(l.fresh(l.alice, wire.CreatePolicy, wire.CreatePolicyParams{
			WalletID: l.account.WalletID, Rules: wire.Rules{Delegation: d},
		}))
		_, err := l.Submit(wire.SubmitRequest{Body: body, Stamp: l.stamp(l.alice, body)})
		refused(t, what, err, refusal.ErrBody)
		if !strings.Contains(err.Error(), "rules.delegation.publicKey") {
			t.Errorf("%s: %v does not name the field", what, err)
		}
	}
	named := *old
	named.AnyRequest = true
	body := l.body(l.fresh(l.alice, wire.UpdatePolicy, wire.UpdatePolicyParams{
		PolicyID: event.Policy.ID, Rules: wire.Rules{MaxValueUSD: "1", Delegation: &named},
	}))
	l.in(wire.Done, body, owner{}) // what only tightens does not wait because the name is written out
	shown, err := l.preview(l.body(l.fresh(l.alice, wire.CreatePolicy, wire.CreatePolicyParams{
		WalletID: l.account.WalletID, Rules: wire.Rules{Delegation: &named},
	})))
	if err != nil || len(shown.Warnings) != 1 || !strings.Contains(shown.Warnings[0], "any request of the server") {
		t.Errorf("shown %+v, %v", shown, err)
	}
}

// Who stamps a policy sees what it takes the place of; and that others have to agree.
func TestSigning_A10_PreviewOfPolicies(t *testing.T) {
	w, alice, account := funded(t)
	first := wire.Rules{MaxValueUSD: "10", AllowedDestinations: []string{receiver}}
	make := w.body(w.fresh(alice, wire.CreatePolicy, wire.CreatePolicyParams{WalletID: account.WalletID, Rules: first}))
	shown, err := w.preview(make)
	if err != nil || !reflect.DeepEqual(shown.Policy.Rules, first) || shown.Before != nil || shown.Waits != nil ||
		shown.WalletName != "Main" {
		t.Fatalf("%+v, %v", shown, err)
	}
	id := w.done(make, owner{}).Policy.ID // it tightens: without a stamp too
	if id != shown.Policy.ID {
		t.Errorf("made %s, shown %s", id, shown.Policy.ID)
	}
	looser := wire.Rules{MaxValueUSD: "11", AllowedDestinations: []string{receiver}}
	update := w.body(w.fresh(alice, wire.UpdatePolicy, wire.UpdatePolicyParams{PolicyID: id, Rules: looser}))
	remove := w.body(w.fresh(alice, wire.DeletePolicy, wire.DeletePolicyParams{PolicyID: id}))
	if shown, err = w.preview(update); err != nil || !reflect.DeepEqual(shown.Policy.Rules, looser) ||
		!reflect.DeepEqual(*shown.Before, first) || shown.Waits != nil {
		t.Errorf("%+v, %v", shown, err)
	}
	w.consent(alice, "1")
	if shown, err = w.preview(remove); err != nil || shown.Policy != nil || !reflect.DeepEqual(*shown.Before, first) ||
		shown.Waits == nil || shown.Waits.Reason != wire.ReasonLoosens {
		t.Errorf("%+v, %v", shown, err)
	}
	dear := w.body(w.fresh(alice, wire.SignIntent, pay(w.wallet(alice, "Other").Address, receiver, 99_400_001)))
	if shown, err = w.preview(dear); err != nil || shown.Denial != nil || shown.Waits == nil ||
		shown.Waits.Reason != wire.ReasonThreshold || shown.Waits.CostUSD != "100.000001" {
		t.Errorf("%+v, %v", shown, err)
	}
	w.in(wire.Held, dear, alice)
	if shown, err = w.preview(dear); err != nil || shown.Waits == nil || shown.Waits.RequesterUserID == "" {
		t.Errorf("of what waits: %+v, %v", shown, err)
	}
	bad := w.body(w.fresh(alice, wire.UpdatePolicy, wire.UpdatePolicyParams{
		PolicyID: id, Rules: wire.Rules{MaxValueUSD: "-1"},
	}))
	_, err = w.preview(bad)
	refused(t, "nonsense", err, refusal.ErrBody)
	_, err = w.preview(w.body(w.fresh(alice, wire.DeletePolicy, wire.DeletePolicyParams{PolicyID: "none"})))
	refused(t, "an unknown policy", err, refusal.ErrPolicy)
}
