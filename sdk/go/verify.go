package railkit

import (
	"context"
	"strconv"
	"strings"

	"github.com/railkit/railkit/enclave/wire"
)

// The enclave's own words, in its own types.
type (
	// Proof is a statement of the enclave under its identity key.
	Proof = wire.Proof
	// Statement is what a Proof says.
	Statement = wire.Statement
	// Preview is what a body would do.
	Preview = wire.Preview
	// Stamp is a passkey's signature over a body.
	Stamp = wire.Stamp
)

// Fingerprint is the name of a body: "sha256:" and the hex of its hash.
func Fingerprint(body string) string { return wire.Fingerprint(body) }

// Challenge is the text a passkey signs for a body: the lower-case hex of its hash.
func Challenge(body string) string { return wire.Digest(body) }

// verifier checks proofs against the pinned key and against what was seen before.
type verifier struct {
	key         string
	environment string
	memory      *Memory
}

// opened is a statement that holds.
type opened struct {
	wire.Statement
	seq uint64
}

// open checks what every proof must satisfy. An empty kind is any.
func (v *verifier) open(p *Proof, kind string) (*opened, error) {
	if p == nil || p.Payload == "" {
		return nil, tampered(ReasonProof, "there is no proof")
	}
	st, err := p.Open(v.key)
	if err != nil {
		return nil, tampered(ReasonProof, "%v", err)
	}
	if err := uniqueNames([]byte(p.Payload)); err != nil {
		return nil, tampered(ReasonProof, "payload: %v", err)
	}
	seq, err := strconv.ParseUint(st.Seq, 10, 64)
	if err != nil || st.Head == "" {
		return nil, tampered(ReasonProof, "it names no place in the journal")
	}
	if v.environment != "" && st.Environment != v.environment {
		return nil, tampered(ReasonEnvironment, "it is for another environment")
	}
	if err := v.memory.see(seq, st.Head); err != nil {
		return nil, err
	}
	if kind != "" && st.Kind != kind {
		return nil, tampered(ReasonKind, "it is a %s, not a %s", st.Kind, kind)
	}
	return &opened{Statement: st, seq: seq}, nil
}

// VerifyProof checks a proof that came by another way, such as a stored one: by
// the pinned key, of the configured environment, and of no other journal than
// the one this client has seen.
func (c *Client) VerifyProof(p Proof) (Statement, error) {
	if c.verify == nil {
		return Statement{}, tampered(ReasonProof, "this client has no key to check it with")
	}
	st, err := c.verify.open(&p, "")
	if err != nil {
		return Statement{}, err
	}
	return st.Statement, nil
}

// preview checks everything about a prepare answer that does not depend on what
// was asked for. It gives the body, read strictly. Whatever the preview says, it
// counts only where the signer's journal is the one that was seen before.
func (c *Client) preview(ctx context.Context, p *Prepared, activity wire.ActivityType, floor uint64, replayed bool) (*wire.Body, *Preview, error) {
	body, shown, err := c.verify.preview(p, activity, floor, replayed)
	if err == nil {
		err = c.oneJournal(ctx)
	}
	if err != nil {
		return nil, nil, err
	}
	return body, shown, nil
}

func (v *verifier) preview(p *Prepared, activity wire.ActivityType, floor uint64, replayed bool) (*wire.Body, *Preview, error) {
	st, err := v.open(&p.Preview, wire.KindPreview)
	if err != nil {
		return nil, nil, err
	}
	if st.seq < floor && !replayed {
		return nil, nil, tampered(ReasonStale, "the preview is of %d, this client has seen %d", st.seq, floor)
	}
	if err := matchFingerprint(p, st.Fingerprint); err != nil {
		return nil, nil, err
	}
	body, err := readBody(p.UnsignedActivity.Body)
	if err != nil {
		return nil, nil, err
	}
	if st.Activity != activity || body.Type != activity {
		return nil, nil, tampered(ReasonKind, "the body is of another activity than was asked for")
	}
	if body.Environment != st.Environment {
		return nil, nil, tampered(ReasonEnvironment, "body and preview are of different environments")
	}
	if body.OrganizationID != st.OrganizationID || body.OrganizationID != p.UnsignedActivity.OrganizationID {
		return nil, nil, tampered(ReasonBody, "body, preview and answer name different sub-organizations")
	}
	if st.Preview == nil {
		return nil, nil, tampered(ReasonPreview, "the enclave's statement shows nothing")
	}
	v.memory.rememberPreview(st.Fingerprint, st.seq)
	return body, st.Preview, nil
}

func matchFingerprint(p *Prepared, stated string) error {
	// Computed from the body itself: what the server says of it does not count.
	own := Challenge(p.UnsignedActivity.Body)
	if p.Challenge != own {
		return tampered(ReasonFingerprint, "the challenge is not of this body")
	}
	if p.Fingerprint != "sha256:"+own || stated != "sha256:"+own {
		return tampered(ReasonFingerprint, "the preview is not of this body")
	}
	return nil
}

// readBody reads what a passkey is asked to stamp.
func readBody(raw string) (*wire.Body, error) {
	var body wire.Body
	if err := decodeStrict([]byte(raw), &body); err != nil {
		return nil, tampered(ReasonBody, "%v", err)
	}
	return &body, nil
}

func readParams(body *wire.Body, params any) error {
	if err := decodeStrict(body.Parameters, params); err != nil {
		return tampered(ReasonBody, "parameters: %v", err)
	}
	return nil
}

// result checks the proof of what a stamped body did. It gives its statement.
func (v *verifier) result(p *Proof, body string, activity wire.ActivityType) (*opened, error) {
	st, err := v.open(p, wire.KindResult)
	if err != nil {
		return nil, err
	}
	if st.Fingerprint != Fingerprint(body) {
		return nil, tampered(ReasonFingerprint, "the result is of another body")
	}
	if st.Activity != activity {
		return nil, tampered(ReasonKind, "the result is of another activity")
	}
	if seq, ok := v.memory.previewOf(st.Fingerprint); ok && st.seq <= seq {
		return nil, tampered(ReasonStale, "the result is of %d, its preview of %d", st.seq, seq)
	}
	if st.Result == nil || st.Outcome != "" { // cancelled, or no more than held or denied
		return nil, tampered(ReasonResult, "the enclave's statement has no result")
	}
	return st, nil
}

// fresh checks a statement that was asked for just now.
func (v *verifier) fresh(p *Proof, floor uint64) (*opened, error) {
	st, err := v.open(p, wire.KindState)
	if err != nil {
		return nil, err
	}
	if st.seq < floor {
		return nil, tampered(ReasonStale, "the state is of %d, this client has seen %d", st.seq, floor)
	}
	if st.State == nil {
		return nil, tampered(ReasonResult, "the enclave's statement has no state")
	}
	return st, nil
}

// sameHex compares addresses, hashes and hex data, whatever their case.
func sameHex(a, b string) bool {
	return strings.EqualFold(strings.TrimPrefix(a, "0x"), strings.TrimPrefix(b, "0x"))
}
