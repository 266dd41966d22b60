package activity

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/denial"
	"github.com/railkit/railkit/platform/record"
)

// State is where an activity stands, in the words of the API.
type State string

// The states of an activity.
const (
	Awaiting  State = "awaiting_signature"
	Held      State = "awaiting_approval" // stamped; the enclave holds it for votes
	Done      State = "confirmed"         // the enclave has done it
	Failed    State = "failed"            // a rule refused it, for good
	Cancelled State = "cancelled"         // declined on the passkey page, or rejected while it waited for votes
	Expired   State = "expired"           // no stamp, or not enough votes, in time
)

// Owner names the sub-organization whose passkeys may stamp.
type Owner struct{ WorkspaceID, ID string }

// Activity is a prepared body that waits for its stamp, or for what comes after it.
type Activity struct {
	WorkspaceID, ID   string
	Kind              string // wire.ActivityType
	SubOrganizationID string
	WalletID          string // local id; of accounts, and of a wallet once it is made
	Name              string // of the wallet or account
	Chain             string // slug that the caller named
	Paths             []string
	Body, Fingerprint string
	Preview           string // JSON of wire.Proof
	State             State
	CreatedAt         time.Time
	ExpiresAt         time.Time
}

// Refused is the activity as a denial names it.
func (a Activity) Refused() denial.Refused {
	return denial.Refused{WorkspaceID: a.WorkspaceID, SubOrganizationID: a.SubOrganizationID,
		Fingerprint: a.Fingerprint}
}

// Errors of a prepared body that cannot be executed.
var (
	ErrRequestExpired = fault.Define(fault.Conflict, "request_expired",
		"The prepared request has expired; prepare it again",
		"A prepared request lives 15 minutes, one that waits for votes 30; it has ended, or was rejected")
	ErrStampedBody = fault.Define(fault.Unprocessable, "stamped_body_differs", "Passkey signature invalid",
		"The stamped body is not the one that was prepared")
)

// Finish notes that an activity is done. It may run twice: the second time changes nothing.
func (s *Service) Finish(ctx context.Context, tx Tx, a Activity) error {
	_, err := s.FinishFirst(ctx, tx, a)
	return err
}

// FinishFirst notes that an activity is done, and tells whether this caller was the first.
func (s *Service) FinishFirst(ctx context.Context, tx Tx, a Activity) (bool, error) {
	err := record.ErrStale
	for _, from := range []State{Awaiting, Held} {
		if errors.Is(err, record.ErrStale) {
			err = tx.MoveActivity(ctx, a.WorkspaceID, a.ID, from, Done, a.WalletID, s.c.Clock.Now())
		}
	}
	if errors.Is(err, record.ErrStale) { // another caller was faster with the same result
		return false, nil
	}
	return err == nil, err
}

// Forbid has the enclave never execute a prepared body. It reports whether it is so: of a stamp and this word the
// enclave takes the one that comes first.
func (s *Service) Forbid(ctx context.Context, fingerprint string) (bool, error) {
	// What waits for votes is rejected, not cancelled: its row may not say so yet.
	out, err := s.c.Enclave.Outcome(ctx, fingerprint)
	if err == nil && out.State == wire.Unknown {
		out, err = s.c.Enclave.Cancel(ctx, fingerprint)
	}
	return out.State == wire.Cancelled, err
}

// TouchPasskey notes that a passkey stamped, where one did. The enclave verified the
// stamp; here only its credential's name is read.
func (s *Service) TouchPasskey(tx Toucher, workspaceID, subOrganizationID string, stamp *wire.Stamp) {
	if stamp == nil {
		return
	}
	var named struct{ CredentialID, ID string }
	if err := json.Unmarshal([]byte(stamp.HeaderValue), &named); err != nil {
		return // another kind of stamp
	}
	if named.CredentialID == "" {
		named.CredentialID = named.ID // as of PublicKeyCredential.toJSON()
	}
	tx.TouchPasskey(workspaceID, subOrganizationID, named.CredentialID, s.c.Clock.Now())
}
