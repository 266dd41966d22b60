package railkit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"
)

// maxAnswer is more than any answer of the API has.
const maxAnswer = 8 << 20

// request is one logical call: its retries share the idempotency key.
type request struct {
	method, path string
	query        url.Values
	body         any
}

// reply is a successful answer.
type reply[T any] struct {
	Data     T
	Meta     Meta
	Replayed bool   // the server answered out of its idempotency store
	Floor    uint64 // highest seq that was seen when the call began
}

type idempotencyKey struct{}

// WithIdempotencyKey makes the next mutation under ctx carry this key instead
// of a new one. It must be a UUID v4 and belong to one logical operation: with
// it, an operation can be repeated safely even after the process died. In the
// high-level calls it is the key of prepare, which decides the rest.
func WithIdempotencyKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, idempotencyKey{}, key)
}

// withoutKey is for the second step of a high-level call.
func withoutKey(ctx context.Context) context.Context { return WithIdempotencyKey(ctx, "") }

func callerKey(ctx context.Context) string {
	key, _ := ctx.Value(idempotencyKey{}).(string)
	return key
}

func send[T any](ctx context.Context, c *Client, r request) (*reply[T], error) {
	out := &reply[T]{Floor: c.floor()}
	key, err := r.key(ctx)
	if err != nil {
		return nil, err
	}
	env, replayed, err := c.exchange(ctx, r, key)
	if err != nil {
		return nil, err
	}
	// Only who chose the key can mean an earlier call with it.
	out.Replayed = replayed && callerKey(ctx) != ""
	if env.Meta != nil {
		out.Meta = *env.Meta
	}
	if len(env.Data) == 0 {
		return out, nil
	}
	if err := c.decode(env.Data, &out.Data); err != nil {
		return nil, fmt.Errorf("railkit: reading the answer of %s %s: %w", r.method, r.path, err)
	}
	return out, nil
}

func (r request) key(ctx context.Context) (string, error) {
	if r.method == http.MethodGet {
		return "", nil
	}
	key := callerKey(ctx)
	if key == "" {
		return uuid.NewString(), nil
	}
	if id, err := uuid.Parse(key); err != nil || id.Version() != 4 {
		return "", errors.New("railkit: an idempotency key must be a UUID v4")
	}
	return key, nil
}

// exchange tries until there is an answer that stands.
func (c *Client) exchange(ctx context.Context, r request, key string) (*envelope, bool, error) {
	payload, err := r.payload()
	if err != nil {
		return nil, false, err
	}
	for attempt := 1; ; attempt++ {
		env, replayed, err := c.attempt(ctx, r, key, payload)
		if err == nil {
			return env, replayed, nil
		}
		wait, again := c.wait(err, attempt)
		if !again || ctx.Err() != nil {
			return nil, false, err
		}
		if err := c.retry.Sleep(ctx, wait); err != nil {
			return nil, false, fmt.Errorf("railkit: waiting to try %s %s again: %w", r.method, r.path, err)
		}
	}
}

func (r request) payload() ([]byte, error) {
	if r.body == nil {
		return nil, nil
	}
	raw, err := json.Marshal(r.body)
	if err != nil {
		return nil, fmt.Errorf("railkit: encoding %s %s: %w", r.method, r.path, err)
	}
	return raw, nil
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

func (c *Client) attempt(ctx context.Context, r request, key string, payload []byte) (*envelope, bool, error) {
	req, err := c.newRequest(ctx, r, key, payload)
	if err != nil {
		return nil, false, err
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, false, &lostError{fmt.Errorf("railkit: %w", err)}
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return nil, false, &lostError{fmt.Errorf("railkit: reading the answer: %w", err)}
	}
	if len(raw) > maxAnswer {
		return nil, false, fmt.Errorf("railkit: the answer of %s %s is too large", r.method, r.path)
	}
	env, err := c.open(res, raw)
	return env, res.Header.Get("Idempotent-Replayed") == "true", err
}

func (c *Client) newRequest(ctx context.Context, r request, key string, payload []byte) (*http.Request, error) {
	target := c.base + r.path
	if len(r.query) > 0 {
		target += "?" + r.query.Encode()
	}
	var body io.Reader
	if payload != nil {
		body = bytes.NewReader(payload)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, target, body)
	if err != nil {
		return nil, fmt.Errorf("railkit: %w", err)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.userAgent)
	if c.apiKey != "" {
		req.Header.Set("Authorization", "ApiKey "+c.apiKey)
	}
	if payload != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	if c.signer != nil {
		return req, c.signer.Sign(req, payload)
	}
	return req, nil
}

func (c *Client) floor() uint64 {
	if c.verify == nil {
		return 0
	}
	return c.verify.memory.Highest()
}
