package recovery

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/job"
)

// State is the state of a recovery.
type State string

// The states.
const (
	Offered   State = "offered"   // a link to begin it was given; no row has this
	Requested State = "requested" // its half is mailed, and lives 15 minutes
	Pending   State = "pending"   // a new passkey waits out the delay
	Completed State = "completed"
	Cancelled State = "cancelled"
	Expired   State = "expired"
)

// Recovery is the server's row of a recovery.
type Recovery struct {
	WorkspaceID, ID   string // the enclave's
	SubOrganizationID string // "" where nobody can be recovered: the answers are alike
	UserID, Email     string
	State             State
	Bundle            string // the half that is to be mailed; "" once it is
	Body, Fingerprint string // "" until a passkey was made
	CredentialID      string
	Label             string
	EmailOnly         bool
	Proof             string
	Owed              string // notices that are still to be mailed, each after a comma
	ReadyAt           time.Time
	CreatedAt         time.Time
	UpdatedAt         time.Time
	ExpiresAt         time.Time // of the mailed half
}

// JobRecovery sends the mails of a recovery, and completes it after its delay.
const JobRecovery job.Kind = "signing_recovery"

// RecoveryView is a recovery in an answer.
type RecoveryView struct {
	RecoveryID        string      `json:"recoveryId"`
	Status            State       `json:"status" enum:"requested,pending,completed,cancelled,expired"`
	SubOrganizationID string      `json:"subOrganizationId"`
	UserID            string      `json:"userId"`
	Email             string      `json:"email"`
	CredentialID      string      `json:"credentialId"`
	EmailOnly         bool        `json:"emailOnly" doc:"No recovery key vouches for it"`
	ReadyAt           *string     `json:"readyAt" format:"date-time" doc:"By the enclave's clock; any passkey can cancel it until then"`
	Proof             *wire.Proof `json:"proof" doc:"What the enclave said last"`
}

func (r Recovery) view() (RecoveryView, error) {
	v := RecoveryView{
		RecoveryID: r.ID, Status: r.State, SubOrganizationID: r.SubOrganizationID, UserID: r.UserID, Email: r.Email,
		CredentialID: r.CredentialID, EmailOnly: r.EmailOnly, ReadyAt: clock.ISOOrNil(r.ReadyAt),
	}
	if r.Proof == "" {
		return v, nil
	}
	if err := json.Unmarshal([]byte(r.Proof), &v.Proof); err != nil {
		return v, fmt.Errorf("reading a stored proof: %w", err)
	}
	return v, nil
}

func (r Recovery) job() job.Job {
	return job.Job{Kind: JobRecovery, WorkspaceID: r.WorkspaceID, ID: r.ID, Anew: true}
}
