package store

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/postgres"
)

// Transaction finds one.
func (s Signing) Transaction(ctx context.Context, workspaceID, id string) (transaction.Transaction, error) {
	row, err := s.read.Transaction(ctx, workspaceID, id)
	return one("Transaction", row, err, transactionRow)
}

// Transactions lists a page of transactions and counts all that the filter selects.
func (s Signing) Transactions(ctx context.Context, f transaction.Filter) ([]transaction.Transaction, int, error) {
	selected := func() *query {
		return s.query(1).equal("wallet_id", f.WalletID).equal("from_address", f.From).equal("token_symbol", f.TokenSymbol).in("state", texts(f.States))
	}
	total, err := db.New(selected()).CountTransactions(ctx, f.WorkspaceID)
	if err != nil {
		return nil, 0, doing("counting transactions", postgres.Tell(err))
	}
	paged := selected().page(sorted(transactionSort, f.SortBy), sorted(directions, f.SortDir), f.Page)
	rows, err := db.New(paged).ListTransactions(ctx, f.WorkspaceID)
	transactions, err := many(rows, err, transactionRow)
	return transactions, int(total), err
}

// TransactionSigned finds the row of a body that was signed for a nonce.
func (s Signing) TransactionSigned(ctx context.Context, workspaceID, chain, from string, nonce int64, fingerprint string) (transaction.Transaction, error) {
	row, err := s.read.TransactionSigned(ctx, db.TransactionSignedParams{
		WorkspaceID: workspaceID, Chain: chain, FromAddress: from, Nonce: nonce, Fingerprint: fingerprint,
	})
	return one("Transaction", row, err, transactionRow)
}

// Unsent lists the ids of an address's transactions that are signed for nonces
// below the one given and are on no chain, highest nonce first, 200 at most.
func (s Signing) Unsent(ctx context.Context, workspaceID, chain, from string, below int64) ([]string, error) {
	ids, err := s.read.Unsent(ctx, db.UnsentParams{WorkspaceID: workspaceID, Chain: chain, FromAddress: from, Below: below})
	return ids, doing("listing what is not sent", postgres.Tell(err))
}

// UnsentDue lists what is signed, was not sent, and is to be looked for by now.
func (s Signing) UnsentDue(ctx context.Context, now time.Time, limit int) ([]transaction.Transaction, error) {
	rows, err := s.read.UnsentDue(ctx, micros(now), int64(limit))
	return many(rows, err, transactionRow)
}

// WaitingTransactions lists transactions of every workspace that have been in
// one of the states since before the instant, longest first, and from after a
// row on. Those that are signed and held, or replaced, are not among them.
func (s Signing) WaitingTransactions(ctx context.Context, states []transaction.State, before time.Time, after page.Cursor, limit int) ([]transaction.Transaction, error) {
	q := s.query(1).in("state", texts(states)).after("updated_at", " > ", after).add(" ORDER BY updated_at, id LIMIT ?", limit)
	rows, err := db.New(q).ListWaiting(ctx, micros(before))
	return many(rows, err, transactionRow)
}

func (t *tx) InsertTransaction(ctx context.Context, x transaction.Transaction) error {
	if err := t.q.InsertTransaction(ctx, transactionParams(x)); err != nil {
		return doing("inserting a transaction", err)
	}
	return doing("touching a wallet", t.q.TouchWallet(ctx, x.WorkspaceID, x.WalletID, micros(x.CreatedAt)))
}

// MoveTransaction tries each state that the step may start from; at most one of
// them is the row's.
func (t *tx) MoveTransaction(ctx context.Context, workspaceID, id string, from []transaction.State, to transaction.State,
	c transaction.Change,
) error {
	p := changeParams(c)
	p.WorkspaceID, p.ID, p.ToState = workspaceID, id, string(to)
	for _, state := range from {
		p.FromState = string(state)
		n, err := t.q.MoveTransaction(ctx, p)
		if err != nil {
			return doing("moving a transaction", err)
		}
		if n == 1 {
			return t.touchSigned(ctx, workspaceID, id, c)
		}
	}
	return record.ErrStale
}

// touchSigned makes a signature count as the wallet's last activity; what the
// server finds out about a sent transaction does not.
func (t *tx) touchSigned(ctx context.Context, workspaceID, id string, c transaction.Change) error {
	if c.SignedTransaction == nil {
		return nil
	}
	return doing("touching a wallet", t.q.TouchWalletOf(ctx, micros(c.Now), workspaceID, id))
}

// ReplaceTransaction frees the nonce of a signed transaction for its successor.
func (t *tx) ReplaceTransaction(ctx context.Context, workspaceID, id, by string, now time.Time) error {
	n, err := t.q.ReplaceTransaction(ctx, db.ReplaceTransactionParams{WorkspaceID: workspaceID, ID: id, By: by, Now: micros(now)})
	return swapped("replacing a transaction", n, err)
}

func transactionRow(r db.Transaction) (transaction.Transaction, error) {
	x := transaction.Transaction{
		WorkspaceID: r.WorkspaceID, ID: r.ID, SubOrganizationID: r.SubOrganizationID, WalletID: r.WalletID, Type: r.Type,
		From: r.FromAddress, To: r.ToAddress, Amount: r.Amount, TokenAddress: r.TokenAddress, TokenSymbol: r.TokenSymbol,
		Chain: r.Chain, ChainID: uint64(r.ChainID), Body: r.Body, Fingerprint: r.Fingerprint, Preview: r.Preview,
		UnsignedTransaction: r.UnsignedTransaction, Fee: r.Fee, State: transaction.State(r.State), Reason: r.Reason,
		SignedTransaction: r.SignedTransaction, TxHash: r.TxHash, Proof: r.Proof,
		BlockNumber: r.BlockNumber, BlockHash: r.BlockHash, Confirmations: r.Confirmations, Attempts: int(r.Attempts),
		ExpiresAt: instant(r.ExpiresAt), CreatedAt: instant(r.CreatedAt), UpdatedAt: instant(r.UpdatedAt),
		BroadcastAt: instant(r.BroadcastAt), MinedAt: instant(r.MinedAt),
		ConfirmedAt: instant(r.ConfirmedAt), FailedAt: instant(r.FailedAt),
	}
	x.Held, x.Stuck = r.Held != 0, r.Stuck != 0
	x.Replaces, x.ReplacedBy = r.Replaces, r.ReplacedBy
	x.LookAt, x.NonceUsedHead = instant(r.LookAt), r.NonceUsedHead
	if r.Nonce.Valid {
		x.Nonce = &r.Nonce.Int64
	}
	return x, nil
}

func transactionParams(x transaction.Transaction) db.InsertTransactionParams {
	return db.InsertTransactionParams{
		WorkspaceID: x.WorkspaceID, ID: x.ID, SubOrganizationID: x.SubOrganizationID, WalletID: x.WalletID, Type: x.Type,
		FromAddress: x.From, ToAddress: x.To, Amount: x.Amount, TokenAddress: x.TokenAddress, TokenSymbol: x.TokenSymbol,
		Chain: x.Chain, ChainID: int64(x.ChainID), Body: x.Body, Fingerprint: x.Fingerprint, Preview: x.Preview,
		UnsignedTransaction: x.UnsignedTransaction, Fee: x.Fee, State: string(x.State), Reason: x.Reason,
		Nonce: number(x.Nonce), SignedTransaction: x.SignedTransaction, TxHash: x.TxHash, Proof: x.Proof,
		BlockNumber: x.BlockNumber, BlockHash: x.BlockHash, Confirmations: x.Confirmations, Attempts: int64(x.Attempts),
		ExpiresAt: micros(x.ExpiresAt), CreatedAt: micros(x.CreatedAt), UpdatedAt: micros(x.UpdatedAt),
		BroadcastAt: micros(x.BroadcastAt), MinedAt: micros(x.MinedAt),
		ConfirmedAt: micros(x.ConfirmedAt), FailedAt: micros(x.FailedAt), Held: flag(x.Held),
		Replaces: x.Replaces, ReplacedBy: x.ReplacedBy, Stuck: flag(x.Stuck),
		LookAt: micros(x.LookAt), NonceUsedHead: x.NonceUsedHead,
	}
}

// changeParams leaves NULL, which keeps the column, where the change has nil.
func changeParams(c transaction.Change) db.MoveTransactionParams {
	return db.MoveTransactionParams{
		Now: micros(c.Now), Reason: text(c.Reason), Nonce: number(c.Nonce), SignedTransaction: text(c.SignedTransaction),
		TxHash: text(c.TxHash), Proof: text(c.Proof), BlockNumber: number(c.BlockNumber), BlockHash: text(c.BlockHash),
		Confirmations: number(c.Confirmations), Attempts: number(c.Attempts), BroadcastAt: moment(c.BroadcastAt),
		MinedAt: moment(c.MinedAt), ConfirmedAt: moment(c.ConfirmedAt), FailedAt: moment(c.FailedAt),
		Held: truth(c.Held), Stuck: truth(c.Stuck), LookAt: moment(c.LookAt), NonceUsedHead: number(c.NonceUsedHead),
	}
}
