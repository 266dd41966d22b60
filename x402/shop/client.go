package shop

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/railkit/railkit/x402"
)

// How long a facilitator is waited for, and how much of its answer is read. A settlement waits for a block.
const (
	verifyWithin = 15 * time.Second
	settleWithin = 90 * time.Second
	maxReply     = 64 << 10
)

// ErrFacilitator is a facilitator that does not answer, or not as one.
var ErrFacilitator = errors.New("the facilitator does not answer as one")

// Client asks a facilitator over HTTP.
type Client struct {
	base, token                string
	http                       *http.Client
	verifyWithin, settleWithin time.Duration
}

// Timeouts are a client's patience; zero is the usual one.
type Timeouts struct{ Verify, Settle time.Duration }

// NewClient makes a client of the facilitator at a URL. It follows no redirect: payments go where the operator sent
// them, and nowhere else.
func NewClient(base string, t Timeouts) (*Client, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return nil, errors.New("the facilitator's URL is not http(s) with a host and without a user")
	}
	c := &Client{
		base: strings.TrimSuffix(base, "/"), verifyWithin: t.Verify, settleWithin: t.Settle,
		http: &http.Client{CheckRedirect: stay},
	}
	if c.verifyWithin == 0 {
		c.verifyWithin = verifyWithin
	}
	if c.settleWithin == 0 {
		c.settleWithin = settleWithin
	}
	return c, nil
}

// WithToken is the client with the token that the facilitator asks its callers for.
func (c *Client) WithToken(token string) *Client {
	with := *c
	with.token = token
	return &with
}

func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Verify is POST /verify.
func (c *Client) Verify(ctx context.Context, r x402.Request) (x402.Verdict, error) {
	var out struct {
		x402.Verdict
		Valid *bool `json:"isValid"`
	}
	r.Identifier = ""
	err := c.call(ctx, c.verifyWithin, http.MethodPost, "/verify", http.Header{}, r, &out)
	if err == nil && out.Valid == nil {
		err = fmt.Errorf("%w: /verify without isValid", ErrFacilitator)
	}
	if err != nil {
		return x402.Verdict{}, err
	}
	out.Verdict.Valid = *out.Valid
	return out.Verdict, nil
}

// Settle is POST /settle. After an error the money may have moved.
func (c *Client) Settle(ctx context.Context, r x402.Request) (x402.Receipt, error) {
	var out struct {
		x402.Receipt
		Success *bool `json:"success"`
	}
	header := http.Header{}
	if r.Identifier != "" {
		header.Set(x402.HeaderIdentifier, r.Identifier)
	}
	r.Identifier = "" // no part of the protocol's body
	err := c.call(ctx, c.settleWithin, http.MethodPost, "/settle", header, r, &out)
	if err == nil && out.Success == nil {
		err = fmt.Errorf("%w: /settle without success", ErrFacilitator)
	}
	if err != nil {
		return x402.Receipt{}, err
	}
	out.Receipt.Success = *out.Success
	return out.Receipt, nil
}

// Supported is GET /supported.
func (c *Client) Supported(ctx context.Context) (s x402.Supported, err error) {
	err = c.call(ctx, c.verifyWithin, http.MethodGet, "/supported", http.Header{}, nil, &s)
	if err == nil && s.Kinds == nil {
		err = fmt.Errorf("%w: /supported without kinds", ErrFacilitator)
	}
	return s, err
}

// call reads answers of 2xx, and of 4xx where they have the expected members: some facilitators refuse that way.
func (c *Client) call(
	ctx context.Context, within time.Duration, method, path string, header http.Header, in, out any,
) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	var body []byte
	var err error
	if in != nil {
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header = header
	req.Header.Set("Content-Type", "application/json")
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrFacilitator, path, err)
	}
	defer func() { _ = res.Body.Close() }()
	reply, err := io.ReadAll(io.LimitReader(res.Body, maxReply+1))
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrFacilitator, path, err)
	}
	refused := res.StatusCode >= 400 && res.StatusCode < 500
	if len(reply) > maxReply || res.StatusCode/100 != 2 && !refused {
		return fmt.Errorf("%w: %s: status %d with %d bytes", ErrFacilitator, path, res.StatusCode, len(reply))
	}
	if err := json.Unmarshal(reply, out); err != nil {
		return fmt.Errorf("%w: %s: status %d with other JSON", ErrFacilitator, path, res.StatusCode)
	}
	return nil
}
