package decide

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/enclave/stamp"
	"github.com/railkit/railkit/enclave/wire"
)

// recipient is a public key: the generator of P-256.
const recipient = "036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"

// life is a random history of a state, as Decide allows it, without signatures.
type life struct {
	t       *testing.T
	rand    *rand.Rand
	now     time.Time
	seq     uint64
	states  []*State // all live the same life
	orgs    []string
	wallets [][]wire.Account
	subs    []Submission
	places  int // replacements that were tried
	agents  []string
	marks   int
	sheets  int
	usd     int64 // what a coin is worth
	kinds   map[EventKind]int

	recoveries, holds, amendments int
}

func constants() Constants {
	return Constants{
		Environment:   chain.Sandbox,
		RP:            stamp.RelyingParty{ID: "localhost"},
		Networks:      chain.Networks(chain.Sandbox),
		RecoveryDelay: 2 * time.Second,
	}
}

func newLife(t *testing.T, seed uint64) *life {
	return &life{
		t:      t,
		rand:   rand.New(rand.NewPCG(seed, 7)),
		now:    time.UnixMilli(1_800_000_000_000),
		usd:    1000,
		kinds:  map[EventKind]int{},
		states: []*State{NewState(constants())},
	}
}

func (l *life) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(l.rand.Uint32())
	}
	return b
}

func (l *life) submission(org string, kind wire.ActivityType, params any) Submission {
	l.t.Helper()
	raw, err := json.Marshal(params)
	if err != nil {
		l.t.Fatal(err)
	}
	b := wire.Body{
		Type: kind, Environment: "sandbox", OrganizationID: org, Parameters: raw,
		ActivityID: fmt.Sprintf("%08x-1111-4111-8111-%012x", l.rand.Uint32(), l.rand.Uint32()),
	}
	if org != "" {
		b.TimestampMs, b.ExpiresAtMs = strconv.FormatInt(
			l.now.UnixMilli(), 10,
		), strconv.FormatInt(l.now.UnixMilli()+900_000, 10)
	}
	if raw, err = json.Marshal(b); err != nil {
		l.t.Fatal(err)
	}
	r, err := Parse(string(raw))
	if err != nil {
		l.t.Fatal(err)
	}
	return Submission{Request: r}
}

// stamped is a submission of the nth owner under a counter around the last ones.
func (l *life) stamped(n int, kind wire.ActivityType, params any) Submission {
	sub := l.submission(l.orgs[n], kind, params)
	keys := l.states[0].organizations[l.orgs[n]].keys()
	c := keys[l.rand.IntN(len(keys))]
	key, _ := l.states[0].Credential(c.CredentialID)
	sub.Signer = &Signer{CredentialID: c.CredentialID, Key: key, Counter: uint32(l.seq) + l.rand.Uint32N(130),
		BackupEligible: l.seq%5 == 0} // it comes into a keychain and out of it
	if n%3 == 0 {
		sub.Signer.Counter = 0
	}
	return sub
}

func (l *life) registration() Submission {
	email := fmt.Sprintf("User%d@example.com", l.rand.IntN(40))
	sub := l.submission("", wire.CreateSubOrganization, wire.CreateSubOrganizationParams{
		WorkspaceID: "w", Email: email, Challenge: "c",
	})
	sub.Challenge = &Challenge{WorkspaceID: "w", Email: email, ExpiresAt: l.now.Add(time.Minute)}
	sub.Registration = &stamp.Registration{
		CredentialID: l.bytes(16), PublicKey: l.bytes(40), BackupEligible: l.rand.IntN(2) == 0,
	}
	if len(l.orgs)%3 != 0 {
		sub.Registration.SignCount = 1
	}
	return sub
}

// passkey adds one, of its own user or of another, or removes one.
func (l *life) passkey(n int) Submission {
	keys := l.states[0].organizations[l.orgs[n]].keys()
	if l.rand.IntN(3) == 0 {
		return l.stamped(n, wire.DeleteAuthenticator, wire.DeleteAuthenticatorParams{
			CredentialID: keys[l.rand.IntN(len(keys))].CredentialID,
		})
	}
	p := wire.CreateAuthenticatorParams{Challenge: "c"}
	if l.rand.IntN(2) == 0 {
		p.Email = fmt.Sprintf("User%d@example.com", l.rand.IntN(400))
	}
	sub := l.stamped(n, wire.CreateAuthenticator, p)
	c := l.states[0].credentials[sub.Signer.CredentialID]
	sub.Challenge = &Challenge{WorkspaceID: "w", Email: cmp.Or(p.Email, c.Email), ExpiresAt: l.now.Add(time.Minute)}
	sub.Registration = &stamp.Registration{CredentialID: l.bytes(16), PublicKey: l.bytes(40)}
	if p.Email != "" && l.rand.IntN(2) == 0 {
		sub.Signer = nil // it waits
	}
	return sub
}

// recovery begins one, cancels the one that waits, or allows them by mail alone.
func (l *life) recovery(n int) Submission {
	org := l.states[0].organizations[l.orgs[n]]
	switch {
	case !org.emailOnly:
		return l.stamped(n, wire.UpdateRecovery, wire.UpdateRecoveryParams{
			RecoveryPublicKey: recipient, EmailOnlyRecovery: true,
		})
	case org.recovery != nil && l.rand.IntN(2) == 0:
		return l.stamped(n, wire.CancelRecovery, wire.CancelRecoveryParams{RecoveryID: org.recovery.RecoveryID})
	case org.recovery != nil:
		for _, sub := range l.subs {
			if sub.Fingerprint == org.recovery.Fingerprint {
				return sub // its delay may be over
			}
		}
	}
	id := RecoveryID(strconv.FormatUint(l.seq, 10))
	user := org.credentials[l.rand.IntN(len(org.credentials))]
	p := wire.RecoverUserParams{RecoveryID: id, RemoveOtherPasskeys: l.rand.IntN(2) == 0}
	if l.rand.IntN(2) == 0 { // not by the mail alone
		p.NewRecoveryPublicKey = recipient
		p.RecoverySignature = l.signed(wire.RecoveryMessage("sandbox", org.ID, user.UserID, p))
	}
	sub := l.submission(org.ID, wire.RecoverUser, p)
	sub.Begun = &Begun{
		ID: id, OrganizationID: org.ID, UserID: user.UserID, Email: user.Email, ExpiresAt: l.now.Add(time.Minute),
	}
	sub.Registration = &stamp.Registration{CredentialID: l.bytes(16), PublicKey: l.bytes(40)}
	return sub
}

// any is one of the things that can be asked for.
func (l *life) any() Submission {
	if len(l.orgs) == 0 || l.rand.IntN(15) == 0 {
		return l.registration()
	}
	n := l.rand.IntN(len(l.orgs))
	if l.rand.IntN(10) == 0 {
		return l.recovery(n)
	}
	if l.rand.IntN(8) == 0 {
		return l.passkey(n)
	}
	if l.rand.IntN(12) == 0 {
		return l.payee(n)
	}
	if l.rand.IntN(12) == 0 {
		return l.stamped(n, wire.OverridePrice, wire.OverridePriceParams{
			Asset: "ETH", USD: strconv.FormatInt(max(1, l.usd), 10),
		})
	}
	if l.rand.IntN(5) == 0 {
		return l.agent(n)
	}
	if len(l.wallets[n]) == 0 || l.rand.IntN(10) == 0 {
		return l.stamped(n, wire.CreateWallet, wire.CreateWalletParams{
			WalletName: strconv.Itoa(l.rand.IntN(9)), MnemonicLength: "12", Accounts: l.paths(),
		})
	}
	a := l.wallets[n][l.rand.IntN(len(l.wallets[n]))]
	if l.rand.IntN(2) == 0 {
		return l.rule(n, a.WalletID)
	}
	if isSolana(a) && l.rand.IntN(4) > 0 {
		return l.solana(n, a.Address)
	}
	switch l.rand.IntN(6) {
	case 5:
		return l.stamped(n, wire.SignMessage, wire.SignMessageParams{
			SignWith: a.Address, Type: wire.MessageText, Payload: strconv.Itoa(l.rand.IntN(99)),
		})
	case 0:
		return l.stamped(n, wire.CreateWalletAccounts, wire.CreateWalletAccountsParams{
			WalletID: a.WalletID, Accounts: l.paths(),
		})
	case 1:
		to := evm.Address(l.bytes(20))
		tx := evm.Tx{Type: evm.Legacy, ChainID: 84532, Nonce: l.next(a.Address), GasLimit: 21000, To: &to}
		return l.stamped(n, wire.SignTransaction, wire.SignTransactionParams{
			SignWith: a.Address, Type: "TRANSACTION_TYPE_ETHEREUM", ChainID: "84532",
			UnsignedTransaction: chain.Hex(tx.Unsigned()),
		})
	}
	sub := l.stamped(n, wire.SignIntent, wire.SignIntentParams{
		SignWith: a.Address, Chain: "base", ChainID: "84532", To: evm.Address{2}.String(), Value: "1", Data: "0x",
		GasLimit: "21000", MaxTotalFee: "999999999999999", Replaces: l.place(a.Address),
	})
	sub.Volatile = wire.Volatile{
		MaxFeePerGas: "10", MaxPriorityFeePerGas: "1", NonceFloor: strconv.Itoa(l.rand.IntN(4)),
	}
	if l.rand.IntN(5) == 0 {
		sub.Signer = nil // it waits
	}
	return sub
}

// next is the nonce that exact bytes need now, or one that they may not have.
func (l *life) next(address string) uint64 {
	n, err := l.states[0].next(nonceKey{"base", address}, 0, false)
	if err != nil {
		l.t.Fatal(err)
	}
	return n + l.rand.Uint64N(8)/7
}

// place is that of a transaction of the address, signed last or earlier, or none.
func (l *life) place(address string) *wire.ReplacedParams {
	nonce := l.rand.Uint64N(4)
	fingerprint, signed := l.states[0].nonces[nonceKey{"base", address}][nonce]
	if !signed || l.rand.IntN(2) == 0 {
		return nil
	}
	if l.rand.IntN(4) == 0 {
		fingerprint = l.subs[l.rand.IntN(len(l.subs))].Fingerprint
	}
	l.places++
	return &wire.ReplacedParams{Fingerprint: fingerprint, Nonce: strconv.FormatUint(nonce, 10)}
}

func (l *life) paths() []wire.AccountParams {
	if l.rand.IntN(8) == 0 {
		return l.solPaths()
	}
	return []wire.AccountParams{{
		Curve: "CURVE_SECP256K1", PathFormat: "PATH_FORMAT_BIP32", AddressFormat: "ADDRESS_FORMAT_ETHEREUM",
		Path: fmt.Sprintf("m/44'/60'/%d'/0/0", l.rand.IntN(30)),
	}}
}

// step lets every state judge the same, and takes the event into each.
func (l *life) step() {
	l.t.Helper()
	l.now = l.now.Add(time.Second)
	if len(l.agents) > 0 && l.rand.IntN(6) == 0 {
		l.request(l.agents[l.rand.IntN(len(l.agents))])
		return
	}
	if l.rand.IntN(6) == 0 {
		l.sheet()
	}
	if l.rand.IntN(100) == 0 {
		l.amend()
	}
	sub := l.any()
	if len(l.subs) > 0 && l.rand.IntN(6) == 0 {
		sub = l.subs[l.rand.IntN(len(l.subs))]
	}
	l.subs = append(l.subs, sub)
	d := l.judge(sub)
	if l.rand.IntN(8) == 0 {
		d = l.states[0].Cancel(sub.Fingerprint, l.now)
	}
	if d.Past != nil || d.Event.Kind == "" {
		return
	}
	l.complete(&d.Event)
	l.apply(d.Event)
}

// amend is a ceremony of the operator: one more token, page and network or, now and then, another price key.
func (l *life) amend() {
	l.t.Helper()
	l.amendments++
	n := strconv.Itoa(l.amendments)
	if l.rand.IntN(4) == 0 {
		l.apply(Event{Kind: EventAmended, TimeMs: l.now.UnixMilli(), Amendment: &Amendment{PriceKey: "key " + n}})
		return
	}
	network := ledgerChain()
	network.Slug, network.Name = network.Slug+n, network.Name+n
	network.ChainID += uint64(l.amendments)
	token := NewToken{"base", chain.Token{Symbol: "USD" + n, Address: evm.Address(l.bytes(20)).String(), Decimals: 6}}
	a := Amendment{
		Networks: []chain.Network{network}, Tokens: []NewToken{token}, Origins: []string{"http://localhost:" + n},
	}
	e, wanted, err := l.states[0].DecideAmendment(a, l.now)
	if err != nil || !wanted {
		l.t.Fatalf("%+v: %v, %v", a, wanted, err)
	}
	l.apply(e)
}

// sheet is handed in after some time, with prices that move, perhaps far.
func (l *life) sheet() {
	l.t.Helper()
	l.now = l.now.Add(time.Duration(l.rand.IntN(200)) * time.Second)
	l.usd += l.rand.Int64N(200) - 95
	if l.rand.IntN(20) == 0 {
		l.usd = 1000 + l.rand.Int64N(2000)
	}
	in := SheetRead{environment: "sandbox", Sheet: Sheet{AsOfMs: l.now.UnixMilli(), ExpiresAtMs: l.now.UnixMilli() +
		900_000, Prices: []wire.Price{
		{Asset: "ETH", USD: strconv.FormatInt(max(1, l.usd), 10)},
		{Asset: "USDC", USD: fmt.Sprintf("1.%02d", l.rand.IntN(8))},
	}, DataFees: []wire.DataFee{{Chain: "base",
		WeiPerByte: strconv.FormatInt(wire.MinWeiPerByte<<l.rand.IntN(9), 10)}}}}
	first, wanted, err := l.states[0].TakeSheet(in, l.now)
	shown, fees := l.states[0].Prices(l.now), l.states[0].DataFees(l.now)
	for _, s := range l.states[1:] {
		e, w, r := s.TakeSheet(in, l.now)
		if !reflect.DeepEqual(first, e) || wanted != w || !reflect.DeepEqual(err, r) ||
			!reflect.DeepEqual(shown, s.Prices(l.now)) ||
			!reflect.DeepEqual(fees, s.DataFees(l.now)) {
			l.t.Fatalf("entry %d: %+v, %v and %+v, %v", l.seq, first, err, e, r)
		}
	}
	if wanted {
		l.sheets++
		l.apply(first)
	}
	if e, wanted := l.states[0].AcceptPrices(l.now); wanted && l.rand.IntN(20) == 0 {
		l.apply(e)
	}
}

// judge asks every state, and all have to say the same.
func (l *life) judge(sub Submission) Decision {
	l.t.Helper()
	first, err := l.states[0].Decide(sub, l.now)
	shown, refusal := l.states[0].Preview(sub.Request, l.now)
	for _, s := range l.states[1:] {
		d, e := s.Decide(sub, l.now)
		p, r := s.Preview(sub.Request, l.now)
		if !reflect.DeepEqual(first, d) || !reflect.DeepEqual(err, e) || !reflect.DeepEqual(shown, p) ||
			!reflect.DeepEqual(refusal, r) {
			l.t.Fatalf("entry %d: %+v, %v and %+v, %v", l.seq, first, err, d, e)
		}
	}
	return first
}

// complete is what the keystore would add.
func (l *life) complete(e *Event) {
	if e.Wallet != nil {
		e.Wallet.Sealed = l.bytes(44)
	}
	if e.Agent != nil {
		if e.Agent.NewSecret {
			e.Agent.Sealed = l.bytes(61)
		}
		if e.Agent.SealedSecret != nil {
			e.Agent.SealedSecret.Sealed = "sealed"
		}
	}
	for i := range e.Accounts {
		e.Accounts[i].Address, e.Accounts[i].PublicKey = evm.Address(l.bytes(20)).String(), "02"
		if isSolana(e.Accounts[i]) {
			e.Accounts[i].Address = solana.Address(l.bytes(32)).String()
		}
	}
}

func (l *life) apply(e Event) {
	l.t.Helper()
	raw, err := json.Marshal(e)
	if err != nil {
		l.t.Fatal(err)
	}
	l.seq++
	l.count(e)
	for _, s := range l.states {
		var read Event
		if err := errors.Join(json.Unmarshal(raw, &read), s.Apply(read, l.seq)); err != nil {
			l.t.Fatal(err)
		}
	}
	switch {
	case e.Created != nil:
		l.orgs, l.wallets = append(l.orgs, e.Created.ID), append(l.wallets, nil)
	case e.Kind == EventRecovered:
		l.recoveries++
	case e.Kind == EventHeld:
		l.holds++
	case e.Kind == EventAgent && e.Wallet != nil:
		l.agents = append(l.agents, e.Agent.ID)
	case len(e.Accounts) > 0:
		for n, id := range l.orgs {
			if id == e.OrganizationID {
				l.wallets[n] = append(l.wallets[n], e.Accounts...)
			}
		}
	}
}
