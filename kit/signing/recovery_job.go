package signing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/command"
)

// Mail is one mail, in plain text.
type Mail struct {
	ID      string // the same for each try to send it
	To      string
	Subject string
	Text    string
}

// Mailer sends mail.
type Mailer interface {
	Send(ctx context.Context, m Mail) error
}

// ErrMailRefused says that a mail will never be taken, however often it is tried.
var ErrMailRefused = errors.New("the mail is refused for good")

// tooEarly is when to look again at a recovery whose delay is over by this clock
// and not by the enclave's.
const tooEarly = time.Second

// Recover is the job of a recovery: it mails what is owed, and ends it when its
// time has come. It may run twice, also beside itself.
func (s *Service) Recover(ctx context.Context, workspaceID, id string) (again time.Duration, err error) {
	r, err := s.store.Recovery(ctx, workspaceID, id)
	if errors.Is(err, fault.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	again, err = s.ripen(ctx, r)
	return again, errors.Join(err, s.mailRecovery(ctx, r.WorkspaceID, r.ID))
}

// ripen does what is due, and says when more will be.
func (s *Service) ripen(ctx context.Context, r Recovery) (time.Duration, error) {
	now := s.clock.Now()
	switch {
	case r.State == RecoveryRequested && now.Before(r.ExpiresAt):
		return r.ExpiresAt.Sub(now), nil
	case r.State == RecoveryRequested && r.Fingerprint == "":
		return 0, s.recoveryEnds(ctx, r, RecoveryExpired)
	case r.State == RecoveryRequested:
		return 0, s.forgotten(ctx, r)
	case r.State != RecoveryPending:
		return 0, nil
	case s.readyIn(r) > 0:
		return s.readyIn(r), nil
	}
	return s.finishRecovery(ctx, r)
}

// forgotten is a recovery whose passkey was handed in, and whose answer is not
// known: the enclave never does it any more, or has done so.
func (s *Service) forgotten(ctx context.Context, r Recovery) error {
	out, err := s.enclave.Outcome(ctx, r.Fingerprint)
	if err != nil {
		return err
	}
	if out.State == wire.Unknown { // it was refused, and its half has expired
		return s.recoveryEnds(ctx, r, RecoveryExpired)
	}
	return s.settleRecovery(ctx, r, out)
}

// finishRecovery submits the body again, which executes it. Where the enclave will
// not, because it was cancelled or another one took its place, it is over.
func (s *Service) finishRecovery(ctx context.Context, r Recovery) (time.Duration, error) {
	out, err := s.enclave.Submit(ctx, wire.SubmitRequest{Body: r.Body}, r.Fingerprint)
	if f, ok := fault.As(err); ok && f.Kind == fault.Conflict {
		out, err = s.enclave.Cancel(ctx, r.Fingerprint)
	}
	if err != nil {
		return 0, err
	}
	if out.State == wire.Held {
		return tooEarly, nil
	}
	return 0, s.settleRecovery(ctx, r, out)
}

// sweepRecoveries makes jobs of recoveries whose jobs were lost or have given up.
func (s *Service) sweepRecoveries(ctx context.Context) error {
	rows, err := s.store.WaitingRecoveries(ctx, s.clock.Now().Add(-sweepJobs), sweepBatch)
	if err != nil {
		return err
	}
	return each(rows, func(r Recovery) error {
		return s.store.Work(ctx, r.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
			job := r.job()
			job.Anew = false
			return command.Audit{}, errors.Join(tx.TouchRecovery(ctx, r.WorkspaceID, r.ID, s.clock.Now()), tx.Enqueue(ctx, job))
		})
	})
}

// mailRecovery sends the link and the notices that are owed. A second try sends
// the same mails under the same ids.
func (s *Service) mailRecovery(ctx context.Context, workspaceID, id string) error {
	r, err := s.store.Recovery(ctx, workspaceID, id)
	if err != nil || r.Bundle == "" && r.Owed == "" {
		return err
	}
	if r.SubOrganizationID != "" && (r.links() || r.Owed != "") {
		if s.mailer == nil {
			return nil // the sweeper comes back to it once there is one
		}
		if err := s.sendRecovery(ctx, r); err != nil {
			return err
		}
	}
	r.UpdatedAt = s.clock.Now()
	err = s.store.Work(ctx, r.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		return command.Audit{}, tx.MailedRecovery(ctx, r, "")
	})
	if errors.Is(err, ErrStale) { // something else is owed since
		return s.store.Work(ctx, r.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
			return command.Audit{}, tx.Enqueue(ctx, r.job())
		})
	}
	return err
}

// links says that the link of a recovery is still to be mailed.
func (r Recovery) links() bool { return r.Bundle != "" && r.State == RecoveryRequested }

func (s *Service) sendRecovery(ctx context.Context, r Recovery) error {
	if r.links() {
		if err := s.sendLink(ctx, r); err != nil {
			return err
		}
	}
	if r.Owed == "" {
		return nil
	}
	contacts, err := s.contacts(ctx, r)
	if err != nil {
		return err
	}
	for _, state := range strings.Split(strings.TrimPrefix(r.Owed, ","), ",") {
		for _, to := range contacts {
			err = errors.Join(err, s.send1(ctx, s.recoveryNotice(r, RecoveryState(state), to)))
		}
	}
	return err
}

// mostLinks is how many links an address is mailed in an hour of the clock, from one
// workspace: whoever may ask for recoveries must not fill a mailbox.
const mostLinks = 5

// sendLink mails the link, or leaves it. The answer was given before, and is alike.
func (s *Service) sendLink(ctx context.Context, r Recovery) error {
	n, err := s.store.EarlierRecoveries(ctx, r, r.CreatedAt.Truncate(time.Hour))
	if err != nil {
		return err
	}
	if n >= mostLinks {
		s.log.Warn("the link of a recovery is not mailed: its address had enough of them in this hour", "workspace", r.WorkspaceID, "recovery", r.ID)
		return nil
	}
	return s.send1(ctx, s.recoveryLink(r))
}

// send1 takes a mail that the server will never take for sent: the others go on.
func (s *Service) send1(ctx context.Context, m Mail) error {
	err := s.mailer.Send(ctx, m)
	if errors.Is(err, ErrMailRefused) {
		s.log.Warn("a mail about a recovery is refused for good", "id", m.ID, "error", err)
		return nil
	}
	return err
}

// contacts are all who could be robbed by a recovery, or asked about it.
func (s *Service) contacts(ctx context.Context, r Recovery) ([]string, error) {
	all, err := s.store.AdminEmails(ctx, r.WorkspaceID)
	if err != nil {
		return nil, err
	}
	sub, err := s.store.SubOrganization(ctx, r.WorkspaceID, r.SubOrganizationID)
	if err != nil {
		return nil, err
	}
	keys, err := s.store.Passkeys(ctx, r.WorkspaceID, r.SubOrganizationID)
	for _, k := range keys {
		all = append(all, k.Email)
	}
	all = append(all, sub.Email, r.Email)
	slices.SortFunc(all, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	return slices.CompactFunc(all, strings.EqualFold), err
}

func (s *Service) recoveryLink(r Recovery) Mail {
	link := "Bundle: " + r.Bundle
	if s.ceremonyOrigin != "" {
		link = s.ceremonyOrigin + "/#" + r.token() + "." + r.Bundle
	}
	return Mail{
		ID: r.ID, To: r.Email, Subject: "Recover your wallet",
		Text: fmt.Sprintf("Somebody asked to recover your wallet with a new passkey.\n\nOpen this link in the browser in which you asked. It works once, until %s UTC:\n\n%s\n\n"+
			"You will be asked for your recovery code. Give it to nobody else.\n\nIf you did not ask, ignore this mail: nothing happens without the link.\n",
			r.ExpiresAt.UTC().Format("2 January 2006 15:04"), link),
	}
}

// recoveryNotice tells one of the contacts what happens. It has no link: a mail
// about an alarm is what a thief would copy.
func (s *Service) recoveryNotice(r Recovery, of RecoveryState, to string) Mail {
	m := Mail{ID: derivedID("recovery notice", r.ID, string(of), strings.ToLower(to)), To: to}
	by := "It was confirmed with the recovery code."
	if r.EmailOnly {
		by = "It was confirmed by e-mail alone, without a recovery code."
	}
	switch of {
	case RecoveryPending:
		m.Subject = "A wallet is about to get a new passkey"
		m.Text = fmt.Sprintf("A new passkey for %s is about to be added by recovery. %s\n\nIt can sign from %s UTC on.\n\n"+
			"If this is not wanted, cancel it before then, with any passkey of the wallet, where you use the wallet.\n", r.Email, by, r.ReadyAt.UTC().Format("2 January 2006 15:04:05"))
	case RecoveryCompleted:
		m.Subject = "A wallet has a new passkey"
		m.Text = fmt.Sprintf("A new passkey for %s was added by recovery. %s\n\nAddresses and keys have not changed.\n", r.Email, by)
	default:
		m.Subject = "The recovery of a wallet was cancelled"
		m.Text = fmt.Sprintf("The new passkey for %s will not be added: the recovery was cancelled.\n", r.Email)
	}
	m.Text += fmt.Sprintf("\nSub-organization %s, recovery %s.\n", r.SubOrganizationID, r.ID)
	return m
}
