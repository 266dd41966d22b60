package enclave

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/journal"
	"github.com/railkit/railkit/enclave/wire"
)

// Preview tells what a body would do, before anybody stamps it.
func (s *Service) Preview(q wire.PreviewRequest) (wire.Proof, error) {
	r, err := decide.Parse(q.Body)
	if err == nil && q.Held != "" {
		r, err = r.About(q.Held)
	}
	if err != nil {
		return wire.Proof{}, err
	}
	var pending *wire.RecoveryPending
	preview, p, at, err := readDurable(s.memory, func(state *decide.State, now time.Time) (*wire.Preview, error) {
		pending = state.Pending(r.Body.OrganizationID)
		return state.Preview(r, now)
	})
	if err != nil {
		return wire.Proof{}, err
	}
	if r.Body.Type == wire.CreateWalletAccounts {
		if err := s.derive(preview.Accounts); err != nil {
			return wire.Proof{}, err
		}
	}
	return s.proved(wire.Statement{
		Kind: wire.KindPreview, OrganizationID: r.Body.OrganizationID, Fingerprint: r.Fingerprint,
		Activity: r.Body.Type, Preview: preview, RecoveryPending: pending,
	}, p, at)
}

// State tells what is, now.
func (s *Service) State(q wire.StateRequest) (wire.Proof, error) {
	var pending *wire.RecoveryPending
	result, p, at, err := readDurable(s.memory, func(state *decide.State, now time.Time) (*wire.Result, error) {
		pending = state.Pending(q.OrganizationID)
		return state.Describe(q, now)
	})
	if err == nil && result.Lent != nil {
		err = s.readLent(result.Lent, p.Seq)
	}
	if err != nil {
		return wire.Proof{}, err
	}
	return s.proved(wire.Statement{
		Kind: wire.KindState, OrganizationID: q.OrganizationID, State: result, RecoveryPending: pending,
	}, p, at)
}

// readLent reads what was signed under a delegation out of the journal.
func (s *Service) readLent(l *wire.Lent, last uint64) error {
	if err := s.durable(last); err != nil {
		return err
	}
	networks, _, err := look(s.memory, func(state *decide.State) ([]chain.Network, error) {
		return slices.Clone(state.Networks), nil
	})
	if err != nil {
		return err
	}
	for i := range l.Signed {
		seq, err := strconv.ParseUint(l.Signed[i].Seq, 10, 64)
		if err != nil {
			return err
		}
		e, _, err := s.entry(seq)
		if err != nil {
			return err
		}
		if err := s.fillLent(&l.Signed[i], e, networks); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) fillLent(x *wire.LentSigning, e decide.Event, networks []chain.Network) (err error) {
	x.Fingerprint, x.SignedAt = e.Fingerprint, clock.ISO(time.UnixMilli(e.TimeMs))
	if e.Message != nil {
		x.Digest, x.Authorization = chain.Hex(e.Message.Digest), e.Message.Authorization
	}
	if e.Transaction == nil {
		return nil
	}
	if x.Transaction, err = s.sign(*e.Transaction); err != nil { // for its hash: the same signature as ever
		return err
	}
	x.Transaction.SignedTransaction, x.Standing = "", e.Transaction.Standing
	x.Effects, err = effectsOf(*e.Transaction, networks)
	return err
}

// effectsOf reads what a journaled transaction does.
func effectsOf(o decide.Order, networks []chain.Network) ([]chain.Effect, error) {
	f, err := familyOf(o.Kind)
	if err != nil {
		return nil, err
	}
	tx, err := f.DecodeUnsigned(o.Unsigned)
	if err != nil {
		return nil, fmt.Errorf("reading an order: %w", err)
	}
	tx.To = cmp.Or(o.Payee, tx.To)
	n, _ := chain.WithSlug(networks, o.Chain) // nothing that was listed is ever taken off the list
	return f.Effects(n, o.SignWith, tx.Call), nil
}

// look asks the state, and tells the entry that the answer rests on. A panic in
// it is a fault of that one call only if it leaves the lock free.
func look[A any](m *memory, ask func(*decide.State) (A, error)) (a A, p journal.Position, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a, err = ask(m.state)
	return a, m.journal.Position(), err
}

// proved proves a statement about the present. The entry that it names is on disk:
// after a crash there must not be another entry of that number.
func (r *prover) proved(st wire.Statement, p journal.Position, at time.Time) (wire.Proof, error) {
	proof, err := r.prove(st, p, at.UnixMilli())
	if err != nil {
		return wire.Proof{}, err
	}
	return *proof, nil
}

func (r *prover) prove(st wire.Statement, p journal.Position, timeMs int64) (*wire.Proof, error) {
	st.Environment = r.environment
	st.Seq, st.Head = strconv.FormatUint(p.Seq, 10), hex.EncodeToString(p.Head[:])
	st.Time = clock.ISO(time.UnixMilli(timeMs))
	proof, err := wire.SignStatement(r.identity, st)
	return &proof, err
}

// material is what judgement leaves open: a sealed seed or an agent's secret, keys and addresses.
type material struct {
	seed     []byte
	secret   []byte
	told     *wire.SealedSecret
	accounts []wire.Account
}

func (m material) into(e *decide.Event) {
	if e.Wallet != nil {
		e.Wallet.Sealed = m.seed
	}
	if e.Agent != nil && e.Agent.NewSecret {
		e.Agent.Sealed, e.Agent.SealedSecret = m.secret, m.told
	}
	if m.accounts != nil {
		e.Accounts = m.accounts
	}
}

// materials makes the keys for an event that needs some.
func (k *keyring) materials(e decide.Event) (material, error) {
	m := material{accounts: e.Accounts}
	if e.Wallet != nil {
		sealed, err := k.seed(e.OrganizationID, *e.Wallet)
		if err != nil {
			return material{}, err
		}
		m.seed = sealed
	}
	if e.Agent != nil && e.Agent.NewSecret {
		var err error
		if m.secret, m.told, err = k.secret(e); err != nil {
			return material{}, err
		}
	}
	return m, k.derive(m.accounts)
}

// seed gives the wallet's seed, sealed, and makes it where there is none yet.
// However often a body is tried and by however many at once, its wallet has one
// seed: a second would be journaled beside addresses of the first. The seed is
// loaded already here, since its first accounts are derived before it is
// journaled; a wallet that is not journaled after all cannot be named.
func (k *keyring) seed(organization string, w decide.NewWallet) ([]byte, error) {
	sealed, err, _ := k.seeds.Do(w.ID, func() (any, error) {
		if sealed, ok := k.keys.Sealed(organization, w.ID); ok {
			return sealed, nil
		}
		sealed, err := k.keys.Create(organization, w.ID, w.Words)
		if err != nil {
			return nil, err
		}
		return sealed, k.keys.Load(organization, w.ID, sealed)
	})
	if err != nil {
		return nil, err
	}
	return sealed.([]byte), nil
}

// derive fills in keys and addresses.
func (k *keyring) derive(accounts []wire.Account) error {
	for i, a := range accounts {
		pub, err := k.keys.PublicKey(a.WalletID, a.Curve, a.Path)
		if err != nil {
			return err
		}
		f, ok := families.OfFormat(a.AddressFormat)
		if !ok {
			return fmt.Errorf("this program knows no addresses of the form %q", a.AddressFormat)
		}
		if accounts[i].Address, err = f.AddressOf(pub); err != nil {
			return err
		}
		accounts[i].PublicKey = hex.EncodeToString(pub)
	}
	return nil
}
