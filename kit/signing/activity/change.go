package activity

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/command"
)

// Stamping says in which of its three forms a call comes that has no prepare and
// no confirm of its own. With Prepare the call changes nothing and answers the
// activity to stamp. With SignedActivity it carries a passkey's word. With neither
// it has only the API key's word: whatever makes rules tighter is done, and the
// rest waits for votes.
type Stamping struct {
	Prepare        bool
	SignedActivity *Stamped
}

// Changes runs changes; package change has it.
type Changes interface {
	Do(ctx context.Context, cmd *command.Command, c Change, how Stamping) (command.Answer, error)
	// Again gives a call that takes something away the answer of its first try, where that took it; else it answers
	// missing, what the look-up said.
	Again(ctx context.Context, cmd *command.Command, g Gone, how Stamping, missing error) (command.Answer, error)
	// Prepare prepares a change that no call asked for by itself: what is to be stamped is part of another answer.
	Prepare(ctx context.Context, c Change) (Prepared, error)
	// Draft has the enclave preview a change that becomes part of another answer, and gives the row of its body.
	Draft(ctx context.Context, c Change) (Activity, Draft, error)
	// Confirm has the enclave execute the prepared body of an activity under a stamp.
	Confirm(ctx context.Context, cmd *command.Command, id string, stamp wire.Stamp) (command.Answer, error)
}

// Gone is what a call wanted to take away and did not find.
type Gone struct {
	Kind wire.ActivityType
	Is   func(params json.RawMessage) bool // whether the parameters of a stamped body name it
}

// Change is what a call in three forms asks the enclave to do.
type Change struct {
	Kind     wire.ActivityType
	Owner    Owner
	Params   any
	URL      string // of this very call
	Name     string // of what is made; the enclave never sees it
	WalletID string // local id of the wallet that it is about, if any
	// NotBefore is when the enclave last changed what this is about: its clock may be ahead of ours.
	NotBefore time.Time
}

// Draft is the body of the change that is about to be prepared.
func (c Change) Draft(id string, page link.Kind) Draft {
	return Draft{Kind: c.Kind, Link: page, Owner: c.Owner, ID: id, URL: c.URL, Params: c.Params, NotBefore: c.NotBefore}
}

// Activity is the row of the prepared body.
func (c Change) Activity(d Draft) (Activity, error) {
	a, err := d.Activity()
	a.Name, a.WalletID = c.Name, c.WalletID
	return a, err
}

// AskedBy reports whether a prepared body asks for what the call asks for now.
func (c Change) AskedBy(body wire.Body) bool {
	params, err := signer.Encode(c.Params)
	return err == nil && body.OrganizationID == c.Owner.ID && bytes.Equal(params, body.Parameters)
}
