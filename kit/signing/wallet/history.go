package wallet

import (
	"context"
	"time"

	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/platform/page"
)

// HistoryFilter selects lines of a wallet's history, newest first. Zero fields
// do not filter.
type HistoryFilter struct {
	WorkspaceID string
	WalletID    string // local id
	Type        string // Sent or Received
	Status      string // pending, confirmed or failed
	TokenSymbol string
	SortDir     string
	Page        page.Page
}

// The two types of lines in a history.
const (
	Sent     = "send"
	Received = "receive"
)

// HistoryLine is a transaction that a wallet signed, or a transfer that came to
// one of its addresses.
type HistoryLine struct {
	ID, Type, TxHash    string
	From, To            string
	Amount, TokenSymbol string // in units of the asset
	Chain, Status       string
	BlockNumber         int64 // 0: in no block yet
	CreatedAt           time.Time
}

func (l HistoryLine) cursor() page.Cursor { return page.Cursor{CreatedAt: l.CreatedAt, ID: l.ID} }

func (l HistoryLine) view() WalletTransaction {
	v := WalletTransaction{
		ID: l.ID, TxHash: l.TxHash, Type: l.Type, Amount: l.Amount, TokenSymbol: l.TokenSymbol,
		From: canonical(l.From), To: canonical(l.To),
		Network: l.Chain, Status: l.Status, BlockNumber: l.BlockNumber, Timestamp: clock.ISO(l.CreatedAt),
	}
	v.Counterparty = v.To
	if l.Type == Received {
		v.Counterparty = v.From
	}
	return v
}

// WalletTransaction is a line of a wallet's history as the API shows it.
type WalletTransaction struct {
	ID           string `json:"id"`
	TxHash       string `json:"txHash"`
	Type         string `json:"type" enum:"send,receive"`
	Amount       string `json:"amount"`
	TokenSymbol  string `json:"tokenSymbol"`
	From         string `json:"from"`
	To           string `json:"to"`
	Counterparty string `json:"counterparty"`
	Network      string `json:"network"`
	Status       string `json:"status" enum:"pending,confirmed,failed" doc:"Of what came in: pending until it is as deep as its network wants, failed if a reorg took it away and it was not mined again"`
	BlockNumber  int64  `json:"blockNumber,omitempty"`
	Timestamp    string `json:"timestamp" format:"date-time" doc:"Of what came in: when it was first seen"`
}

// History lists what a wallet signed and which listed tokens came to
// it, newest first.
func (s *Service) History(ctx context.Context, walletID string,
	f HistoryFilter,
) ([]WalletTransaction, *page.Cursor, int, error) {
	w, err := s.store.Wallet(ctx, f.WorkspaceID, walletID)
	if err != nil {
		return nil, nil, 0, err
	}
	f.WalletID = w.ID
	lines, total, err := s.store.History(ctx, f)
	if err != nil {
		return nil, nil, 0, err
	}
	views := []WalletTransaction{}
	for _, l := range lines {
		views = append(views, l.view())
	}
	return views, page.Next(f.Page, lines, total, HistoryLine.cursor), total, nil
}

// canonical writes an address as wallets do.
func canonical(address string) string {
	if spelled, _, ok := families.ParseAddress(address); ok {
		return spelled
	}
	return address
}
