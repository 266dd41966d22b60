package payout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/work"
	"github.com/railkit/railkit/platform/command"
)

const (
	partnerTime     = 8 * time.Second  // that the partner has to answer in
	registerLease   = 15 * time.Second // after which who asks the partner is believed to be dead
	registerWait    = 10 * time.Second // of a caller while another one asks
	registerGlance  = 50 * time.Millisecond
	mostClaims      = 3
	partnerKeySpace = "railkit bank account"
)

// partnerKey is the key of the call that registers an account: of this row, so
// that an answer to an earlier one is never taken for this one's.
func partnerKey(id, salt string) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, fmt.Appendf(nil, "%s/%s/%s", partnerKeySpace, id, salt)).String()
}

// CreateBankAccount registers a bank account with the partner. The row, with the
// partner's key, is there before the partner is asked; whoever comes while it is
// asked waits, and what a crash leaves the next caller or the sweeper finishes.
func (s *Service) CreateBankAccount(ctx context.Context, cmd *command.Command, recipientID string, in BankAccountInput) (command.Answer, error) {
	return s.createBankAccount(ctx, cmd, recipientID, in, ourselves)
}

// applicant is who asks for a bank account.
type applicant struct {
	show  func(BankAccount) any                        // what it is told of the account
	claim func(context.Context, Tx, BankAccount) error // in the transaction that makes the row its own
}

// ourselves is the workspace, and the server for it: it may always ask.
var ourselves = applicant{
	show: func(a BankAccount) any { return a.View() }, claim: func(context.Context, Tx, BankAccount) error { return nil },
}

func (s *Service) createBankAccount(ctx context.Context, cmd *command.Command, recipientID string, in BankAccountInput, by applicant) (command.Answer, error) {
	r, err := s.store.Recipient(ctx, cmd.Principal.WorkspaceID, recipientID)
	if err != nil {
		return command.Answer{}, err
	}
	wanted, err := s.bankAccount(r, in)
	if err != nil {
		return command.Answer{}, err
	}
	if _, err := s.customer(ctx, r.WorkspaceID); err != nil { // before there is a row that waits
		return command.Answer{}, fiat.Fault(err)
	}
	wanted.Origin = s.origin(cmd, in.IdempotencySalt)
	by = s.raising(by, cmd, AlertAdded, "")
	a, mine, err := s.claimAccount(ctx, wanted, by)
	if err != nil {
		return command.Answer{}, err
	}
	if !mine {
		return s.knownAccount(ctx, cmd, a, by)
	}
	return s.registerFor(ctx, cmd, a, by)
}

// origin tells a call apart from others for the same number. Without a salt or a
// key every call is another one.
func (s *Service) origin(cmd *command.Command, salt string) string {
	switch {
	case salt != "":
		return s.vault.Fingerprint(cmd.Principal.WorkspaceID, "salt", salt)
	case cmd.Key != nil:
		return cmd.Key.Hash
	}
	return ""
}

// knownAccount answers a call that is made again with what its first one made.
// Under a key that is the first one's very answer, if there was one.
func (s *Service) knownAccount(ctx context.Context, cmd *command.Command, a BankAccount, by applicant) (command.Answer, error) {
	reply := by.reply(a)
	reply.Audit = accountAudit(a, "bank_account.create")
	return work.Answer(ctx, s.store, cmd, reply)
}

func (by applicant) reply(a BankAccount) command.Reply {
	return command.Reply{Status: 201, Message: "Bank account registered", Data: by.show(a)}
}

func accountReply(a BankAccount, status int, message string) command.Reply {
	return command.Reply{Status: status, Message: message, Data: a.View()}
}

// accountAudit is what the record keeps: no number, not even the end of one.
func accountAudit(a BankAccount, action string) command.Audit {
	return command.Audit{Action: action, Resource: a.ID, Detail: map[string]string{
		"recipientId": a.RecipientID, "currency": string(a.Currency), "registration": string(a.Registration),
	}}
}

// claimAccount inserts the row, or finds what has its number: an account that this
// caller's first try made, or a row whose caller died and that is this one's now.
func (s *Service) claimAccount(ctx context.Context, wanted BankAccount, by applicant) (a BankAccount, mine bool, err error) {
	for range mostClaims {
		err = work.Do(ctx, s.store, wanted.WorkspaceID, func(ctx context.Context, tx Tx) error {
			if err := tx.InsertBankAccount(ctx, wanted); err != nil {
				return err
			}
			return by.claim(ctx, tx, wanted)
		})
		if err == nil {
			return wanted, true, nil
		}
		if !errors.Is(err, work.ErrStale) {
			return a, false, err
		}
		a, mine, err = s.claimOther(ctx, wanted, by)
		if !errors.Is(err, fault.ErrNotFound) && !errors.Is(err, work.ErrStale) { // or it was refused, or claimed, meanwhile
			return a, mine, err
		}
	}
	return a, false, ErrRegistering.After(time.Second)
}

func (s *Service) claimOther(ctx context.Context, wanted BankAccount, by applicant) (a BankAccount, mine bool, err error) {
	a, err = s.settled(ctx, wanted)
	switch {
	case err != nil:
		return a, false, err
	case a.Registration == AccountProvisioning:
		a, err = s.takeAccountFor(ctx, a, by)
		return a, err == nil, err
	case wanted.Origin == "" || a.Origin != wanted.Origin:
		return a, false, ErrDuplicateAccount
	}
	return a, false, nil
}

// settled waits until nobody asks the partner about the row with the number.
func (s *Service) settled(ctx context.Context, wanted BankAccount) (a BankAccount, err error) {
	ctx, cancel := context.WithTimeout(ctx, registerWait)
	defer cancel()
	for {
		a, err = s.store.BankAccountByFingerprint(ctx, wanted.WorkspaceID, wanted.RecipientID, wanted.Fingerprint)
		if ctx.Err() != nil {
			return a, ErrRegistering.After(time.Second)
		}
		if err != nil || a.Registration != AccountProvisioning || s.free(a) {
			return a, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(registerGlance):
		}
	}
}

// free tells that nobody asks the partner about an account, or nobody who lives.
func (s *Service) free(a BankAccount) bool { return s.clock.Now().Sub(a.TriedAt) >= registerLease }

// takeAccount makes a row that waits for the partner this caller's.
func (s *Service) takeAccount(ctx context.Context, a BankAccount) (BankAccount, error) {
	return s.takeAccountFor(ctx, a, ourselves)
}

func (s *Service) takeAccountFor(ctx context.Context, a BankAccount, by applicant) (BankAccount, error) {
	now := s.clock.Now()
	a.TriedAt = now
	if a.Registration == AccountProvisioning && now.Sub(a.KeyedAt) > fiat.KeyLife {
		a.PartnerKey, a.KeyedAt = uuid.NewString(), now
	}
	err := work.Do(ctx, s.store, a.WorkspaceID, func(ctx context.Context, tx Tx) error {
		if err := tx.UpdateBankAccount(ctx, a); err != nil {
			return err
		}
		return by.claim(ctx, tx, a)
	})
	a.Version++
	return a, err
}

// registerFor registers the caller's row and answers with it.
func (s *Service) registerFor(ctx context.Context, cmd *command.Command, a BankAccount, by applicant) (answer command.Answer, err error) {
	err = s.register(ctx, a, func(ctx context.Context, a BankAccount) error {
		answer, err = s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
			reply := by.reply(a)
			reply.Audit = accountAudit(a, "bank_account.create")
			return reply, tx.UpdateBankAccount(ctx, a)
		})
		return err
	})
	if errors.Is(err, work.ErrStale) { // this caller was taken for dead
		err = ErrRegistering.After(time.Second).Because(err)
	}
	return answer, err
}

// register asks the partner about a row that is this caller's, and finishes it.
func (s *Service) register(ctx context.Context, a BankAccount, finish func(context.Context, BankAccount) error) error {
	got, err := s.askToRegister(ctx, a)
	if err != nil {
		return s.notRegistered(ctx, a, err)
	}
	now := s.clock.Now()
	a.PartnerID, a.TriedAt, a.UpdatedAt = got.ID, now, now
	a.Registration, a.Reason = Registration(got.State), got.Reason
	return finish(ctx, a)
}

func (s *Service) askToRegister(ctx context.Context, a BankAccount) (fiat.Account, error) {
	ctx, cancel := context.WithTimeout(ctx, partnerTime)
	defer cancel()
	d, err := s.unseal(a)
	if err != nil {
		return fiat.Account{}, err
	}
	r, err := s.store.Recipient(ctx, a.WorkspaceID, a.RecipientID)
	if err != nil {
		return fiat.Account{}, err
	}
	customer, err := s.customer(ctx, a.WorkspaceID)
	if err != nil {
		return fiat.Account{}, err
	}
	got, err := s.partner.CreateAccount(ctx, a.PartnerKey, customer, fiat.AccountRequest{
		Currency: a.Currency, Rail: a.Rail, OwnerName: cmp.Or(d.LegalName, r.Name), OwnerEmail: r.Email, Business: r.Owner == Business,
		BankName: a.BankName, Address: a.Address, Details: d,
	})
	if err == nil && got.ID == "" {
		err = fmt.Errorf("a bank account without an id: %w", fiat.ErrAnswer)
	}
	return got, err
}

// notRegistered leaves the row to the next caller or, where the partner refuses
// for good, takes it away: nothing was made, and the number may be mended.
func (s *Service) notRegistered(ctx context.Context, a BankAccount, why error) error {
	err := work.Do(context.WithoutCancel(ctx), s.store, a.WorkspaceID, func(ctx context.Context, tx Tx) error {
		if errors.Is(why, fiat.ErrRefused) {
			return tx.DeleteBankAccount(ctx, a)
		}
		a.TriedAt = time.Time{}
		if errors.Is(why, fiat.ErrKeyReused) {
			a.PartnerKey, a.KeyedAt = uuid.NewString(), s.clock.Now()
		}
		return tx.UpdateBankAccount(ctx, a)
	})
	if err != nil && !errors.Is(err, work.ErrStale) {
		s.log.Warn("a bank account stays with a caller who has gone", "workspace", a.WorkspaceID, "account", a.ID, "error", err)
	}
	return fiat.Fault(why)
}
