// Package change runs calls that come in three forms: prepared (it answers what to stamp), stamped, or bare, on the API
// key's word alone. Passkeys, rules, payees, prices, recoveries and messages are such calls. It knows all their kinds
// (change.go), and what the server writes once the enclave has executed a body (finish.go), also where a crash kept
// that out of the database (sweep.go).
package change

import (
	"context"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/agent"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/kit/signing/payee"
	"github.com/railkit/railkit/kit/signing/recovery"
	"github.com/railkit/railkit/kit/signing/rule"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
)

// Tx is what it takes to write any activity that the enclave has executed.
type Tx interface {
	passkey.Tx
	wallet.Tx
	rule.Tx
	payee.Tx
	agent.Tx
	recovery.Tx
}

// Store is what changes need of a database.
type Store interface {
	Activity(ctx context.Context, workspaceID, id string) (activity.Activity, error)
	// WaitingActivities lists activities of every workspace that await their stamp since before the instant, from after
	// the last row of the batch before.
	WaitingActivities(ctx context.Context, before time.Time, after page.Cursor, limit int) ([]activity.Activity, error)
	record.Writer[Tx]
}

// Votes writes votes that the enclave has counted; package vote has it.
type Votes interface {
	Recover(ctx context.Context, vote activity.Activity, out client.Outcome) error
}

// Service runs changes. The nouns whose changes it runs have a reference to it, so that it is wired after them.
type Service struct {
	store      Store
	enclave    signer.Enclave
	activities *activity.Service
	passkeys   *passkey.Service
	wallets    *wallet.Service
	rules      *rule.Service
	payees     *payee.Service
	agents     *agent.Service
	recoveries *recovery.Service
	votes      Votes
	clock      clock.Clock

	sweptActivities page.Cursor // where the next sweep goes on
}

// Config wires a Service.
type Config struct {
	Store      Store
	Enclave    signer.Enclave
	Activities *activity.Service
	Passkeys   *passkey.Service
	Wallets    *wallet.Service
	Rules      *rule.Service
	Payees     *payee.Service
	Agents     *agent.Service
	Recoveries *recovery.Service
	Votes      Votes
	Clock      clock.Clock
}

// Wire gives the Service what it stands on.
func (s *Service) Wire(c Config) {
	*s = Service{
		store:      c.Store,
		enclave:    c.Enclave,
		activities: c.Activities,
		passkeys:   c.Passkeys,
		wallets:    c.Wallets,
		rules:      c.Rules,
		payees:     c.Payees,
		agents:     c.Agents,
		recoveries: c.Recoveries,
		votes:      c.Votes,
		clock:      c.Clock,
	}
}
