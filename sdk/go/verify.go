package railkit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/sdk/go/internal/strictjson"
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
	if err := strictjson.UniqueNames([]byte(p.Payload)); err != nil {
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
func (c *Client) preview(
	ctx context.Context, p *Prepared, activity wire.ActivityType, floor uint64, replayed bool,
) (*wire.Body, *Preview, error) {
	body, shown, err := c.verify.preview(p, activity, floor, replayed)
	if err == nil {
		err = c.Journal.checkSeen(ctx)
	}
	if err != nil {
		return nil, nil, err
	}
	return body, shown, nil
}

func (v *verifier) preview(
	p *Prepared, activity wire.ActivityType, floor uint64, replayed bool,
) (*wire.Body, *Preview, error) {
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

// waiting is an answer with a body that waits for its stamp.
type waiting[T any] interface {
	*T
	waits() *Prepared
}

func (p *Prepared) waits() *Prepared { return p }

// prepare asks for a body, and lets it out only if it does what was asked for.
func prepare[T any, P waiting[T]](
	ctx context.Context, c *Client, ask request, activity wire.ActivityType, match func(*wire.Body, *Preview) error,
) (*T, error) {
	r, err := send[T](ctx, c, ask)
	if err != nil {
		return nil, err
	}
	return verified[T, P](ctx, c, r, activity, match)
}

func verified[T any, P waiting[T]](
	ctx context.Context, c *Client, r *reply[T], activity wire.ActivityType, match func(*wire.Body, *Preview) error,
) (*T, error) {
	if c.verify == nil {
		return &r.Data, nil
	}
	p := P(&r.Data).waits()
	body, shown, err := c.preview(ctx, p, activity, r.Floor, r.Replayed)
	if err != nil {
		return nil, err
	}
	p.Shown = shown
	return checked(&r.Data, match(body, shown))
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
	if err := strictjson.Decode([]byte(raw), &body); err != nil {
		return nil, tampered(ReasonBody, "%v", err)
	}
	return &body, nil
}

func readParams(body *wire.Body, params any) error {
	if err := strictjson.Decode(body.Parameters, params); err != nil {
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

// Prepared is a body that waits for its stamp, and what the enclave says of it.
type Prepared struct {
	UnsignedActivity UnsignedActivity    `json:"unsignedActivity"`
	Fingerprint      string              `json:"fingerprint"`
	Challenge        string              `json:"challenge"` // text that the passkey signs
	ExpiresAt        string              `json:"expiresAt"`
	AllowCredentials []AllowedCredential `json:"allowCredentials"`
	Preview          Proof               `json:"preview"`

	// CeremonyURL is the page on which a person sees and stamps this, where the
	// server has one. Whoever has the link can see it: send it to its owner only.
	CeremonyURL string `json:"ceremonyUrl,omitempty"`

	// Shown is the verified preview: what to put before whoever stamps. Nil
	// where proofs are skipped.
	Shown *Preview `json:"-"`
}

// What the calls send and answer: see package rest for the fields.
type (
	UnsignedActivity  = rest.UnsignedActivity
	AllowedCredential = rest.AllowCredential
)

// SignedActivity is a stamped body.
type SignedActivity struct {
	URL            string `json:"url,omitempty"`
	OrganizationID string `json:"organizationId,omitempty"`
	TimestampMs    string `json:"timestampMs,omitempty"`
	Body           string `json:"body"`
	Stamp          Stamp  `json:"stamp"`
}

// Signed puts a stamp to the body that was stamped.
func (p Prepared) Signed(s Stamp) SignedActivity {
	u := p.UnsignedActivity
	return SignedActivity{
		URL: u.URL, OrganizationID: u.OrganizationID, TimestampMs: u.TimestampMs, Body: u.Body, Stamp: s,
	}
}

// credentialIDs are the ids of the passkeys that can stamp.
func (p Prepared) credentialIDs() []string {
	ids := make([]string, len(p.AllowCredentials))
	for i, a := range p.AllowCredentials {
		ids[i] = a.ID
	}
	return ids
}

// change is a call about rules or passkeys. It comes in three forms: prepared, it
// changes nothing and gives what to stamp; stamped, it has a passkey's word; bare,
// it does what only tightens, and waits for votes else (QueuedError).
type change struct {
	method, path string
	kind         wire.ActivityType
	sub          string // sub-organization it has to be about; "": any
}

func (ch change) prepare(
	ctx context.Context, c *Client, body any, match func(*wire.Body, *Preview) error,
) (*Prepared, error) {
	ask := request{method: ch.method, path: ch.path, query: preparing(), body: body}
	return prepare[Prepared](ctx, c, ask, ch.kind, func(asked *wire.Body, shown *Preview) error {
		if !matchOrganization(asked, ch.sub) {
			return tampered(ReasonBody, "the body is for another sub-organization than was asked for")
		}
		return match(asked, shown)
	})
}

// make does it. Where it comes stamped, the proof has to be of the very body.
func makeChange[T any](ctx context.Context, c *Client, ch change, body any, signed *SignedActivity,
	proof func(*T) *Proof, match func(*T, *opened) error,
) (*T, error) {
	r, err := send[T](ctx, c, request{method: ch.method, path: ch.path, body: body})
	if err != nil {
		return nil, err
	}
	if c.verify == nil {
		return &r.Data, nil
	}
	st, err := c.verify.changed(proof(&r.Data), ch.kind, signed)
	if err != nil {
		return nil, err
	}
	return checked(&r.Data, match(&r.Data, st))
}

func (v *verifier) changed(p *Proof, kind wire.ActivityType, signed *SignedActivity) (*opened, error) {
	if signed != nil {
		return v.result(p, signed.Body, kind)
	}
	st, err := v.open(p, wire.KindResult)
	if err == nil && (st.Activity != kind || st.Result == nil) {
		err = tampered(ReasonKind, "the result is of another activity")
	}
	return st, err
}

// signedBody is the body of a call that has nothing but a stamp, where it has one.
func signedBody(signed *SignedActivity) any {
	if signed == nil {
		return nil
	}
	return map[string]*SignedActivity{"signedActivity": signed}
}

func deleting(path, id string, kind wire.ActivityType) change {
	return change{method: http.MethodDelete, path: path + "/" + url.PathEscape(id), kind: kind}
}

// Stamp has a passkey stamp what was prepared.
func (p Prepared) Stamp(pk Passkey) (SignedActivity, error) {
	signed, err := stamp(pk, p)
	if err != nil {
		return SignedActivity{}, fmt.Errorf("railkit: %w", err)
	}
	return signed, nil
}

func stamp(pk Passkey, p Prepared) (SignedActivity, error) {
	s, err := pk.Stamp(p.UnsignedActivity.Body, p.credentialIDs()...)
	if err != nil {
		return SignedActivity{}, fmt.Errorf("stamping: %w", err)
	}
	return p.Signed(s), nil
}

// nativeAsset is how an effect names a network's coin.
const nativeAsset = "native"

var (
	errNoAddress = errors.New("railkit: SignWith is not an address")
	errNoNetwork = errors.New("railkit: Network names no single network that this client knows; " +
		"set ChainID, Config.Environment or Config.Networks")
	errOtherNetwork = errors.New("railkit: Network is not that of ChainID")
)

// networksOf are the networks of an environment, or of both where none is named, and those of the caller.
func networksOf(environment string, own []chain.Network) []chain.Network {
	all := slices.Clone(own)
	for _, e := range []chain.Environment{chain.Sandbox, chain.Production} {
		for _, n := range chain.Networks(e) {
			if _, has := chain.WithSlug(own, n.Slug); !has && (environment == "" || environment == string(e)) {
				all = append(all, n)
			}
		}
	}
	return all
}

// network finds the network that a request or an answer names. One with a chain id need not be listed here; one
// without is known by its slug only.
func (c *Client) network(chainID uint64, slug string) (chain.Network, error) {
	if chainID != 0 {
		n, listed := chain.WithChainID(c.networks, chainID)
		if !listed {
			n = chain.Network{Slug: slug, ChainID: chainID}
		}
		if slug != "" && n.Slug != slug {
			return n, errOtherNetwork
		}
		return n, nil
	}
	named := slices.DeleteFunc(slices.Clone(c.networks), func(n chain.Network) bool { return n.Slug != slug })
	if len(named) != 1 {
		return chain.Network{}, errNoNetwork
	}
	return named[0], nil
}

// sender is an address, the network on which it sends, and the family that reads both.
type sender struct {
	family  chain.Family
	network chain.Network
	from    string
}

// sender reads an address of the network. It alone tells the family of a network that is not listed here.
func (c *Client) sender(chainID uint64, slug, address string) (s sender, err error) {
	if s.network, err = c.network(chainID, slug); err != nil {
		return s, err
	}
	var ok bool
	s.from, s.family, ok = families.ParseAddress(address)
	if f, listed := families.Of(s.network.Kind); listed {
		s.family = f
		s.from, err = f.ParseAddress(address)
		ok = err == nil
	}
	if !ok || s.network.Kind != "" && s.network.Kind != s.family.Kind() {
		return s, errNoAddress
	}
	s.network.Kind = s.family.Kind()
	return s, nil
}

// coinDecimals are the same on all networks of a family, so that also those of an unlisted network are known here.
func (s sender) coinDecimals() int {
	if coin := s.network.Native; coin.Symbol != "" {
		return coin.Decimals
	}
	return s.family.Form().CoinDecimals
}

// is says that the signer's words for a network mean this one.
func (s sender) is(id, slug string) bool {
	return id == s.network.ID() && (s.network.ChainID != 0 || slug == s.network.Slug)
}

// answered says that the server's words for a network mean this one.
func (s sender) answered(chainID uint64, slug string) bool {
	return chainID == s.network.ChainID && (chainID != 0 || slug == s.network.Slug)
}

// agree says that the signer's words for a network and the server's mean the same one. An id of digits is a chain id.
func agree(id, slug string, chainID uint64, answered string) bool {
	if _, err := strconv.ParseUint(id, 10, 64); err == nil {
		return id == decimal(chainID)
	}
	return chainID == 0 && slug != "" && slug == answered
}

// nameOf is a network's one name in a payment: its chain id or, without one, its slug.
func nameOf(chainID uint64, slug string) string {
	if chainID == 0 {
		return slug
	}
	return decimal(chainID)
}

// sameAddress compares addresses in the spelling of their family, and other texts exactly.
func sameAddress(a, b string) bool { return families.Lookup(a) == families.Lookup(b) }

// isOther says that an address was asked for, and is another one. An account's id says nothing of its address.
func isOther(asked, is string) bool { return uuid.Validate(asked) != nil && !sameAddress(asked, is) }

// sameBytes compares transactions, calldata and digests, which are hex.
func sameBytes(a, b string) bool {
	x, err := chain.ParseHex(a)
	if err != nil {
		return false
	}
	y, err := chain.ParseHex(b)
	return err == nil && bytes.Equal(x, y)
}
