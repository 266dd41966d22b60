package account

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/alert"
	"github.com/railkit/railkit/kit/payout/customer"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

const (
	partnerTime     = 8 * time.Second  // that the partner has to answer in
	registerLease   = 15 * time.Second // after which who asks the partner is believed to be dead
	registerWait    = 10 * time.Second // of a caller while another one asks
	registerGlance  = 50 * time.Millisecond
	mostClaims      = 3
	partnerKeySpace = "railkit bank account"
)

// partnerKey is the idempotency key for registering an account at the partner. It depends on the row, so that the
// answer for an earlier row with the same number is not taken for this one's.
func partnerKey(id, salt string) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, fmt.Appendf(nil, "%s/%s/%s", partnerKeySpace, id, salt)).String()
}

// Create registers a bank account with the partner. The row, with the key of that call, is committed before the
// partner is asked. A concurrent call for the same number waits for the result. After a crash the next caller or the
// sweeper finishes the row.
func (s *Service) Create(
	ctx context.Context, cmd *command.Command, recipientID string, in rest.BankAccountRequest,
) (command.Answer, error) {
	return s.CreateFor(ctx, cmd, recipientID, in, s.ourselves())
}

// Applicant is the caller that registers a bank account: the workspace, or a recipient with an invite.
type Applicant struct {
	// Show is the account as the applicant may see it.
	Show func(Account) any
	// Claim runs write in a transaction, which assigns the row to the applicant, and adds the applicant's own writes
	// to that transaction: an invite is marked as used there.
	Claim func(ctx context.Context, a Account, write func(context.Context, Tx) error) error
}

// ourselves is the workspace, or the server on its behalf.
func (s *Service) ourselves() Applicant {
	return Applicant{
		Show: func(a Account) any { return a.View() },
		Claim: func(ctx context.Context, a Account, write func(context.Context, Tx) error) error {
			return record.Do(ctx, s.store, a.WorkspaceID, write)
		},
	}
}

// CreateFor is Create for an applicant.
func (s *Service) CreateFor(
	ctx context.Context, cmd *command.Command, recipientID string, in rest.BankAccountRequest, by Applicant,
) (command.Answer, error) {
	r, err := s.store.Recipient(ctx, cmd.Principal.WorkspaceID, recipientID)
	if err != nil {
		return command.Answer{}, err
	}
	wanted, err := s.FromInput(r, in)
	if err != nil {
		return command.Answer{}, err
	}
	if _, err := s.customers.ID(ctx, r.WorkspaceID); err != nil { // before there is a row that waits
		return command.Answer{}, fiat.Fault(err)
	}
	wanted.Origin = s.origin(cmd, in.IdempotencySalt)
	by = s.raising(by, cmd, alert.Added, "")
	if err := s.checkOldCodes(ctx, wanted); err != nil {
		return command.Answer{}, err
	}
	a, mine, err := s.claim(ctx, wanted, by)
	if err != nil {
		return command.Answer{}, err
	}
	if !mine { // the call is made again: what its first one made or, under a key, the very answer
		reply := by.reply(a)
		reply.Audit = auditOf(a, "bank_account.create")
		return record.Answer(ctx, s.store, cmd, reply)
	}
	return s.registerFor(ctx, cmd, a, by)
}

// checkOldCodes refuses a Pix key that the recipient has in a BR Code from before such accounts were told apart by
// their keys. Their fingerprints are of the code's text, so that the database does not find them.
func (s *Service) checkOldCodes(ctx context.Context, wanted Account) error {
	if wanted.Currency != money.BRL {
		return nil
	}
	of, err := s.ofRecipients(ctx, Filter{
		WorkspaceID: wanted.WorkspaceID, RecipientIDs: []string{wanted.RecipientID}, Archived: true,
		Page: page.Page{Limit: MostAccounts},
	})
	for _, a := range of[wanted.RecipientID] {
		if a.Currency != money.BRL || a.Registration == Rejected || a.Fingerprint == wanted.Fingerprint {
			continue
		}
		d, wrong := s.unseal(a)
		if wrong != nil {
			return wrong
		}
		if s.fingerprint(a.WorkspaceID, a.Currency, d) == wanted.Fingerprint {
			return ErrDuplicate
		}
	}
	return err
}

// origin identifies a call among others for the same number. Without a salt and without an idempotency key every call
// has a new one.
func (s *Service) origin(cmd *command.Command, salt string) string {
	switch {
	case salt != "":
		return s.vault.Fingerprint(cmd.Principal.WorkspaceID, "salt", salt)
	case cmd.Key != nil:
		return cmd.Key.Hash
	}
	return ""
}

func (by Applicant) reply(a Account) command.Reply {
	return command.Reply{Status: 201, Message: "Bank account registered", Data: by.Show(a)}
}

func replyOf(a Account, status int, message string) command.Reply {
	return command.Reply{Status: status, Message: message, Data: a.View()}
}

// auditOf is the audit entry of an account. It has no digits of the number.
func auditOf(a Account, action string) command.Audit {
	return command.Audit{Action: action, Resource: a.ID, Detail: map[string]string{
		"recipientId": a.RecipientID, "currency": string(a.Currency), "registration": string(a.Registration),
	}}
}

// claim inserts the row, or finds the row that has its number: an account that an earlier try of this call made, or an
// unfinished row of a caller that crashed, which this caller takes over.
func (s *Service) claim(ctx context.Context, wanted Account, by Applicant) (a Account, mine bool, err error) {
	for range mostClaims {
		err = by.Claim(ctx, wanted, func(ctx context.Context, tx Tx) error { return tx.InsertBankAccount(ctx, wanted) })
		if err == nil {
			return wanted, true, nil
		}
		if !errors.Is(err, record.ErrStale) {
			return a, false, err
		}
		a, mine, err = s.claimOther(ctx, wanted, by)
		if !errors.Is(err, fault.ErrNotFound) &&
			!errors.Is(err, record.ErrStale) { // or it was refused, or claimed, meanwhile
			return a, mine, err
		}
	}
	return a, false, customer.ErrRegistering.After(time.Second)
}

func (s *Service) claimOther(ctx context.Context, wanted Account, by Applicant) (a Account, mine bool, err error) {
	a, err = s.settled(ctx, wanted)
	switch {
	case err != nil:
		return a, false, err
	case a.Registration == Provisioning:
		a, err = s.takeFor(ctx, a, by)
		return a, err == nil, err
	case wanted.Origin == "" || a.Origin != wanted.Origin:
		return a, false, ErrDuplicate
	}
	return a, false, nil
}

// settled waits until no other caller is asking the partner about the row with this number.
func (s *Service) settled(ctx context.Context, wanted Account) (a Account, err error) {
	ctx, cancel := context.WithTimeout(ctx, registerWait)
	defer cancel()
	for {
		a, err = s.store.BankAccountByFingerprint(ctx, wanted.WorkspaceID, wanted.RecipientID, wanted.Fingerprint)
		if ctx.Err() != nil {
			return a, customer.ErrRegistering.After(time.Second)
		}
		if err != nil || a.Registration != Provisioning || s.unattended(a) {
			return a, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(registerGlance):
		}
	}
}

// unattended tells whether no caller is asking the partner about an account; one that began longer ago than
// registerLease is taken for crashed.
func (s *Service) unattended(a Account) bool { return s.clock.Now().Sub(a.TriedAt) >= registerLease }

// takeFor assigns a row that waits for the partner to the applicant.
func (s *Service) takeFor(ctx context.Context, a Account, by Applicant) (Account, error) {
	now := s.clock.Now()
	a.TriedAt = now
	if a.Registration == Provisioning && now.Sub(a.KeyedAt) > fiat.KeyLife {
		a.PartnerKey, a.KeyedAt = uuid.NewString(), now
	}
	err := by.Claim(ctx, a, func(ctx context.Context, tx Tx) error { return tx.UpdateBankAccount(ctx, a) })
	a.Version++
	return a, err
}

// registerFor registers the caller's row and answers with it.
func (s *Service) registerFor(
	ctx context.Context, cmd *command.Command, a Account, by Applicant,
) (answer command.Answer, err error) {
	err = s.register(ctx, a, func(ctx context.Context, a Account) error {
		answer, err = s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
			reply := by.reply(a)
			reply.Audit = auditOf(a, "bank_account.create")
			return reply, tx.UpdateBankAccount(ctx, a)
		})
		return err
	})
	if errors.Is(err, record.ErrStale) { // this caller took so long that another one took the row over
		err = customer.ErrRegistering.After(time.Second).Because(err)
	}
	return answer, err
}

// register registers this caller's row with the partner, and writes the result.
func (s *Service) register(ctx context.Context, a Account, finish func(context.Context, Account) error) error {
	got, err := s.askToRegister(ctx, a)
	if err != nil {
		return s.notRegistered(ctx, a, err)
	}
	now := s.clock.Now()
	a.PartnerID, a.TriedAt, a.UpdatedAt = got.ID, now, now
	a.Registration, a.Reason = Registration(got.State), got.Reason
	return finish(ctx, a)
}

func (s *Service) askToRegister(ctx context.Context, a Account) (fiat.Account, error) {
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
	at, err := s.customers.ID(ctx, a.WorkspaceID)
	if err != nil {
		return fiat.Account{}, err
	}
	got, err := s.partner.CreateAccount(ctx, a.PartnerKey, at, fiat.AccountRequest{
		Currency: a.Currency, Rail: a.Rail, OwnerName: cmp.Or(d.LegalName, r.Name), OwnerEmail: r.Email,
		Business: r.Owner == recipient.Business,
		BankName: a.BankName, Address: a.Address, Details: d,
	})
	if err == nil && got.ID == "" {
		err = fmt.Errorf("a bank account without an id: %w", fiat.ErrAnswer)
	}
	return got, err
}

// notRegistered deletes the row if the partner refuses the account for good, so that the caller can send a corrected
// number. After any other error the row stays, for the next caller or the sweeper.
func (s *Service) notRegistered(ctx context.Context, a Account, why error) error {
	err := record.Do(context.WithoutCancel(ctx), s.store, a.WorkspaceID, func(ctx context.Context, tx Tx) error {
		if errors.Is(why, fiat.ErrRefused) {
			return tx.DeleteBankAccount(ctx, a)
		}
		a.TriedAt = time.Time{}
		if errors.Is(why, fiat.ErrKeyReused) {
			a.PartnerKey, a.KeyedAt = uuid.NewString(), s.clock.Now()
		}
		return tx.UpdateBankAccount(ctx, a)
	})
	if err != nil && !errors.Is(err, record.ErrStale) {
		s.log.WarnContext(ctx,
			"a bank account stays with a caller who has gone", "workspace", a.WorkspaceID, "account", a.ID, "error",
			err,
		)
	}
	return fiat.Fault(why)
}

// raising is an applicant whose claim of an account raises an alert. If the row is claimed again after a crash, no
// second alert is raised.
func (s *Service) raising(by Applicant, cmd *command.Command, change alert.Change, detail string) Applicant {
	claim := by.Claim
	by.Claim = func(ctx context.Context, account Account, write func(context.Context, Tx) error) error {
		return claim(ctx, account, func(ctx context.Context, tx Tx) error {
			if err := write(ctx, tx); err != nil {
				return err
			}
			a := alert.New(cmd, s.clock.Now(), account.WorkspaceID, account.ID, change, detail)
			if change == alert.Added {
				a.ID = uuid.NewSHA1(uuid.NameSpaceOID, []byte("added "+account.ID)).String()
			}
			return alert.Raise(ctx, tx, a)
		})
	}
	return by
}
