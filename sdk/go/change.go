package railkit

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/railkit/railkit/enclave/wire"
)

// change is a call about rules or passkeys. It comes in three forms: prepared, it
// changes nothing and gives what to stamp; stamped, it has a passkey's word; bare,
// it does what only tightens, and waits for votes else (QueuedError).
type change struct {
	method, path string
	kind         wire.ActivityType
	sub          string // sub-organization it has to be about; "": any
}

func (ch change) prepare(ctx context.Context, c *Client, body any, match func(*wire.Body, *Preview) error) (*Prepared, error) {
	r, err := send[Prepared](ctx, c, request{method: ch.method, path: ch.path, query: url.Values{"prepare": {"true"}}, body: body})
	if err != nil {
		return nil, err
	}
	p := &r.Data
	if c.verify == nil {
		return p, nil
	}
	asked, shown, err := c.preview(ctx, p, ch.kind, r.Floor, r.Replayed)
	if err != nil {
		return nil, err
	}
	if !matchOrganization(asked, ch.sub) {
		return nil, tampered(ReasonBody, "the body is for another sub-organization than was asked for")
	}
	if err := match(asked, shown); err != nil {
		return nil, err
	}
	p.Shown = shown
	return p, nil
}

// make does it. Where it comes stamped, the proof has to be of the very body.
func makeChange[T any](ctx context.Context, c *Client, ch change, body any, signed *SignedActivity, proof func(*T) *Proof, match func(*T, *opened) error) (*T, error) {
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
