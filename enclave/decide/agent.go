package decide

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/policy"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// maxAgents is the bound per organization.
const maxAgents = 100

// agentBook is the agents, what they have spent, and what each can never ask again.
type agentBook struct {
	agents         map[string]*agent
	paid           map[string]map[int32]int64 // by agent and month: micro-USDC that was signed for
	underNonces    map[string]*nonceTotals    // by agent
	requestDigests map[digest]bool            // what each request used up, see usedOnce
	acceptedUpTo   int64                      // agents\' timestamps up to this second may have been used, see Mark
}

func newAgentBook() agentBook {
	return agentBook{
		agents: map[string]*agent{}, paid: map[string]map[int32]int64{}, underNonces: map[string]*nonceTotals{},
		requestDigests: map[digest]bool{},
	}
}

func (b *agentBook) save(out *saved) {
	out.Mark, out.Paid, out.UnderNonces = b.acceptedUpTo, b.paid, b.underNonces
	for d := range b.requestDigests {
		out.Asked = append(out.Asked, d[:]...)
	}
}

// restore reads all but the agents themselves, which are their organizations'.
func (b *agentBook) restore(in saved) {
	b.acceptedUpTo = in.Mark
	maps.Copy(b.paid, in.Paid)
	maps.Copy(b.underNonces, in.UnderNonces)
	for d := in.Asked; len(d) >= len(digest{}); d = d[len(digest{}):] {
		b.requestDigests[digest(d)] = true
	}
}

type agent struct {
	NewAgent
	organizationID string
	acceptedUpTo   int64 // likewise, of this agent alone
	changedMs      int64 // when it became as it is
}

// NewAgent is an agent as an event leaves it, with its sealed secret.
type NewAgent struct {
	wire.Agent
	Sealed             []byte `json:"sealed,omitempty"`             // its secret; none before it was activated
	RecipientPublicKey string `json:"recipientPublicKey,omitempty"` // whom the secret was sealed to
	// Until then Submit answers the secret again to the stamp of the body that made it; 0: never.
	RevealUntilMs int64  `json:"revealUntilMs,omitempty"`
	RevealTo      string `json:"revealTo,omitempty"` // fingerprint of that body; "" in entries from before it was noted
	NewSecret     bool   `json:"-"`                  // the event still lacks its secret: the keystore makes it
}

// Agent is what the enclave knows of an agent, with its sealed secret.
type Agent struct {
	wire.AgentReply
	Sealed  []byte
	Unheard bool // it has a secret that may be answered, and made no request yet
}

// becomes is the event after which the agent is as next says.
func becomes(next NewAgent) Event {
	if !next.NewSecret {
		next.SealedSecret = nil // of the body that made it, not of the agent
	}
	return Event{Kind: EventAgent, Agent: &next}
}

// decideAgent makes an agent and its wallet. It waits for ActivateAgent.
func createAgent(c call, p *wire.CreateAgentParams) (Event, error) {
	if err := checkName("agentName", p.AgentName); err != nil {
		return Event{}, err
	}
	for _, a := range c.org.agents {
		if a.Name == p.AgentName {
			return Event{}, refusal.ErrAgentExists
		}
	}
	if len(c.org.agents) >= maxAgents {
		return Event{}, refusal.ErrBody.Msg("the sub-organization has 100 agents, the most there can be")
	}
	networks, err := c.agentNetworks(p.Networks)
	if err != nil {
		return Event{}, err
	}
	id, walletID := newID(c.sub.Fingerprint, "agent"), newID(c.sub.Fingerprint, "wallet")
	accounts, err := plan(walletID, nil, accountsFor(networks))
	if err != nil {
		return Event{}, err
	}
	e := becomes(NewAgent{Agent: wire.Agent{
		ID: id, Name: p.AgentName, WalletID: walletID, Status: wire.AgentPending, CreatedAt: clock.ISO(c.now),
	}})
	e.Accounts, e.Owners = accounts, c.org.owners()
	e.Wallet = &NewWallet{Words: 12, Wallet: wire.Wallet{
		ID: walletID, Name: fmt.Sprintf("Agent %s (%s)", p.AgentName, id[:4]), CreatedAt: clock.ISO(c.now),
	}}
	return e, nil
}

// decideActivation gives an agent its limits and its secret. Where approvals are on, that takes votes: from here on the
// agent spends without anybody's passkey.
func activateAgent(c call, p *wire.ActivateAgentParams) (Event, error) {
	a, err := c.org.agent(p.AgentID)
	if err != nil {
		return Event{}, err
	}
	if a.Status != wire.AgentPending {
		return Event{}, refusal.ErrAgentActivated
	}
	if err := policy.ValidateAgent(p.Limits, c.Environment, c.Networks); err != nil {
		return Event{}, refusal.ErrBody.Msg(err.Error())
	}
	next := a.NewAgent
	next.Status, next.Limits = wire.AgentActive, &p.Limits
	if err := next.renew(c.sub.Request, p.RecipientPublicKey); err != nil {
		return Event{}, err
	}
	return c.change(becomes(next), true)
}

// renew has the agent get a new secret, for a recipient or in clear.
func (a *NewAgent) renew(r Request, recipient string) error {
	a.NewSecret, a.RecipientPublicKey, a.SealedSecret = true, recipient, nil
	a.RevealTo, a.RevealUntilMs = "", 0
	if recipient != "" {
		a.SealedSecret = &wire.SealedSecret{RecipientPublicKey: recipient}
		return checkP256("recipientPublicKey", recipient)
	}
	expires, _ := millis(r.Body.ExpiresAtMs)
	a.RevealTo, a.RevealUntilMs = r.Fingerprint, expires.UnixMilli()
	return nil
}

// changeAgent is change, but what loosens must also be written after the latest change, at changedMs. An owner stamps
// that an agent may go on, is told that this failed, and pauses it: a host that held the stamp back could hand it in
// then. So it is with votes. Only the time in the body tells which of the two its owner wanted last.
func (c call) changeAgent(e Event, loosens bool, changedMs int64) (Event, error) {
	if written, _ := millis(c.sub.Body.TimestampMs); loosens && written.UnixMilli() < changedMs {
		return Event{}, refusal.ErrAgentChanged
	}
	return c.change(e, loosens)
}

func limitAgent(c call, p *wire.SetAgentLimitsParams) (Event, error) {
	a, err := c.org.activated(p.AgentID)
	if err != nil {
		return Event{}, err
	}
	if err := policy.ValidateAgent(p.Limits, c.Environment, c.Networks); err != nil {
		return Event{}, refusal.ErrBody.Msg(err.Error())
	}
	next := a.NewAgent
	next.Limits = &p.Limits
	loosens := a.Limits == nil || policy.LoosensAgent(*a.Limits, p.Limits)
	return c.changeAgent(becomes(next), loosens, a.changedMs)
}

// halts orders the states by how much they stop: a step up tightens, a step down loosens.
var halts = map[wire.AgentStatus]int{
	wire.AgentActive: 0, wire.AgentDraining: 1, wire.AgentSuspended: 2, wire.AgentKilled: 3,
}

// decideAgentStatus changes an agent's state. One that was never activated can only be killed.
func haltAgent(c call, p *wire.SetAgentStatusParams) (Event, error) {
	a, err := c.org.agent(p.AgentID)
	if err != nil {
		return Event{}, err
	}
	to, known := halts[p.Status]
	switch {
	case !known:
		return Event{}, refusal.ErrBody.Msg("status is not active, draining, suspended or killed")
	case a.Status == wire.AgentKilled && p.Status != wire.AgentKilled:
		return Event{}, refusal.ErrAgentKilled
	case a.Status == wire.AgentPending && p.Status != wire.AgentKilled:
		return Event{}, refusal.ErrAgentPending
	}
	next := a.NewAgent
	next.Status = p.Status
	return c.changeAgent(becomes(next), to < halts[a.Status], a.changedMs)
}

// decideRotation makes another secret. The old one is worth nothing from this entry on.
func rotateSecret(c call, p *wire.RotateAgentSecretParams) (Event, error) {
	a, err := c.org.activated(p.AgentID)
	if err != nil {
		return Event{}, err
	}
	next := a.NewAgent
	if err := next.renew(c.sub.Request, p.RecipientPublicKey); err != nil {
		return Event{}, err
	}
	loosens := p.RecipientPublicKey == "" || p.RecipientPublicKey != a.RecipientPublicKey
	return c.changeAgent(becomes(next), loosens, a.changedMs)
}

func deleteAgent(c call, p *wire.DeleteAgentParams) (Event, error) {
	a, err := c.org.agent(p.AgentID)
	if err != nil {
		return Event{}, err
	}
	if a.Status != wire.AgentPending {
		return Event{}, refusal.ErrAgentActivated
	}
	gone := a.NewAgent
	return Event{Kind: EventAgentDeleted, Agent: &gone}, nil
}

func switchKill(c call, p *wire.SetKillSwitchParams) (Event, error) {
	on := p.On
	e := Event{Kind: EventKillSwitch, KillSwitch: &on}
	return c.changeAgent(e, !on && c.org.killSwitch, c.org.switchedMs)
}

// agentWallets is how many of the organization's wallets are its agents'. They have a bound of their own.
func (o *organization) agentWallets() (n int) {
	for _, a := range o.agents {
		if a.WalletID != "" {
			n++
		}
	}
	return n
}

// agent finds an agent of the organization.
func (o *organization) agent(id string) (*agent, error) {
	for _, a := range o.agents {
		if a.ID == id {
			return a, nil
		}
	}
	return nil, refusal.ErrAgent
}

// activated finds an agent that has limits and is not killed.
func (o *organization) activated(id string) (*agent, error) {
	a, err := o.agent(id)
	switch {
	case err != nil:
		return nil, err
	case a.Status == wire.AgentKilled:
		return nil, refusal.ErrAgentKilled
	case a.Status == wire.AgentPending:
		return nil, refusal.ErrAgentPending
	}
	return a, nil
}

// applyAgent puts an agent as it stands now in the place of what it was.
func applyAgent(s *State, org *organization, e Event) error {
	if e.Wallet != nil {
		if err := applyWallet(s, org, e); err != nil {
			return err
		}
	}
	a := s.agents[e.Agent.ID]
	if a == nil {
		a = &agent{organizationID: e.OrganizationID}
		s.agents[e.Agent.ID] = a
		org.agents = append(org.agents, a)
	}
	a.NewAgent = *e.Agent
	a.NewSecret = false // it has it now
	a.changedMs = e.TimeMs
	if a.RevealUntilMs > 0 && a.RevealTo == "" {
		a.RevealTo = e.Fingerprint
	}
	if a.Status == wire.AgentKilled {
		for _, h := range org.held {
			h.void = h.void || h.Agent != nil && h.Agent.AgentID == a.ID
		}
	}
	return nil
}

func applyAgentDeleted(s *State, org *organization, e Event) error {
	delete(s.agents, e.Agent.ID)
	org.agents = slices.DeleteFunc(org.agents, func(a *agent) bool { return a.ID == e.Agent.ID })
	if len(org.agents) == 0 {
		org.agents = nil // as a saved state has it
	}
	return nil
}

func applyKillSwitch(_ *State, org *organization, e Event) error {
	if e.KillSwitch == nil {
		return errNoOrganization
	}
	org.killSwitch, org.switchedMs = *e.KillSwitch, e.TimeMs
	return nil
}

// hear notes that an agent has its secret: it is not answered again.
func (b *agentBook) hear(e Event) error {
	a, ok := b.agents[e.AgentID]
	if !ok {
		return errNoAgent
	}
	a.RevealTo, a.RevealUntilMs = "", 0
	return nil
}

// Agent finds an agent, with what it has spent in the month of now.
func (s *State) Agent(id string, now time.Time) (Agent, bool) {
	a, ok := s.agents[id]
	if !ok {
		return Agent{}, false
	}
	org := s.organizations[a.organizationID]
	return Agent{
		AgentReply: wire.AgentReply{
			AgentID: a.ID, OrganizationID: a.organizationID, WorkspaceID: org.WorkspaceID, Name: a.Name,
			Status: a.Status, WalletID: a.WalletID, Address: s.firstAddress(a), Addresses: s.addresses(a),
			Limits: a.Limits, CreatedAt: a.CreatedAt, ChangedAtMs: strconv.FormatInt(a.changedMs, 10),
			KillSwitch: org.killSwitch, Payments: s.spending(org, a, now),
		},
		Sealed: a.Sealed, Unheard: a.RevealUntilMs > 0,
	}, true
}

// firstAddress is that of an agent's wallet; "" of an agent from before they had one.
func (s *State) firstAddress(a *agent) string {
	if w := s.wallets[a.WalletID]; w != nil && len(w.accounts) > 0 {
		return w.accounts[0].Address
	}
	return ""
}

// addresses are where an agent pays from, by kind of network: the first of its wallet's accounts that are for it.
func (s *State) addresses(a *agent) map[chain.Kind]string {
	all := map[chain.Kind]string{}
	w := s.wallets[a.WalletID]
	if w == nil {
		return all
	}
	for _, account := range w.accounts {
		if f, known := families.OfFormat(account.AddressFormat); known && all[f.Kind()] == "" {
			all[f.Kind()] = account.Address
		}
	}
	return all
}

// Revealed is the agent whose secret is answered to this body, which was
// executed, under this stamp: any other gets the result only.
func (s *State) Revealed(r Request, by *Signer, now time.Time) (Agent, bool) {
	var id string
	switch p := r.params.(type) {
	case *wire.CreateAgentParams: // of before there was ActivateAgent
		id = newID(r.Fingerprint, "agent")
	case *wire.ActivateAgentParams:
		id = p.AgentID
	case *wire.RotateAgentSecretParams:
		id = p.AgentID
	}
	a, c := s.agents[id], s.credentials[by.CredentialID]
	if a == nil || a.RevealTo != r.Fingerprint || now.UnixMilli() >= a.RevealUntilMs ||
		c == nil || c.organizationID != a.organizationID {
		return Agent{}, false
	}
	return s.Agent(id, now)
}

// Secrets gives every agent's sealed secret, for the keystore.
func (b *agentBook) Secrets(check func(organization, agent string, sealed []byte) error) error {
	for _, a := range b.agents {
		if a.Sealed == nil {
			continue
		}
		if err := check(a.organizationID, a.ID, a.Sealed); err != nil {
			return err
		}
	}
	return nil
}
