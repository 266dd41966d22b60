package enclave

import (
	"bytes"
	"crypto/hpke"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// agents is the door of agents: it knows whose a request is, and lets each write in once. Memory's mu guards its
// fields.
type agents struct {
	*memory
	replays *replays
	nobody  decide.Agent     // has a secret that nobody knows: an unknown agent costs the same work
	floor   int64            // seconds: writes up to here may have been accepted before the start
	floors  map[string]int64 // of agents whose floor is higher
	noted   uint64           // the last entry that an accepted request rests on
}

// start makes ready to know agents. The state has all that is in the journal.
func (g *agents) start() error {
	g.replays = newReplays()
	all, ahead := g.state.Marks()
	g.floor, g.floors = max(all, g.clock.Now().Unix()), ahead
	n := &g.nobody
	n.OrganizationID, n.AgentID = "nobody", "nobody"
	var err error
	n.Sealed, err = g.keys.CreateSecret(n.OrganizationID, n.AgentID)
	return err
}

// Agent tells about an agent.
func (g *agents) Agent(q wire.AgentRequest) (wire.AgentReply, error) {
	a, p, err := look(g.memory, func(state *decide.State) (decide.Agent, error) {
		if a, ok := state.Agent(q.AgentID, g.clock.Now()); ok {
			return a, nil
		}
		return decide.Agent{}, refusal.ErrAgent
	})
	if broken := g.durable(p.Seq); broken != nil {
		return wire.AgentReply{}, broken
	}
	return a.AgentReply, err
}

// VerifyAgent tells whose a request is, once for each write.
func (g *agents) VerifyAgent(q wire.VerifyAgentRequest) (wire.AgentReply, error) {
	c, err := decide.ReadClaim(q)
	if err != nil {
		return wire.AgentReply{}, err
	}
	if err := g.checkMAC(&c); err != nil {
		return wire.AgentReply{}, err
	}
	a, seq, err := g.admit(c)
	if err != nil {
		return wire.AgentReply{}, g.refuse(err)
	}
	return a, g.durable(seq)
}

// checkMAC does for an unknown agent what it does for a known one. It notes the
// secret that the claim was checked under.
func (g *agents) checkMAC(c *decide.Claim) error {
	a, _, err := look(g.memory, func(state *decide.State) (decide.Agent, error) {
		if a, ok := state.Agent(c.AgentID, g.clock.Now()); ok && a.Sealed != nil {
			return a, nil
		}
		return g.nobody, nil
	})
	matches := 0
	for _, m := range c.Messages {
		mac, broken := g.keys.AgentMAC(a.OrganizationID, a.AgentID, a.Sealed, m)
		if broken != nil {
			return fmt.Errorf("checking an agent's signature: %w", broken)
		}
		matches |= subtle.ConstantTimeCompare(mac[:], c.MAC[:])
	}
	if err == nil && matches == 0 {
		err = decide.ErrNotSigned
	}
	if c.Sealed = a.Sealed; err != nil {
		return err
	}
	return g.heard(*c)
}

// heard notes that an agent has its secret, once: whoever signs with it has it, whatever becomes of what is asked.
func (g *agents) heard(c decide.Claim) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.clock.Now()
	a, ok := g.state.Agent(c.AgentID, now)
	if !ok || !a.Unheard || !bytes.Equal(a.Sealed, c.Sealed) {
		return nil
	}
	return g.note(decide.Event{Kind: decide.EventHeard, TimeMs: now.UnixMilli(), AgentID: a.AgentID})
}

// readAgentStamp verifies the signature under which an agent asks for a payment. Whether it is fresh, and was not used
// before, Decide knows.
func (g *agents) readAgentStamp(r decide.Request, st wire.Stamp) (*decide.Claim, error) {
	q, ok := r.Claim(st.HeaderValue)
	if !ok {
		return nil, refusal.ErrStamp
	}
	c, err := decide.ReadClaim(q)
	if err != nil {
		return nil, err
	}
	return &c, g.checkMAC(&c)
}

// admit lets a request in whose signature is right: the agent as it is now, and
// the entry that has to be on disk before it is told.
func (g *agents) admit(c decide.Claim) (wire.AgentReply, uint64, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.clock.Now()
	a, ok := g.state.Agent(c.AgentID, now)
	if !ok || !bytes.Equal(a.Sealed, c.Sealed) { // it has another secret since
		return wire.AgentReply{}, 0, decide.ErrNotSigned
	}
	if a.Status == wire.AgentKilled {
		return wire.AgentReply{}, 0, refusal.ErrAgentKilled
	}
	if err := c.Permits(a.Limits); err != nil {
		return wire.AgentReply{}, 0, err
	}
	if !c.Fresh(now) { // what is too old is forgotten as well, see once
		if err := g.bear(now, func(last time.Time) bool { return !c.Fresh(last) }); err != nil {
			return wire.AgentReply{}, 0, err
		}
		return wire.AgentReply{}, 0, refusal.ErrAgentTime
	}
	if c.Write {
		if err := g.once(c, now); err != nil {
			return wire.AgentReply{}, 0, err
		}
	}
	return a.AgentReply, g.noted, nil
}

// once refuses a write that was, or may have been, accepted before.
func (g *agents) once(c decide.Claim, now time.Time) error {
	g.replays.forget(now.Unix())
	if floor := max(g.floor, g.floors[c.AgentID]); c.At <= floor {
		return refusal.ErrAgentAgain.After(time.Unix(floor+1, 0).Sub(now))
	}
	if g.replays.has(c.At, c.MAC) {
		return decide.ErrReplayed
	}
	if g.replays.full(c.AgentID) {
		return refusal.ErrAgentBusy.After(replayLife * time.Second)
	}
	if e, wanted := g.state.Mark(c.AgentID, c.At, now); wanted {
		if err := g.note(e); err != nil {
			return err
		}
	}
	g.replays.add(c.At, c.MAC, c.AgentID)
	return nil
}

// note journals what the answer to a request rests on.
func (g *agents) note(e decide.Event) error {
	p, err := g.record(e)
	if err == nil {
		g.noted = p.Seq
	}
	return err
}

// secret makes an agent's secret and, where there is a recipient, seals it for
// that one as well.
func (k *keyring) secret(e decide.Event) (sealed []byte, delivered *wire.SealedSecret, err error) {
	if sealed, err = k.keys.CreateSecret(e.OrganizationID, e.Agent.ID); err != nil || e.Agent.SealedSecret == nil {
		return sealed, nil, err
	}
	to := *e.Agent.SealedSecret
	info := wire.AgentSecretInfo(k.environment, e.Agent.ID, e.Fingerprint)
	err = k.keys.UseSecret(e.OrganizationID, e.Agent.ID, sealed, func(text []byte) error {
		to.Sealed, err = sealTo(to.RecipientPublicKey, info, text)
		return err
	})
	return sealed, &to, err
}

func sealTo(recipient string, info, text []byte) (string, error) {
	key, err := wire.ParseP256(recipient)
	if err != nil {
		return "", err
	}
	point, err := key.ECDH()
	if err != nil {
		return "", err
	}
	to, err := hpke.NewDHKEMPublicKey(point)
	if err != nil {
		return "", err
	}
	sealed, err := hpke.Seal(to, hpke.HKDFSHA256(), hpke.AES256GCM(), info, text)
	return base64.RawURLEncoding.EncodeToString(sealed), err
}

// reveal is the secret that a body made, in clear, for who brings its stamp and
// while its agent was not heard of. It is no part of the result.
func (s *Service) reveal(r decide.Request, st *wire.Stamp) (secret string, err error) {
	switch r.Body.Type {
	case wire.CreateAgent, wire.ActivateAgent, wire.RotateAgentSecret:
	default:
		return "", nil
	}
	by, err := s.readStamp(r, st)
	if err != nil || by == nil {
		return "", nil //nolint:nilerr // the result is everybody's, the secret is not
	}
	a, ok, err := s.revealed(r, by)
	if !ok || err != nil {
		return "", s.refuse(err)
	}
	err = s.keyring.keys.UseSecret(a.OrganizationID, a.AgentID, a.Sealed, func(text []byte) error {
		secret = string(text)
		return nil
	})
	return secret, err
}

func (g *agents) revealed(r decide.Request, by *decide.Signer) (a decide.Agent, ok bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.clock.Now()
	a, ok = g.state.Revealed(r, by, now)
	err = g.bear(now, func(last time.Time) bool {
		_, was := g.state.Revealed(r, by, last)
		return ok == was
	})
	return a, ok, err
}
