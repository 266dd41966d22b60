// Package control is the client of the sandbox partner's controls: what
// railkit-partner offers beyond a real partner's API.
package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Client speaks to one railkit-partner. Its methods may be called concurrently.
type Client struct {
	base, key string
	http      *http.Client
}

// New makes a client for a base address such as "http://127.0.0.1:8095".
func New(baseURL, controlKey string) *Client {
	return &Client{strings.TrimRight(baseURL, "/"), controlKey, &http.Client{Timeout: 30 * time.Second}}
}

// Error is a refusal of the partner's.
type Error struct {
	Status  int    `json:"-"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return "the sandbox's partner: " + e.Code }

// ErrNotPartner is an answer that the sandbox's partner does not give.
var ErrNotPartner = errors.New("what answers is not the sandbox's partner")

// Header is in each answer of the sandbox's partner, with the value Name.
const (
	Header = "X-Railkit-Partner"
	Name   = "sandbox"
)

// Files of the partner's folder: the keys for its API and for its controls, and
// the public half of the key that signs its notices.
const (
	APIKeyFile    = "api.key"
	KeyFile       = "control.key"
	PublicKeyFile = "webhook.pub.pem"
)

// NoticePath is where a local platform's server takes notices.
const NoticePath = "/v1/payout/rails/webhooks"

// Advance lets time pass: all that is to happen happens so much sooner, and what
// became due has happened when it returns. A transaction on a chain takes its own time.
func (c *Client) Advance(ctx context.Context, d time.Duration) error {
	return c.call(ctx, http.MethodPost, "/sandbox/advance", map[string]int64{"seconds": int64(d / time.Second)}, nil)
}

// Why is the rail's reason of a failure. The zero value is a closed account.
type Why struct {
	Code   string `json:"code,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// Fail keeps a transfer from arriving; the wallet gets all but the developer's fee back.
func (c *Client) Fail(ctx context.Context, transfer string, why Why) error {
	return c.transfer(ctx, transfer, "fail", why)
}

// Return gives a transfer back that has arrived, or lets it come back once it has.
func (c *Client) Return(ctx context.Context, transfer string, why Why) error {
	return c.transfer(ctx, transfer, "return", why)
}

// Delay makes a transfer's next step so much later.
func (c *Client) Delay(ctx context.Context, transfer string, d time.Duration) error {
	return c.transfer(ctx, transfer, "delay", map[string]int64{"seconds": int64(d / time.Second)})
}

// Review holds a transfer that has not left, until Clear.
func (c *Client) Review(ctx context.Context, transfer string) error {
	return c.transfer(ctx, transfer, "review", nil)
}

// Clear ends a review.
func (c *Client) Clear(ctx context.Context, transfer string) error {
	return c.transfer(ctx, transfer, "clear", nil)
}

func (c *Client) transfer(ctx context.Context, id, what string, body any) error {
	return c.call(ctx, http.MethodPost, "/sandbox/transfers/"+url.PathEscape(id)+"/"+what, body, nil)
}

// Decide ends the registration of an external account: active, or rejected with a reason.
func (c *Client) Decide(ctx context.Context, account, status, reason string) error {
	return c.call(ctx, http.MethodPost, "/sandbox/external_accounts/"+url.PathEscape(account),
		map[string]string{"status": status, "reason": reason}, nil)
}

// Desk is what the currency desk asks. In SetDesk what is empty stays.
type Desk struct {
	PerUSD          map[string]string `json:"perUsd,omitempty"`      // what a US dollar is worth
	BasisPoints     map[string]int64  `json:"basisPoints,omitempty"` // what is kept of an exchange
	Drifting        *bool             `json:"drifting,omitempty"`    // rates move with time
	StaleForSeconds *int64            `json:"staleForSeconds,omitempty"`
}

// Desk tells what the desk asks.
func (c *Client) Desk(ctx context.Context) (d Desk, err error) {
	err = c.call(ctx, http.MethodGet, "/sandbox/fx", nil, &d)
	return d, err
}

// SetDesk changes it.
func (c *Client) SetDesk(ctx context.Context, d Desk) error {
	return c.call(ctx, http.MethodPut, "/sandbox/fx", d, nil)
}

// Manners are how notices are sent. The zero value is how they should be.
type Manners struct {
	LateMs       int64 `json:"lateMs,omitempty"`
	Twice        bool  `json:"twice,omitempty"`
	Reordered    bool  `json:"reordered,omitempty"`
	Lost         bool  `json:"lost,omitempty"`
	BadSignature bool  `json:"badSignature,omitempty"`
	Stale        bool  `json:"stale,omitempty"`
	Times        int   `json:"times,omitempty"` // for so many notices; 0: until it is set again
}

// SetManners says how the next notices are sent.
func (c *Client) SetManners(ctx context.Context, m Manners) error {
	return c.call(ctx, http.MethodPut, "/sandbox/webhooks", m, nil)
}

// SetWebhookURL says where notices go.
func (c *Client) SetWebhookURL(ctx context.Context, where string) error {
	return c.call(ctx, http.MethodPut, "/sandbox/webhooks/url", map[string]string{"url": where}, nil)
}

// Replay sends a notice again as it was sent before, "" the last one. It tells
// whether the receiver took it.
func (c *Client) Replay(ctx context.Context, eventID string) (accepted bool, err error) {
	var answer struct{ Accepted bool }
	err = c.call(ctx, http.MethodPost, "/sandbox/webhooks/replay", map[string]string{"eventId": eventID}, &answer)
	return answer.Accepted, err
}

// NotifyUnknown sends a notice of a transfer that nobody made.
func (c *Client) NotifyUnknown(ctx context.Context) error {
	return c.call(ctx, http.MethodPost, "/sandbox/webhooks/unknown", nil, nil)
}

// Fault is a way to fail. Kinds are those of the document: unavailable,
// rate_limited, no_route, slow, truncated, lost_answer, unknown_state,
// amount_mismatch, currency_mismatch, id_reused.
type Fault struct {
	Kind       string `json:"kind"`
	Times      int    `json:"times,omitempty"` // 0: until ClearFaults
	Method     string `json:"method,omitempty"`
	Path       string `json:"path,omitempty"` // a part of it
	Status     int    `json:"status,omitempty"`
	RetryAfter int    `json:"retryAfterSeconds,omitempty"`
	DelayMs    int    `json:"delayMs,omitempty"`
}

// Fault makes calls fail.
func (c *Client) Fault(ctx context.Context, f Fault) error {
	return c.call(ctx, http.MethodPost, "/sandbox/faults", f, nil)
}

// ClearFaults ends all faults.
func (c *Client) ClearFaults(ctx context.Context) error {
	return c.call(ctx, http.MethodDelete, "/sandbox/faults", nil, nil)
}

// Trial is what the partner's ledger says.
type Trial struct {
	Balanced bool `json:"balanced"`
	Accounts []struct {
		Account  string `json:"account"`
		Currency string `json:"currency"`
		Balance  string `json:"balance"`
	} `json:"accounts"`
	Payouts  []Payout       `json:"payouts"`
	Deposits []DepositCount `json:"deposits"`
}

// Payout is what became of the transfers of one reference. Paid is how often money
// left the partner for it, Returned how often it came back, and Due how many of the transfers have a next step at a
// time of its own, such as the return of one that was paid.
type Payout struct {
	Reference string   `json:"reference"`
	Transfers []string `json:"transfers"`
	Paid      int      `json:"paid"`
	Returned  int      `json:"returned"`
	Due       int      `json:"due"`
}

// Ledger sums the partner's ledger, and counts the payouts of a reference and the deposits of an id or of a virtual
// account, "" for all.
func (c *Client) Ledger(ctx context.Context, reference string) (t Trial, err error) {
	err = c.call(ctx, http.MethodGet, "/sandbox/ledger?reference="+url.QueryEscape(reference), nil, &t)
	return t, err
}

// Ping tells whether the sandbox's partner answers.
func (c *Client) Ping(ctx context.Context) error {
	return c.call(ctx, http.MethodGet, "/healthz", nil, nil)
}

// maxAnswer bounds an answer.
const maxAnswer = 16 << 20

func (c *Client) call(ctx context.Context, method, path string, body, answer any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encoding a control: %w", err)
	}
	if body == nil {
		raw = nil
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(raw))
	if err != nil {
		return fmt.Errorf("making a control: %w", err)
	}
	req.Header.Set("Api-Key", c.key)
	res, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("asking the sandbox's partner: %w", err)
	}
	defer res.Body.Close()
	if res.Header.Get(Header) != Name {
		return ErrNotPartner
	}
	d := json.NewDecoder(io.LimitReader(res.Body, maxAnswer))
	if res.StatusCode/100 != 2 {
		e := &Error{Status: res.StatusCode}
		if d.Decode(e) != nil {
			return ErrNotPartner
		}
		return e
	}
	if answer == nil {
		return nil
	}
	if err := d.Decode(answer); err != nil {
		return fmt.Errorf("reading the sandbox's partner: %w", err)
	}
	return nil
}
