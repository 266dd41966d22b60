package signing

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
)

// FinishCeremonyInput is what the owner's passkey gave: an attestation where one
// was to be made, else a stamp. In the place of a vote what waits may be rejected.
type FinishCeremonyInput struct {
	Stamp             *wire.Stamp
	Attestation       *Attestation
	Label             string // of the new passkey
	RecoveryPublicKey string // made by the page with it; "" where its owner wants none
	Reject            *RejectInput
	TargetPublicKey   string             // of a page that asks for a recovery
	Recovery          *SyncRecoveryInput // the new passkey of a recovery
}

// FinishCeremony does what the stamp was for, as the API's own confirm would.
func (s *Service) FinishCeremony(ctx context.Context, cmd *command.Command, c Ceremony, in FinishCeremonyInput) (command.Answer, error) {
	if err := in.check(c.Kind); err != nil {
		return command.Answer{}, err
	}
	given, err := encode(in)
	if err != nil {
		return command.Answer{}, err
	}
	sub, err := s.ceremonySubject(ctx, c)
	if err == nil && sub.state != Awaiting { // since c was read the same stamp may have come through
		c, err = s.store.Ceremony(ctx, c.TokenHash)
	}
	if err != nil {
		return command.Answer{}, err
	}
	cmd.Ceremony = &command.Ceremony{ID: c.TokenHash, Given: auth.Hash(string(given))}
	cmd.Principal = auth.Principal{Tenant: auth.Tenant{WorkspaceID: c.WorkspaceID}, Environment: string(s.env)}
	again := c.Given == cmd.Ceremony.Given && s.clock.Now().Before(c.ExpiresAt)
	if over := s.ceremonyOver(c, sub.state); over != nil && !again {
		return command.Answer{}, over
	}
	if err := s.tryCeremony(ctx, c, cmd.Ceremony.Given); err != nil {
		return command.Answer{}, err
	}
	return s.finishCeremony(ctx, cmd, c, sub.body, in)
}

// tryCeremony writes down what is handed in, first: should a crash swallow the
// answer, the page sends the same again, and gets what came of it by then.
func (s *Service) tryCeremony(ctx context.Context, c Ceremony, given string) error {
	if c.Given == given {
		return nil
	}
	return s.store.Work(ctx, c.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		return command.Audit{}, tx.TryCeremony(ctx, c.TokenHash, given)
	})
}

// check wants exactly what the kind is finished with.
func (in FinishCeremonyInput) check(kind CeremonyKind) error {
	given := map[string]bool{
		"attestation": in.Attestation != nil, "label": in.Label != "", "recoveryPublicKey": in.RecoveryPublicKey != "", "stamp": in.Stamp != nil,
		"reject": in.Reject != nil, "targetPublicKey": in.TargetPublicKey != "", "recovery": in.Recovery != nil,
	}
	need, may := "stamp", ""
	switch kind {
	case CeremonyRegister, CeremonyAdd:
		need, may = "attestation", "label"
	case CeremonyLost:
		need = "targetPublicKey"
	case CeremonyRecover:
		need = "recovery"
	case CeremonyApproval:
		if in.Reject != nil {
			need = "reject"
		}
	}
	if !given[need] {
		return fault.Field(need, "is required")
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		allowed := name == need || name == may || name == "recoveryPublicKey" && kind == CeremonyRegister
		if given[name] && !allowed {
			return fault.Field(name, "must not be given on this link")
		}
	}
	return nil
}

func (s *Service) finishCeremony(ctx context.Context, cmd *command.Command, c Ceremony, body string, in FinishCeremonyInput) (command.Answer, error) {
	switch c.Kind {
	case CeremonyRegister:
		return s.Register(ctx, cmd, RegisterInput{
			Email: c.Email, Name: c.Email, Label: in.Label, EncodedChallenge: c.Subject, Attestation: *in.Attestation,
			RecoveryPublicKey: in.RecoveryPublicKey,
		})
	case CeremonyAdd:
		return s.finishAdding(ctx, cmd, c, in)
	case CeremonyApproval:
		return s.finishVote(ctx, cmd, c, body, in)
	case CeremonyLost:
		return s.InitiateRecovery(ctx, cmd, InitiateRecoveryInput{Email: c.Email, TargetPublicKey: in.TargetPublicKey})
	case CeremonyRecover:
		in.Recovery.RecoveryID = c.Subject
		return s.SyncRecovery(ctx, cmd, *in.Recovery)
	}
	stamped := Stamped{Body: body, Stamp: *in.Stamp}
	switch c.Kind {
	case CeremonyWallet:
		return s.ConfirmWallet(ctx, cmd, ConfirmWalletInput{WalletRequestID: c.Subject, SignedActivity: stamped})
	case CeremonyAccounts:
		return s.ConfirmAccount(ctx, cmd, ConfirmAccountInput{WalletAccountRequestID: c.Subject, SignedActivity: stamped})
	case CeremonyTransaction:
		return s.ConfirmTransaction(ctx, cmd, ConfirmTransactionInput{TransactionID: c.Subject, SignedActivity: &stamped})
	}
	a, err := s.store.Activity(ctx, c.WorkspaceID, c.Subject)
	if err != nil {
		return command.Answer{}, err
	}
	return s.confirmChange(ctx, cmd, a, *in.Stamp)
}

// finishVote counts a vote, or ends what it would have been for.
func (s *Service) finishVote(ctx context.Context, cmd *command.Command, c Ceremony, body string, in FinishCeremonyInput) (command.Answer, error) {
	a, err := s.votedOn(ctx, c.WorkspaceID, body)
	if err != nil {
		return command.Answer{}, err
	}
	if in.Reject != nil {
		return s.Reject(ctx, cmd, a.ID, *in.Reject)
	}
	return s.Approve(ctx, cmd, a.ID, Stamping{SignedActivity: &Stamped{Body: body, Stamp: *in.Stamp}})
}

// finishAdding prepares the body by which another passkey adds the new one, and
// answers with its link: that one may be on another device.
func (s *Service) finishAdding(ctx context.Context, cmd *command.Command, c Ceremony, in FinishCeremonyInput) (command.Answer, error) {
	sub, challenge := c.adding()
	keys, err := s.store.Passkeys(ctx, c.WorkspaceID, sub)
	if err != nil {
		return command.Answer{}, err
	}
	add := AddPasskeyInput{Label: in.Label, EncodedChallenge: challenge, Attestation: *in.Attestation, SubOrganizationID: sub, Email: c.Email}
	if slices.ContainsFunc(keys, func(k Passkey) bool { return strings.EqualFold(k.Email, c.Email) }) {
		add.Email = "" // a further one of the user who stamps
	}
	return s.AddPasskey(ctx, cmd, add, true)
}
