package agent

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/kit/agent/execution"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// abandoned is how long a claim that nobody went on with stays, in which the buyer may still do so.
const abandoned = time.Hour

// SkillPurchase finds what a payment pays for.
func (r reads) SkillPurchase(ctx context.Context, payment string) (execution.Purchase, error) {
	row, err := r.db.Read.SkillPurchase(ctx, payment)
	return sqldb.One("Purchase", row, err, purchaseRow)
}

// SweepSkillPurchases forgets old answers, and then rows that nobody needs.
func (r reads) SweepSkillPurchases(ctx context.Context, answersBefore, now time.Time) error {
	return r.db.Transact(ctx, func(t *sqldb.Tx) error {
		return sqldb.Doing("sweeping purchases of skills", errors.Join(
			t.Q.ForgetSkillAnswers(ctx, sqldb.Micros(answersBefore)),
			t.Q.DropSkillPurchases(ctx, sqldb.Micros(now), sqldb.Micros(now.Add(-abandoned))),
		))
	})
}

func (t tx) ClaimSkillPurchase(ctx context.Context, p execution.Purchase) error {
	n, err := t.Q.ClaimSkillPurchase(ctx, db.ClaimSkillPurchaseParams{
		Payment: p.Payment, WorkspaceID: p.WorkspaceID, Caller: p.Caller, SkillID: p.SkillID, Input: p.Input,
		Claim: p.Claim, State: string(p.State), Asked: p.Asked, Answer: p.Answer, Receipt: p.Receipt,
		BusyUntil: sqldb.Micros(p.BusyUntil), EndsAt: sqldb.Micros(p.EndsAt), CreatedAt: sqldb.Micros(p.CreatedAt),
		UpdatedAt: sqldb.Micros(p.UpdatedAt),
	})
	t.Mark = "skill_purchase.claimed"
	return sqldb.Swapped("claiming a payment for a skill", n, err)
}

func (t tx) TakeSkillPurchase(ctx context.Context, was, is execution.Purchase) error {
	n, err := t.Q.TakeSkillPurchase(ctx, db.TakeSkillPurchaseParams{
		Claim: is.Claim, Asked: is.Asked, BusyUntil: sqldb.Micros(is.BusyUntil), UpdatedAt: sqldb.Micros(is.UpdatedAt),
		Payment: is.Payment, Was: was.Claim, State: string(was.State),
	})
	return sqldb.Swapped("taking over a payment for a skill", n, err)
}

func (t tx) MoveSkillPurchase(ctx context.Context, p execution.Purchase, from execution.State) error {
	n, err := t.Q.MoveSkillPurchase(ctx, db.MoveSkillPurchaseParams{
		State: string(p.State), Answer: p.Answer, Receipt: p.Receipt, BusyUntil: sqldb.Micros(p.BusyUntil),
		UpdatedAt: sqldb.Micros(p.UpdatedAt), Payment: p.Payment, Claim: p.Claim, Was: string(from),
	})
	t.Mark = "skill_purchase." + string(p.State)
	return sqldb.Swapped("moving a purchase of a skill", n, err)
}

func (t tx) DropSkillPurchase(ctx context.Context, p execution.Purchase) error {
	n, err := t.Q.DropSkillPurchase(ctx, p.Payment, p.Claim)
	return sqldb.Swapped("letting a payment for a skill go", n, err)
}

func purchaseRow(r db.SkillPurchase) (execution.Purchase, error) {
	return execution.Purchase{
		Payment: r.Payment, WorkspaceID: r.WorkspaceID, Caller: r.Caller, SkillID: r.SkillID, Input: r.Input,
		Claim: r.Claim, State: execution.State(r.State), Asked: r.Asked, Answer: r.Answer, Receipt: r.Receipt,
		BusyUntil: sqldb.Instant(r.BusyUntil), EndsAt: sqldb.Instant(r.EndsAt), CreatedAt: sqldb.Instant(r.CreatedAt),
		UpdatedAt: sqldb.Instant(r.UpdatedAt),
	}, nil
}
