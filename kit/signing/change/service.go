// Package change runs calls that come in three forms: prepared (it answers what to stamp), stamped, or bare, on the API
// key's word alone. Passkeys, rules, payees, prices, recoveries, messages and agents are such calls. It knows what each
// of them registered about itself (activity.Kind), and none of them by name: how the call is answered and recorded
// (change.go), and what is written once the enclave has executed its body, also where a crash kept that out of the
// database (sweep.go).
package change

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
)

// Store is what changes need of a database.
type Store interface {
	Activity(ctx context.Context, workspaceID, id string) (activity.Activity, error)
	// WaitingActivities lists activities of every workspace that await their stamp since before the instant, from after
	// the last row of the batch before.
	WaitingActivities(ctx context.Context, before time.Time, after page.Cursor, limit int) ([]activity.Activity, error)
	record.Writer[activity.Tx]
}

// Service runs changes.
type Service struct {
	store      Store
	enclave    signer.Enclave
	activities *activity.Service
	links      *link.Links
	clock      clock.Clock
	kinds      map[wire.ActivityType]activity.Kind

	sweptActivities page.Cursor // where the next sweep goes on
}

// New makes a Service that knows no kind yet: the nouns need it before they can say theirs.
func New(
	store Store, enclave signer.Enclave, activities *activity.Service, links *link.Links, clock clock.Clock,
) *Service {
	return &Service{
		store: store, enclave: enclave, activities: activities, links: links, clock: clock,
		kinds: map[wire.ActivityType]activity.Kind{},
	}
}

// Register takes the kinds of a noun, before the first call comes. A kind that two nouns have, or a change without a
// page on which it can be stamped, is a mistake of whoever wrote it, which no start of a server gets past.
func (s *Service) Register(kinds ...activity.Kind) {
	for _, k := range kinds {
		if _, twice := s.kinds[k.Type]; twice || k.Reply != nil && (k.Link == "" || k.Action == "" || k.Status == 0) {
			panic(fmt.Sprintf("%s is registered twice, or not wholly", k.Type))
		}
		s.kinds[k.Type] = k
	}
}

// Volatile is what the server adds to a body that has its votes; nil: nothing.
func (s *Service) Volatile(ctx context.Context, a activity.Activity) (*wire.Volatile, error) {
	if ask := s.kinds[wire.ActivityType(a.Kind)].Volatile; ask != nil {
		return ask(ctx, a)
	}
	return nil, nil
}

// Finish writes what the enclave made of a body.
func (s *Service) Finish(ctx context.Context, tx activity.Tx, a activity.Activity, out client.Outcome) error {
	kind, ok := s.kinds[wire.ActivityType(a.Kind)]
	switch {
	case !ok || kind.Recover != nil:
		return errors.New("no noun writes what becomes of " + a.Kind)
	case kind.Finish == nil:
		return s.activities.Finish(ctx, tx, a)
	}
	return kind.Finish(ctx, tx, a, out)
}
