package railkit

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// The states of a transaction.
const (
	StatusAwaitingSignature = "awaiting_signature"
	StatusPending           = "pending" // signed, not sent
	StatusBroadcast         = "broadcast"
	StatusConfirmed         = "confirmed"
	StatusFailed            = "failed"
	StatusCancelled         = "cancelled"
	StatusExpired           = "expired"
)

// Broadcast is what is known of a transaction on its chain.
type Broadcast struct {
	TransactionID string  `json:"transactionId"`
	TxHash        string  `json:"txHash"`
	Status        string  `json:"status"`
	Network       string  `json:"network"`
	BroadcastedAt *string `json:"broadcastedAt"` // nil: not yet; so the next two
	ConfirmedAt   *string `json:"confirmedAt"`
	BlockNumber   *uint64 `json:"blockNumber"`
	Confirmations uint64  `json:"confirmations"`
	Reason        string  `json:"reason,omitempty"`     // of failed, or why it is not mined
	Stuck         bool    `json:"stuck,omitempty"`      // it pays less than the network asks: SpeedUp helps
	ReplacedBy    string  `json:"replacedBy,omitempty"` // the one that was signed for its nonce since
	// WaitsFor names the transactions of the address that have to be sent before this one can be mined.
	WaitsFor []string `json:"waitsFor,omitempty"`
}

// BroadcastTransaction sends a signed transaction that was not sent yet.
func (c *Client) BroadcastTransaction(ctx context.Context, id string) (*Broadcast, error) {
	return c.broadcast(ctx, http.MethodPost, id)
}

// RetryBroadcast sends a transaction again that could not be sent: the same bytes.
func (c *Client) RetryBroadcast(ctx context.Context, id string) (*Broadcast, error) {
	r, err := send[Broadcast](ctx, c, request{method: http.MethodPost, path: "/v1/transactions/broadcast/" + url.PathEscape(id) + "/retry"})
	if err != nil {
		return nil, err
	}
	return &r.Data, nil
}

// RawTransaction is a transaction that was signed elsewhere.
type RawTransaction struct {
	SignedTransaction string `json:"signedTransaction"` // hex
	ChainID           uint64 `json:"chainId,omitempty"`
	Network           string `json:"network,omitempty"`
}

// RawBroadcast is a raw transaction on its way. The server keeps nothing of it.
type RawBroadcast struct {
	TxHash        string `json:"txHash"`
	Status        string `json:"status"`
	Network       string `json:"network"`
	BroadcastedAt string `json:"broadcastedAt"`
}

// BroadcastRaw sends a transaction that was signed elsewhere.
func (c *Client) BroadcastRaw(ctx context.Context, req RawTransaction) (*RawBroadcast, error) {
	r, err := send[RawBroadcast](ctx, c, request{method: http.MethodPost, path: "/v1/transactions/broadcast/raw", body: req})
	if err != nil {
		return nil, err
	}
	return &r.Data, nil
}

// GetBroadcast reads how far a transaction is.
func (c *Client) GetBroadcast(ctx context.Context, id string) (*Broadcast, error) {
	return c.broadcast(ctx, http.MethodGet, id)
}

func (c *Client) broadcast(ctx context.Context, method, id string) (*Broadcast, error) {
	r, err := send[Broadcast](ctx, c, request{method: method, path: "/v1/transactions/broadcast/" + url.PathEscape(id)})
	if err != nil {
		return nil, err
	}
	return &r.Data, nil
}

// WaitConfirmed polls until the transaction is confirmed. A transaction that
// ends in another way is an error. The server's word for it is all there is:
// whoever must be sure asks a node of their own.
func (c *Client) WaitConfirmed(ctx context.Context, id string, every time.Duration) (*Broadcast, error) {
	for {
		b, err := c.GetBroadcast(ctx, id)
		if err != nil {
			return nil, err
		}
		switch b.Status {
		case StatusConfirmed:
			return b, nil
		case StatusFailed, StatusCancelled, StatusExpired:
			return b, fmt.Errorf("railkit: the transaction is %s", b.Status)
		}
		if err := c.retry.Sleep(ctx, every); err != nil {
			return b, fmt.Errorf("railkit: waiting for a transaction that is %s: %w", b.Status, err)
		}
	}
}

// WalletTransaction is a transaction as a wallet's history lists it.
type WalletTransaction struct {
	ID           string `json:"id"`
	TxHash       string `json:"txHash"`
	Type         string `json:"type"` // send | receive
	Amount       string `json:"amount"`
	TokenSymbol  string `json:"tokenSymbol"`
	From         string `json:"from"`
	To           string `json:"to"`
	Counterparty string `json:"counterparty,omitempty"`
	Network      string `json:"network"`
	Status       string `json:"status"` // pending | confirmed | failed
	BlockNumber  int64  `json:"blockNumber,omitempty"`
	Timestamp    string `json:"timestamp"`
}

// ListWalletTransactions reads one page of a wallet's history, newest first:
// what it signed, and which tokens came to it.
func (c *Client) ListWalletTransactions(ctx context.Context, walletID string, o ListOptions) (*Page[WalletTransaction], error) {
	path := "/v1/signing/wallets/" + url.PathEscape(walletID) + "/transactions"
	r, err := send[[]WalletTransaction](ctx, c, request{method: http.MethodGet, path: path, query: o.query()})
	if err != nil {
		return nil, err
	}
	return &Page[WalletTransaction]{Items: r.Data, Meta: r.Meta}, nil
}
