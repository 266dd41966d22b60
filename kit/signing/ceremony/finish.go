package ceremony

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/kit/signing/recovery"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// FinishInput is the result of the passkey page: an attestation from a new passkey, a stamp from an existing one, or
// the word that whoever has the link declines.
type FinishInput struct {
	Stamp             *wire.Stamp
	Attestation       *passkey.Attestation
	Label             string // of the new passkey
	RecoveryPublicKey string // made by the page with it; "" where its owner wants none
	Decline           *rest.CeremonyDecline
	TargetPublicKey   string                      // of a page that asks for a recovery
	Recovery          *recovery.SyncRecoveryInput // the new passkey of a recovery
}

// check refuses an input that lacks what the kind of link needs, or has more than that.
func (in FinishInput) check(kind link.Kind) error {
	given := map[string]bool{
		"attestation": in.Attestation != nil, "label": in.Label != "", "recoveryPublicKey": in.RecoveryPublicKey != "",
		"stamp":   in.Stamp != nil,
		"decline": in.Decline != nil, "targetPublicKey": in.TargetPublicKey != "", "recovery": in.Recovery != nil,
	}
	need, may := "stamp", ""
	switch kind {
	case link.Register, link.Add:
		need, may = "attestation", "label"
	case link.Lost:
		need = "targetPublicKey"
	case link.Recover:
		need = "recovery"
	}
	if in.Decline != nil {
		need, may = "decline", ""
	}
	if !given[need] {
		return fault.Field(need, "is required")
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		allowed := name == need || name == may ||
			name == "recoveryPublicKey" && kind == link.Register && in.Decline == nil
		if given[name] && !allowed {
			return fault.Field(name, "must not be given on this link")
		}
	}
	return nil
}

// Finish does what the API's confirm call would do with the stamp.
func (s *Service) Finish(ctx context.Context, cmd *command.Command, c link.Ceremony,
	in FinishInput,
) (command.Answer, error) {
	if err := in.check(c.Kind); err != nil {
		return command.Answer{}, err
	}
	given, err := signer.Encode(in)
	if err != nil {
		return command.Answer{}, err
	}
	sub, err := s.subjectOf(ctx, c)
	if err == nil && sub.state != activity.Awaiting { // another call with the same stamp may have finished meanwhile
		c, err = s.c.Store.Ceremony(ctx, c.TokenHash)
	}
	if err != nil {
		return command.Answer{}, err
	}
	cmd.Ceremony = &command.Ceremony{ID: c.TokenHash, Given: auth.Hash(string(given))}
	cmd.Principal = auth.Principal{
		Tenant: auth.Tenant{WorkspaceID: c.WorkspaceID}, Environment: string(s.c.Environment),
	}
	again := c.Given == cmd.Ceremony.Given && s.c.Clock.Now().Before(c.ExpiresAt)
	if over := s.over(c, sub.state); over != nil && !again {
		return command.Answer{}, over
	}
	if in.Decline != nil {
		return s.decline(ctx, cmd, c, sub, in.Decline.Reason)
	}
	if err := s.rememberOpen(ctx, c, cmd.Ceremony.Given); err != nil {
		return command.Answer{}, err
	}
	if cmd.Return, err = s.inherited(ctx, c); err != nil {
		return command.Answer{}, err
	}
	return s.finish(ctx, cmd, c, sub.body, in)
}

// remember writes down what is handed in, before anything is done with it. Should a crash swallow the answer, the page
// sends the same again, and gets what came of it by then. Of a link that was finished meanwhile it is record.ErrStale.
func (s *Service) remember(ctx context.Context, c link.Ceremony, given string) error {
	if c.Given == given {
		return nil
	}
	return s.c.Store.Work(ctx, c.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		return command.Audit{}, tx.TryCeremony(ctx, c.TokenHash, given)
	})
}

// rememberOpen is remember for a stamp or a passkey. A link that was declined meanwhile takes none; what another one
// that finished it has done, the enclave says.
func (s *Service) rememberOpen(ctx context.Context, c link.Ceremony, given string) error {
	err := s.remember(ctx, c, given)
	if !errors.Is(err, record.ErrStale) {
		return err
	}
	if c, err = s.c.Store.Ceremony(ctx, c.TokenHash); err == nil && c.Declined {
		err = errDeclined()
	}
	return err
}

// inherited is where the page of a further link leads back to that finishing this one makes. Where the origin was
// removed meanwhile, it leads nowhere.
func (s *Service) inherited(ctx context.Context, c link.Ceremony) (*command.Return, error) {
	origin, _, err := s.c.Links.Back(ctx, c, "", "")
	if err != nil || origin == "" {
		return nil, err
	}
	return &c.Return, nil
}

func (s *Service) finish(ctx context.Context, cmd *command.Command, c link.Ceremony, body string,
	in FinishInput,
) (command.Answer, error) {
	switch c.Kind {
	case link.Register:
		return s.c.Passkeys.Register(ctx, cmd, passkey.RegisterInput{
			Email: c.Email, Name: c.Email, Label: in.Label, EncodedChallenge: c.Subject, Attestation: *in.Attestation,
			RecoveryPublicKey: in.RecoveryPublicKey,
		})
	case link.Add:
		return s.finishAdding(ctx, cmd, c, in)
	case link.Approval:
		return s.finishVote(ctx, cmd, c, body, in)
	case link.Lost:
		return s.c.Recoveries.Initiate(ctx, cmd,
			recovery.InitiateRecoveryInput{Email: c.Email, TargetPublicKey: in.TargetPublicKey})
	case link.Recover:
		in.Recovery.RecoveryID = c.Subject
		return s.c.Recoveries.Sync(ctx, cmd, *in.Recovery)
	}
	stamped := activity.Stamped{Body: body, Stamp: *in.Stamp}
	switch c.Kind {
	case link.Wallet:
		return s.c.Wallets.Confirm(ctx, cmd, wallet.ConfirmWalletInput{WalletRequestID: c.Subject,
			SignedActivity: stamped})
	case link.Accounts:
		return s.c.Wallets.ConfirmAccount(ctx, cmd,
			wallet.ConfirmAccountInput{WalletAccountRequestID: c.Subject, SignedActivity: stamped})
	case link.Transaction:
		return s.c.Transactions.Confirm(ctx, cmd,
			transaction.ConfirmTransactionInput{TransactionID: c.Subject, SignedActivity: &stamped})
	}
	return s.c.Changes.Confirm(ctx, cmd, c.Subject, *in.Stamp)
}

// finishVote counts a vote.
func (s *Service) finishVote(ctx context.Context, cmd *command.Command, c link.Ceremony, body string,
	in FinishInput,
) (command.Answer, error) {
	a, err := s.approvalOf(ctx, c.WorkspaceID, body)
	if err != nil {
		return command.Answer{}, err
	}
	return s.c.Votes.Approve(ctx, cmd, a.ID, activity.Stamping{SignedActivity: &activity.Stamped{Body: body,
		Stamp: *in.Stamp}})
}

// finishAdding prepares the body that adds the new passkey, for the stamp of an existing passkey. It answers with a
// new link, since the existing passkey may be on another device.
func (s *Service) finishAdding(ctx context.Context, cmd *command.Command, c link.Ceremony,
	in FinishInput,
) (command.Answer, error) {
	sub, challenge := c.Adding()
	keys, err := s.c.Store.Passkeys(ctx, c.WorkspaceID, sub)
	if err != nil {
		return command.Answer{}, err
	}
	add := passkey.AddPasskeyInput{Label: in.Label, EncodedChallenge: challenge, Attestation: *in.Attestation,
		SubOrganizationID: sub, Email: c.Email}
	if slices.ContainsFunc(keys, func(k passkey.Passkey) bool { return strings.EqualFold(k.Email, c.Email) }) {
		add.Email = "" // empty: another passkey of the user who stamps
	}
	return s.c.Passkeys.Add(ctx, cmd, add, true)
}
