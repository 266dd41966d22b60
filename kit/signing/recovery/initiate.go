package recovery

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
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// InitiateRecoveryInput asks for the mailed half of a recovery.
type InitiateRecoveryInput struct {
	Email           string `json:"email,omitempty" format:"email" maxLength:"254" doc:"Whose passkey is lost; needed where the workspace has several sub-organizations"`
	TargetPublicKey string `json:"targetPublicKey,omitempty" pattern:"^0[23][0-9a-f]{64}$" patternDescription:"a compressed P-256 key in lower-case hex" doc:"Of the page that will open the mailed half; its private half never leaves that browser. Without it the answer links to the page that makes it, and the mail goes out from there"`
	rest.ReturnTo
}

// RecoveryRequestedView is the answer to initiate, alike for every e-mail.
type RecoveryRequestedView struct {
	RecoveryID  string `json:"recoveryId,omitempty" doc:"Once there is a targetPublicKey"`
	Status      State  `json:"status" enum:"offered,requested"`
	ExpiresAt   string `json:"expiresAt" format:"date-time" doc:"Of ceremonyUrl, or of the link that is mailed where the e-mail is that of a user who can be recovered"`
	CeremonyURL string `json:"ceremonyUrl,omitempty" doc:"Page that makes the target key and then has the mail sent; once, and for whoever has lost his passkey"`
}

// Initiate has the enclave make the mailed half of a recovery, and writes a job that mails it. Only the mail tells
// whether a user has the e-mail: for an e-mail of nobody the same work is done, the same rows are written and the same
// answer is given.
func (s *Service) Initiate(ctx context.Context, cmd *command.Command,
	in InitiateRecoveryInput,
) (command.Answer, error) {
	ws := cmd.Principal.WorkspaceID
	if in.Email == "" {
		sub, err := s.c.Passkeys.SubOrganization(ctx, ws, "")
		if err != nil {
			return command.Answer{}, err
		}
		in.Email = sub.Email
	}
	if in.TargetPublicKey == "" {
		return s.offer(ctx, cmd, in.Email)
	}
	began, err := s.c.Enclave.Recovery(ctx, wire.RecoveryRequest{WorkspaceID: ws, Email: in.Email,
		TargetPublicKey: in.TargetPublicKey})
	if err != nil {
		return command.Answer{}, err
	}
	ms, err := strconv.ParseInt(began.ExpiresAtMs, 10, 64)
	if err != nil {
		return command.Answer{}, err
	}
	now := s.c.Clock.Now()
	r := Recovery{
		WorkspaceID: ws, ID: began.RecoveryID, SubOrganizationID: began.OrganizationID, UserID: began.UserID,
		Email: began.Email,
		State: Requested, Bundle: began.Bundle, CreatedAt: now, UpdatedAt: now, ExpiresAt: time.UnixMilli(ms).UTC(),
	}
	link := link.Ceremony{
		TokenHash: auth.Hash(r.token()), WorkspaceID: ws, Kind: link.Recover, Subject: r.ID, Email: r.Email,
		CreatedAt: now, ExpiresAt: r.ExpiresAt,
	}
	view := RecoveryRequestedView{RecoveryID: r.ID, Status: r.State, ExpiresAt: clock.ISO(r.ExpiresAt)}
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return command.Reply{
			Status: 201, Data: view, Audit: command.Audit{Action: "recovery.initiate", Resource: r.ID},
		}, errors.Join(tx.InsertRecovery(ctx, r), tx.InsertCeremony(ctx, link), tx.Enqueue(ctx, r.job()))
	})
}

// offer answers with the link of the page that makes the target key. The enclave is not asked anything yet, so that the
// answer cannot tell anything about the e-mail.
func (s *Service) offer(ctx context.Context, cmd *command.Command, email string) (command.Answer, error) {
	if s.c.CeremonyOrigin == "" {
		return command.Answer{}, fault.Field("targetPublicKey", "is required, since there is no passkey page")
	}
	now := s.c.Clock.Now()
	c, link := s.c.Links.New(link.Ceremony{
		WorkspaceID: cmd.Principal.WorkspaceID, Kind: link.Lost, Subject: record.NewID(), Email: email, CreatedAt: now,
		ExpiresAt: now.Add(activity.PreparedTTL),
	})
	view := RecoveryRequestedView{Status: Offered, ExpiresAt: clock.ISO(c.ExpiresAt), CeremonyURL: link}
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return command.Reply{Status: 201, Data: view, Audit: command.Audit{Action: "recovery.offer"}},
			c.Insert(ctx, tx, cmd.Return)
	})
}

// token is the token of the mailed link. It is made from the bundle, so that the database has neither of them once the
// mail is sent.
func (r Recovery) token() string {
	sum := sha256.Sum256([]byte("railkit recovery link v1|" + r.ID + "|" + r.Bundle))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
