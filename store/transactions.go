package store

import (
	"database/sql"
	"time"

	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/store/db"
)

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

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func truth(b *bool) sql.NullInt64 {
	if b == nil {
		return sql.NullInt64{}
	}
	return sql.NullInt64{Int64: flag(*b), Valid: true}
}

func text(s *string) sql.NullString {
	if s == nil {
		return sql.NullString{}
	}
	return sql.NullString{String: *s, Valid: true}
}

func number[N int | int64](n *N) sql.NullInt64 {
	if n == nil {
		return sql.NullInt64{}
	}
	return sql.NullInt64{Int64: int64(*n), Valid: true}
}

func moment(t *time.Time) sql.NullInt64 {
	if t == nil {
		return sql.NullInt64{}
	}
	return sql.NullInt64{Int64: micros(*t), Valid: true}
}
