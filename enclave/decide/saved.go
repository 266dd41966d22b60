package decide

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/railkit/railkit/enclave/payee"
	"github.com/railkit/railkit/enclave/stamp"
	"github.com/railkit/railkit/enclave/wire"
)

// savedFormat changes whenever Apply makes another state of the same events, or
// a field is added to State: what an older program saved must not be used then.
const savedFormat = 13

// ErrOtherProgram is a saved state of another program, perhaps of the same
// version. What that one made of the events may not be what this one makes of them.
var ErrOtherProgram = errors.New("the saved state is of another build of this program")

// saved is a State as a checkpoint holds it. The two tables that grow with every
// transaction are packed: they are most of it.
type saved struct {
	Format        int                           `json:"format"`
	Program       string                        `json:"program"`
	LastTimeMs    int64                         `json:"lastTimeMs"`
	ProvenMs      int64                         `json:"provenMs"`
	Amendments    []amended                     `json:"amendments"`
	Organizations []savedOrganization           `json:"organizations"`
	Emails        []savedEmail                  `json:"emails"`
	Nonces        []savedNonces                 `json:"nonces"`
	Mark          int64                         `json:"mark"`
	Spent         map[string]tally              `json:"spent"`
	Lent          map[string]*delegatedSignings `json:"lent"`
	Quotes        []savedQuote                  `json:"quotes"`
	DataFees      []savedDataFee                `json:"dataFees"`
	SheetMs       int64                         `json:"sheetMs"`
	Outcomes      []byte                        `json:"outcomes"` // fingerprint, seq, flags

	Paid        map[string]map[int32]int64 `json:"paid"`
	UnderNonces map[string]*nonceTotals    `json:"underNonces"`
	Asked       []byte                     `json:"asked"` // digest after digest
}

type savedOrganization struct {
	wire.SubOrganization
	RecoveryPublicKey string            `json:"recoveryPublicKey"`
	EmailOnly         bool              `json:"emailOnly"`
	Recovery          *Recovery         `json:"recovery"`
	Credentials       []savedCredential `json:"credentials"`
	Wallets           []savedWallet     `json:"wallets"`
	Agents            []savedAgent      `json:"agents"`
	KillSwitch        bool              `json:"killSwitch"`
	SwitchedMs        int64             `json:"switchedMs"`

	Policies  []*wire.Policy      `json:"policies"`
	Delegated map[string]int64    `json:"delegated"`
	Config    wire.ApprovalConfig `json:"config"`
	Held      []savedHold         `json:"held"`

	Overrides []savedOverride `json:"overrides"`

	Payees        []payee.Entry `json:"payees"`
	RemovedPayees []payee.Entry `json:"removedPayees"`
}

type savedHold struct {
	Hold
	ExpiresAtMs int64  `json:"expiresAtMs"`
	Votes       []Vote `json:"votes"`
	Void        bool   `json:"void"`
}

type savedCredential struct {
	wire.Credential
	Key  stamp.Credential `json:"key"`
	Max  uint32           `json:"max"`
	Seen uint64           `json:"seen"`
}

type savedWallet struct {
	wire.Wallet
	Sealed   []byte         `json:"sealed"`
	Accounts []wire.Account `json:"accounts"`
	AgentID  string         `json:"agentId"`
}

type savedAgent struct {
	NewAgent
	Mark      int64 `json:"mark"`
	ChangedMs int64 `json:"changedMs"`
}

type savedEmail struct {
	WorkspaceID    string `json:"workspaceId"`
	Email          string `json:"email"`
	OrganizationID string `json:"organizationId"`
}

// Save gives the state for a checkpoint, under the program's name.
func (s *State) Save(program string) ([]byte, error) {
	out := saved{Format: savedFormat, Program: program, LastTimeMs: s.lastTimeMs, ProvenMs: s.provenMs,
		Amendments: s.amendments, Spent: s.spent, Lent: s.delegated}
	s.priceBook.save(&out)
	for _, o := range s.organizations {
		out.Organizations = append(out.Organizations, o.save())
	}
	for ref, id := range s.emails {
		out.Emails = append(out.Emails, savedEmail{ref.workspaceID, ref.email, id})
	}
	var err error
	if out.Nonces, err = s.nonceBook.save(); err != nil {
		return nil, err
	}
	out.Outcomes = s.outcomeBook.save()
	s.agentBook.save(&out)
	return json.Marshal(out)
}

func (o *organization) save() savedOrganization {
	out := savedOrganization{
		SubOrganization: o.SubOrganization, RecoveryPublicKey: o.recoveryPublicKey, EmailOnly: o.emailOnly,
		Recovery: o.recovery, Policies: o.policies, Delegated: o.delegated, Config: o.config,
		Payees: o.payees.Active(), RemovedPayees: o.payees.Removed(), KillSwitch: o.killSwitch,
		SwitchedMs: o.switchedMs,
	}
	for _, h := range o.held {
		out.Held = append(out.Held, savedHold{h.Hold, h.expiresAtMs, h.votes, h.void})
	}
	for asset, v := range o.overrides {
		out.Overrides = append(out.Overrides, savedOverride{asset, v.usd, v.anchorMs, v.untilMs})
	}
	for _, c := range o.credentials {
		out.Credentials = append(out.Credentials, savedCredential{c.Credential, c.key, c.counter.max, c.counter.seen})
	}
	for _, w := range o.wallets {
		out.Wallets = append(out.Wallets, savedWallet{w.Wallet, w.sealed, w.accounts, w.agentID})
	}
	for _, a := range o.agents {
		out.Agents = append(out.Agents, savedAgent{a.NewAgent, a.acceptedUpTo, a.changedMs})
	}
	return out
}

// Restore makes the state that the same program saved.
func Restore(c Constants, program string, raw []byte) (*State, error) {
	var in saved
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, fmt.Errorf("reading a saved state: %w", err)
	}
	if in.Format != savedFormat || in.Program != program {
		return nil, ErrOtherProgram
	}
	s := NewState(c)
	s.lastTimeMs, s.provenMs = in.LastTimeMs, in.ProvenMs
	for _, m := range in.Amendments { // before the quotes, which are read by what is listed
		if err := s.amend(m); err != nil {
			return nil, fmt.Errorf("reading a saved state: %w", err)
		}
	}
	maps.Copy(s.spent, in.Spent)
	maps.Copy(s.delegated, in.Lent)
	if err := s.priceBook.restore(in); err != nil {
		return nil, err
	}
	for _, o := range in.Organizations {
		if err := s.restoreOrganization(o); err != nil {
			return nil, fmt.Errorf("reading a saved state: %w", err)
		}
	}
	for _, e := range in.Emails {
		s.emails[emailRef{e.WorkspaceID, e.Email}] = e.OrganizationID
	}
	s.nonceBook.restore(in.Nonces)
	s.agentBook.restore(in)
	s.outcomeBook = restoreOutcomes(in.Outcomes)
	return s, nil
}

func (s *State) restoreOrganization(in savedOrganization) error {
	o := &organization{
		SubOrganization: in.SubOrganization, recoveryPublicKey: in.RecoveryPublicKey, emailOnly: in.EmailOnly,
		accounts: map[string]account{}, policies: in.Policies, config: in.Config, held: map[string]*hold{},
		overrides: map[string]override{}, names: map[string]digest{}, delegated: map[string]int64{},
		payees: payee.NewBook(in.Payees, in.RemovedPayees), killSwitch: in.KillSwitch,
		switchedMs: in.SwitchedMs,
	}
	s.organizations[o.ID] = o
	maps.Copy(o.delegated, in.Delegated)
	s.recovers(o, in.Recovery)
	for _, p := range o.policies {
		o.name(p)
	}
	for _, h := range in.Held {
		o.held[h.Fingerprint] = &hold{h.Hold, h.ExpiresAtMs, h.Votes, h.Void}
	}
	for _, v := range in.Overrides {
		o.overrides[v.Asset] = override{v.USD, v.AnchorMs, v.UntilMs}
	}
	for _, c := range in.Credentials {
		cred := &credential{Credential: c.Credential, organizationID: o.ID, key: c.Key, counter: window{c.Max, c.Seen}}
		s.credentials[c.CredentialID] = cred
		o.credentials = append(o.credentials, cred)
	}
	for _, in := range in.Wallets {
		w := &wallet{in.Wallet, o.ID, in.Sealed, in.Accounts, in.AgentID}
		s.wallets[w.ID] = w
		o.wallets = append(o.wallets, w)
		for _, a := range in.Accounts {
			if err := o.addAccount(a); err != nil {
				return err
			}
		}
	}
	for _, in := range in.Agents {
		a := &agent{in.NewAgent, o.ID, in.Mark, in.ChangedMs}
		s.agents[a.ID] = a
		o.agents = append(o.agents, a)
	}
	return nil
}

// Seeds gives every wallet's sealed seed, for the keystore.
func (s *State) Seeds(load func(organization, wallet string, sealed []byte) error) error {
	for _, w := range s.wallets {
		if err := load(w.organizationID, w.ID, w.sealed); err != nil {
			return err
		}
	}
	return nil
}
