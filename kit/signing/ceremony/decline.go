package ceremony

import (
	"context"
	"errors"
	"slices"

	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// bodiless are the links on which there is no prepared body that the enclave could be told never to execute.
var bodiless = []link.Kind{link.Register, link.Add, link.Lost, link.Recover}

func errDeclined() error {
	return ended("declined", "it was declined. Ask for a new link if that was a mistake")
}

// decline ends a link in place of a stamp. A prepared body is cancelled in the enclave first: of a stamp and a decline
// the enclave takes the one that comes first. Of an approval that is this link's vote: the request goes on waiting for
// the votes of others. A link without a body is ended unless something was handed in on it before.
func (s *Service) decline(ctx context.Context, cmd *command.Command, c link.Ceremony, sub subject,
	reason string,
) (command.Answer, error) {
	id, err := s.idOf(ctx, c, sub)
	if err != nil {
		return command.Answer{}, err
	}
	d := link.Decline{
		TokenHash: c.TokenHash, WorkspaceID: c.WorkspaceID, Given: cmd.Ceremony.Given, Kind: c.Kind, ID: id,
		Reason: reason, At: s.c.Clock.Now(),
	}
	if c.Declined {
		return record.Answer(ctx, s.c.Store, cmd, declined(d))
	}
	a := command.Answer{}
	if err = s.forbid(ctx, c, sub, d.Given); err == nil {
		a, err = s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
			return declined(d), errors.Join(s.cancel(ctx, tx, c, d), tx.DeclineCeremony(ctx, d))
		})
	}
	if errors.Is(err, record.ErrStale) {
		return s.lostDecline(ctx, cmd, d)
	}
	return a, err
}

// forbid has the enclave never execute the body of a link.
func (s *Service) forbid(ctx context.Context, c link.Ceremony, sub subject, given string) error {
	if slices.Contains(bodiless, c.Kind) {
		return nil
	}
	if err := s.remember(ctx, c, given); err != nil {
		return err
	}
	forbidden, err := s.c.Activities.Forbid(ctx, sub.fingerprint)
	if err == nil && !forbidden {
		err = ended("finished", "a stamp came first, so that it can no longer be declined")
	}
	return err
}

// cancel writes that the body of a link is cancelled. A sweep may have written it already.
func (s *Service) cancel(ctx context.Context, tx Tx, c link.Ceremony, d link.Decline) error {
	if slices.Contains(bodiless, c.Kind) {
		return nil
	}
	// A stamp may have been tried since. The enclave has refused it.
	if err := tx.TryCeremony(ctx, c.TokenHash, d.Given); err != nil {
		return err
	}
	if c.Kind != link.Transaction {
		return record.UnlessStale(
			tx.MoveActivity(ctx, c.WorkspaceID, c.Subject, activity.Awaiting, activity.Cancelled, "", d.At))
	}
	why := "declined on the passkey page"
	if d.Reason != "" {
		why += ", in words that nobody has verified: " + d.Reason
	}
	return record.UnlessStale(tx.MoveTransaction(ctx, c.WorkspaceID, c.Subject, transaction.From(transaction.Cancelled),
		transaction.Cancelled, transaction.Change{Now: d.At, Reason: &why}))
}

// lostDecline answers a decline that found its link finished, or something else handed in on it.
func (s *Service) lostDecline(ctx context.Context, cmd *command.Command, d link.Decline) (command.Answer, error) {
	c, err := s.c.Store.Ceremony(ctx, d.TokenHash)
	switch {
	case err != nil:
		return command.Answer{}, err
	case c.Declined && c.Given == d.Given:
		return record.Answer(ctx, s.c.Store, cmd, declined(d))
	case c.Declined:
		return command.Answer{}, errDeclined()
	case !c.FinishedAt.IsZero():
		return command.Answer{}, ended("finished", "a stamp came first, so that it can no longer be declined")
	}
	return command.Answer{}, ended("tried", "something was handed in on it, so that it can no longer be declined. "+
		"It ends by itself")
}

func declined(d link.Decline) command.Reply {
	return command.Reply{
		Status: 200, Message: "Declined",
		Data: rest.CeremonyDeclined{ID: d.ID, Kind: string(d.Kind), Status: "declined"},
		Audit: command.Audit{
			Action: "ceremony.decline", Resource: d.ID,
			Detail: map[string]string{"kind": string(d.Kind), "reason": d.Reason},
		},
	}
}
