// Package decide is the enclave's judgement. Decide is pure: what it needs is in
// its arguments, and what it wants is an Event that somebody else makes durable.
package decide

import (
	"fmt"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/enclave/payee"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/stamp"
	"github.com/railkit/railkit/enclave/wire"
)

// Constants are sealed at genesis and never come from a message. The operator can add networks, tokens and origins,
// and change the price key, by an Amendment; a State holds them as they are after all amendments.
type Constants struct {
	Environment chain.Environment
	RP          stamp.RelyingParty
	PriceKey    string // whose price sheets count: P-256, compressed hex
	// AcceptNonces believes a node that has mined nonces which the journal does
	// not know: not sealed, but said by the operator at a start after a restore.
	AcceptNonces  bool
	Networks      []chain.Network
	RecoveryDelay time.Duration
}

// State is everything that the enclave knows.
type State struct {
	Constants
	organizations map[string]*organization
	credentials   map[string]*credential   // by id: one credential belongs to one organization
	recovering    map[string]*organization // by id: those whose recovery waits
	wallets       map[string]*wallet
	emails        map[emailRef]string // -> organization
	spent         spentBook
	lastTimeMs    int64
	provenMs      int64 // see ProvenMs

	amendmentBook
	outcomeBook
	nonceBook
	priceBook
	delegationBook
	agentBook
}

type organization struct {
	wire.SubOrganization
	credentials       []*credential
	recoveryPublicKey string
	emailOnly         bool      // the mail alone recovers
	recovery          *Recovery // that waits out its delay
	wallets           []*wallet
	agents            []*agent
	killSwitch        bool               // none of its agents pays
	switchedMs        int64              // when the kill switch became as it is
	accounts          map[string]account // by address as written
	policies          []*wire.Policy     // oldest first
	names             map[string]digest  // of policies, by id: see policySet
	delegated         map[string]int64   // of policies with a delegation, by id: see delegatedMs
	config            wire.ApprovalConfig
	held              map[string]*hold    // by fingerprint
	overrides         map[string]override // by asset
	payees            *payee.Book
}

type credential struct {
	wire.Credential
	organizationID string
	key            stamp.Credential
	counter        window
}

type wallet struct {
	wire.Wallet
	organizationID string
	sealed         []byte // its seed
	accounts       []wire.Account
	agentID        string // of the agent that made it on its own word
}

type account struct {
	wire.Account
	family chain.Family
}

// emailRef is an e-mail address of a workspace, see emailKey.
type emailRef struct{ workspaceID, email string }

// NewState is the state before the first event.
func NewState(c Constants) *State {
	s := &State{
		Constants:     c,
		organizations: map[string]*organization{},
		credentials:   map[string]*credential{},
		recovering:    map[string]*organization{},
		wallets:       map[string]*wallet{},
		emails:        map[emailRef]string{},
		spent:         spentBook{},

		outcomeBook:    outcomeBook{},
		nonceBook:      newNonceBook(),
		delegationBook: delegationBook{map[string]*delegatedSignings{}},
		agentBook:      newAgentBook(),
	}
	s.priceBook = newPriceBook(&s.Constants)
	return s
}

func (s *State) found(c Created) error {
	org := &organization{
		SubOrganization:   c.SubOrganization,
		recoveryPublicKey: c.RecoveryPublicKey,
		accounts:          map[string]account{},
		held:              map[string]*hold{},
		overrides:         map[string]override{},
		names:             map[string]digest{},
		delegated:         map[string]int64{},
		payees:            payee.NewBook(nil, nil),
	}
	s.organizations[c.ID] = org
	return s.enrol(org, NewPasskey{c.Credential, c.Counter, c.BackupEligible})
}

func applyWallet(s *State, org *organization, e Event) error {
	w := &wallet{
		Wallet: e.Wallet.Wallet, organizationID: e.OrganizationID, sealed: e.Wallet.Sealed, agentID: e.Wallet.AgentID,
	}
	s.wallets[w.ID] = w
	org.wallets = append(org.wallets, w)
	return applyAccounts(s, org, e)
}

func applyAccounts(s *State, org *organization, e Event) error {
	for _, a := range e.Accounts {
		w, ok := s.wallets[a.WalletID]
		if !ok || w.organizationID != org.ID {
			return fmt.Errorf("account of an unknown wallet")
		}
		w.accounts = append(w.accounts, a)
		if err := org.addAccount(a); err != nil {
			return err
		}
	}
	return nil
}

func (o *organization) addAccount(a wire.Account) error {
	f, ok := families.OfFormat(a.AddressFormat)
	if !ok {
		return fmt.Errorf("account of an unknown address format %q", a.AddressFormat)
	}
	if have, ok := o.accounts[a.Address]; ok && have.family.Kind() != f.Kind() {
		return fmt.Errorf("address %s is of two families of networks", a.Address)
	}
	o.accounts[a.Address] = account{a, f}
	return nil
}

// LastTimeMs is the latest time in the journal.
func (s *State) LastTimeMs() int64 { return s.lastTimeMs }

// ProvenMs is the part of that time which journal and uptime bear out: a machine
// whose clock runs ahead does not move it, however often it starts the enclave.
func (s *State) ProvenMs() int64 { return s.provenMs }

// Credential is the key under which a stamp claims to be made.
func (s *State) Credential(id string) (stamp.Credential, bool) {
	c, ok := s.credentials[id]
	if !ok {
		return stamp.Credential{}, false
	}
	return c.key, true
}

// CheckOwner refuses a passkey of another organization.
func (s *State) CheckOwner(credentialID, organizationID string) error {
	if c, ok := s.credentials[credentialID]; !ok || c.organizationID != organizationID {
		return ErrStranger
	}
	return nil
}

// Describe tells about an account, a wallet or a sub-organization, as it is now,
// and where it is asked for about its rules and about what waits.
func (s *State) Describe(q wire.StateRequest, now time.Time) (*wire.Result, error) {
	org, ok := s.organizations[q.OrganizationID]
	if !ok {
		return nil, refusal.ErrOrganization
	}
	sub := org.SubOrganization
	r := &wire.Result{SubOrganization: &sub, Owners: org.owners()}
	if q.WalletID != "" {
		w, ok := s.wallets[q.WalletID]
		if !ok || w.organizationID != org.ID {
			return nil, refusal.ErrAccount
		}
		r.Wallet = &w.Wallet
		r.Accounts = append(r.Accounts, w.accounts...)
	}
	if q.Address != "" {
		a, ok := org.accounts[q.Address]
		if !ok || (q.WalletID != "" && a.WalletID != q.WalletID) {
			return nil, refusal.ErrAccount
		}
		r.Accounts = []wire.Account{a.Account}
	}
	if q.Lent != nil {
		var err error
		if r.Lent, err = s.describeLent(org, *q.Lent, now); err != nil {
			return nil, err
		}
	}
	return r, org.describeRules(r, q, now)
}

func (o *organization) describeRules(r *wire.Result, q wire.StateRequest, now time.Time) error {
	if q.Rules {
		r.ApprovalConfig = o.configView()
		for _, p := range o.policies {
			r.Policies = append(r.Policies, *p)
		}
	}
	if q.Payees {
		r.Payees = o.payees.List()
	}
	if q.Approval == "" {
		return nil
	}
	h, err := o.open(q.Approval, now)
	if err != nil {
		return err
	}
	standing := o.standing(h)
	r.Approval = &standing
	return nil
}

func (o *organization) owners() *wire.Owners { return o.ownersOf(o.keys()) }

func (o *organization) ownersOf(keys []wire.Credential) *wire.Owners {
	return &wire.Owners{Credentials: keys, RecoveryPublicKey: o.recoveryPublicKey, EmailOnlyRecovery: o.emailOnly}
}

// emailKey takes addresses for one where they differ in the case of A to Z only.
// Unicode folds letters that make another mailbox, or another domain.
func emailKey(workspaceID, email string) emailRef {
	return emailRef{workspaceID, strings.Map(func(c rune) rune {
		if 'A' <= c && c <= 'Z' {
			return c + 'a' - 'A'
		}
		return c
	}, email)}
}
