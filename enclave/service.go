package enclave

import (
	"cmp"
	"crypto/ecdsa"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/journal"
	"github.com/railkit/railkit/enclave/keystore"
	"github.com/railkit/railkit/enclave/stamp"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/requestid"
)

var errBusy = fault.Define(fault.Unavailable, "enclave_busy", "The enclave cannot take more requests of this kind now",
	"Too many registration challenges, or recoveries, are unanswered")

// heartbeat is how often the journal learns the time, so that a night without
// requests and a restart need no operator.
const heartbeat = time.Minute

// Options open an enclave's folder.
type Options struct {
	Dir        string
	Sealer     keystore.Sealer
	AcceptTime bool // take the machine's clock although the journal is old
	// AcceptNonces believes the node about nonces that the journal does not know.
	AcceptNonces bool
	AcceptPrices bool // take the newest signed prices, however far they moved
	AcceptEnd    bool // take the journal as whole where journal.head is damaged
	Version      string
	Build        string   // names this very program, where a version may stand for two
	Hardening    []string // what harden.Apply could not have
	Log          *slog.Logger

	every uint64           // entries between two checkpoints; tests have fewer
	disk  journal.Disk     // tests put faults into it
	wall  func() time.Time // tests set the machine's clock
}

// Service is the enclave at work: it answers calls by what is in its memory, makes and uses keys, and proves what it
// says.
type Service struct {
	*memory
	keyring
	prover
	agents

	pending *challenges
	begun   *recoveries
	info    wire.InfoReply
	started time.Time
	accept  struct{ time, nonces, prices bool } // what the operator told this start
}

// memory is what the enclave knows, and the journal that it is made of.
type memory struct {
	genesis  Genesis          // without its keys: they are where they are used
	bound    string           // hash of the genesis
	sealed   decide.Constants // of the genesis alone; with all amendments they are in state
	keys     *keystore.Keys
	journal  *journal.Journal
	clock    *trustedClock
	log      *slog.Logger
	stop     chan struct{}
	failed   chan struct{}  // closed when only a restart can help
	build    string         // whose checkpoints are taken up
	every    uint64         // entries between two checkpoints
	replayed uint64         // entries that the start decoded
	due      chan uint64    // entries at which a checkpoint is to be written
	keeping  sync.WaitGroup // the goroutine that writes them

	mu    sync.Mutex // holds state and the order of the journal together
	state *decide.State
	why   error // why failed is closed
}

// keyring makes and uses the keys of wallets and agents.
type keyring struct {
	environment string
	keys        *keystore.Keys
	seeds       singleflight.Group // by wallet
}

// prover signs what the enclave says.
type prover struct {
	environment string
	identity    *ecdsa.PrivateKey
}

// Open is Unseal and Start.
func Open(o Options) (*Service, error) {
	s, err := Unseal(o)
	if err != nil {
		return nil, err
	}
	if err := s.Start(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Unseal opens the folder and replays the journal, and adds nothing to it: who
// refuses to run finds that out between Unseal and Start.
func Unseal(o Options) (*Service, error) {
	g, err := LoadGenesis(o.Dir, o.Sealer)
	if err != nil {
		return nil, err
	}
	identity, err := g.identity()
	if err != nil {
		return nil, err
	}
	keys, err := keystore.New(g.KEK, string(g.Environment))
	if err != nil {
		return nil, err
	}
	bound := g.Hash()
	var journalKey [32]byte
	copy(journalKey[:], g.JournalKey)
	g.wipe()
	m := &memory{
		genesis: g, bound: bound, keys: keys, log: requestid.Log(o.Log), build: cmp.Or(o.Build, o.Version),
		stop: make(chan struct{}), failed: make(chan struct{}),
		every: cmp.Or(o.every, checkpointEvery), due: make(chan uint64, 1),
	}
	s := &Service{
		memory: m, keyring: keyring{environment: string(g.Environment), keys: keys},
		prover: prover{string(g.Environment), identity}, agents: agents{memory: m},
		pending: newChallenges(), begun: newRecoveries(), started: time.Now(),
	}
	s.accept.time, s.accept.nonces, s.accept.prices = o.AcceptTime, o.AcceptNonces, o.AcceptPrices
	s.sealed = decide.Constants{
		Environment:   g.Environment,
		RP:            stamp.RelyingParty{ID: g.RPID, Origins: g.Origins},
		PriceKey:      g.PriceKey,
		Networks:      g.Networks,
		AcceptNonces:  o.AcceptNonces,
		RecoveryDelay: time.Duration(g.RecoveryDelaySeconds) * time.Second,
	}
	if err := s.openJournal(o, journalKey); err != nil {
		return nil, errors.Join(err, keys.Close())
	}
	s.info = wire.InfoReply{
		Version: o.Version, Environment: string(g.Environment), Platform: "software", RPID: g.RPID,
		Origins: s.state.RP.Origins, Networks: s.state.Networks, IdentityKey: wire.CompressP256(&identity.PublicKey),
		Hardening: append(o.Hardening, keys.Hardening()...),
	}
	if s.info.Sealed, err = s.amendments(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.clock = newClock(time.UnixMilli(s.state.ProvenMs()).UTC(), time.UnixMilli(s.state.LastTimeMs()).UTC())
	if o.wall != nil {
		s.clock.wall = o.wall
	}
	return s, nil
}

// Start journals that the enclave runs from now on, and as what its operator told
// it to. It is called once, before Serve.
func (s *Service) Start() error {
	s.keeping.Go(s.keepCheckpoints)
	if s.accept.nonces {
		s.log.Warn("started with --accept-nonces, as an older copy of itself: " +
			"nonces are the node's word until the next start without it; " +
			"leave the flag out once every wallet has sent something")
	}
	if s.journal.EndAccepted() {
		if err := s.recordEndAccepted(); err != nil {
			return err
		}
	}
	if err := s.startClock(s.accept.time); err != nil {
		return err
	}
	if s.accept.prices {
		if err := s.acceptPrices(); err != nil {
			return err
		}
	}
	if err := s.agents.start(); err != nil {
		return err
	}
	go s.beat()
	return nil
}

// openJournal makes the state out of the journal, from the last checkpoint on
// where there is a good one.
func (m *memory) openJournal(o Options, key [32]byte) error {
	jo := journal.Options{
		Dir:       o.Dir,
		Key:       key,
		Binding:   binding(m.genesis.Environment, m.bound),
		MustExist: true,
		Disk:      o.disk,
		AcceptEnd: o.AcceptEnd,
	}
	m.state, jo.Known, jo.Skip = m.restore(jo, m.sealed)
	if err := m.state.Seeds(m.keys.Load); err != nil {
		return fmt.Errorf("loading the seeds of the checkpoint: %w", err)
	}
	if err := m.state.Secrets(m.keys.CheckSecret); err != nil {
		return fmt.Errorf("checking the agents' secrets of the checkpoint: %w", err)
	}
	j, err := journal.Open(jo, func(p journal.Position, payload []byte) error {
		var e decide.Event
		if err := json.Unmarshal(payload, &e); err != nil {
			return fmt.Errorf("entry %d: %w", p.Seq, err)
		}
		m.replayed++
		return m.absorb(e, p.Seq)
	})
	if err != nil {
		return fmt.Errorf("opening the journal: %w", err)
	}
	m.journal = j
	last := j.Durable().Seq
	m.log.Info("the journal is open", "entries", last, "replayed", m.replayed)
	if m.replayed >= m.every {
		m.due <- last
	}
	return nil
}

// absorb takes an event that stands in the journal into memory.
func (m *memory) absorb(e decide.Event, seq uint64) error {
	if e.Kind == decide.EventGenesis && e.Genesis != m.bound {
		return errors.New("the journal belongs to another genesis")
	}
	if e.Wallet != nil {
		if err := m.keys.Load(e.OrganizationID, e.Wallet.ID, e.Wallet.Sealed); err != nil {
			return fmt.Errorf("entry %d: %w", seq, err)
		}
	}
	if e.Agent != nil && e.Agent.Sealed != nil {
		if err := m.keys.CheckSecret(e.OrganizationID, e.Agent.ID, e.Agent.Sealed); err != nil {
			return fmt.Errorf("entry %d: %w", seq, err)
		}
	}
	return m.state.Apply(e, seq)
}

// startClock goes on with the enclave's time where the journal left it.
func (m *memory) startClock(accept bool) error {
	if accept {
		m.clock.accept()
	}
	m.warnBehind()
	return m.tick()
}

// warnBehind tells the operator why bodies are "in the future": a machine that
// slept has a later clock, and no uptime to show for it.
func (m *memory) warnBehind() {
	if lag := m.clock.behind(); lag > time.Second {
		m.log.Warn("the enclave's clock is behind the machine's: it was stopped for long; "+
			"start it with --accept-time if the machine's clock is right",
			"behind", lag.Round(time.Second).String())
	}
}

// tick journals the time.
func (m *memory) tick() error {
	p, err := m.recordTime()
	if err != nil {
		return err
	}
	return m.durable(p.Seq)
}

func (m *memory) recordTime() (journal.Position, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.record(decide.Event{Kind: decide.EventTime, TimeMs: m.clock.Now().UnixMilli()})
}

// recordEndAccepted journals that the operator took the journal as whole although
// journal.head could not say so.
func (m *memory) recordEndAccepted() error {
	m.mu.Lock()
	p, err := m.record(decide.Event{Kind: decide.EventEndAccepted, TimeMs: m.clock.Now().UnixMilli()})
	m.mu.Unlock()
	if err != nil {
		return err
	}
	m.log.Warn("journal.head was damaged, and the operator took the journal as whole: "+
		"clients that remember later entries will refuse this signer",
		"accepted in entry", p.Seq)
	return m.durable(p.Seq)
}

func (m *memory) beat() {
	t := time.NewTicker(heartbeat)
	defer t.Stop()
	for {
		select {
		case <-m.stop:
			return
		case <-t.C:
			if err := m.tick(); err != nil {
				m.log.Error("journaling the time", "error", err)
				m.fail(err)
				return
			}
			m.warnBehind()
		}
	}
}

// record appends an event and takes it into memory. The caller holds mu, and
// lets nothing leave before durable. Between the two steps memory lacks what the
// journal has; should the second fail or panic, it stays so, and all ends.
func (m *memory) record(e decide.Event) (journal.Position, error) {
	if m.why != nil {
		return journal.Position{}, unavailable(m.why)
	}
	e.AheadMs = m.clock.ahead(e.TimeMs)
	payload, err := json.Marshal(e)
	if err != nil {
		return journal.Position{}, fmt.Errorf("encoding an event: %w", err)
	}
	p, err := m.journal.Append(payload)
	if errors.Is(err, journal.ErrBroken) {
		m.failLocked(err)
	}
	if err != nil {
		return journal.Position{}, unavailable(err)
	}
	absorbed := false
	defer func() {
		if !absorbed {
			m.failLocked(errors.New("an entry of the journal could not be taken into memory"))
		}
	}()
	if err := m.absorb(e, p.Seq); err != nil {
		return journal.Position{}, err
	}
	absorbed = true
	if p.Seq%m.every == 0 {
		m.wantCheckpoint(p.Seq)
	}
	return p, nil
}

// durable waits until entry seq is on disk. Nothing leaves the enclave before.
func (m *memory) durable(seq uint64) error {
	if err := m.failure(); err != nil {
		return unavailable(err)
	}
	if err := m.journal.Wait(seq); err != nil {
		m.fail(err)
		return unavailable(err)
	}
	return nil
}

// fail ends all answers; Serve returns, and whoever started the process starts
// it again.
func (m *memory) fail(why error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failLocked(why)
}

func (m *memory) failLocked(why error) {
	if m.why == nil {
		m.why = why
		close(m.failed)
	}
}

func (m *memory) failure() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.why
}

// Close stops the service; what was acknowledged is on disk already.
func (s *Service) Close() error {
	select {
	case <-s.stop:
		return nil
	default:
		close(s.stop)
	}
	s.keeping.Wait()
	return errors.Join(s.journal.Close(), s.keyring.keys.Close())
}

// Lacks adds to what Info says could not be had here. It is not for a service
// that answers already.
func (s *Service) Lacks(missing []string) {
	s.info.Hardening = append(s.info.Hardening, missing...)
}

// Info describes the enclave.
func (s *Service) Info() wire.InfoReply {
	believed, _, at, _ := readDurable(s.memory, func(_ *decide.State, now time.Time) (wire.PricesReply, error) {
		return s.believed(now), nil
	})
	info, p := s.info, s.journal.Durable()
	info.TimeMs, info.Prices, info.DataFees = strconv.FormatInt(at.UnixMilli(), 10), believed.Assets, believed.DataFees
	info.Seq, info.Head = strconv.FormatUint(p.Seq, 10), hex.EncodeToString(p.Head[:])
	info.StartedMs = strconv.FormatInt(s.started.UnixMilli(), 10)
	info.JournalBytes = strconv.FormatInt(s.journal.Size(), 10)
	if free, err := s.journal.Free(); err == nil {
		info.DiskFree = strconv.FormatUint(free, 10)
	}
	return info
}

// Challenge issues a registration challenge.
func (s *Service) Challenge(q wire.ChallengeRequest) (wire.ChallengeReply, error) {
	// It rests on no entry, but what a broken enclave issues could not be answered.
	if err := s.durable(0); err != nil {
		return wire.ChallengeReply{}, err
	}
	ch, err := s.pending.issue(q.WorkspaceID, q.Email, s.clock.Now())
	if err != nil {
		return wire.ChallengeReply{}, err
	}
	return wire.ChallengeReply{Challenge: ch.text, ExpiresAtMs: strconv.FormatInt(ch.ExpiresAt.UnixMilli(), 10)}, nil
}

func unavailable(err error) error { return fault.ErrUnavailable.Because(err) }
