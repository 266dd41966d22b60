package railkit

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/railkit/railkit/enclave/wire"
)

// JournalService checks that the enclave still has the journal that this client has seen.
type JournalService struct{ c *Client }

// place is an entry of the signer's journal that a proof has named.
type place struct {
	seq  uint64
	head string
}

// Heads has the signer state which heads its journal had at these entries,
// at most 64. The statement's own Seq and Head are those of the journal now. 409
// journal_shorter: the journal does not reach one of them. Sealed is all that the
// signer's operator has added since its genesis (networks, tokens, origins, another
// price key), nil where that is nothing: who compares it with what he has seen
// before learns that the signer takes more than it did.
func (s *JournalService) Heads(ctx context.Context, seqs ...uint64) (*Statement, error) {
	names := make([]string, len(seqs))
	for i, seq := range seqs {
		names[i] = strconv.FormatUint(seq, 10)
	}
	q := url.Values{"seqs": {strings.Join(names, ",")}}
	r, err := send[struct {
		Proof *Proof `json:"proof"`
	}](ctx, s.c, request{method: http.MethodGet, path: "/v1/signing/journal", query: q})
	if err != nil {
		return nil, err
	}
	if s.c.verify == nil {
		return nil, errors.New("railkit: this client has no key to check the signer's journal with")
	}
	st, err := s.c.verify.open(r.Data.Proof, wire.KindJournal)
	if err != nil {
		return nil, err
	}
	for i, h := range st.Heads {
		if i >= len(names) || h.Seq != names[i] {
			return nil, tampered(ReasonKind, "the statement is of other entries of the journal than were asked for")
		}
	}
	if len(st.Heads) != len(names) {
		return nil, tampered(ReasonKind, "the statement leaves out entries of the journal that were asked for")
	}
	return &st.Statement, nil
}

// Check asks the signer whether all that this client has seen of its journal
// is in the one journal that it has now. A signer whose folder was put back to an
// older copy cannot say so. Every preview is preceded by it; a program that keeps a
// [Memory] for long can also call it at its start, or after an outage.
func (s *JournalService) Check(ctx context.Context) error {
	if s.c.verify == nil {
		return errors.New("railkit: this client has no key to check the signer's journal with")
	}
	return s.checkSeen(ctx)
}

// checkSeen asks about every entry that was seen and not yet found to be of one
// journal with the others. Nothing is asked where only one was ever seen.
func (s *JournalService) checkSeen(ctx context.Context) error {
	m := s.c.verify.memory
	for seen := m.unchecked(); len(seen) > 1; seen = m.unchecked() {
		now, err := s.compare(ctx, seen)
		if err != nil {
			return err
		}
		m.checked(seen, now)
	}
	return nil
}

// compare is where the signer's journal ends, if the entries are in it.
func (s *JournalService) compare(ctx context.Context, seen []place) (now place, err error) {
	seqs := make([]uint64, len(seen))
	for i, p := range seen {
		seqs[i] = p.seq
	}
	st, err := s.Heads(ctx, seqs...)
	var answer *Error
	if errors.As(err, &answer) && answer.Code == "journal_shorter" {
		return now, tampered(ReasonStale,
			"the signer's journal ends before an entry that this client has seen: its folder is an older copy")
	}
	if err != nil {
		return now, fmt.Errorf("railkit: asking the signer whether its journal is still the same: %w", err)
	}
	for i, p := range seen {
		if st.Heads[i].Head != p.head {
			return now, tampered(ReasonFork,
				"entry %d of the signer's journal is another one than this client has seen: "+
					"its folder is an older copy", p.seq)
		}
	}
	end, err := strconv.ParseUint(st.Seq, 10, 64)
	if err != nil {
		return now, tampered(ReasonProof, "it names no place in the journal")
	}
	return place{end, st.Head}, nil
}

// How much a Memory holds. Beyond it the oldest is forgotten, never the highest seq, and never what was not checked:
// a host that goes back to an older journal could show so many proofs that the one which gives it away is forgotten.
const (
	maxHeads    = 4096
	maxPreviews = 4096
	maxUses     = 65536
	maxLoose    = 4096              // seen and not yet checked
	maxAsked    = wire.MaxHeads - 1 // with the newest one that was checked, as many as one call can ask about
)

// Memory is what a client has seen of the enclave's journal. It is what makes a
// rolled back or forked journal visible. One Memory may serve many clients. It
// also knows which withdrawal address each bank account had.
type Memory struct {
	mu        sync.Mutex
	highest   uint64
	heads     ring[uint64, string]
	previews  ring[string, uint64]     // fingerprint -> seq of its preview
	once      ring[string, string]     // fingerprint -> id of its only transaction, and the other way round
	addresses ring[AddressUse, string] // -> withdrawal address
	useOf     ring[string, AddressUse] // by the id of a withdrawal address

	// What the signer has not yet been asked about: see JournalService.Check.
	sound place   // the newest entry that is in one journal with all that were checked
	loose []place // seen since, or before and not checked
}

// AddressUse is what a withdrawal address is for: one bank account, by one stablecoin
// on one chain. It has the same address for ever.
type AddressUse struct {
	BankAccountID, Chain, Currency string
}

// NewMemory is a Memory that has seen nothing.
func NewMemory() *Memory {
	return &Memory{
		heads: newRing[uint64, string](maxHeads), previews: newRing[string, uint64](maxPreviews),
		once:      newRing[string, string](maxPreviews),
		addresses: newRing[AddressUse, string](maxUses), useOf: newRing[string, AddressUse](maxUses),
	}
}

// RememberAddress says which withdrawal address a bank account has, as the caller
// wrote it down the first time: a client that starts anew refuses another one
// from its first call on. An address that is known already and differs is refused
// with a TamperError.
func (m *Memory) RememberAddress(p AddressUse, address string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	p.BankAccountID = strings.ToLower(p.BankAccountID)
	if known, ok := m.addresses.get(p); ok && !sameAddress(known, address) {
		return tampered(ReasonAddress, "bank account %s had another withdrawal address for %s on %s",
			p.BankAccountID, p.Currency, p.Chain)
	}
	m.addresses.put(p, address)
	return nil
}

// rememberID takes note of what the withdrawal address with an id is for.
func (m *Memory) rememberID(id string, p AddressUse) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	id, p.BankAccountID = strings.ToLower(id), strings.ToLower(p.BankAccountID)
	if known, ok := m.useOf.get(id); ok && known != p {
		return tampered(ReasonAddress,
			"the withdrawal address %s was for another bank account, chain or stablecoin", id)
	}
	m.useOf.put(id, p)
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
		return fmt.Errorf(
			"railkit: %d statements of the signer are to be held against its journal first: call Journal.Check",
			maxLoose,
		)
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

// signedOnce takes note of what was signed where transactions have no nonces: one message for one body. A second
// message would be a second payment, and a second body for a message would pay nothing.
func (m *Memory) signedOnce(fingerprint string, made *wire.Transaction) error {
	if made.Nonce != "" || made.TxHash == "" {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for of, is := range map[string]string{fingerprint: made.TxHash, made.TxHash: fingerprint} {
		if known, ok := m.once.get(of); ok && known != is {
			return tampered(ReasonResult, "two transactions were signed for one body, or one for two")
		}
		m.once.put(of, is)
	}
	return nil
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
