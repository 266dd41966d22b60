package takeover

import (
	"encoding/json"
	"fmt"
	"sync/atomic"

	"github.com/ethereum/go-ethereum/common"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/sdk/go/passkey"
)

// person is an honest user. He stamps what he means to, on the ceremony page, and
// says so to the ledger.
type person struct {
	h          *host
	org        string
	user       string
	email      string
	key        *passkey.Authenticator
	credential string
	wallet     string
	address    string
}

// synced is a passkey as phones have them: its counter says nothing.
func synced() *passkey.Authenticator {
	return passkey.New(origin).Misbehaving(passkey.Tamper{SignCount: func(uint32) uint32 { return 0 }})
}

// newcomer is an honest user with a wallet.
func (h *host) newcomer() *person { return h.arrival(synced()) }

func (h *host) arrival(key *passkey.Authenticator) *person {
	h.t.Helper()
	p := h.registered(key)
	h.ledger.citizen(p)
	_, r := p.must(wire.CreateWallet,
		wire.CreateWalletParams{WalletName: "Main", MnemonicLength: "12", Accounts: []wire.AccountParams{{
			Curve: "CURVE_SECP256K1", PathFormat: "PATH_FORMAT_BIP32", Path: "m/44'/60'/0'/0/0",
			AddressFormat: "ADDRESS_FORMAT_ETHEREUM",
		}}})
	p.wallet, p.address = r.Wallet.ID, r.Accounts[0].Address
	h.ledger.purse(common.HexToAddress(p.address), p.org, p.wallet)
	return p
}

// mallory is the actor's own user: whatever he signs is his affair.
func (h *host) mallory() *person {
	h.t.Helper()
	return h.registered(synced())
}

var arrivals atomic.Int64 // of all hosts

func (h *host) registered(key *passkey.Authenticator) *person {
	h.t.Helper()
	p := &person{h: h, key: key, email: fmt.Sprintf("user%d@example.com", arrivals.Add(1))}
	challenge, att := p.attest(p.email)
	body := h.body("", wire.CreateSubOrganization, wire.CreateSubOrganizationParams{
		WorkspaceID: workspaceID, Email: p.email, Challenge: challenge, Attestation: att,
	}, func(b *wire.Body) { b.TimestampMs, b.ExpiresAtMs = "", "" })
	_, r, err := h.submit(body, nil)
	if err != nil || r.SubOrganization == nil {
		h.t.Fatalf("registering: %v", err)
	}
	p.org, p.user, p.credential = r.SubOrganization.ID, r.SubOrganization.UserID, att.CredentialID
	return p
}

// attest makes a passkey for a new challenge of the signer.
func (p *person) attest(email string) (challenge string, att wire.Attestation) {
	p.h.t.Helper()
	var ch wire.ChallengeReply
	if err := p.h.call(wire.MChallenge,
		wire.ChallengeRequest{WorkspaceID: workspaceID, Email: email}, &ch); err != nil {
		p.h.t.Fatal(err)
	}
	att, err := p.key.Create(passkey.CreationOptions{
		Challenge: ch.Challenge, RP: passkey.RelyingParty{ID: "localhost", Name: "Railkit"},
		User:             passkey.User{ID: "dXNlcg", Name: email, DisplayName: email},
		PubKeyCredParams: []passkey.CredentialParameter{{Type: "public-key", Alg: -7}},
	})
	if err != nil {
		p.h.t.Fatal(err)
	}
	return ch.Challenge, att
}

// agree stamps a body on the ceremony page.
func (p *person) agree(body string) *wire.Stamp {
	p.h.t.Helper()
	p.h.ledger.agreed(p, body)
	return p.stamp(p.key, body)
}

// fooled is a stamp that the passkey makes elsewhere, or otherwise than it should.
func (p *person) fooled(body string, how passkey.Tamper) *wire.Stamp {
	p.h.t.Helper()
	if how.SignCount == nil {
		how.SignCount = func(uint32) uint32 { return 0 }
	}
	return p.stamp(p.key.Misbehaving(how), body)
}

func (p *person) stamp(key *passkey.Authenticator, body string) *wire.Stamp {
	p.h.t.Helper()
	s, err := key.Stamp(body, p.credential)
	if err != nil {
		p.h.t.Fatal(err)
	}
	return &s
}

// must do what he means to; it also sees to it that it was done.
func (p *person) must(kind wire.ActivityType, params any) (body string, r wire.Result) {
	p.h.t.Helper()
	body = p.h.body(p.org, kind, params)
	state, r, err := p.h.submit(body, p.agree(body))
	if err != nil || state != wire.Done {
		p.h.t.Fatalf("%s: %s, %v", kind, state, err)
	}
	p.h.ledger.enacted(p.org, r)
	return body, r
}

// companion is another user of the same sub-organization.
func (p *person) companion() *person {
	p.h.t.Helper()
	other := &person{h: p.h, key: synced(), org: p.org, wallet: p.wallet, address: p.address,
		email: fmt.Sprintf("user%d@example.com", arrivals.Add(1))}
	challenge, att := other.attest(other.email)
	_, r := p.must(wire.CreateAuthenticator, wire.CreateAuthenticatorParams{
		Challenge: challenge, Email: other.email, Attestation: att,
	})
	other.user, other.credential = r.Passkey.UserID, r.Passkey.CredentialID
	p.h.ledger.citizen(other)
	return other
}

// spare is a further passkey of the same user.
func (p *person) spare() *person {
	p.h.t.Helper()
	other := *p
	other.key = synced()
	challenge, att := other.attest(p.email)
	_, r := p.must(wire.CreateAuthenticator, wire.CreateAuthenticatorParams{Challenge: challenge, Attestation: att})
	other.credential = r.Passkey.CredentialID
	p.h.ledger.citizen(&other)
	return &other
}

// vote agrees to what waits, as the rules are now.
func (p *person) vote(body string) {
	p.h.t.Helper()
	fp := wire.Fingerprint(body)
	p.h.ledger.read(body)
	v := p.h.body(p.org, wire.ApproveActivity, wire.ApproveActivityParams{
		Fingerprint: fp, PolicySet: p.h.policySet(p.org, fp),
	})
	_, _, _ = p.h.submit(v, p.agree(v))
}

// Some places that money may go to.
const (
	shop    = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
	robber  = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
	usdc    = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
	noData  = "0x"
	someWei = "1000000000000000" // 0.001 ETH: 3 USD
)

// intent is a payment from the wallet.
func (p *person) intent(to, wei, data string) wire.SignIntentParams {
	return wire.SignIntentParams{
		SignWith: p.address, Chain: "base", ChainID: "84532", To: to, Value: wei, Data: data, GasLimit: "100000",
		MaxTotalFee: "200000000000000",
	}
}

// pays is the body of a payment.
func (p *person) pays(to string, change ...func(*wire.Body)) string {
	p.h.t.Helper()
	return p.h.body(p.org, wire.SignIntent, p.intent(to, someWei, noData), change...)
}

func (p *person) body(kind wire.ActivityType, params any) string {
	p.h.t.Helper()
	return p.h.body(p.org, kind, params)
}

func decode[T any](raw json.RawMessage) (v T, ok bool) { return v, json.Unmarshal(raw, &v) == nil }
