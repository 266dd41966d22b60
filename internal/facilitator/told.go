package facilitator

import (
	"context"
	"crypto/sha256"
	"errors"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/crash"
	"github.com/railkit/railkit/x402"
)

// tell lets a success out once. A shop gives away what it sells for each success that it hears: a buyer who sends one
// payment ten times to a shop whose handler is slow would get ten goods. It is said again only to the listener who
// heard it before; anybody else learns the transaction's hash, and looks for himself.
//
// That a success is said stands in the journal before it is. Where the answer is lost after that, it was said.
func (f *Facilitator) tell(
	ctx context.Context, j *journal, id, to string, r x402.Receipt,
) (x402.Receipt, error) {
	if err := ctx.Err(); err != nil { // who has left hears nothing
		return x402.Receipt{ErrorReason: x402.ReasonUnexpectedSettleError}, err
	}
	heard, err := j.tell(ctx, id, to, clock.Micros(f.Clock.Now()))
	if err != nil {
		return x402.Receipt{ErrorReason: x402.ReasonUnexpectedSettleError}, err
	}
	if !heard {
		r.Success, r.ErrorReason = false, x402.ReasonDuplicateSettlement
	}
	return r, nil
}

// listener is who hears of a settlement: a caller, and the sale that he asks for. One who names no sale hears nothing
// twice. It is a hash, since identifiers are secrets of their shops.
func listener(caller, identifier string) string {
	if identifier == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(caller + " " + identifier))
	return chain.Hex(sum[:])
}

// tell reports whether to hears of the payment's success: nobody did before, or the same one.
func (j *journal) tell(ctx context.Context, id, to string, at int64) (bool, error) {
	crash.At("tell", "before-write")
	done, err := j.db.Writer.ExecContext(ctx,
		`INSERT INTO told (id, listener, at) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING`, id, to, at)
	if err != nil {
		return false, errors.Join(errors.New("writing the journal"), err)
	}
	crash.At("tell", "after-write")
	if n, err := done.RowsAffected(); err != nil || n == 1 {
		return err == nil, err
	}
	heard, err := j.listener(ctx, id)
	return to != "" && heard == to, err
}

// listener is who heard of a payment's success; "": one without a name, or nobody.
func (j *journal) listener(ctx context.Context, id string) (to string, err error) {
	err = j.db.Writer.QueryRowContext(ctx, `SELECT COALESCE(MAX(listener), '') FROM told WHERE id = ?`, id).Scan(&to)
	if err != nil {
		return "", errors.Join(errors.New("reading the journal"), err)
	}
	return to, nil
}

// wasTold reports whether a payment's success was said to anybody.
func (j *journal) wasTold(ctx context.Context, id string) (told bool, err error) {
	err = j.db.Reader.QueryRowContext(ctx, `SELECT COUNT(*) > 0 FROM told WHERE id = ?`, id).Scan(&told)
	if err != nil {
		return false, errors.Join(errors.New("reading the journal"), err)
	}
	return told, nil
}
