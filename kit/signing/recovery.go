package signing

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strconv"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
)

// RecoveryState is where a recovery stands.
type RecoveryState string

// The states.
const (
	RecoveryOffered   RecoveryState = "offered"   // a link to begin it was given; no row has this
	RecoveryRequested RecoveryState = "requested" // its half is mailed, and lives 15 minutes
	RecoveryPending   RecoveryState = "pending"   // a new passkey waits out the delay
	RecoveryCompleted RecoveryState = "completed"
	RecoveryCancelled RecoveryState = "cancelled"
	RecoveryExpired   RecoveryState = "expired"
)

// Recovery is a recovery, as the server knows it.
type Recovery struct {
	WorkspaceID, ID   string // the enclave's
	SubOrganizationID string // "" where nobody can be recovered: the answers are alike
	UserID, Email     string
	State             RecoveryState
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

// JobRecovery mails what a recovery owes, and ends it after its delay.
const JobRecovery job.Kind = "signing_recovery"

// InitiateRecoveryInput asks for the mailed half of a recovery.
type InitiateRecoveryInput struct {
	Email           string `json:"email,omitempty" format:"email" maxLength:"254" doc:"Whose passkey is lost; needed where the workspace has several sub-organizations"`
	TargetPublicKey string `json:"targetPublicKey,omitempty" pattern:"^0[23][0-9a-f]{64}$" patternDescription:"a compressed P-256 key in lower-case hex" doc:"Of the page that will open the mailed half; its private half never leaves that browser. Without it the answer links to the page that makes it, and the mail goes out from there"`
}

// RecoveryRequestedView is the answer to initiate, alike for every e-mail.
type RecoveryRequestedView struct {
	RecoveryID  string        `json:"recoveryId,omitempty" doc:"Once there is a targetPublicKey"`
	Status      RecoveryState `json:"status" enum:"offered,requested"`
	ExpiresAt   string        `json:"expiresAt" format:"date-time" doc:"Of ceremonyUrl, or of the link that is mailed where the e-mail is that of a user who can be recovered"`
	CeremonyURL string        `json:"ceremonyUrl,omitempty" doc:"Page that makes the target key and then has the mail sent; once, and for whoever has lost his passkey"`
}

// InitiateRecovery has the enclave make the mailed half of a recovery. Whether
// anybody has the e-mail, only the mail tells: the same work is done, the same rows
// are written and the same answer is given. The mail itself is a job's.
func (s *Service) InitiateRecovery(ctx context.Context, cmd *command.Command, in InitiateRecoveryInput) (command.Answer, error) {
	ws := cmd.Principal.WorkspaceID
	if in.Email == "" {
		sub, err := s.subOrganization(ctx, ws, "")
		if err != nil {
			return command.Answer{}, err
		}
		in.Email = sub.Email
	}
	if in.TargetPublicKey == "" {
		return s.offerRecovery(ctx, cmd, in.Email)
	}
	began, err := s.enclave.Recovery(ctx, wire.RecoveryRequest{WorkspaceID: ws, Email: in.Email, TargetPublicKey: in.TargetPublicKey})
	if err != nil {
		return command.Answer{}, err
	}
	ms, err := strconv.ParseInt(began.ExpiresAtMs, 10, 64)
	if err != nil {
		return command.Answer{}, err
	}
	now := s.clock.Now()
	r := Recovery{
		WorkspaceID: ws, ID: began.RecoveryID, SubOrganizationID: began.OrganizationID, UserID: began.UserID, Email: began.Email,
		State: RecoveryRequested, Bundle: began.Bundle, CreatedAt: now, UpdatedAt: now, ExpiresAt: time.UnixMilli(ms).UTC(),
	}
	link := Ceremony{
		TokenHash: auth.Hash(r.token()), WorkspaceID: ws, Kind: CeremonyRecover, Subject: r.ID, Email: r.Email, CreatedAt: now, ExpiresAt: r.ExpiresAt,
	}
	view := RecoveryRequestedView{RecoveryID: r.ID, Status: r.State, ExpiresAt: clock.ISO(r.ExpiresAt)}
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return command.Reply{
			Status: 201, Data: view, Audit: command.Audit{Action: "recovery.initiate", Resource: r.ID},
		}, errors.Join(tx.InsertRecovery(ctx, r), tx.InsertCeremony(ctx, link), tx.Enqueue(ctx, r.job()))
	})
}

// offerRecovery answers with the link of the page that makes the target key. Nothing
// is asked of the enclave yet, and so nothing can be told of the e-mail.
func (s *Service) offerRecovery(ctx context.Context, cmd *command.Command, email string) (command.Answer, error) {
	if s.ceremonyOrigin == "" {
		return command.Answer{}, fault.Field("targetPublicKey", "is required, since there is no passkey page")
	}
	now := s.clock.Now()
	c, link := s.newCeremony(Ceremony{
		WorkspaceID: cmd.Principal.WorkspaceID, Kind: CeremonyLost, Subject: newID(), Email: email, CreatedAt: now, ExpiresAt: now.Add(life),
	})
	view := RecoveryRequestedView{Status: RecoveryOffered, ExpiresAt: clock.ISO(c.ExpiresAt), CeremonyURL: link}
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return command.Reply{Status: 201, Data: view, Audit: command.Audit{Action: "recovery.offer"}}, c.insert(ctx, tx)
	})
}

// token is what the mailed link is known by. It is made of the bundle, so that the
// database has neither once the mail is sent.
func (r Recovery) token() string {
	sum := sha256.Sum256([]byte("railkit recovery link v1|" + r.ID + "|" + r.Bundle))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func (r Recovery) job() job.Job {
	return job.Job{Kind: JobRecovery, WorkspaceID: r.WorkspaceID, ID: r.ID, Anew: true}
}

// RecoveryContext is what a page needs to go on with a mailed link.
type RecoveryContext struct {
	RecoveryID        string        `json:"recoveryId"`
	SubOrganizationID string        `json:"subOrganizationId"`
	UserID            string        `json:"userId"`
	Email             string        `json:"email"`
	RPID              string        `json:"rpId"`
	Environment       string        `json:"environment" enum:"sandbox,production"`
	Status            RecoveryState `json:"status" enum:"requested,pending,completed,cancelled,expired"`
	ExpiresAt         string        `json:"expiresAt" format:"date-time" doc:"Of the link"`
	ReadyAt           *string       `json:"readyAt" format:"date-time" doc:"When the new passkey can sign; once it waits"`
	NeedsCode         bool          `json:"needsCode" doc:"false: a passkey of the sub-organization has allowed recovery by mail alone"`
	CeremonyURL       string        `json:"ceremonyUrl,omitempty" doc:"Page on which it is done, with the bundle of the mail behind a dot. There is no iframe: the page forbids to be framed, since a page around it could have its clicks"`
}

// RecoveryContext tells what a link is for, as often as it is asked: a scanner that
// opens the links of a mail uses nothing up.
func (s *Service) RecoveryContext(ctx context.Context, p auth.Principal, token string) (RecoveryContext, error) {
	c, err := s.Ceremony(ctx, token)
	if errors.Is(err, ErrCeremonyUnknown) || err == nil && (c.Kind != CeremonyRecover || c.WorkspaceID != p.WorkspaceID) {
		return RecoveryContext{}, fault.Missing("Recovery")
	}
	if err != nil {
		return RecoveryContext{}, err
	}
	v, err := s.recoveryContext(ctx, c)
	if s.ceremonyOrigin != "" {
		v.CeremonyURL = s.ceremonyOrigin + "/#" + token
	}
	return v, err
}

func (s *Service) recoveryContext(ctx context.Context, c Ceremony) (RecoveryContext, error) {
	r, err := s.store.Recovery(ctx, c.WorkspaceID, c.Subject)
	if err != nil {
		return RecoveryContext{}, err
	}
	sub, err := s.store.SubOrganization(ctx, r.WorkspaceID, r.SubOrganizationID)
	return RecoveryContext{
		RecoveryID: r.ID, SubOrganizationID: r.SubOrganizationID, UserID: r.UserID, Email: r.Email, RPID: s.rpID, Environment: string(s.env),
		Status: r.State, ExpiresAt: clock.ISO(r.ExpiresAt), ReadyAt: isoOrNil(r.ReadyAt), NeedsCode: !sub.EmailOnly,
	}, err
}

// MigrationEligibility says whether a sub-organization does without any one passkey.
type MigrationEligibility struct {
	SubOrganizationID string `json:"subOrganizationId"`
	Eligible          bool   `json:"eligible"`
	Passkeys          int    `json:"passkeys"`
	Required          int    `json:"required"`
}

// enoughPasskeys is how many it takes so that one can get lost.
const enoughPasskeys = 2

// MigrationEligibility counts passkeys.
func (s *Service) MigrationEligibility(ctx context.Context, p auth.Principal, subOrganizationID string) (MigrationEligibility, error) {
	sub, err := s.subOrganization(ctx, p.WorkspaceID, subOrganizationID)
	if err != nil {
		return MigrationEligibility{}, err
	}
	keys, err := s.store.Passkeys(ctx, p.WorkspaceID, sub.ID)
	return MigrationEligibility{SubOrganizationID: sub.ID, Eligible: len(keys) >= enoughPasskeys, Passkeys: len(keys), Required: enoughPasskeys}, err
}
