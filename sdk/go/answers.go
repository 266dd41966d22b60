package railkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/sdk/go/internal/strictjson"
)

// Meta is the position of a page in its list.
type Meta struct {
	Page       int    `json:"page"`
	Limit      int    `json:"limit"`
	Total      int    `json:"total"`
	TotalPages int    `json:"totalPages"`
	NextCursor string `json:"nextCursor,omitempty"`

	Counts map[string]int `json:"counts,omitempty"` // of lists that say so: how many there are of each kind
	// The signer's statement about the list, where a fresh one was asked for.
	Proof *Proof `json:"proof,omitempty"`
}

type envelope struct {
	Success    bool            `json:"success"`
	Message    string          `json:"message"`
	Data       json.RawMessage `json:"data,omitempty"`
	Meta       *Meta           `json:"meta,omitempty"`
	StatusCode int             `json:"statusCode"`
	Timestamp  string          `json:"timestamp"`
	Path       string          `json:"path"`
	Code       string          `json:"error,omitempty"`
	Details    map[string]any  `json:"details,omitempty"`
	ApprovalID string          `json:"approvalId,omitempty"`

	FailedLayers []string        `json:"failedLayers,omitempty"` // those of Details again
	Metadata     json.RawMessage `json:"metadata,omitempty"`     // of a builder: as in Data
	Outcome      string          `json:"outcome,omitempty"`      // of changes that can be prepared: done or prepared
}

// open reads the envelope; what is not a success becomes an *Error.
func (c *Client) open(res *http.Response, raw []byte) (*envelope, error) {
	var env envelope
	err := c.decode(raw, &env)
	if res.StatusCode >= 200 && res.StatusCode < 300 {
		if err != nil {
			return nil, fmt.Errorf("railkit: the answer is not the envelope of the API: %w", err)
		}
		if !env.Success {
			return nil, errors.New("railkit: the answer is a success by its status and an error by its envelope")
		}
		if res.StatusCode == http.StatusAccepted {
			return nil, queued(&env)
		}
		return &env, nil
	}
	e := &Error{
		Status: res.StatusCode, Code: env.Code, Message: env.Message, Details: env.Details,
		RetryAfter: retryAfter(res.Header.Get("Retry-After")),
		RequestID:  res.Header.Get("X-Request-Id"), Path: res.Request.URL.Path,
	}
	if e.Message == "" {
		e.Message = http.StatusText(res.StatusCode)
	}
	return nil, e
}

// unwrapped is a success without an envelope. The header Link of a list has the cursor of the next page.
func unwrapped(res *http.Response, raw []byte) (*envelope, error) {
	env := &envelope{Success: true, StatusCode: res.StatusCode, Data: raw, Meta: &Meta{}}
	link, relation, _ := strings.Cut(res.Header.Get("Link"), ">")
	if !strings.Contains(relation, `rel="next"`) {
		return env, nil
	}
	next, err := url.Parse(strings.TrimPrefix(link, "<"))
	if err != nil {
		return nil, fmt.Errorf("railkit: reading the header Link: %w", err)
	}
	env.Meta.NextCursor = next.Query().Get("cursor")
	return env, nil
}

// download writes an answer without an envelope to w. It tries again only while nothing was written,
// and has no limit of time but the context's.
func (c *Client) download(ctx context.Context, r request, w io.Writer) error {
	patient := *c.http
	patient.Timeout = 0
	return c.again(ctx, r, func() error {
		req, err := c.newRequest(ctx, r, "", nil)
		if err != nil {
			return err
		}
		res, err := patient.Do(req)
		if err != nil {
			return &lostError{fmt.Errorf("railkit: %w", err)}
		}
		defer func() { _ = res.Body.Close() }()
		if res.StatusCode != http.StatusOK {
			return c.refusal(res)
		}
		if _, err := io.Copy(w, res.Body); err != nil {
			return fmt.Errorf("railkit: the answer of %s %s is incomplete: %w", r.method, r.path, err)
		}
		return nil
	})
}

// refusal reads an answer that should be an error.
func (c *Client) refusal(res *http.Response) error {
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return &lostError{fmt.Errorf("railkit: reading the answer: %w", err)}
	}
	if _, err = c.open(res, raw); err == nil {
		err = fmt.Errorf("railkit: unexpected status %d", res.StatusCode)
	}
	return err
}

func retryAfter(header string) time.Duration {
	if seconds, err := strconv.Atoi(header); err == nil && seconds >= 0 {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// checked lets an answer out only if it holds.
func checked[T any](answer *T, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	return answer, nil
}

func (c *Client) decode(raw []byte, v any) error {
	if c.strict {
		return strictjson.Decode(raw, v)
	}
	return json.Unmarshal(raw, v)
}

// again tries until it works, or another try would not help.
func (c *Client) again(ctx context.Context, r request, try func() error) error {
	for attempt := 1; ; attempt++ {
		err := try()
		if err == nil {
			return nil
		}
		wait, again := c.wait(err, attempt)
		if !again || ctx.Err() != nil {
			return err
		}
		if err := c.retry.Sleep(ctx, wait); err != nil {
			return fmt.Errorf("railkit: waiting to try %s %s again: %w", r.method, r.path, err)
		}
	}
}

// wait says whether to try again, and how long to wait before: 1, 2, 4, 8 s, or
// longer where the server asks for it.
func (c *Client) wait(err error, attempt int) (time.Duration, bool) {
	if attempt >= c.retry.Attempts {
		return 0, false
	}
	wait := time.Second << min(attempt-1, 3)
	var answer *Error
	if !errors.As(err, &answer) {
		var lost *lostError
		return wait, errors.As(err, &lost)
	}
	switch answer.Status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable:
	case http.StatusConflict: // with a time: our own first try is still under way
		if answer.RetryAfter == 0 {
			return 0, false
		}
	default:
		return 0, false
	}
	wait = max(wait, answer.RetryAfter)
	return wait, wait <= c.retry.MaxWait
}

// lostError is a request that got no answer; it may have been executed.
type lostError struct{ cause error }

func (e *lostError) Error() string { return e.cause.Error() }

func (e *lostError) Unwrap() error { return e.cause }

// Page is one page of a list.
type Page[T any] struct {
	Items []T
	Meta  Meta
}

// list reads one page. Each of its items has to pass check, where there is one.
func list[T any](ctx context.Context, c *Client, path string, q url.Values, check func(*T) error) (*Page[T], error) {
	r, err := send[[]T](ctx, c, request{method: http.MethodGet, path: path, query: q})
	if err != nil {
		return nil, err
	}
	for i := 0; check != nil && i < len(r.Data); i++ {
		if err := check(&r.Data[i]); err != nil {
			return nil, err
		}
	}
	return &Page[T]{Items: r.Data, Meta: r.Meta}, nil
}

// ListOptions select a page. Zero fields are the server's defaults.
type ListOptions struct {
	Page   int
	Limit  int    // 50 by default, 200 at most
	Cursor string // Meta.NextCursor of the page before, instead of Page
}

// stated asks for a list with a new proof, and gives what the enclave states there of a sub-organization.
func stated[T any](ctx context.Context, c *Client, path, subOrganizationID string) (*opened, error) {
	q := url.Values{"proof": {"fresh"}, "subOrganizationId": {subOrganizationID}, "limit": {"1"}}
	r, err := send[[]T](ctx, c, request{method: http.MethodGet, path: path, query: q})
	if err != nil {
		return nil, err
	}
	if c.verify == nil {
		return nil, tampered(ReasonProof, "this client has no key to check it with")
	}
	st, err := c.verify.fresh(r.Meta.Proof, r.Floor)
	if err == nil && st.OrganizationID != subOrganizationID {
		err = errOtherStatement()
	}
	return st, err
}

func errOtherStatement() error {
	return tampered(ReasonResult, "the enclave's statement is about something else")
}

func (o ListOptions) query() url.Values {
	q := url.Values{}
	if o.Page > 0 {
		q.Set("page", strconv.Itoa(o.Page))
	}
	if o.Limit > 0 {
		q.Set("limit", strconv.Itoa(o.Limit))
	}
	if o.Cursor != "" {
		q.Set("cursor", o.Cursor)
	}
	return q
}

// filtered is a query with the filters that are not empty.
func filtered(q url.Values, by map[string]string) url.Values {
	for name, value := range by {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q
}

// each walks all pages of a list. An error ends the walk.
func each[T any](start ListOptions, fetch func(ListOptions) (*Page[T], error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for o := start; ; {
			page, err := fetch(o)
			if err != nil {
				var zero T
				yield(zero, err)
				return
			}
			for _, item := range page.Items {
				if !yield(item, nil) {
					return
				}
			}
			next, more := o.next(page.Meta, len(page.Items))
			if !more {
				return
			}
			o = next
		}
	}
}

func (o ListOptions) next(m Meta, got int) (ListOptions, bool) {
	if got == 0 {
		return o, false
	}
	if m.NextCursor != "" && m.NextCursor != o.Cursor {
		return ListOptions{Limit: o.Limit, Cursor: m.NextCursor}, true
	}
	if o.Cursor != "" {
		return o, false // the last page of a walk by cursor
	}
	o.Page = max(m.Page, 1) + 1
	return o, m.Page < m.TotalPages
}

// Error is an answer of the API that is not a success.
type Error struct {
	Status     int
	Code       string // stable, for programs; empty where the server gave none
	Message    string // for people
	Details    map[string]any
	RetryAfter time.Duration // 0: the server did not say
	RequestID  string        // finds the request in the server's log
	Path       string
}

func (e *Error) Error() string {
	text := fmt.Sprintf("railkit: %d %s", e.Status, e.Message)
	if e.Code != "" {
		text += " (" + e.Code + ")"
	}
	if details, err := json.Marshal(e.Details); err == nil && len(e.Details) > 0 {
		text += " " + string(details)
	}
	if e.RequestID != "" {
		text += ", request " + e.RequestID
	}
	return text
}

// QueuedError is an answer that says: not done yet, somebody has to approve it
// first (202).
type QueuedError struct {
	ApprovalID string `json:"approvalId"`
	Status     string `json:"status"`
	ExpiresAt  string `json:"expiresAt"`
	PaymentID  string `json:"paymentId,omitempty"` // of a payment by x402, which goes on by it
	Code       string `json:"-"`                   // of an agent's payment: approval_required
}

func (e *QueuedError) Error() string {
	return "railkit: waits for approval " + e.ApprovalID
}

func queued(env *envelope) error {
	e := &QueuedError{ApprovalID: env.ApprovalID, Code: env.Code}
	if len(env.Data) > 0 {
		if err := json.Unmarshal(env.Data, e); err != nil {
			return fmt.Errorf("railkit: reading what waits for approval: %w", err)
		}
	}
	return e
}

// IsBadRequest says that a field was missing or wrong (400).
func IsBadRequest(err error) bool { return hasStatus(err, http.StatusBadRequest) }

// IsUnauthorized says that the credential was missing or invalid (401).
func IsUnauthorized(err error) bool { return hasStatus(err, http.StatusUnauthorized) }

// IsForbidden says that a scope or module was lacking (403).
func IsForbidden(err error) bool { return hasStatus(err, http.StatusForbidden) }

// IsNotFound says that there is no such resource in the workspace (404).
func IsNotFound(err error) bool { return hasStatus(err, http.StatusNotFound) }

// IsConflict says that the resource was in another state (409).
func IsConflict(err error) bool { return hasStatus(err, http.StatusConflict) }

// IsUnprocessable says that a business rule refused the request (422).
func IsUnprocessable(err error) bool { return hasStatus(err, http.StatusUnprocessableEntity) }

// IsRateLimited says that the key has used up its minute (429).
func IsRateLimited(err error) bool { return hasStatus(err, http.StatusTooManyRequests) }

// IsUnavailable says that a part of the server did not answer (502, 503).
func IsUnavailable(err error) bool {
	return hasStatus(err, http.StatusBadGateway) || hasStatus(err, http.StatusServiceUnavailable)
}

func hasStatus(err error, status int) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == status
}

// Reason says which rule an answer broke.
type Reason string

// The rules. Each of them alone makes a call fail.
const (
	ReasonProof       Reason = "proof"       // no proof, or not by the pinned key
	ReasonEnvironment Reason = "environment" // a proof of another environment
	ReasonKind        Reason = "kind"        // a proof of another kind or activity than was asked for
	ReasonFork        Reason = "fork"        // two journals: two heads for one number
	ReasonStale       Reason = "stale"       // from before what this client has already seen
	ReasonFingerprint Reason = "fingerprint" // a proof, hash or challenge of another body
	ReasonBody        Reason = "body"        // the body does not say what was asked for
	ReasonPreview     Reason = "preview"     // the enclave says that the body does something else
	ReasonResult      Reason = "result"      // the answer is not what the enclave made
	ReasonOwners      Reason = "owners"      // somebody else's passkey or recovery key
	ReasonFee         Reason = "fee"         // more than the caller's limit
	// A withdrawal address for something else than was asked for, or another one than this client knew.
	ReasonAddress Reason = "address"
)

// TamperError is an answer that does not hold against the enclave's word or, for
// withdrawal addresses, against what this client asked for and saw before.
// Nothing that came with it may be used.
type TamperError struct {
	Reason Reason
	Detail string
}

func (e *TamperError) Error() string {
	return "railkit: refused an answer that was tampered with (" + string(e.Reason) + "): " + e.Detail
}

// IsTampered says that err is, or wraps, a TamperError.
func IsTampered(err error) bool {
	var t *TamperError
	return errors.As(err, &t)
}

func tampered(r Reason, format string, args ...any) error {
	return &TamperError{Reason: r, Detail: fmt.Sprintf(format, args...)}
}

// ErrOwnersUnknown is returned before a wallet or account is confirmed whose
// owners this client could not check. See [SubOrganizationsService.TrustOwners].
var ErrOwnersUnknown = errors.New(
	"railkit: no passkey of this sub-organization is known here; call SubOrganizations.TrustOwners first",
)

// SmallestUnits is an amount of a token in its smallest unit, such as millionths of a USDC: see package rest. Amounts
// in whole tokens are strings.
type SmallestUnits = rest.SmallestUnits

// usdcDecimals are those of USDC on every network.
const usdcDecimals = 6

// USDC is an amount of whole USDC, such as "0.01", in its smallest unit.
func USDC(whole string) (SmallestUnits, error) {
	n, err := chain.ParseUnits(whole, usdcDecimals)
	if err != nil {
		return "", fmt.Errorf("railkit: an amount of USDC must be a text such as \"0.01\", with at most 6 decimals: %w", err)
	}
	return SmallestUnits(n.String()), nil
}
