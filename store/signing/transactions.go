package signing

import (
	"context"
	"time"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// Transaction finds one.
func (s transactionReads) Transaction(ctx context.Context, workspaceID, id string) (transaction.Transaction, error) {
	row, err := s.db.Read.Transaction(ctx, workspaceID, id)
	return sqldb.One("Transaction", row, err, transactionRow)
}

// Transactions lists a page of transactions and counts all that the filter selects.
func (s transactionReads) Transactions(
	ctx context.Context, f transaction.Filter,
) ([]transaction.Transaction, int, error) {
	selected := func() *sqldb.Query {
		q := s.db.Query(1).Equal("wallet_id", f.WalletID).Equal("from_address", f.From).Equal(
			"token_symbol", f.TokenSymbol,
		).In("state", sqldb.Texts(f.States))
		if f.Signed {
			q.Add(" AND signed_transaction <> ''")
		}
		return q
	}
	q := selected().Page(transactionSort(f.SortBy), f.SortDir, f.Page)
	rows, err := db.New(q).ListTransactions(ctx, f.WorkspaceID)
	total, err := counted(f.Page, len(rows), err, func() (int64, error) {
		return db.New(selected()).CountTransactions(ctx, f.WorkspaceID)
	})
	return sqldb.Listed(total, rows, err, transactionRow)
}

// counted is how many rows a list has of which a page was read: they are counted where the page does not tell.
func counted(p page.Page, rows int, err error, count func() (int64, error)) (int64, error) {
	total, told := p.Total(rows)
	if err != nil || told {
		return total, err
	}
	total, err = count()
	return total, sqldb.Reading("counting a list", err)
}

// transactionSort is what SQL calls the order that a caller names; anything else is the default.
func transactionSort(by string) string {
	if by == "amount" { // SQLite compares what has more than 15 digits approximately
		return "COALESCE(CAST(NULLIF(amount, '') AS NUMERIC), 0)"
	}
	return "created_at"
}

// TransactionSigned finds the row of a body that was signed for a nonce.
func (s transactionReads) TransactionSigned(
	ctx context.Context, workspaceID, chain, from string, nonce int64, fingerprint string,
) (transaction.Transaction, error) {
	row, err := s.db.Read.TransactionSigned(ctx, db.TransactionSignedParams{
		WorkspaceID: workspaceID, Chain: chain, FromAddress: from, Nonce: nonce, Fingerprint: fingerprint,
	})
	return sqldb.One("Transaction", row, err, transactionRow)
}

// TransactionSignedOnce finds the row of a body that was signed on a network without nonces.
func (s transactionReads) TransactionSignedOnce(
	ctx context.Context, workspaceID, chain, fingerprint string,
) (transaction.Transaction, error) {
	row, err := s.db.Read.TransactionSignedOnce(ctx, workspaceID, fingerprint, chain)
	return sqldb.One("Transaction", row, err, transactionRow)
}

// Unsent lists the ids of an address's transactions that are signed for nonces
// below the one given and are on no chain, highest nonce first, 200 at most.
func (s transactionReads) Unsent(ctx context.Context, workspaceID, chain, from string, below int64) ([]string, error) {
	ids, err := s.db.Read.Unsent(
		ctx, db.UnsentParams{WorkspaceID: workspaceID, Chain: chain, FromAddress: from, Below: below},
	)
	return ids, sqldb.Reading("listing what is not sent", err)
}

// UnsentDue lists what is signed, was not sent, and is to be looked for by now.
func (s transactionReads) UnsentDue(ctx context.Context, now time.Time, limit int) ([]transaction.Transaction, error) {
	rows, err := s.db.Read.UnsentDue(ctx, sqldb.Micros(now), int64(limit))
	return sqldb.Many(rows, err, transactionRow)
}

// LookLater puts off the next look at transactions that are still not sent, all of them in one transaction. They are
// touched, so that PostgreSQL is given all statements in one round trip: of one statement for all rows it made a plan
// that compared each row that was due with each that was named, 400 ms for 200 of 5,000.
func (s transactionReads) LookLater(ctx context.Context, now time.Time, all []transaction.Look) error {
	return s.db.Transact(ctx, func(t *sqldb.Tx) error {
		for _, l := range all {
			next := sqldb.Micros(l.Next(now))
			t.Touch("putting off a look", "transaction "+l.WorkspaceID+" "+l.ID, next,
				func(ctx context.Context, q *db.Queries) error {
					return q.LookLater(ctx, db.LookLaterParams{
						WorkspaceID: l.WorkspaceID, ID: l.ID, NonceUsedHead: l.NonceUsedHead, Next: next,
						Now: sqldb.Micros(now),
					})
				})
		}
		return nil
	})
}

// WaitingTransactions lists transactions of every workspace that have been in
// one of the states since before the instant, longest first, and from after a
// row on. Those that are signed and held, or replaced, are not among them.
func (s transactionReads) WaitingTransactions(
	ctx context.Context, states []transaction.State, before time.Time, after page.Cursor, limit int,
) ([]transaction.Transaction, error) {
	q := s.db.Query(1).In("state", sqldb.Texts(states)).After("updated_at", " > ", after).Add(
		" ORDER BY updated_at, id LIMIT ?", limit,
	)
	rows, err := db.New(q).ListWaiting(ctx, sqldb.Micros(before))
	return sqldb.Many(rows, err, transactionRow)
}

func (t tx) InsertTransaction(ctx context.Context, x transaction.Transaction) error {
	if err := t.Q.InsertTransaction(ctx, transactionParams(x)); err != nil {
		return sqldb.Doing("inserting a transaction", err)
	}
	tellTransaction(t.Tx, event.TransactionCreated, x, "")
	touchWallet(t.Tx, x.WorkspaceID, x.WalletID, x.CreatedAt)
	return t.noteAgentOf(ctx, x.WorkspaceID, x.ID, x.Body)
}

// touchWallet makes a moment count as a wallet's last activity.
func touchWallet(t *sqldb.Tx, workspaceID, id string, at time.Time) {
	us := sqldb.Micros(at)
	t.Touch("touching a wallet", "wallet "+workspaceID+" "+id, us, func(ctx context.Context, q *db.Queries) error {
		return q.TouchWallet(ctx, workspaceID, id, us)
	})
}

// MoveTransaction tries each state that the step may start from; at most one of
// them is the row's.
func (t tx) MoveTransaction(ctx context.Context, workspaceID, id string, from []transaction.State, to transaction.State,
	c transaction.Change,
) error {
	p := changeParams(c)
	p.WorkspaceID, p.ID, p.ToState = workspaceID, id, string(to)
	for _, state := range from {
		p.FromState = string(state)
		row, err := t.Q.MoveTransaction(ctx, p)
		if sqldb.None(err) {
			continue
		}
		if err == nil && c.SignedTransaction != nil { // what the server finds out later is no activity of the wallet
			touchWallet(t.Tx, workspaceID, row.WalletID, c.Now)
		}
		if err == nil && state == to { // another block, or another try: nobody waits for that
			return nil
		}
		return toldTransaction(t.Tx, "moving a transaction", event.Type("transaction."+to), row, err)
	}
	return record.ErrStale
}

// ReplaceTransaction frees the nonce of a signed transaction for its successor.
func (t tx) ReplaceTransaction(ctx context.Context, workspaceID, id, by string, now time.Time) error {
	row, err := t.Q.ReplaceTransaction(
		ctx, db.ReplaceTransactionParams{WorkspaceID: workspaceID, ID: id, By: by, Now: sqldb.Micros(now)},
	)
	return toldTransaction(t.Tx, "replacing a transaction", event.TransactionReplaced, row, err)
}

// DropPayment deletes an agent's payment that still awaits its signature with this body.
func (t tx) DropPayment(ctx context.Context, workspaceID, id, fingerprint string) error {
	row, err := t.Q.DropPayment(ctx, workspaceID, id, fingerprint)
	return toldTransaction(t.Tx, "deleting an agent's payment", event.TransactionDeleted, row, err)
}

// toldTransaction tells what a compare-and-swap made of a transaction; no row: it met none.
func toldTransaction(t *sqldb.Tx, what string, kind event.Type, row db.Transaction, err error) error {
	if sqldb.None(err) {
		return record.ErrStale
	}
	if err != nil {
		return sqldb.Doing(what, err)
	}
	x, err := transactionRow(row)
	if err == nil {
		tellTransaction(t, kind, x, row.ReplacedBy)
	}
	return err
}

func tellTransaction(t *sqldb.Tx, kind event.Type, x transaction.Transaction, replacedBy string) {
	agentID := activity.AgentOf(x.Body)
	t.Tell(event.Change{
		Type: kind, WorkspaceID: x.WorkspaceID, Object: x.ID, AgentID: agentID, Data: rest.EventTransaction{
			Status: string(x.State), SubOrganizationID: x.SubOrganizationID, WalletID: x.WalletID, AgentID: agentID,
			Chain: x.Chain, From: x.From, To: x.To, Amount: x.Amount, TokenSymbol: x.TokenSymbol, TxHash: x.TxHash,
			Reason: x.Reason, ReplacedBy: replacedBy,
		},
	})
}

func transactionRow(r db.Transaction) (transaction.Transaction, error) {
	x := transaction.Transaction{
		WorkspaceID: r.WorkspaceID, ID: r.ID, SubOrganizationID: r.SubOrganizationID, WalletID: r.WalletID,
		Type: r.Type,
		From: r.FromAddress, To: r.ToAddress, Amount: r.Amount, TokenAddress: r.TokenAddress,
		TokenSymbol: r.TokenSymbol,
		Chain:       r.Chain, ChainID: uint64(r.ChainID), Body: r.Body, Fingerprint: r.Fingerprint, Preview: r.Preview,
		UnsignedTransaction: r.UnsignedTransaction, Fee: r.Fee, State: transaction.State(r.State), Reason: r.Reason,
		SignedTransaction: r.SignedTransaction, TxHash: r.TxHash, Proof: r.Proof,
		BlockNumber: r.BlockNumber, BlockHash: r.BlockHash, Confirmations: r.Confirmations, Attempts: int(r.Attempts),
		ExpiresAt: sqldb.Instant(r.ExpiresAt), CreatedAt: sqldb.Instant(r.CreatedAt),
		UpdatedAt:   sqldb.Instant(r.UpdatedAt),
		BroadcastAt: sqldb.Instant(r.BroadcastAt), MinedAt: sqldb.Instant(r.MinedAt),
		ConfirmedAt: sqldb.Instant(r.ConfirmedAt), FailedAt: sqldb.Instant(r.FailedAt),
	}
	x.Held, x.Stuck = r.Held != 0, r.Stuck != 0
	x.Replaces, x.ReplacedBy = r.Replaces, r.ReplacedBy
	x.LookAt, x.NonceUsedHead = sqldb.Instant(r.LookAt), r.NonceUsedHead
	x.Window = node.Window{Since: r.SinceBlock, LastHeight: r.LastHeight}
	x.Received, x.ReceivedLess = r.Received, r.ReceivedLess != 0
	if r.Nonce.Valid {
		x.Nonce = &r.Nonce.Int64
	}
	return x, nil
}

func transactionParams(x transaction.Transaction) db.InsertTransactionParams {
	return db.InsertTransactionParams{
		WorkspaceID: x.WorkspaceID, ID: x.ID, SubOrganizationID: x.SubOrganizationID, WalletID: x.WalletID,
		Type:        x.Type,
		FromAddress: x.From, ToAddress: x.To, Amount: x.Amount, TokenAddress: x.TokenAddress,
		TokenSymbol: x.TokenSymbol,
		Chain:       x.Chain, ChainID: int64(x.ChainID), Body: x.Body, Fingerprint: x.Fingerprint, Preview: x.Preview,
		UnsignedTransaction: x.UnsignedTransaction, Fee: x.Fee, State: string(x.State), Reason: x.Reason,
		Nonce: sqldb.Number(x.Nonce), SignedTransaction: x.SignedTransaction, TxHash: x.TxHash, Proof: x.Proof,
		BlockNumber: x.BlockNumber, BlockHash: x.BlockHash, Confirmations: x.Confirmations, Attempts: int64(x.Attempts),
		ExpiresAt: sqldb.Micros(x.ExpiresAt), CreatedAt: sqldb.Micros(x.CreatedAt),
		UpdatedAt:   sqldb.Micros(x.UpdatedAt),
		BroadcastAt: sqldb.Micros(x.BroadcastAt), MinedAt: sqldb.Micros(x.MinedAt),
		ConfirmedAt: sqldb.Micros(x.ConfirmedAt), FailedAt: sqldb.Micros(x.FailedAt), Held: sqldb.Flag(x.Held),
		Replaces: x.Replaces, ReplacedBy: x.ReplacedBy, Stuck: sqldb.Flag(x.Stuck),
		LookAt: sqldb.Micros(x.LookAt), NonceUsedHead: x.NonceUsedHead,
		SinceBlock: x.Since, LastHeight: x.LastHeight,
	}
}

// changeParams leaves NULL, which keeps the column, where the change has nil.
func changeParams(c transaction.Change) db.MoveTransactionParams {
	return db.MoveTransactionParams{
		Now: sqldb.Micros(c.Now), Reason: sqldb.Text(c.Reason), Nonce: sqldb.Number(c.Nonce),
		SignedTransaction: sqldb.Text(c.SignedTransaction),
		TxHash:            sqldb.Text(c.TxHash), Proof: sqldb.Text(c.Proof), BlockNumber: sqldb.Number(c.BlockNumber),
		BlockHash:     sqldb.Text(c.BlockHash),
		Confirmations: sqldb.Number(c.Confirmations), Attempts: sqldb.Number(c.Attempts),
		BroadcastAt: sqldb.Moment(c.BroadcastAt),
		MinedAt:     sqldb.Moment(c.MinedAt), ConfirmedAt: sqldb.Moment(c.ConfirmedAt),
		FailedAt: sqldb.Moment(c.FailedAt),
		Held:     sqldb.Truth(c.Held), Stuck: sqldb.Truth(c.Stuck), LookAt: sqldb.Moment(c.LookAt),
		LastHeight:    sqldb.Number(c.LastHeight),
		NonceUsedHead: sqldb.Number(c.NonceUsedHead), Received: sqldb.Text(c.Received),
		ReceivedLess: sqldb.Truth(c.ReceivedLess),
	}
}
