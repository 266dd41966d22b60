package wallet

import (
	"context"
	"time"

	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
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

func (l HistoryLine) view() rest.WalletTransaction {
	v := rest.WalletTransaction{
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

// History lists what a wallet signed and which listed tokens came to
// it, newest first.
func (s *Service) History(ctx context.Context, walletID string,
	f HistoryFilter,
) ([]rest.WalletTransaction, *page.Cursor, int, error) {
	w, err := s.c.Store.Wallet(ctx, f.WorkspaceID, walletID)
	if err != nil {
		return nil, nil, 0, err
	}
	f.WalletID = w.ID
	lines, total, err := s.c.Store.History(ctx, f)
	if err != nil {
		return nil, nil, 0, err
	}
	views := []rest.WalletTransaction{}
	known, err := s.known(ctx, w)
	if err != nil {
		return nil, nil, 0, err
	}
	for _, l := range lines {
		v := l.view()
		known.name(&v)
		views = append(views, v)
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
