package store

import (
	"context"

	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/postgres"
)

// History lists a page of what left a wallet and what came to it, and counts all
// that the filter selects.
func (s Signing) History(ctx context.Context, f wallet.HistoryFilter) ([]wallet.HistoryLine, int, error) {
	selected := func() *query {
		return s.query(1).add(" AND wallet_id = ?", f.WalletID).equal("type", f.Type).equal("status", f.Status).equal("token_symbol", f.TokenSymbol)
	}
	total, err := db.New(selected()).CountHistory(ctx, f.WorkspaceID)
	if err != nil {
		return nil, 0, doing("counting a wallet's history", postgres.Tell(err))
	}
	rows, err := db.New(selected().page("created_at", sorted(directions, f.SortDir), f.Page)).ListHistory(ctx, f.WorkspaceID)
	lines, err := many(rows, err, historyLine)
	return lines, int(total), err
}

func historyLine(r db.WalletHistory) (wallet.HistoryLine, error) {
	return wallet.HistoryLine{
		ID: r.ID, Type: r.Type, TxHash: r.TxHash, From: r.FromAddress, To: r.ToAddress, Amount: r.Amount, TokenSymbol: r.TokenSymbol,
		Chain: r.Chain, Status: r.Status, BlockNumber: r.BlockNumber, CreatedAt: instant(r.CreatedAt),
	}, nil
}
