package decide

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/enclave/stamp"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
)

// club is an organization of several users with a wallet, and what happens to it.
type club struct {
	*State
	t       testing.TB
	now     time.Time
	seq     uint64
	bodies  int
	org     string
	address string
	wallet  string
}

// newClub makes an organization of these users. Each has a passkey of his name.
func newClub(t testing.TB, users ...string) *club {
	t.Helper()
	c := &club{State: NewState(constants()), t: t, now: time.UnixMilli(1_800_000_000_000), org: "org", wallet: "wallet"}
	first := wire.Credential{
		CredentialID: encode([]byte(users[0])),
		PublicKey:    encode([]byte("key of " + users[0])),
		UserID:       users[0],
		Email:        users[0],
	}
	c.apply(Event{Kind: EventOrganization, Created: &Created{
		SubOrganization: wire.SubOrganization{ID: c.org, WorkspaceID: "w", UserID: users[0]}, Credential: first,
	}})
	for _, user := range users[1:] {
		c.join(user, user, "key of "+user)
	}
	c.address = evm.Address{1}.String()
	c.apply(Event{Kind: EventWallet, OrganizationID: c.org, Wallet: &NewWallet{Wallet: wire.Wallet{ID: c.wallet}},
		Accounts: []wire.Account{{
			WalletID: c.wallet, Address: c.address, AddressFormat: "ADDRESS_FORMAT_ETHEREUM",
		}}})
	return c
}

// join gives a user a passkey.
func (c *club) join(user, passkey, key string) {
	k := &credential{organizationID: c.org, key: stamp.Credential{ID: []byte(passkey), PublicKey: []byte(key)}}
	k.Credential = wire.Credential{
		CredentialID: encode([]byte(passkey)), PublicKey: encode([]byte(key)), UserID: user, Email: user,
	}
	c.credentials[k.CredentialID] = k
	c.organizations[c.org].credentials = append(c.organizations[c.org].credentials, k)
}

// leave takes a passkey away.
func (c *club) leave(passkey string) {
	id, org := encode([]byte(passkey)), c.organizations[c.org]
	delete(c.credentials, id)
	var left []*credential
	for _, k := range org.credentials {
		if k.CredentialID != id {
			left = append(left, k)
		}
	}
	org.credentials = left
}

func (c *club) apply(e Event) {
	c.t.Helper()
	c.seq++
	raw, err := json.Marshal(e)
	var read Event
	if err := errors.Join(err, json.Unmarshal(raw, &read), c.State.Apply(read, c.seq)); err != nil {
		c.t.Fatal(err)
	}
}

func (c *club) body(kind wire.ActivityType, params any) Request {
	c.t.Helper()
	c.bodies++
	raw, err := json.Marshal(params)
	if err != nil {
		c.t.Fatal(err)
	}
	raw, err = json.Marshal(wire.Body{
		Type: kind, Environment: "sandbox",
		OrganizationID: c.org, ActivityID: fmt.Sprintf("11111111-1111-4111-8111-%012x", c.bodies),
		TimestampMs: strconv.FormatInt(c.now.UnixMilli(), 10),
		ExpiresAtMs: strconv.FormatInt(c.now.Add(15*time.Minute).UnixMilli(), 10), Parameters: raw,
	})
	if err != nil {
		c.t.Fatal(err)
	}
	r, err := Parse(string(raw))
	if err != nil {
		c.t.Fatal(err)
	}
	return r
}

// payment is exact bytes, which may come without a stamp. Nobody has said what a
// wei is worth, so that it is over any threshold. Each is the first of an address
// of its own, so that they can be signed in any order.
func (c *club) payment() Request {
	from := evm.Address{3, byte(c.bodies >> 8), byte(c.bodies)}.String()
	c.apply(Event{
		Kind: EventAccounts, OrganizationID: c.org, Accounts: []wire.Account{{
			WalletID: c.wallet, Address: from, AddressFormat: "ADDRESS_FORMAT_ETHEREUM",
		}},
	})
	to := evm.Address{2}
	tx := evm.Tx{Type: evm.Legacy, ChainID: 84532, GasLimit: 21000, To: &to, Value: big.NewInt(1)}
	return c.body(wire.SignTransaction, wire.SignTransactionParams{
		SignWith: from, Type: "TRANSACTION_TYPE_ETHEREUM", ChainID: "84532",
		UnsignedTransaction: chain.Hex(tx.Unsigned()),
	})
}

func (c *club) vote(fingerprint string) Request {
	return c.body(wire.ApproveActivity, wire.ApproveActivityParams{Fingerprint: fingerprint, PolicySet: c.set()})
}

func (c *club) set() string { return c.organizations[c.org].policySet() }

func config(enabled bool, approvers string) wire.ApprovalConfig {
	return wire.ApprovalConfig{Enabled: enabled, ThresholdUSD: "100", RequiredApprovers: approvers}
}

// judge decides about a body under the stamp of a passkey, or under none.
func (c *club) judge(passkey string, r Request) (Decision, error) {
	sub := Submission{Request: r}
	if passkey != "" {
		id := encode([]byte(passkey))
		key, _ := c.Credential(id)
		sub.Signer = &Signer{CredentialID: id, Key: key}
	}
	return c.Decide(sub, c.now)
}

// do decides and takes the event in. It gives its kind, "past" where there is none.
func (c *club) do(passkey string, r Request) EventKind {
	c.t.Helper()
	d, err := c.judge(passkey, r)
	if err != nil {
		c.t.Fatalf("%s: %v", r.Body.Type, err)
	}
	if d.Past != nil {
		return "past"
	}
	c.apply(d.Event)
	return d.Event.Kind
}

func (c *club) must(want EventKind, passkey string, r Request) {
	c.t.Helper()
	if got := c.do(passkey, r); got != want {
		c.t.Fatalf("%s: %s, want %s", r.Body.Type, got, want)
	}
}

func (c *club) refused(what string, want *fault.Error, passkey string, r Request) {
	c.t.Helper()
	d, err := c.judge(passkey, r)
	if !errors.Is(err, want) {
		c.t.Errorf("%s: %s, %v, want %s", what, d.Event.Kind, err, want.Code)
	}
}

func (c *club) cancel(fingerprint string) Event {
	c.t.Helper()
	d := c.Cancel(fingerprint, c.now)
	if d.Past == nil {
		c.apply(d.Event)
	}
	return d.Event
}

// governed is a club that asks for the votes of so many.
func governed(t testing.TB, approvers string, users ...string) *club {
	t.Helper()
	c := newClub(t, users...)
	c.must(EventConfig, users[0], c.body(wire.UpdateApprovalConfig, config(true, approvers)))
	return c
}

func (c *club) standing(fingerprint string) wire.Approval {
	c.t.Helper()
	r, err := c.Describe(wire.StateRequest{OrganizationID: c.org, Approval: fingerprint}, c.now)
	if err != nil {
		c.t.Fatal(err)
	}
	return *r.Approval
}
