package railkit

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/railkit/railkit/enclave/wire"
)

// How much a Memory holds. Beyond it the oldest is forgotten, never the highest seq, and never what was not checked:
// a host that goes back to an older journal could show so many proofs that the one which gives it away is forgotten.
const (
	maxHeads    = 4096
	maxPreviews = 4096
	maxPayees   = 65536
	maxLoose    = 4096              // seen and not yet checked
	maxAsked    = wire.MaxHeads - 1 // with the newest one that was checked, as many as one call can ask about
)

// Memory is what a client has seen of the enclave's journal. It is what makes a
// rolled back or forked journal visible. One Memory may serve many clients. It
// also knows which withdrawal address each bank account had.
type Memory struct {
	mu       sync.Mutex
	highest  uint64
	heads    ring[uint64, string]
	previews ring[string, uint64] // fingerprint -> seq of its preview
	payees   ring[Payee, string]  // -> withdrawal address
	payeeOf  ring[string, Payee]  // by the id of a withdrawal address

	// What the signer has not yet been asked about: see Client.CheckJournal.
	sound place   // the newest entry that is in one journal with all that were checked
	loose []place // seen since, or before and not checked
}

// Payee is what a withdrawal address is for: one bank account, by one stablecoin
// on one chain. It has the same address for ever.
type Payee struct {
	BankAccountID, Chain, Currency string
}

// NewMemory is a Memory that has seen nothing.
func NewMemory() *Memory {
	return &Memory{
		heads: newRing[uint64, string](maxHeads), previews: newRing[string, uint64](maxPreviews), payees: newRing[Payee, string](maxPayees),
		payeeOf: newRing[string, Payee](maxPayees),
	}
}

// RememberAddress says which withdrawal address a bank account has, as the caller
// wrote it down the first time: a client that starts anew refuses another one
// from its first call on. An address that is known already and differs is refused
// with a TamperError.
func (m *Memory) RememberAddress(p Payee, address string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	p.BankAccountID = strings.ToLower(p.BankAccountID)
	if known, ok := m.payees.get(p); ok && !sameHex(known, address) {
		return tampered(ReasonAddress, "bank account %s had another withdrawal address for %s on %s", p.BankAccountID, p.Currency, p.Chain)
	}
	m.payees.put(p, address)
	return nil
}

// rememberID takes note of what the withdrawal address with an id is for.
func (m *Memory) rememberID(id string, p Payee) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	id, p.BankAccountID = strings.ToLower(id), strings.ToLower(p.BankAccountID)
	if known, ok := m.payeeOf.get(id); ok && known != p {
		return tampered(ReasonAddress, "the withdrawal address %s was for another bank account, chain or stablecoin", id)
	}
	m.payeeOf.put(id, p)
	return nil
}

// Highest is the highest seq seen so far.
func (m *Memory) Highest() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.highest
}

// see takes note of a head that the enclave signed for.
func (m *Memory) see(seq uint64, head string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	known, ok := m.heads.get(seq)
	if !ok && seq == m.sound.seq { // forgotten, but for this
		known, ok = m.sound.head, true
	}
	if ok && known != head {
		return tampered(ReasonFork, "the journal has two heads at %d", seq)
	}
	if !ok && len(m.loose) == maxLoose {
		return fmt.Errorf("railkit: %d statements of the signer are to be held against its journal first: call CheckJournal", maxLoose)
	}
	if !ok {
		m.loose = append(m.loose, place{seq, head})
	}
	m.heads.put(seq, head)
	m.highest = max(m.highest, seq)
	return nil
}

// unchecked are the entries to ask about in one call, with the one that they have to be in one
// journal with. Empty: there is nothing new.
func (m *Memory) unchecked() []place {
	m.mu.Lock()
	defer m.mu.Unlock()
	next := slices.Clone(m.loose[:min(len(m.loose), maxAsked)])
	if len(next) == 0 || m.sound.seq == 0 {
		return next
	}
	return append([]place{m.sound}, next...)
}

// checked takes note that these entries are in the journal that ends at now.
func (m *Memory) checked(those []place, now place) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.loose = slices.DeleteFunc(m.loose, func(p place) bool { return p == now || slices.Contains(those, p) })
	if now.seq > m.sound.seq {
		m.sound = now
	}
}

func (m *Memory) rememberPreview(fingerprint string, seq uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.previews.put(fingerprint, seq)
}

func (m *Memory) previewOf(fingerprint string) (uint64, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.previews.get(fingerprint)
}

// ring is a map that forgets its oldest entry when it is full.
type ring[K comparable, V any] struct {
	values map[K]V
	order  []K
	size   int
	next   int
}

func newRing[K comparable, V any](size int) ring[K, V] {
	return ring[K, V]{values: map[K]V{}, size: size}
}

func (r *ring[K, V]) get(k K) (V, bool) {
	v, ok := r.values[k]
	return v, ok
}

func (r *ring[K, V]) put(k K, v V) {
	if _, known := r.values[k]; !known {
		if len(r.order) < r.size {
			r.order = append(r.order, k)
		} else {
			delete(r.values, r.order[r.next])
			r.order[r.next] = k
			r.next = (r.next + 1) % len(r.order)
		}
	}
	r.values[k] = v
}
