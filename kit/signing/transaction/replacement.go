package transaction

import (
	"context"
	"fmt"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/plan"
)

// The error of a call about a transaction that was replaced.
var (
	ErrReplaced = fault.Define(fault.Conflict, "transaction_replaced",
		"Transaction was replaced by %s; go on with that one",
		"Another transaction was signed for its nonce: only the newest is sent, and can be replaced")
)

// toReplace is the transaction as its replacement needs it, or why no other
// transaction can take its nonce.
func (t Transaction) toReplace() (plan.Replaced, error) {
	switch {
	case t.External():
		return plan.Replaced{}, plan.ErrNotReplaceable.Msg("its key is outside. Sign another one for its nonce there")
	case t.State == Awaiting:
		return plan.Replaced{}, plan.ErrNotReplaceable.Msg("it is not signed. Cancel it, and prepare another one")
	case t.State == Cancelled, t.State == Expired:
		return plan.Replaced{}, plan.ErrNotReplaceable.Msg("it was never signed. Prepare another one")
	case t.State == Confirmed, !t.MinedAt.IsZero():
		return plan.Replaced{}, plan.ErrNotReplaceable.Msg("it is mined")
	case t.ReplacedBy != "":
		return plan.Replaced{}, t.Replaced()
	}
	family, err := t.family()
	if err != nil {
		return plan.Replaced{}, err
	}
	if !family.Form().Nonces {
		return plan.Replaced{}, refusal.ErrNoReplacement.With("lastHeight", t.LastHeight)
	}
	tx, err := SignedTx(t)
	return plan.Replaced{
		Asset: plan.Asset{To: t.To, Amount: t.Amount, TokenAddress: t.TokenAddress, TokenSymbol: t.TokenSymbol},
		ID:    t.ID, Fingerprint: t.Fingerprint, From: t.From, Chain: t.Chain, Tx: tx,
	}, err
}

// Replaced names the transaction that has the nonce now.
func (t Transaction) Replaced() error {
	if t.ReplacedBy == "" {
		return nil
	}
	return ErrReplaced.Msg(t.ReplacedBy).With("replacedBy", t.ReplacedBy)
}

// SignedTx reads the bytes that were signed.
func SignedTx(t Transaction) (chain.Tx, error) {
	family, err := t.family()
	if err != nil {
		return chain.Tx{}, err
	}
	raw, err := chain.ParseHex(t.SignedTransaction)
	if err != nil {
		return chain.Tx{}, err
	}
	tx, _, err := family.DecodeSigned(raw, t.From)
	return tx, err
}

// family is that of the sender's address.
func (t Transaction) family() (chain.Family, error) {
	_, family, ok := families.ParseAddress(t.From)
	if !ok {
		return nil, fmt.Errorf("the sender of transaction %s is of no family of networks", t.ID)
	}
	return family, nil
}

// Succeed writes down, together with its signature, whose nonce a transaction took.
func (t Transaction) Succeed(ctx context.Context, tx Tx, c Change) error {
	if t.Replaces == "" {
		return nil
	}
	return tx.ReplaceTransaction(ctx, t.WorkspaceID, t.Replaces, t.ID, c.Now)
}
