package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/google/uuid"
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

// onceAmount is what the call that comes again asks for, of the token.
const onceAmount = "5"

// repeated is a call under an idempotency key, and what it was answered first.
type repeated struct {
	path, key, body string
	answer          []byte
}

// sendTwice asks for the same twice, as a client does that never saw the first answer.
func (s *story) sendTwice(ctx context.Context) (string, error) {
	_, to, err := newKey()
	if err != nil {
		return "", err
	}
	body := fmt.Sprintf(`{"chain":%q,"address":%q,"asset":%q,"amount":%q}`, network, to, token, onceAmount)
	s.again = repeated{path: "/v1/sandbox/faucet", key: uuid.NewString(), body: body}
	first, err := s.ask(ctx, s.again.request(body, s.facts.APIKey), http.StatusOK)
	if err != nil {
		return "", err
	}
	s.again.answer = first.body
	if err := s.sameAgain(ctx); err != nil {
		return "", err
	}
	other := strings.Replace(body, `"amount":"`, `"amount":"1`, 1)
	if _, err := s.ask(ctx, s.again.request(other, s.facts.APIKey), http.StatusUnprocessableEntity); err != nil {
		return "", fmt.Errorf("another call under the key: %w", err)
	}
	err = s.until(ctx, "the faucet's money to arrive", func() (bool, error) {
		got, err := s.node().tokenBalance(ctx, s.facts.Tokens[token], to.String())
		if err == nil && formatUnits(got, decimals) != "0" && formatUnits(got, decimals) != onceAmount {
			err = errors.New("the node has more than one payment")
		}
		return err == nil && got.Sign() > 0, err
	})
	return "same bytes, paid once", err
}

// sameAgain sends the call once more, and wants the very bytes of the first answer.
func (s *story) sameAgain(ctx context.Context) error {
	got, err := s.ask(ctx, s.again.request(s.again.body, s.facts.APIKey), http.StatusOK)
	if err != nil {
		return err
	}
	if !bytes.Equal(got.body, s.again.answer) || got.header.Get("Idempotent-Replayed") != "true" {
		return errors.New("the same call under the same key was answered otherwise than before")
	}
	return nil
}

func (r repeated) request(body, key string) request {
	return request{method: http.MethodPost, path: r.path, body: body, key: key, idempotency: r.key}
}
