package enclave

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/crash"
	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/journal"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/stamp"
	"github.com/railkit/railkit/enclave/wire"
)

// Submit executes a body once. The order is the safety: judge, journal, wait
// for the disk, and only then sign. A body that was executed gives its first
// result again, whoever asks.
func (s *Service) Submit(q wire.SubmitRequest) (wire.OutcomeReply, error) {
	if q.Again {
		return s.again(q)
	}
	sub, seq, err := s.read(q)
	if err == nil && seq == 0 {
		if seq, err = s.execute(sub); err != nil {
			err = s.refuse(err)
		}
	}
	if err != nil {
		return wire.OutcomeReply{}, err
	}
	out, err := s.outcome(seq)
	if err == nil && out.State == wire.Done {
		out.AgentSecret, err = s.reveal(sub.Request, q.Stamp)
	}
	return out, err
}

// read parses and verifies outside of the lock: signatures take the most time. A
// body that was decided before only has the number of its entry.
func (s *Service) read(q wire.SubmitRequest) (decide.Submission, uint64, error) {
	r, err := decide.Parse(q.Body)
	if err != nil {
		return decide.Submission{}, 0, err
	}
	if past, known := s.lookup(r.Fingerprint); known {
		return s.readKnown(r, q, past)
	}
	sub, err := s.readNew(r, q)
	if err != nil {
		// An equal call may have been decided since, and have used up the challenge or the mail that this one looked
		// for. Its outcome is the answer to both.
		if past, known := s.lookup(r.Fingerprint); known {
			return s.readKnown(r, q, past)
		}
	}
	return sub, 0, err
}

// readKnown reads a body that was decided: it has its result, or waits and is judged
// again, by the votes alone.
func (s *Service) readKnown(
	r decide.Request, q wire.SubmitRequest, past decide.Past,
) (decide.Submission, uint64, error) {
	sub := decide.Submission{Request: r}
	if !past.Held {
		return sub, past.Seq, s.checkAgain(r, q.Stamp, past.Seq)
	}
	if q.Volatile != nil {
		sub.Volatile = *q.Volatile
	}
	return sub, 0, nil
}

// readNew verifies the stamp of a body that was not decided yet, and what else gives it authority.
func (s *Service) readNew(r decide.Request, q wire.SubmitRequest) (sub decide.Submission, err error) {
	sub.Request = r
	if q.Volatile != nil {
		sub.Volatile = *q.Volatile
	}
	if sub.Ceremony = s.ceremony(r); sub.Ceremony != nil {
		err = s.readRegistration(&sub, *sub.Ceremony)
	}
	if r.Body.Type == wire.RecoverUser {
		err = s.readRecovery(&sub)
	}
	switch {
	case err != nil || r.Body.Type == wire.CreateSubOrganization:
	case q.Stamp != nil && q.Stamp.HeaderName == wire.AgentStamp:
		sub.Claim, err = s.readAgentStamp(r, *q.Stamp)
	case q.Stamp != nil && stamp.IsKeyStamp(*q.Stamp):
		sub.Key, err = readKeyStamp(r, *q.Stamp)
	default:
		sub.Signer, err = s.readStamp(r, q.Stamp)
	}
	return sub, err
}

// again tells what became of a body that its owner stamped, and changes nothing.
func (s *Service) again(q wire.SubmitRequest) (wire.OutcomeReply, error) {
	r, err := decide.Parse(q.Body)
	if err != nil {
		return wire.OutcomeReply{}, err
	}
	past, known := s.lookup(r.Fingerprint)
	if err := s.checkAgain(r, q.Stamp, past.Seq); err != nil {
		return wire.OutcomeReply{}, err
	}
	if !known {
		return wire.OutcomeReply{State: wire.Unknown}, s.durable(0)
	}
	return s.outcome(past.Seq)
}

// checkAgain refuses a stamp that is not one for the body by a passkey of its
// organization. The counter was seen before, by the first of two equal calls. A
// passkey that was removed since, perhaps by this very body, can no longer be
// asked: it is enough that the body's entry (seq, 0: none) names it.
func (s *Service) checkAgain(r decide.Request, st *wire.Stamp, seq uint64) error {
	if st == nil {
		return nil // a result is everybody's who has the body
	}
	if st.HeaderName == wire.AgentStamp {
		_, err := s.readAgentStamp(r, *st)
		return err
	}
	if stamp.IsKeyStamp(*st) {
		_, err := readKeyStamp(r, *st)
		return err
	}
	a, err := stamp.ParseAssertion(*st)
	if err != nil {
		return decide.StampRefused(err)
	}
	id := base64.RawURLEncoding.EncodeToString(a.CredentialID())
	if _, known := s.credential(id); !known && seq > 0 {
		if err := s.durable(seq); err != nil { // an equal call may be writing the entry just now
			return err
		}
		e, _, err := s.entry(seq)
		if err == nil && (e.Stamp == nil || e.Stamp.CredentialID != id) {
			err = decide.ErrStranger
		}
		return err
	}
	if _, err := s.readStamp(r, st); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.CheckOwner(id, r.Body.OrganizationID)
}

func (m *memory) lookup(fingerprint string) (decide.Past, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state.Outcome(fingerprint)
}

// ceremony is the making of a passkey that a body carries, nil where it does not.
func (m *memory) ceremony(r decide.Request) *decide.Ceremony {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c, ok := m.state.Ceremony(r); ok {
		return &c
	}
	return nil
}

func (s *Service) readRegistration(sub *decide.Submission, c decide.Ceremony) error {
	sub.Challenge = s.pending.find(c.WorkspaceID, c.Challenge)
	if sub.Challenge == nil {
		return refusal.ErrChallenge
	}
	challenge, err := base64.RawURLEncoding.DecodeString(c.Challenge)
	if err != nil {
		return refusal.ErrChallenge
	}
	reg, err := stamp.VerifyRegistration(s.state.RP, challenge, c.Attestation)
	if err != nil {
		return decide.NotRegistered(err)
	}
	sub.Registration = &reg
	return nil
}

func (s *Service) readStamp(r decide.Request, st *wire.Stamp) (*decide.Signer, error) {
	if st == nil {
		return nil, nil // Decide knows whether it needs one
	}
	a, err := stamp.ParseAssertion(*st)
	if err != nil {
		return nil, decide.StampRefused(err)
	}
	id := base64.RawURLEncoding.EncodeToString(a.CredentialID())
	key, ok := s.credential(id)
	if !ok {
		return nil, decide.ErrStranger
	}
	seen, err := a.Verify(s.state.RP, key, []byte(r.Raw))
	if err != nil {
		return nil, decide.StampRefused(err)
	}
	return &decide.Signer{CredentialID: id, Key: key, Counter: seen.SignCount,
		BackupEligible: seen.BackupEligible}, nil
}

// readKeyStamp finds the key. Whether a delegation names it, Decide knows.
func readKeyStamp(r decide.Request, st wire.Stamp) (publicKey string, err error) {
	publicKey, err = stamp.VerifyKey(st, []byte(r.Raw))
	if err != nil {
		return "", decide.StampRefused(err)
	}
	return publicKey, nil
}

func (m *memory) credential(id string) (stamp.Credential, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state.Credential(id)
}

// execute decides, makes the keys that the event needs, decides again and
// journals. Keys are made outside of the lock: a seed takes milliseconds. Each
// caller is judged by its own stamp, also beside others with the same body.
func (s *Service) execute(sub decide.Submission) (seq uint64, err error) {
	d, err := s.judge(sub)
	if err != nil || d.Past != nil {
		return seqOf(d.Past), err
	}
	material, err := s.materials(d.Event)
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if d, err = s.judgeLocked(sub); err != nil || d.Past != nil {
		return seqOf(d.Past), err
	}
	material.into(&d.Event)
	crash.At("enclave", "decided")
	p, err := s.record(d.Event)
	if err != nil {
		return 0, err
	}
	crash.At("enclave", "appended")
	if c := sub.Ceremony; c != nil {
		s.pending.use(c.WorkspaceID, c.Challenge)
	}
	if sub.Begun != nil {
		s.begun.use(sub.Begun.ID)
	}
	return p.Seq, nil
}

func seqOf(p *decide.Past) uint64 {
	if p == nil {
		return 0
	}
	return p.Seq
}

func (s *Service) judge(sub decide.Submission) (decide.Decision, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.judgeLocked(sub)
}

// judgeLocked judges by what is now; the caller holds mu. A challenge is looked up
// again: another body may have used it up since this one was read.
func (s *Service) judgeLocked(sub decide.Submission) (decide.Decision, error) {
	if c := sub.Ceremony; c != nil {
		sub.Challenge = s.pending.find(c.WorkspaceID, c.Challenge)
	}
	if b := sub.Begun; b != nil {
		sub.Begun = s.begun.find(b.ID)
	}
	now := s.clock.Now()
	d, err := s.state.Decide(sub, now)
	if err == nil { // then its entry names the time
		return d, nil
	}
	broken := s.bear(now, func(last time.Time) bool {
		_, was := s.state.Decide(sub, last)
		return reflect.DeepEqual(err, was)
	})
	if broken != nil {
		err = broken
	}
	return d, err
}

// Cancel makes sure that a body is never executed, or tells that it was.
func (s *Service) Cancel(q wire.FingerprintRequest) (wire.OutcomeReply, error) {
	if !decide.IsFingerprint(q.Fingerprint) {
		return wire.OutcomeReply{}, refusal.ErrBody.Msg("fingerprint is not sha256: and 64 hex digits")
	}
	seq, err := s.cancel(q.Fingerprint)
	if err != nil {
		return wire.OutcomeReply{}, err
	}
	return s.outcome(seq)
}

func (s *Service) cancel(fingerprint string) (seq uint64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.state.Cancel(fingerprint, s.clock.Now())
	if d.Past != nil {
		return d.Past.Seq, nil
	}
	p, err := s.record(d.Event)
	return p.Seq, err
}

// entry reads an event back. The log under an open journal does not change, so
// one that does not come back as it was written ends all answers: a restart
// finds out what happened to it.
func (m *memory) entry(seq uint64) (decide.Event, journal.Position, error) {
	e, p, err := readEvent(m.journal, seq)
	if err != nil {
		m.fail(err)
		return e, p, unavailable(err)
	}
	return e, p, nil
}

func readEvent(j *journal.Journal, seq uint64) (e decide.Event, p journal.Position, err error) {
	p, payload, err := j.Read(seq)
	if err != nil {
		return e, p, err
	}
	if err := json.Unmarshal(payload, &e); err != nil {
		return e, p, fmt.Errorf("entry %d: %w", seq, err)
	}
	return e, p, nil
}

// sign signs the bytes that stand in the journal, and gives them out only after they were read back: they must hold
// this very transaction under this very signature.
func (k *keyring) sign(o decide.Order) (*wire.Transaction, error) {
	f, err := familyOf(o.Kind)
	if err != nil {
		return nil, err
	}
	tx, err := f.DecodeUnsigned(o.Unsigned)
	if err != nil {
		return nil, fmt.Errorf("reading an order: %w", err)
	}
	sig, err := k.signPayload(f, o.WalletID, o.Path, o.SignWith, tx.Payload)
	if err != nil {
		return nil, err
	}
	signed, err := f.Attach(tx, o.SignWith, sig)
	if err != nil {
		return nil, fmt.Errorf("putting a transaction together: %w", err)
	}
	again, with, err := f.DecodeSigned(signed, o.SignWith)
	if err != nil || !bytes.Equal(again.Unsigned, tx.Unsigned) || !bytes.Equal(again.Payload, tx.Payload) ||
		!bytes.Equal(with, sig) {
		return nil, errors.Join(errors.New("the signed transaction is not the one that was journaled"), err)
	}
	made := &wire.Transaction{
		SignWith: o.SignWith, Chain: o.Chain, ChainID: cmp.Or(tx.NetworkID, o.Cluster),
		SignedTransaction: chain.Hex(signed), TxHash: f.ID(signed),
	}
	switch {
	case f.Form().Nonces:
		made.Nonce = strconv.FormatUint(o.Nonce, 10)
	case o.Expires > 0:
		made.Expires = strconv.FormatInt(o.Expires, 10)
	case o.LastHeight > 0:
		made.LastHeight = strconv.FormatUint(o.LastHeight, 10)
	}
	return made, nil
}

// familyOf finds the family of an entry. Entries from before there was another one than EVM name none.
func familyOf(k chain.Kind) (chain.Family, error) {
	f, ok := families.Of(cmp.Or(k, chain.EVM))
	if !ok {
		return nil, fmt.Errorf("reading an order: this program knows no chains of kind %q", k)
	}
	return f, nil
}

// signPayload wants a signature of the account's key. The keystore verifies it under the wallet's public key before it
// lets go of it: a wrong one could give the key away. What is left to check here is that this key is the account's.
func (k *keyring) signPayload(f chain.Family, walletID, path, signWith string, payload []byte) ([]byte, error) {
	sig, public, err := k.keys.Sign(walletID, f.Form().Curve, path, payload)
	if err != nil {
		return nil, fmt.Errorf("signing: %w", err)
	}
	by, err := f.AddressOf(public)
	if err != nil {
		return nil, fmt.Errorf("reading the address of a key: %w", err)
	}
	if account, err := f.ParseAddress(signWith); err != nil || account != by {
		return nil, errors.Join(errors.New("the signature is not by the account's key"), err)
	}
	return sig, nil
}

// signMessage signs the digest, or on ed25519 the message, that stands in the journal.
func (k *keyring) signMessage(o decide.MessageOrder) (*wire.Signature, error) {
	f, err := familyOf(o.Kind)
	if err != nil {
		return nil, err
	}
	sig, err := k.signPayload(f, o.WalletID, o.Path, o.SignWith, o.Digest)
	if err != nil {
		return nil, err
	}
	return &wire.Signature{
		SignWith: o.SignWith, Digest: chain.Hex(o.Digest), Signature: f.EncodeSignature(sig),
	}, nil
}
