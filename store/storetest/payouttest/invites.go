package payouttest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/invite"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/store/storetest"
)

var inviteTests = map[string]func(*testing.T, *bench){
	"Invites":      testInvites,
	"InviteTokens": testInviteTokens,
	"InviteMails":  testInviteMails,
}

func newInvite(recipientID, token string) invite.Invite {
	return invite.Invite{
		WorkspaceID: storetest.Ours, RecipientID: recipientID, TokenHash: "hash of " + token, Sealed: "sealed " + token,
		CreatedAt: storetest.Start, ExpiresAt: storetest.Start.Add(invite.Life),
	}
}

func (b *bench) invites(t *testing.T, all ...invite.Invite) {
	t.Helper()
	storetest.OK(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
		for _, i := range all {
			if err := tx.PutInvite(ctx, i); err != nil {
				return err
			}
		}
		return nil
	}))
}

// A recipient has its newest invite only; a use of what is not as it was read
// changes nothing.
func testInvites(t *testing.T, b *bench) {
	first, second := newInvite("r-1", "one"), newInvite("r-1", "two")
	b.invites(t, first, newInvite("r-2", "other"))
	use := func(i invite.Invite, account string) error {
		return b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
			return tx.UseInvite(ctx, i, account)
		})
	}
	newest := func() invite.Invite {
		i, err := b.payout().Invite(t.Context(), storetest.Ours, "r-1")
		storetest.OK(t, err)
		return i
	}
	storetest.Equal(t, "as it was made", newest(), first)
	storetest.OK(t, use(first, "a-1"))
	if err := use(first, "a-2"); !errors.Is(err, record.ErrStale) {
		t.Errorf("used twice: %v", err)
	}
	used := newest()
	storetest.Equal(t, "the account", used.AccountID, "a-1")
	storetest.OK(t, use(used, "a-3"))
	b.invites(t, second)
	storetest.Equal(t, "replaced", newest(), second)
	if err := use(first, "a-1"); !errors.Is(err, record.ErrStale) {
		t.Errorf("a replaced one is used: %v", err)
	}
	storetest.OK(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
		held, err := tx.HeldInvite(ctx, storetest.Ours, "r-1")
		storetest.Equal(t, "held", held, second)
		return errors.Join(err, tx.EndInvite(ctx, storetest.Ours, "r-1", storetest.Start.Add(time.Hour)))
	}))
	ended := newest()
	if ended.Sealed != "" || !ended.EndedAt.Equal(storetest.Start.Add(time.Hour)) {
		t.Errorf("ended: %+v", ended)
	}
	if err := use(ended, "a-1"); !errors.Is(err, record.ErrStale) {
		t.Errorf("one that has ended is used: %v", err)
	}
	_, err := b.payout().Invite(t.Context(), storetest.Theirs, "r-1")
	storetest.Missing(t, "Invite", err)
}

func testInviteTokens(t *testing.T, b *bench) {
	later := newInvite("r-2", "later")
	later.ExpiresAt = later.ExpiresAt.Add(time.Hour)
	b.invites(t, newInvite("r-1", "one"), newInvite("r-1", "two"), later)
	found := func(token string) error {
		owner, err := b.payout().InviteOwner(t.Context(), "hash of "+token)
		if err == nil && (owner.WorkspaceID != storetest.Ours || owner.RecipientID == "" || owner.ExpiresAt.IsZero()) {
			t.Errorf("%s: %+v", token, owner)
		}
		return err
	}
	for _, token := range []string{"one", "two", "later"} {
		storetest.OK(t, found(token))
	}
	storetest.OK(t, b.payout().DropInviteTokens(t.Context(), later.ExpiresAt))
	storetest.Missing(t, "Invite", found("one"))
	storetest.Missing(t, "Invite", found("two"))
	storetest.OK(t, found("later"))
}

// A mail waits until something became of it, or its invite was replaced.
func testInviteMails(t *testing.T, b *bench) {
	mailed := func(recipientID, token string) invite.Invite {
		i := newInvite(recipientID, token)
		i.Email, i.Mail = recipientID+"@example.com", mail.Queued
		return i
	}
	first, second := mailed("r-1", "one"), mailed("r-2", "two")
	b.invites(t, first, second, newInvite("r-3", "three"))
	unsent := func(before time.Time) []invite.Invite {
		rows, err := b.payout().UnsentInvites(t.Context(), before, 10)
		storetest.OK(t, err)
		return rows
	}
	note := func(i invite.Invite, status mail.Status) {
		storetest.OK(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
			return tx.InviteMailed(ctx, i, status)
		}))
	}
	later := storetest.Start.Add(time.Second)
	storetest.Equal(t, "too young", len(unsent(storetest.Start)), 0)
	storetest.Equal(t, "waiting", len(unsent(later)), 2)
	note(first, mail.Sent)
	storetest.Equal(t, "waiting then", unsent(later), []invite.Invite{second})
	again := mailed("r-1", "again")
	b.invites(t, again)
	note(first, mail.Failed) // by a job that was late
	kept, err := b.payout().Invite(t.Context(), storetest.Ours, "r-1")
	storetest.OK(t, err)
	storetest.Equal(t, "the newest", kept, again)
}
