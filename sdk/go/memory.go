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
	useOf     ring[string, AddressUse] // by the id of a withdrawal address or quote

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

// rememberID takes note of what the withdrawal address or quote with an id is for.
func (m *Memory) rememberID(id string, p AddressUse) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	id, p.BankAccountID = strings.ToLower(id), strings.ToLower(p.BankAccountID)
	if known, ok := m.useOf.get(id); ok && known != p {
		return tampered(ReasonAddress,
			"%s was for another bank account, chain or stablecoin", id)
	}
	m.useOf.put(id, p)
	return nil
}

// rememberQuote holds the address of a quote against what it is for, and takes note of what the quote is for.
func (m *Memory) rememberQuote(req QuoteRequest, q *Quote) error {
	use := AddressUse{q.BeneficiaryAccountID, q.Chain, q.Token}
	for _, f := range [][2]string{
		{req.BeneficiaryAccountID, use.BankAccountID}, {req.Chain, use.Chain}, {req.Token, use.Currency},
	} {
		if f[0] != "" && !strings.EqualFold(f[0], f[1]) {
			return tampered(ReasonAddress, "the quote is for another account, chain or stablecoin than was asked for")
		}
	}
	if err := errors.Join(m.rememberID(q.WithdrawAddressID, use), m.rememberID(q.QuoteID, use)); err != nil {
		return err
	}
	return m.RememberAddress(use, q.WithdrawAddress)
}

// rememberExecuted holds what a payment waits for against its quote, or against the bank account that was named.
func (m *Memory) rememberExecuted(req ExecuteRequest, p *Payment) error {
	if req.BeneficiaryAccountID != "" && !strings.EqualFold(req.BeneficiaryAccountID, p.BeneficiaryAccountID) {
		return tampered(ReasonAddress, "the payment is to another bank account than was asked for")
	}
	if d := p.DepositInstructions; req.QuoteID != "" && d != nil && d.Address != "" {
		if err := m.rememberID(req.QuoteID, AddressUse{p.BeneficiaryAccountID, d.Chain, d.Token}); err != nil {
			return err
		}
	}
	return m.rememberPayment(p)
}

// rememberPayment holds the address at which a payment waits for coins against what it is for.
func (m *Memory) rememberPayment(p *Payment) error {
	d := p.DepositInstructions
	if d == nil || d.Address == "" { // it waits for nothing, or for a bank transfer
		return nil
	}
	return m.RememberAddress(AddressUse{p.BeneficiaryAccountID, d.Chain, d.Token}, d.Address)
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

// Credential is a passkey, as far as it matters who holds it.
type Credential struct {
	ID        string `json:"id"`        // base64url without padding
	PublicKey string `json:"publicKey"` // COSE key, base64url without padding
}

// Owners are all who may sign for the accounts of a sub-organization.
type Owners struct {
	Credentials       []Credential `json:"credentials"`
	RecoveryPublicKey string       `json:"recoveryPublicKey,omitempty"` // "": none may recover
	// Removed since; statements from before still name them.
	Former         []Credential `json:"former,omitempty"`
	FormerRecovery []string     `json:"formerRecovery,omitempty"` // recovery keys that were replaced
}

func (o Owners) clone() Owners {
	return Owners{
		slices.Clone(o.Credentials), o.RecoveryPublicKey, slices.Clone(o.Former), slices.Clone(o.FormerRecovery),
	}
}

// Without is the owners once a passkey is removed.
func (o Owners) Without(credentialID string) Owners {
	next := o.clone()
	next.Credentials = nil
	for _, c := range o.Credentials {
		if c.ID == credentialID {
			next.Former = append(next.Former, c)
		} else {
			next.Credentials = append(next.Credentials, c)
		}
	}
	return next
}

type ownerBook struct {
	mu    sync.RWMutex
	known map[string]Owners
}

// TrustOwners tells the client who owns a sub-organization: after a restart,
// from what [Registration].Owners said, and when somebody adds a passkey. It
// replaces what was known of it before.
func (s *SubOrganizationsService) TrustOwners(subOrganizationID string, o Owners) {
	s.c.owners.mu.Lock()
	defer s.c.owners.mu.Unlock()
	s.c.owners.known[subOrganizationID] = o.clone()
}

// KnownOwners is what the client believes of a sub-organization, for storing it.
func (s *SubOrganizationsService) KnownOwners(subOrganizationID string) (Owners, bool) {
	s.c.owners.mu.RLock()
	defer s.c.owners.mu.RUnlock()
	o, ok := s.c.owners.known[subOrganizationID]
	return o.clone(), ok
}

// match refuses owners nobody told us about, and owners that lack one of ours.
func (o Owners) match(stated *wire.Owners) error {
	o.Former, o.FormerRecovery = nil, nil // who was removed owns nothing now
	if err := o.noStranger(stated); err != nil {
		return err
	}
	for _, known := range o.Credentials {
		if !slices.ContainsFunc(stated.Credentials, known.is) {
			return tampered(ReasonOwners, "a passkey of this sub-organization is not among the owners")
		}
	}
	return nil
}

// noStranger is match for a statement from some time ago.
func (o Owners) noStranger(stated *wire.Owners) error {
	if stated == nil {
		return tampered(ReasonOwners, "the enclave's statement names no owners")
	}
	for _, s := range stated.Credentials {
		same := func(c Credential) bool { return c.is(s) }
		if !slices.ContainsFunc(o.Credentials, same) && !slices.ContainsFunc(o.Former, same) {
			return tampered(ReasonOwners, "a passkey that is not known here can sign for it")
		}
	}
	if stated.RecoveryPublicKey != o.RecoveryPublicKey && !slices.Contains(o.FormerRecovery, stated.RecoveryPublicKey) {
		return tampered(ReasonOwners, "the recovery key is not the one known here")
	}
	return nil
}

func (c Credential) is(s wire.Credential) bool {
	return s.CredentialID == c.ID && s.PublicKey == c.PublicKey
}

// beforeConfirm reads the body that is handed in and finds who may own what it
// makes, before anything is made that could not be checked.
func (s *SubOrganizationsService) beforeConfirm(signed SignedActivity, params any) (Owners, error) {
	if s.c.verify == nil {
		return Owners{}, nil
	}
	body, err := readBody(signed.Body)
	if err != nil {
		return Owners{}, err
	}
	if err := readParams(body, params); err != nil {
		return Owners{}, err
	}
	owners, ok := s.KnownOwners(body.OrganizationID)
	if !ok {
		return Owners{}, ErrOwnersUnknown
	}
	return owners, nil
}

// ownedBy checks the proof of what a stamped body made, and that the known passkeys own it and nobody else.
func (v *verifier) ownedBy(owners Owners, p *Proof, body string, activity wire.ActivityType) (*opened, error) {
	st, err := v.result(p, body, activity)
	if err != nil {
		return nil, err
	}
	return checked(st, owners.match(st.Result.Owners))
}

// fresh checks a statement that was asked for just now, and the owners where the client knows them.
func (s *SubOrganizationsService) fresh(p *Proof, floor uint64) (*opened, error) {
	st, err := s.c.verify.fresh(p, floor)
	if err != nil {
		return nil, err
	}
	if owners, ok := s.KnownOwners(st.OrganizationID); ok {
		return checked(st, owners.match(st.State.Owners))
	}
	return st, nil
}

// checkOwners looks for strangers where the client knows the owners.
func (s *SubOrganizationsService) checkOwners(st *opened, stated *wire.Owners) error {
	owners, ok := s.KnownOwners(st.OrganizationID)
	if !ok {
		return nil
	}
	return owners.noStranger(stated)
}
