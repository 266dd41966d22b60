package budget

import (
	"context"

	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/record"
)

// limits are those of the layers that are counted here.
type limits map[Layer]Nano

// limitsOf reads the limits that the signer tells. An agent without limits may do nothing.
func limitsOf(a wire.AgentReply) (limits, error) {
	if a.Limits == nil {
		return nil, refusal.ErrAgentPending
	}
	return limits{Infra: limitOf(a.Limits.InfraMonthlyUSD), Tokens: limitOf(a.Limits.TokensMonthlyUSD)}, nil
}

// Running refuses a new call of an agent that is stopped, as the signer would: before anybody looks up what the call
// would need, which is not why it is refused. The signer has refused a killed agent before that.
func (s *Service) Running(ctx context.Context, a wire.AgentReply) error {
	if err := s.Open(ctx, a.WorkspaceID); err != nil {
		return err
	}
	switch {
	case a.KillSwitch:
		return refusal.ErrKillSwitch
	case a.Status == wire.AgentSuspended, a.Status == wire.AgentDraining:
		return refusal.ErrAgentInactive
	}
	return nil
}

// Hold admits a call of an agent under an id of its own, or refuses it with budget_exhausted. It takes the price of a
// call from infra, and nothing from tokens, which must not be overdrawn. The id again is the same call: while it is
// held only its fingerprint is replaced, once it is captured nothing happens, and one that was void is admitted anew.
// Where agents may pay nothing, no call is admitted.
func (s *Service) Hold(ctx context.Context, a wire.AgentReply, id, fingerprint string) error {
	if err := s.Open(ctx, a.WorkspaceID); err != nil {
		return err
	}
	err := record.Retry(func() error {
		return record.Do(ctx, s.c.Store, a.WorkspaceID, func(ctx context.Context, tx Tx) error {
			return s.admit(ctx, tx, a, id, fingerprint, known)
		})
	})
	return s.Refused(ctx, a, err)
}

// HoldNew is Hold within the transaction that writes what is held for, after Open: no call can then be without its
// hold, and no hold without its call. An id that has a hold already is that of another try: record.ErrStale. Whatever
// error it gives undoes the transaction, and is then handed to Refused.
func (s *Service) HoldNew(ctx context.Context, tx HoldTx, a wire.AgentReply, id, fingerprint string) error {
	return s.admit(ctx, tx, a, id, fingerprint, func(context.Context, HoldTx, Hold) (bool, error) {
		return false, record.ErrStale
	})
}

// admit writes a hold and takes its amounts, layer after layer. What it says that the budget lacks is true of the
// transaction, which the caller then undoes. Again says whether an id that has a hold already is admitted.
func (s *Service) admit(
	ctx context.Context, tx HoldTx, a wire.AgentReply, id, fingerprint string,
	again func(context.Context, HoldTx, Hold) (bool, error),
) error {
	most, err := limitsOf(a)
	if err != nil {
		return err
	}
	now, err := tx.Now(ctx)
	if err != nil {
		return err
	}
	h := Hold{
		WorkspaceID: a.WorkspaceID, ID: id, AgentID: a.AgentID, Month: MonthOf(now), Infra: s.c.CallPrice,
		Fingerprint: fingerprint, State: Held, CreatedAt: now,
	}
	inserted, err := tx.InsertHold(ctx, h)
	if err != nil {
		return err
	}
	if !inserted {
		if admitted, err := again(ctx, tx, h); admitted || err != nil {
			return err
		}
	}
	return take(ctx, tx, h, most)
}

// take takes the amounts of a hold, and says what the budget lacks.
func take(ctx context.Context, tx HoldTx, h Hold, most limits) error {
	var failed []Layer
	for _, l := range []Layer{Infra, Tokens} {
		a, amount := h.of(l)
		if amount <= most[l] {
			fits, err := tx.TakeFromBudget(ctx, a, amount, most[l])
			if err != nil {
				return err
			}
			if fits {
				continue
			}
		}
		failed = append(failed, l)
	}
	if len(failed) == 0 {
		return nil
	}
	sums, err := tx.Spending(ctx, h.WorkspaceID, h.AgentID, h.Month)
	if err != nil {
		return err
	}
	var lacks lacksError
	for _, l := range failed {
		_, amount := h.of(l)
		lacks = append(lacks, shortfall(l, amount, most[l], sums[l], h.Month))
	}
	return lacks
}

// known reports whether a call is admitted already. A void one has its amounts taken again.
func known(ctx context.Context, tx HoldTx, h Hold) (bool, error) {
	old, err := tx.Hold(ctx, h.WorkspaceID, h.ID)
	switch {
	case err != nil:
		return false, err
	case old.AgentID != h.AgentID:
		return false, fault.Missing("Call")
	case old.State == Held:
		return true, tx.RenewHold(ctx, h.WorkspaceID, h.ID, h.Fingerprint)
	case old.State == Void:
		return false, tx.RepeatHold(ctx, h)
	}
	return true, nil
}

// Capture counts a call that did its work. It changes nothing of one that is captured or void already.
func (s *Service) Capture(ctx context.Context, workspaceID, id string) error {
	return s.end(ctx, workspaceID, id, Captured)
}

// Void gives back what a call took that did no work. It changes nothing of one that is captured or void already.
func (s *Service) Void(ctx context.Context, workspaceID, id string) error {
	return s.end(ctx, workspaceID, id, Void)
}

func (s *Service) end(ctx context.Context, workspaceID, id string, to State) error {
	return record.Do(ctx, s.c.Store, workspaceID, func(ctx context.Context, tx Tx) error {
		return end(ctx, tx, workspaceID, id, to)
	})
}

// CaptureIn is Capture within the transaction that writes what the call did.
func CaptureIn(ctx context.Context, tx HoldTx, workspaceID, id string) error {
	return end(ctx, tx, workspaceID, id, Captured)
}

func end(ctx context.Context, tx HoldTx, workspaceID, id string, to State) error {
	h, ended, err := tx.EndHold(ctx, workspaceID, id, to)
	if err != nil || !ended {
		return err
	}
	for _, l := range []Layer{Infra, Tokens} {
		a, amount := h.of(l)
		spent := amount
		if to == Void {
			spent = 0
		}
		if amount == 0 {
			continue
		}
		if err := tx.EndHeld(ctx, a, amount, spent); err != nil {
			return err
		}
	}
	return nil
}
