package signing

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/agent/x402pay"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// X402Payment finds one.
func (s x402Reads) X402Payment(ctx context.Context, workspaceID, id string) (x402pay.Payment, error) {
	row, err := s.db.Read.X402Payment(ctx, workspaceID, id)
	return sqldb.One("Payment", row, err, x402Row)
}

// X402Payments lists a page of an agent's payments, newest first, and counts all that the filter selects.
func (s x402Reads) X402Payments(ctx context.Context, f x402pay.Filter) ([]x402pay.Payment, int, error) {
	q := s.db.Query(2).Equal("state", string(f.State))
	total, err := db.New(q).CountX402Payments(ctx, f.WorkspaceID, f.AgentID)
	if err != nil {
		return nil, 0, sqldb.Reading("counting payments by x402", err)
	}
	rows, err := db.New(q.Newest(f.Page)).ListX402Payments(ctx, f.WorkspaceID, f.AgentID)
	return sqldb.Listed(total, rows, err, x402Row)
}

// UnusedX402Payments lists those since an instant whose nonce nobody has taken, oldest first. What has none is not
// among them.
func (s x402Reads) UnusedX402Payments(
	ctx context.Context, workspaceID, agentID string, since time.Time, most int,
) ([]x402pay.Payment, error) {
	rows, err := s.db.Read.UnusedX402Payments(ctx, db.UnusedX402PaymentsParams{
		WorkspaceID: workspaceID, AgentID: agentID, Since: sqldb.Micros(since), Most: int32(most),
	})
	return sqldb.Many(rows, err, x402Row)
}

// OpenX402Payments lists prepared and signed ones that nobody has looked at since an instant.
func (s x402Reads) OpenX402Payments(ctx context.Context, before time.Time, most int) ([]x402pay.Payment, error) {
	rows, err := s.db.Read.OpenX402Payments(ctx, sqldb.Micros(before), int32(most))
	return sqldb.Many(rows, err, x402Row)
}

// x402Tx is the part of a transaction that writes payments by x402.
type x402Tx struct{ in *sqldb.Tx }

func (t x402Tx) InsertX402Payment(ctx context.Context, p x402pay.Payment) error {
	t.in.Mark = string(event.X402Prepared)
	t.tell(event.X402Prepared, p)
	return sqldb.Doing("inserting a payment by x402", t.in.Q.InsertX402Payment(ctx, db.InsertX402PaymentParams{
		WorkspaceID: p.WorkspaceID, ID: p.ID, AgentID: p.AgentID, State: string(p.State), Resource: p.Resource,
		Request: p.Request, Answer: p.Answer, Network: p.Network, Transfer: p.Transfer, FromAddress: p.From,
		PayTo: p.PayTo, Facilitator: p.Facilitator, Amount: p.Micro, Counted: p.Counted, Nonce: p.Nonce,
		Reuses: p.Reuses, SinceBlock: p.Since, Delivery: string(p.Delivery), CreatedAt: sqldb.Micros(p.CreatedAt),
		UpdatedAt: sqldb.Micros(p.UpdatedAt), Memo: p.Memo,
	}))
}

func (t x402Tx) SignX402Payment(ctx context.Context, p x402pay.Payment) error {
	t.in.Mark = string(event.X402Signed)
	row, err := t.in.Q.SignX402Payment(ctx, db.SignX402PaymentParams{
		ValidBefore: p.ValidBefore, Signature: p.Signature, LastHeight: p.LastHeight,
		UpdatedAt:   sqldb.Micros(p.UpdatedAt),
		WorkspaceID: p.WorkspaceID, ID: p.ID,
	})
	_, err = t.told("signing a payment by x402", event.X402Signed, row, err)
	return err
}

func (t x402Tx) EndX402Payment(ctx context.Context, p x402pay.Payment) (x402pay.Payment, error) {
	row, err := t.in.Q.EndX402Payment(ctx, db.EndX402PaymentParams{
		State: string(p.State), TxHash: p.Tx, Moved: p.Moved, UpdatedAt: sqldb.Micros(p.UpdatedAt), Reason: p.Reason,
		WorkspaceID: p.WorkspaceID, ID: p.ID,
	})
	return t.told("ending a payment by x402", event.Type("x402_payment."+p.State), row, err)
}

func (t x402Tx) NoteX402Answer(
	ctx context.Context, p x402pay.Payment, was x402pay.Delivery,
) (x402pay.Payment, error) {
	t.in.Mark = string(event.X402Answered)
	row, err := t.in.Q.NoteX402Answer(ctx, db.NoteX402AnswerParams{
		HttpStatus: int64(p.HTTPStatus), Delivered: sqldb.Flag(p.Delivery == x402pay.Delivered),
		Delivery: string(p.Delivery), Reason: p.Reason, UpdatedAt: sqldb.Micros(p.UpdatedAt),
		WorkspaceID: p.WorkspaceID, ID: p.ID, Was: string(was),
	})
	return t.told("noting a seller's answer", event.X402Answered, row, err)
}

// told is the row as a compare-and-swap left it, and tells of it.
func (t x402Tx) told(what string, kind event.Type, row db.X402Payment, err error) (x402pay.Payment, error) {
	if sqldb.None(err) {
		return x402pay.Payment{}, record.ErrStale
	}
	if err != nil {
		return x402pay.Payment{}, sqldb.Doing(what, err)
	}
	p, err := x402Row(row)
	if err == nil {
		t.tell(kind, p)
	}
	return p, err
}

func (t x402Tx) tell(kind event.Type, p x402pay.Payment) {
	t.in.Tell(event.Change{
		Type: kind, WorkspaceID: p.WorkspaceID, Object: p.ID, AgentID: p.AgentID, Data: rest.EventX402Payment{
			Status: string(p.State), AgentID: p.AgentID, Resource: p.Resource, Network: p.Network, PayTo: p.PayTo,
			Amount: money.Of(p.Micro, money.USDC).String(), TxHash: p.Tx, Delivery: string(p.Delivery),
			Reason: p.Reason,
		},
	})
}

func (t x402Tx) DeleteX402Payment(ctx context.Context, workspaceID, id string) error {
	row, err := t.in.Q.DeleteX402Payment(ctx, workspaceID, id)
	_, err = t.told("deleting a payment by x402", event.X402Deleted, row, err)
	return err
}

func (t x402Tx) TakeX402Nonce(ctx context.Context, workspaceID, id, by string) error {
	n, err := t.in.Q.TakeX402Nonce(ctx, by, workspaceID, id)
	return sqldb.Swapped("taking the nonce of a payment", n, err)
}

func (t x402Tx) FreeX402Nonce(ctx context.Context, workspaceID, id, by string) error {
	return sqldb.Doing("freeing the nonce of a payment", t.in.Q.FreeX402Nonce(ctx, workspaceID, id, by))
}

func x402Row(r db.X402Payment) (x402pay.Payment, error) {
	delivery := x402pay.Delivery(r.Delivery)
	switch { // a server of before this column, which runs beside this one, writes the column before it alone
	case r.Delivered == 1:
		delivery = x402pay.Delivered
	case r.Request == "":
		delivery = x402pay.Unseen
	}
	return x402pay.Payment{
		WorkspaceID: r.WorkspaceID, ID: r.ID, AgentID: r.AgentID, State: x402pay.State(r.State), Resource: r.Resource,
		Request: r.Request, Answer: r.Answer, Network: r.Network, Transfer: r.Transfer, From: r.FromAddress,
		PayTo: r.PayTo, Facilitator: r.Facilitator, Micro: r.Amount, Counted: r.Counted, Nonce: r.Nonce,
		Reuses: r.Reuses, Since: r.SinceBlock, ValidBefore: r.ValidBefore, Signature: r.Signature,
		Memo: r.Memo, LastHeight: r.LastHeight, Tx: r.TxHash, Moved: r.Moved,
		HTTPStatus: int(r.HttpStatus), Delivery: delivery, Reason: r.Reason,
		CreatedAt: sqldb.Instant(r.CreatedAt), UpdatedAt: sqldb.Instant(r.UpdatedAt),
	}, nil
}
