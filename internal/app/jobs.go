package app

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/agent/skill"
	"github.com/railkit/railkit/kit/agent/x402pay"
	"github.com/railkit/railkit/kit/payout/alert"
	"github.com/railkit/railkit/kit/payout/arrival"
	"github.com/railkit/railkit/kit/payout/invite"
	"github.com/railkit/railkit/kit/payout/notice"
	"github.com/railkit/railkit/kit/payout/payment"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/kit/signing/payee"
	"github.com/railkit/railkit/kit/signing/recovery"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/kit/signing/vote"
	"github.com/railkit/railkit/kit/widget/reward"
	"github.com/railkit/railkit/platform/idempotency"
	"github.com/railkit/railkit/platform/kyb"
	"github.com/railkit/railkit/platform/notification"
	"github.com/railkit/railkit/platform/team"
	"github.com/railkit/railkit/platform/webhook"
)

// handlers are who does the work of each kind of job. A kind that is missing here would wait in the queue for good.
func (a *App) handlers(people people) job.Handlers {
	return job.Handlers{
		transaction.JobBroadcast: job.Once(a.Signing.Broadcasts.Deliver),
		transaction.JobConfirm:   a.Signing.Broadcasts.Follow,
		vote.JobExecute:          a.Signing.Votes.Execute,
		recovery.JobRecovery:     a.Signing.Recoveries.Run,
		payee.JobNotice:          job.Once(a.Signing.Payees.Notify),
		passkey.JobNotice:        job.Once(a.Signing.PasskeyNotices.Notify),
		link.JobOriginMail:       job.Once(a.Signing.Links.MailOrigin),
		x402pay.Job:              a.Agents.X402Payments.Follow,
		payment.Job:              a.Payout.Payments.Advance,
		arrival.Job:              a.Payout.Arrivals.Take,
		invite.Job:               job.Once(a.Payout.Invites.Mail),
		alert.Job: func(ctx context.Context, workspaceID, _ string) (time.Duration, error) {
			return a.Payout.Alerts.Mail(ctx, workspaceID)
		},
		notice.Job: func(ctx context.Context, _, id string) (time.Duration, error) {
			return a.Notices.Handle(ctx, id)
		},
		skill.JobCheck:   a.Agents.Skills.Check,
		reward.Job:       a.Rewards.Verify,
		team.JobMail:     job.Once(people.team.SendInvitation),
		kyb.JobCheck:     people.kyb.Check,
		kyb.JobMail:      job.Once(people.kyb.SendMails),
		webhook.JobMail:  job.Once(a.Webhooks.Notify),
		notification.Job: job.Once(people.notifications.Send),
	}
}

// oldCeremony is for how long a link that is over says so, before it is unknown.
const oldCeremony = 24 * time.Hour

// sweep finds the rows whose job was lost, and drops what is old: idempotency answers after 24 hours, and ceremonies.
func (a *App) sweep(people people) func(context.Context) error {
	return func(ctx context.Context) error {
		now := a.config.Clock.Now()
		return errors.Join(
			a.Signing.Sweep(ctx), a.Agents.Sweep(ctx), a.Payout.Sweep(ctx), a.Notices.Sweep(ctx), a.books.Sweep(ctx),
			a.matcher.Sweep(ctx), a.Rewards.Sweep(ctx), people.team.Sweep(ctx), people.kyb.Sweep(ctx),
			people.sessions.Sweep(ctx), people.notifications.Sweep(ctx), a.Events.Sweep(ctx), a.Webhooks.Sweep(ctx),
			a.Store.DropAnswers(ctx, now.Add(-idempotency.Retention)),
			a.Store.Signing().DropCeremonies(ctx, now.Add(-oldCeremony)),
		)
	}
}
