package signing

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/payee"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// Payee finds one, also where it is removed.
func (s payeeReads) Payee(ctx context.Context, workspaceID, id string) (payee.Payee, error) {
	row, err := s.db.Read.Payee(ctx, workspaceID, id)
	return sqldb.One("Payee", row, err, payeeRow)
}

// PayeesOf lists a sub-organization's payees, also those that are removed.
func (s payeeReads) PayeesOf(ctx context.Context, workspaceID, subOrganizationID string) ([]payee.Payee, error) {
	rows, err := s.db.Read.PayeesOf(ctx, workspaceID, subOrganizationID)
	return sqldb.Many(rows, err, payeeRow)
}

// NewestPayeesOf lists a sub-organization's payees, then those that are removed, each newest first.
func (s payeeReads) NewestPayeesOf(
	ctx context.Context, workspaceID, subOrganizationID string, limit int,
) ([]payee.Payee, error) {
	rows, err := s.db.Read.NewestPayeesOf(ctx, workspaceID, subOrganizationID, int32(limit))
	return sqldb.Many(rows, err, payeeRow)
}

// Payees lists a page of payees that are in a book and counts all that the filter selects.
func (s payeeReads) Payees(ctx context.Context, f payee.Filter) ([]payee.Payee, int, error) {
	q := s.db.Query(1).Add(" AND removed_at = ''").Equal("sub_organization_id", f.SubOrganizationID).
		Equal("chain", f.Chain).Equal("address", f.Address).Part("folded_name", f.Search)
	total, err := db.New(q).CountPayees(ctx, f.WorkspaceID)
	if err != nil {
		return nil, 0, sqldb.Reading("counting payees", err)
	}
	rows, err := db.New(q.Newest(f.Page)).ListPayees(ctx, f.WorkspaceID)
	return sqldb.Listed(total, rows, err, payeeRow)
}

func (t tx) KeepPayee(ctx context.Context, p payee.Payee) error {
	bank := ""
	if p.BankAccount != nil {
		text, err := json.Marshal(p.BankAccount)
		if err != nil {
			return sqldb.Doing("encoding a payee", err)
		}
		bank = string(text)
	}
	n, err := t.Q.KeepPayee(ctx, db.KeepPayeeParams{
		WorkspaceID: p.WorkspaceID, ID: p.ID, SubOrganizationID: p.SubOrganizationID, Name: p.Name,
		FoldedName: sqldb.Fold(p.Name), Chain: p.Chain, Address: p.Address, Kind: string(p.Kind), BankAccount: bank,
		AddedAt: p.AddedAt, RemovedAt: p.RemovedAt, Proof: p.Proof, Seq: p.Seq, CreatedAt: sqldb.Micros(p.CreatedAt),
		Replaces: p.Replaces,
	})
	kind := event.PayeeAdded
	if p.RemovedAt != "" {
		kind = event.PayeeRemoved
	}
	return t.Told("keeping a payee", n, err, event.Change{
		Type: kind, WorkspaceID: p.WorkspaceID, Object: p.ID, Data: rest.EventPayee{
			SubOrganizationID: p.SubOrganizationID, Name: p.Name, Chain: p.Chain, Address: p.Address,
		},
	})
}

func payeeRow(r db.Payee) (payee.Payee, error) {
	p := payee.Payee{
		WorkspaceID: r.WorkspaceID, SubOrganizationID: r.SubOrganizationID, Proof: r.Proof, Seq: r.Seq,
		CreatedAt: sqldb.Instant(r.CreatedAt),
		Payee: wire.Payee{
			ID: r.ID, Name: r.Name, Chain: r.Chain, Address: r.Address, Kind: wire.PayeeKind(r.Kind),
			AddedAt: r.AddedAt, RemovedAt: r.RemovedAt,
		},
	}
	if json.Unmarshal([]byte(r.BankAccount), &p.BankAccount) != nil {
		p.BankAccount = nil // '', or edited by somebody: then a fresh proof repairs the row
	}
	return p, nil
}

// PayeeNotice finds the mails about one change of a book.
func (s payeeReads) PayeeNotice(ctx context.Context, workspaceID, id string) (payee.Notice, error) {
	row, err := s.db.Read.PayeeNotice(ctx, workspaceID, id)
	return sqldb.One("Notice", row, err, noticeRow)
}

// WaitingPayeeNotices lists those of every workspace that are not mailed and that nobody has touched since the instant.
func (s payeeReads) WaitingPayeeNotices(ctx context.Context, before time.Time, limit int) ([]payee.Notice, error) {
	rows, err := s.db.Read.WaitingPayeeNotices(ctx, sqldb.Micros(before), int32(limit))
	return sqldb.Many(rows, err, noticeRow)
}

func (t tx) InsertPayeeNotice(ctx context.Context, n payee.Notice) error {
	said, err := json.Marshal(n.Payee)
	if err != nil {
		return sqldb.Doing("encoding a payee", err)
	}
	return sqldb.Doing("inserting a notice", t.Q.InsertPayeeNotice(ctx, db.InsertPayeeNoticeParams{
		WorkspaceID: n.WorkspaceID, ID: n.ID, SubOrganizationID: n.SubOrganizationID, Payee: string(said),
		UpdatedAt: sqldb.Micros(n.UpdatedAt),
	}))
}

// MovePayeeNotice changes a notice that is not mailed yet.
func (t tx) MovePayeeNotice(ctx context.Context, n payee.Notice) error {
	return sqldb.Doing("moving a notice", t.Q.MovePayeeNotice(ctx, db.MovePayeeNoticeParams{
		WorkspaceID: n.WorkspaceID, ID: n.ID, Mailed: sqldb.Flag(n.Mailed), Now: sqldb.Micros(n.UpdatedAt),
	}))
}

func noticeRow(r db.PayeeNotice) (payee.Notice, error) {
	n := payee.Notice{
		WorkspaceID: r.WorkspaceID, ID: r.ID, SubOrganizationID: r.SubOrganizationID, Mailed: r.Mailed != 0,
		UpdatedAt: sqldb.Instant(r.UpdatedAt),
	}
	if err := json.Unmarshal([]byte(r.Payee), &n.Payee); err != nil {
		return n, fmt.Errorf("reading the payee of a notice: %w", err)
	}
	return n, nil
}
