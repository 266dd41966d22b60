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
	agents        map[string]*agent
	paid          map[string]map[int32]int64 // by agent and month: micro-USDC that was signed for
	underNonces   map[string]*nonceTotals    // by agent
	asked         map[digest]bool            // see asked
	mark          int64                      // see Mark
	outcomes      map[digest]Past
	nonces        map[nonceKey]map[uint64]string // -> fingerprint
	lowest        map[nonceKey]uint64            // first nonce that was not signed for
	above         map[nonceKey]uint64            // one above the last nonce that was
	emails        map[emailRef]string            // -> organization
	spent         map[string]tally               // by wallet, and by policy with a delegation
	lent          map[string]*lent               // by policy with a delegation, also when it is gone
	quotes        map[string]*quote              // by asset
	dataFees      map[string]dataFee             // by network
	sheetMs       int64                          // of the newest price sheet
	amendments    []amended                      // oldest first
	pastPriceKeys []string                       // those that were changed away
	lastTimeMs    int64
	provenMs      int64 // see ProvenMs
}

// Past is what is kept in memory of a body that was decided: where the event
// stands in the journal, which is read again when somebody asks for it.
type Past struct {
	Seq       uint64
	Cancelled bool
	Held      bool // not decided for good: it waits for votes, or for time
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

type nonceKey struct {
	chain   string // slug
	address string
}

// emailRef is an e-mail address of a workspace, see emailKey.
type emailRef struct{ workspaceID, email string }

// NewState is the state before the first event.
func NewState(c Constants) *State {
	return &State{
		Constants:     c,
		organizations: map[string]*organization{},
		credentials:   map[string]*credential{},
		recovering:    map[string]*organization{},
		wallets:       map[string]*wallet{},
		agents:        map[string]*agent{},
		paid:          map[string]map[int32]int64{},
		underNonces:   map[string]*nonceTotals{},
		asked:         map[digest]bool{},
		outcomes:      map[digest]Past{},
		nonces:        map[nonceKey]map[uint64]string{},
		lowest:        map[nonceKey]uint64{},
		above:         map[nonceKey]uint64{},
		emails:        map[emailRef]string{},
		spent:         map[string]tally{},
		lent:          map[string]*lent{},
		quotes:        map[string]*quote{},
		dataFees:      map[string]dataFee{},
	}
}

// Apply moves the state by one event that stands in the journal. An error means
// that the journal is not one that Decide wrote.
func (s *State) Apply(e Event, seq uint64) error {
	s.lastTimeMs, s.provenMs = max(s.lastTimeMs, e.TimeMs), max(s.provenMs, e.TimeMs-e.AheadMs)
	if e.Stamp != nil {
		c, ok := s.credentials[e.Stamp.CredentialID]
		if !ok {
			return fmt.Errorf("entry %d: stamped by an unknown credential", seq)
		}
		c.use(*e.Stamp)
	}
	if err := s.applyKind(e, seq); err != nil {
		return fmt.Errorf("entry %d: %w", seq, err)
	}
	s.applyLent(e, seq)
	s.applyPaid(e)
	if e.Fingerprint == "" {
		return nil
	}
	p, ok := digestOf(e.Fingerprint)
	if !ok {
		return fmt.Errorf("entry %d: its fingerprint is none", seq)
	}
	s.outcomes[p] = Past{Seq: seq, Cancelled: e.Kind == EventCancelled, Held: e.Kind.Holds()}
	if org := s.organizations[e.OrganizationID]; org != nil && e.Kind != EventHeld {
		delete(org.held, e.Fingerprint)
	}
	return nil
}

func (s *State) applyKind(e Event, seq uint64) error {
	switch e.Kind {
	case EventGenesis, EventTime, EventEndAccepted:
		return nil
	case EventAmended:
		return s.applyAmended(e, seq)
	case EventCancelled:
		s.applyCancelled(e)
		return nil
	case EventOrganization:
		return s.applyOrganization(*e.Created)
	case EventWallet:
		return s.applyWallet(e)
	case EventAccounts:
		return s.applyAccounts(e.OrganizationID, e.Accounts)
	case EventTransaction:
		s.applyOrder(e.Fingerprint, *e.Transaction)
		s.applySpend(e)
		return nil
	case EventMessage:
		s.applySpend(e)
		return nil
	case EventAgent:
		return s.applyAgent(e)
	case EventAgentDeleted:
		return s.applyAgentDeleted(e)
	case EventKillSwitch:
		return s.applyKillSwitch(e)
	case EventHeard:
		return s.applyHeard(e)
	case EventMark:
		return s.applyMark(e)
	case EventDenied:
		return nil
	case EventPasskey, EventPasskeyDeleted:
		return s.applyPasskey(e)
	case EventRecovery, EventRecovered, EventRecoveryCancelled, EventRecoveryRule:
		return s.applyRecovery(e)
	case EventPolicy, EventPolicyDeleted, EventConfig, EventHeld, EventVote:
		return s.applyRule(e)
	case EventPayee, EventPayeeRemoved:
		return s.applyPayee(e)
	}
	return s.applyPrice(e)
}

func (s *State) applyPrice(e Event) error {
	switch e.Kind {
	case EventPrices:
		return s.applySheet(e)
	case EventPricesAccepted:
		s.applyAccepted(e)
		return nil
	case EventOverride:
		return s.applyOverride(e)
	}
	return fmt.Errorf("unknown kind of event %q", e.Kind)
}

func (s *State) applyOrganization(c Created) error {
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

func (s *State) applyWallet(e Event) error {
	org, ok := s.organizations[e.OrganizationID]
	if !ok {
		return fmt.Errorf("wallet of an unknown organization")
	}
	w := &wallet{
		Wallet: e.Wallet.Wallet, organizationID: e.OrganizationID, sealed: e.Wallet.Sealed, agentID: e.Wallet.AgentID,
	}
	s.wallets[w.ID] = w
	org.wallets = append(org.wallets, w)
	return s.applyAccounts(e.OrganizationID, e.Accounts)
}

func (s *State) applyAccounts(organizationID string, accounts []wire.Account) error {
	for _, a := range accounts {
		w, ok := s.wallets[a.WalletID]
		if !ok || w.organizationID != organizationID {
			return fmt.Errorf("account of an unknown wallet")
		}
		w.accounts = append(w.accounts, a)
		if err := s.organizations[organizationID].addAccount(a); err != nil {
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

func (s *State) applyOrder(fingerprint string, o Order) {
	k := nonceKey{o.Chain, o.SignWith}
	if s.nonces[k] == nil {
		s.nonces[k] = map[uint64]string{}
	}
	s.nonces[k][o.Nonce] = fingerprint
	s.above[k] = max(s.above[k], o.Nonce+1)
	for {
		if _, taken := s.nonces[k][s.lowest[k]]; !taken {
			return
		}
		s.lowest[k]++
	}
}

// Outcome is what became of a body, if anything.
func (s *State) Outcome(fingerprint string) (Past, bool) {
	p, ok := digestOf(fingerprint)
	if !ok {
		return Past{}, false
	}
	past, ok := s.outcomes[p]
	return past, ok
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
		return nil, ErrOrganization
	}
	sub := org.SubOrganization
	r := &wire.Result{SubOrganization: &sub, Owners: org.owners()}
	if q.WalletID != "" {
		w, ok := s.wallets[q.WalletID]
		if !ok || w.organizationID != org.ID {
			return nil, ErrAccount
		}
		r.Wallet = &w.Wallet
		r.Accounts = append(r.Accounts, w.accounts...)
	}
	if q.Address != "" {
		a, ok := org.accounts[q.Address]
		if !ok || (q.WalletID != "" && a.WalletID != q.WalletID) {
			return nil, ErrAccount
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
