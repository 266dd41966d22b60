package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// request is a call without the SDK, which hides what some steps are about.
type request struct {
	method, path, body string
	key, idempotency   string
}

// reply is its answer.
type reply struct {
	header http.Header
	body   []byte
}

// ask wants an answer of the status.
func (s *story) ask(ctx context.Context, q request, want int) (reply, error) {
	r, err := http.NewRequestWithContext(ctx, q.method, s.facts.BaseURL+q.path, strings.NewReader(q.body))
	if err != nil {
		return reply{}, err
	}
	r.Header.Set("Authorization", "ApiKey "+q.key)
	if q.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if q.idempotency != "" {
		r.Header.Set("Idempotency-Key", q.idempotency)
	}
	res, err := (&http.Client{Transport: s.recorder}).Do(r)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != want {
		err = fmt.Errorf("%s %s got %d, not %d", q.method, q.path, res.StatusCode, want)
	}
	return reply{res.Header, body}, err
}

// data reads the answer's data.
func (r reply) data(into any) error {
	return json.Unmarshal(r.body, &struct{ Data any }{into})
}

// message is what the answer says to people.
func (r reply) message() string {
	var e struct{ Message string }
	_ = json.Unmarshal(r.body, &e) // what is not JSON says nothing
	return e.Message
}
