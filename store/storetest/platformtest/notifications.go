package platformtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/approval"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/platform/notification"
	"github.com/railkit/railkit/platform/session"
	"github.com/railkit/railkit/platform/team"
	"github.com/railkit/railkit/store/storetest"
)

var notificationTests = map[string]func(*testing.T, *bench){
	"RequestMailed":            mailing(testRequestMailed),
	"RequestsGathered":         mailing(testRequestsGathered),
	"DecisionMailed":           mailing(testDecisionMailed),
	"ExpiryMailed":             mailing(testExpiryMailed),
	"NotificationsMuted":       mailing(testNotificationsMuted),
	"NotificationsAfterLeave":  mailing(testNotificationsAfterLeave),
	"NotificationsRefused":     mailing(testNotificationsRefused),
	"NotificationsCrash":       mailing(testNotificationsCrash),
	"NotificationsOfMany":      mailing(testNotificationsOfMany),
	"NotificationsSpoilt":      mailing(testNotificationsSpoilt),
	"SecurityMailed":           mailing(testSecurityMailed),
	"AgentsMailed":             mailing(testAgentsMailed),
	"NotificationsOtherTenant": mailing(testNotificationsOtherTenant),
}

// Who may vote is mailed 30 seconds after a request began to wait, once, in the reader's language. Who asked for it
// may vote, too. A member gets a link, and a user who has no login none.
func testRequestMailed(t *testing.T, w *mailroom) {
	w.wait(t, nil)
	w.after(t, 5*time.Second)
	w.want(t, "at first")
	w.after(t, 31*time.Second)
	alice := w.want(t, "a request", "alice", "bob")[0]
	says(t, alice, "A request waits for your vote", "250.00 USDC (base) to 0xAb5",
		`"Treasury https: / / evil. example"`,
		"251 USD at most", "0 of 2 votes", "Request approval-1")
	if strings.Contains(alice.Text, "://") {
		t.Errorf("a link for somebody without a login:\n%s", alice.Text)
	}
	w.after(t, time.Minute)
	w.want(t, "told once")

	w.wait(t, func(a *approval.Approval) { a.Votes = []wire.Vote{{UserID: "user-alice"}} })
	w.after(t, 10*time.Minute)
	w.after(t, 31*time.Second)
	bob := w.want(t, "who has voted", "bob")[0]
	says(t, bob, "Una solicitud espera su voto", dashboard+"/approvals/approval-2", "1 de 2 votos",
		dashboard+"/me")
}

// Many requests are one mail, and the next mail comes five minutes later.
func testRequestsGathered(t *testing.T, w *mailroom) {
	for range 60 {
		w.wait(t, nil)
	}
	w.after(t, 5*time.Second)
	w.after(t, 31*time.Second)
	says(t, w.want(t, "60 requests", "alice", "bob")[0], "50 requests wait for your vote", "And 10 more.")
	w.wait(t, nil)
	w.after(t, 40*time.Second)
	w.after(t, 40*time.Second)
	w.want(t, "too soon")
	w.after(t, 4*time.Minute)
	w.want(t, "five minutes later", "alice", "bob")
}

// Who asked for a request hears what became of it: the user who stamped it, or the member who brought it. Of a request
// that an API key brought nobody does.
func testDecisionMailed(t *testing.T, w *mailroom) {
	nobody := w.wait(t, func(a *approval.Approval) { a.RequesterUserID = "" })
	stamped := w.wait(t, nil)
	brought := w.wait(t, func(a *approval.Approval) { a.RequesterUserID, a.RequestedBy = "", "ada" })
	for _, a := range []approval.Approval{nobody, stamped, brought} {
		w.move(t, a, func(a *approval.Approval) {
			a.State, a.Comment, a.ResolvedAt = approval.Rejected, "not ours https://evil.example", w.now
		})
	}
	w.after(t, 5*time.Second)
	w.after(t, 31*time.Second)
	alice := w.want(t, "rejected", "alice", "ada")[0]
	says(t, alice, "Your request is decided", "Rejected, with the words \"not ours https: / / evil. example\"",
		"approval-2")

	// Approved twice, with a vote that was taken back between: it is told once, and not while it waits again.
	a := w.wait(t, nil)
	w.move(t, a, func(a *approval.Approval) { a.State = approval.Approved })
	a.State = approval.Approved
	w.move(t, a, func(a *approval.Approval) { a.State = approval.Pending })
	w.after(t, 6*time.Minute)
	w.after(t, 31*time.Second)
	says(t, w.want(t, "it waits again", "alice", "bob")[0], "A request waits for your vote")
}

// Ten minutes before its end a request is told of once more, to who may vote and who asked for it, however soon after
// another mail; and not to who has voted, nor once it is decided.
func testExpiryMailed(t *testing.T, w *mailroom) {
	w.wait(t, func(a *approval.Approval) { a.RequesterUserID, a.RequestedBy = "", "ada" })
	gone := w.wait(t, nil)
	w.after(t, 5*time.Second)
	w.after(t, 31*time.Second)
	w.want(t, "they wait", "alice", "bob")
	w.move(t, gone, func(a *approval.Approval) { a.State, a.ResolvedAt = approval.Expired, w.now })
	w.after(t, 18*time.Minute)
	w.after(t, 31*time.Second)
	says(t, w.want(t, "the other one is decided", "alice")[0], "Your request is decided",
		"Expired without enough votes")
	w.after(t, 130*time.Second)
	ada := w.want(t, "about to expire", "ada", "alice", "bob")[0]
	says(t, ada, "A request is about to expire", dashboard+"/approvals/approval-1")
	if strings.Contains(ada.Text, "approval-2") {
		t.Errorf("of one that is decided:\n%s", ada.Text)
	}
	w.after(t, 5*time.Minute)
	w.want(t, "once")

	// Requests that end one after the other do not fill the mailbox.
	for i := range 30 {
		w.wait(t, func(a *approval.Approval) {
			a.ExpiresAt = w.now.Add(warning + time.Duration(i*10)*time.Second)
		})
	}
	mails := 0
	for range 60 {
		w.after(t, 5*time.Second)
		mails += len(w.box.got)
		w.box.got = nil
	}
	if mails < 4 || mails > 6 { // three in five minutes to each of Alice and Bob, at most
		t.Errorf("%d mails in five minutes", mails)
	}
}

const warning = 10 * time.Minute

// A member gets what it has not switched off, also where it did so before the mail was sent.
func testNotificationsMuted(t *testing.T, w *mailroom) {
	w.wait(t, nil)
	w.after(t, 5*time.Second)
	storetest.OK(t, w.login(t.Context(), func(ctx context.Context, tx session.Tx) error {
		return tx.SetMails(ctx, team.Member{
			WorkspaceID: storetest.Ours, ID: "bob", Language: mail.Portuguese, Muted: []string{notification.Requests},
		}, w.now)
	}))
	m, err := w.team().Member(t.Context(), storetest.Ours, "bob")
	if err != nil || m.Language != mail.Portuguese || !slices.Equal(m.Muted, []string{notification.Requests}) {
		t.Errorf("%+v, %v", m, err)
	}
	w.after(t, 31*time.Second)
	w.want(t, "switched off", "alice")
}

// Who left the workspace, or has no passkey of the wallets any more, is told nothing, whatever was gathered before.
func testNotificationsAfterLeave(t *testing.T, w *mailroom) {
	a := w.wait(t, func(a *approval.Approval) { a.RequesterUserID, a.RequestedBy = "", "ada" })
	w.move(t, a, func(a *approval.Approval) { a.State, a.ResolvedAt = approval.Rejected, w.now })
	w.wait(t, nil)
	w.after(t, 5*time.Second)
	w.now = w.now.Add(31 * time.Second)
	w.At(w.now)
	s := w.service()
	storetest.OK(t, s.Sweep(t.Context()))
	mails := w.queued(t)
	if len(mails) != 3 {
		t.Fatalf("gathered %+v", mails)
	}
	storetest.OK(t, w.staff(t.Context(), func(ctx context.Context, tx team.Tx) error {
		return tx.RemoveMember(ctx, storetest.Ours, "ada", w.now)
	}))
	w.write(t, storetest.Ours, func(ctx context.Context, tx signing.Tx) error {
		return tx.RemovePasskey(ctx, storetest.Ours, subOrg, "credential-bob")
	})
	for _, m := range mails {
		storetest.OK(t, s.Send(t.Context(), m.WorkspaceID, m.ID))
	}
	w.want(t, "who is still there", "alice")
	if n := w.Count(t, "notification_mails WHERE status = 'dropped'"); n != 2 {
		t.Errorf("%d are dropped", n)
	}
}

// A mail server that is away gets the mail later. One that refuses it for good ends it, and holds up nobody else's.
func testNotificationsRefused(t *testing.T, w *mailroom) {
	w.wait(t, nil)
	w.after(t, 5*time.Second)
	w.now = w.now.Add(31 * time.Second)
	w.At(w.now)
	s := w.service()
	storetest.OK(t, s.Sweep(t.Context()))
	mails := w.queued(t)
	w.box.fail = errors.New("away")
	for _, m := range mails {
		if err := s.Send(t.Context(), m.WorkspaceID, m.ID); err == nil {
			t.Error("a job whose mail was not taken has succeeded")
		}
	}
	w.box.fail = mail.ErrRefused
	storetest.OK(t, s.Send(t.Context(), mails[0].WorkspaceID, mails[0].ID))
	w.box.fail = nil
	w.after(t, time.Minute)
	w.want(t, "one is refused", strings.TrimSuffix(mails[1].Email, "@example.com"))
	if n := w.Count(t, "notification_mails WHERE status = 'failed'"); n != 1 {
		t.Errorf("%d have failed", n)
	}
}

// A server that dies after the mail server took a mail, and before that is noted, sends it again: the same message.
func testNotificationsCrash(t *testing.T, w *mailroom) {
	w.wait(t, func(a *approval.Approval) { a.Votes = []wire.Vote{{UserID: "user-alice"}} })
	w.after(t, 5*time.Second)
	w.now = w.now.Add(31 * time.Second)
	w.At(w.now)
	s := w.service()
	storetest.OK(t, s.Sweep(t.Context()))
	mails := w.queued(t)
	w.box.fail, w.box.took = errors.New("the line is cut"), true
	if err := s.Send(t.Context(), mails[0].WorkspaceID, mails[0].ID); err == nil {
		t.Fatal("nobody heard that it was taken")
	}
	w.box.fail = nil
	w.after(t, time.Minute)
	w.after(t, time.Minute)
	bob := w.want(t, "once more", "bob", "bob")
	if bob[0] != bob[1] || bob[0].ID != mails[0].ID {
		t.Errorf("two messages: %+v", bob)
	}
}

// Several servers look at once: each fact reaches each person once.
func testNotificationsOfMany(t *testing.T, w *mailroom) {
	for range 5 {
		w.wait(t, nil)
	}
	for range 3 {
		w.now = w.now.Add(31 * time.Second)
		w.At(w.now)
		var servers sync.WaitGroup
		for range 4 {
			servers.Go(func() {
				s := w.service()
				if err := s.Sweep(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		servers.Wait()
	}
	for _, m := range w.queued(t) {
		storetest.OK(t, w.service().Send(t.Context(), m.WorkspaceID, m.ID))
	}
	says(t, w.want(t, "of four servers", "alice", "bob")[0], "5 requests wait for your vote")
	if n := w.Count(t, "notifications WHERE kind = 'request_waiting'"); n != 10 {
		t.Errorf("%d notifications", n)
	}
}

// A row that somebody spoilt holds up the others of its workspace for ten minutes, and no longer.
func testNotificationsSpoilt(t *testing.T, w *mailroom) {
	told := w.wait(t, nil)
	w.after(t, 5*time.Second)
	spoilt := w.wait(t, nil)
	for _, id := range []string{told.ID, spoilt.ID} {
		_, err := w.Store.Writer().ExecContext(t.Context(), "UPDATE approvals SET votes = 'x' WHERE id = $1", id)
		storetest.OK(t, err)
	}
	w.write(t, storetest.Ours, func(ctx context.Context, tx signing.Tx) error {
		return tx.InsertPasskey(ctx, passkeyOf("eve"))
	})
	w.now = w.now.Add(31 * time.Second)
	w.At(w.now)
	s := w.service()
	if err := s.Sweep(t.Context()); err == nil {
		t.Error("nobody hears of the spoilt row")
	}
	for _, m := range w.queued(t) {
		if err := s.Send(t.Context(), m.WorkspaceID, m.ID); err == nil {
			t.Error("nobody hears of the spoilt row")
		}
	}
	w.want(t, "held up")
	w.after(t, 11*time.Minute)
	w.want(t, "ten minutes later", "alice", "bob", "eve", "owner")
}

// A new passkey of the wallets is told at once to all their users and to who made them, also where a thief removes the
// owner's passkey next; a further one in the same minute comes with the next mail. A passkey that logs a member in is
// told to the member. The first ones, with which all began, are no news.
func testSecurityMailed(t *testing.T, w *mailroom) {
	w.after(t, time.Minute)
	w.want(t, "how it began")
	w.write(t, storetest.Ours, func(ctx context.Context, tx signing.Tx) error {
		return tx.InsertPasskey(ctx, passkeyOf("eve"))
	})
	storetest.OK(t, w.login(t.Context(), func(ctx context.Context, tx session.Tx) error {
		return tx.SetMails(ctx, team.Member{
			WorkspaceID: storetest.Ours, ID: "bob", Language: mail.English, Muted: notification.Groups,
		}, w.now)
	}))
	w.after(t, time.Second)
	bob := w.want(t, "a new passkey", "bob", "alice", "eve", "owner")[0]
	says(t, bob, "A new passkey can sign for your wallets", `"Laptop of eve" of eve@ example. com`, subOrg,
		"cannot be switched off")
	w.write(t, storetest.Ours, func(ctx context.Context, tx signing.Tx) error {
		return errors.Join(tx.InsertPasskey(ctx, passkeyOf("mallory")),
			tx.RemovePasskey(ctx, storetest.Ours, subOrg, "credential-alice"))
	})
	w.after(t, time.Second)
	w.want(t, "in the same minute: whoever was told nothing yet", "mallory")
	w.after(t, time.Minute)
	w.want(t, "a minute later", "owner", "bob", "eve")

	storetest.OK(t, w.login(t.Context(), func(ctx context.Context, tx session.Tx) error {
		key := adasPasskey("another")
		key.MemberID = "bob"
		_, err := tx.InsertLoginPasskey(ctx, key)
		return err
	}))
	w.after(t, 2*time.Minute)
	says(t, w.want(t, "a login", "bob")[0], "A new passkey can log in as you", "bob@ Example. com")
}

// Admins and users hear of changed limits, unless they do not want to, and of agents that were killed in any case.
func testAgentsMailed(t *testing.T, w *mailroom) {
	did := func(kind wire.ActivityType, params string) {
		w.n++
		a := activity.Activity{
			WorkspaceID: storetest.Ours, ID: fmt.Sprintf("activity-%d", w.n), Kind: string(kind),
			SubOrganizationID: subOrg, State: activity.Awaiting, CreatedAt: w.now,
			Body: fmt.Sprintf(`{"type":%q,"parameters":%s}`, kind, params), Fingerprint: fmt.Sprintf("fp-%d", w.n),
		}
		w.write(t, storetest.Ours, func(ctx context.Context, tx signing.Tx) error { return tx.InsertActivity(ctx, a) })
		w.write(t, storetest.Ours, func(ctx context.Context, tx signing.Tx) error {
			return tx.MoveActivity(ctx, a.WorkspaceID, a.ID, activity.Awaiting, activity.Done, "", w.now)
		})
	}
	did(wire.SetAgentLimits, `{"agentId":"agent-1","limits":{}}`)
	did(wire.SetAgentStatus, `{"agentId":"agent-1","status":"suspended"}`)
	w.after(t, 5*time.Second)
	w.after(t, 31*time.Second)
	says(t, w.want(t, "limits", "ada", "alice", "bob", "owner")[0], "The limits of agents have changed", "agent-1",
		dashboard+"/agents/agent-1")
	did(wire.SetAgentStatus, `{"agentId":"agent-1","status":"killed"}`)
	did(wire.SetKillSwitch, `{"on":true}`)
	w.after(t, time.Second)
	says(t, w.want(t, "killed", "ada", "alice", "bob", "owner")[0], "2 security notices", "was killed", "was turned on")
}

// What happens in a workspace reaches nobody of another one.
func testNotificationsOtherTenant(t *testing.T, w *mailroom) {
	w.join(t, member(storetest.Theirs, "zoe", auth.RoleAdmin))
	w.write(t, storetest.Ours, func(ctx context.Context, tx signing.Tx) error {
		return tx.InsertPasskey(ctx, passkeyOf("eve"))
	})
	w.wait(t, nil)
	w.after(t, 5*time.Second)
	w.after(t, 31*time.Second)
	for _, m := range w.box.got {
		if strings.HasPrefix(m.To, "zoe") {
			t.Errorf("%+v", m)
		}
	}
	if len(w.box.got) == 0 {
		t.Error("nobody was mailed")
	}
}
