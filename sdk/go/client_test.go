package railkit_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	railkit "github.com/railkit/railkit/sdk/go"
)

// answerOf is what a server says to the n-th try, counted from 1.
type answerOf func(w http.ResponseWriter, n int)

// tries calls something against a server and tells what keys it saw and how
// long the client waited in between.
func tries(
	t *testing.T, answer answerOf, retry railkit.Retry, call func(context.Context, *railkit.Client) error,
) (keys []string, waits []time.Duration, err error) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keys = append(keys, r.Header.Get("Idempotency-Key"))
		answer(w, len(keys))
	}))
	defer server.Close()
	retry.Sleep = func(_ context.Context, d time.Duration) error {
		waits = append(waits, d)
		return nil
	}
	c, err := railkit.New(railkit.Config{BaseURL: server.URL, InsecureSkipProofs: true, Retry: retry})
	if err != nil {
		t.Fatal(err)
	}
	err = call(t.Context(), c)
	return keys, waits, err
}

func challenge(ctx context.Context, c *railkit.Client) error {
	_, err := c.SubOrganizations.Challenge(ctx, "ada@example.com")
	return err
}

func health(ctx context.Context, c *railkit.Client) error {
	_, err := c.Health(ctx)
	return err
}

func refuse(status int, retryAfter string) answerOf {
	return func(w http.ResponseWriter, _ int) {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		w.Header().Set("X-Request-Id", "req-1")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{"success":false,"message":"No","error":"a_code","statusCode":1,"timestamp":"",` +
			`"path":"","details":{"a":1}}`))
	}
}

func TestRetries(t *testing.T) {
	const s = time.Second
	for name, c := range map[string]struct {
		answer answerOf
		retry  railkit.Retry
		waits  []time.Duration
	}{
		"503 four times": {refuse(503, ""), railkit.Retry{}, []time.Duration{s, 2 * s, 4 * s}},
		"502, five attempts": {refuse(502, ""), railkit.Retry{Attempts: 6},
			[]time.Duration{s, 2 * s, 4 * s, 8 * s, 8 * s}},
		"429 says when":             {refuse(429, "7"), railkit.Retry{Attempts: 2}, []time.Duration{7 * s}},
		"429 says earlier":          {refuse(429, "0"), railkit.Retry{Attempts: 2}, []time.Duration{s}},
		"429 says too late":         {refuse(429, "61"), railkit.Retry{}, nil},
		"409 of a try under way":    {refuse(409, "1"), railkit.Retry{Attempts: 2}, []time.Duration{s}},
		"409 of a conflict":         {refuse(409, ""), railkit.Retry{}, nil},
		"500":                       {refuse(500, ""), railkit.Retry{}, nil},
		"422":                       {refuse(422, ""), railkit.Retry{}, nil},
		"one attempt asked for":     {refuse(503, ""), railkit.Retry{Attempts: 1}, nil},
		"connection that breaks":    {hangUp, railkit.Retry{Attempts: 3}, []time.Duration{s, 2 * s}},
		"answer that ends too soon": {cut, railkit.Retry{Attempts: 2}, []time.Duration{s}},
	} {
		keys, waits, err := tries(t, c.answer, c.retry, challenge)
		if err == nil || !slices.Equal(waits, c.waits) || len(keys) != len(waits)+1 {
			t.Errorf("%s: waits %v after %d tries, %v; want %v", name, waits, len(keys), err, c.waits)
		}
		if len(slices.Compact(keys)) != 1 {
			t.Errorf("%s: the key changed between tries: %v", name, keys)
		}
		if id, err := uuid.Parse(keys[0]); err != nil || id.Version() != 4 {
			t.Errorf("%s: %q is not a UUID v4", name, keys[0])
		}
	}
}

func hangUp(w http.ResponseWriter, _ int) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

func cut(w http.ResponseWriter, _ int) {
	w.Header().Set("Content-Length", "100")
	_, _ = w.Write([]byte(`{"success":tr`))
}

func TestRetrySucceeds(t *testing.T) {
	keys, waits, err := tries(t, func(w http.ResponseWriter, n int) {
		if n < 3 {
			refuse(503, "")(w, n)
			return
		}
		_, _ = w.Write([]byte(
			`{"success":true,"message":"Success","data":{"status":"ok"},"statusCode":200,"timestamp":"","path":""}`,
		))
	}, railkit.Retry{}, health)
	if err != nil || len(keys) != 3 || len(waits) != 2 {
		t.Fatalf("%d tries, %v", len(keys), err)
	}
	if keys[0] != "" {
		t.Error("a read carries an idempotency key")
	}
}

func TestTwoCallsHaveTwoKeys(t *testing.T) {
	keys, _, _ := tries(t, refuse(422, ""), railkit.Retry{}, func(ctx context.Context, c *railkit.Client) error {
		return errors.Join(challenge(ctx, c), challenge(ctx, c))
	})
	if len(keys) != 2 || keys[0] == keys[1] {
		t.Fatalf("keys %v", keys)
	}
	mine := uuid.NewString()
	keys, _, _ = tries(t, refuse(503, ""), railkit.Retry{}, func(ctx context.Context, c *railkit.Client) error {
		return challenge(railkit.WithIdempotencyKey(ctx, mine), c)
	})
	if len(keys) != 4 || slices.ContainsFunc(keys, func(k string) bool { return k != mine }) {
		t.Fatalf("keys %v, want the caller's own", keys)
	}
}

func TestErrorTellsEverything(t *testing.T) {
	_, _, err := tries(t, refuse(422, "3"), railkit.Retry{}, challenge)
	var e *railkit.Error
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	if e.Status != 422 || e.Code != "a_code" || e.Message != "No" || e.RequestID != "req-1" ||
		e.RetryAfter != 3*time.Second ||
		e.Path != "/v1/signing/passkeys/challenge" || e.Details["a"] == nil {
		t.Errorf("%+v", e)
	}
	if !railkit.IsUnprocessable(err) || railkit.IsNotFound(err) || !strings.Contains(err.Error(), "req-1") {
		t.Errorf("helpers or text are wrong: %v", err)
	}
	for status, is := range map[int]func(error) bool{
		400: railkit.IsBadRequest, 401: railkit.IsUnauthorized, 403: railkit.IsForbidden, 404: railkit.IsNotFound,
		409: railkit.IsConflict, 429: railkit.IsRateLimited, 502: railkit.IsUnavailable, 503: railkit.IsUnavailable,
	} {
		if _, _, err := tries(t, refuse(status, ""), railkit.Retry{Attempts: 1}, challenge); !is(err) {
			t.Errorf("%d is not recognised", status)
		}
	}
}

func TestAnswersThatAreNone(t *testing.T) {
	for name, text := range map[string]string{
		"html":                   "<html>",
		"error with status 200":  `{"success":false,"message":"No"}`,
		"data of the wrong type": `{"success":true,"data":[]}`,
	} {
		_, waits, err := tries(t, func(w http.ResponseWriter, _ int) { _, _ = w.Write([]byte(text)) },
			railkit.Retry{}, challenge)
		if err == nil || len(waits) != 0 {
			t.Errorf("%s: %v after %d waits", name, err, len(waits))
		}
	}
	_, _, err := tries(t, func(w http.ResponseWriter, _ int) {
		w.WriteHeader(http.StatusBadGateway)
		_, _ = w.Write([]byte("<html>"))
	}, railkit.Retry{Attempts: 1}, challenge)
	if !railkit.IsUnavailable(err) {
		t.Errorf("a gateway's own page: %v", err)
	}
}

func TestQueued(t *testing.T) {
	_, _, err := tries(t, func(w http.ResponseWriter, _ int) {
		w.WriteHeader(http.StatusAccepted)
		_, _ = w.Write(
			[]byte(`{"success":true,"approvalId":"a1","data":{"approvalId":"a1","status":"pending","expiresAt":"x"}}`),
		)
	}, railkit.Retry{}, challenge)
	var q *railkit.QueuedError
	if !errors.As(err, &q) || q.ApprovalID != "a1" || q.Status != "pending" {
		t.Fatalf("err = %v", err)
	}
}

func TestWaitingStopsWithTheContext(t *testing.T) {
	var calls atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		refuse(503, "")(w, 1)
	}))
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	c, err := railkit.New(railkit.Config{BaseURL: server.URL, InsecureSkipProofs: true, Retry: railkit.Retry{
		Sleep: func(ctx context.Context, _ time.Duration) error {
			cancel()
			return ctx.Err()
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := health(ctx, c); !errors.Is(err, context.Canceled) || calls.Load() != 1 {
		t.Fatalf("%v after %d calls", err, calls.Load())
	}
}

func TestRequestHeaders(t *testing.T) {
	w := newWorld(t)
	w.register(t)
	for _, call := range w.host.Calls() {
		authorization, key := call.Header.Get("Authorization"), call.Header.Get("Idempotency-Key")
		if !strings.HasPrefix(authorization, "ApiKey rk_") || (call.Method != http.MethodGet) != (key != "") {
			t.Errorf("%s %s: %q %q", call.Method, call.Path, authorization, key)
		}
	}
}
