package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/uuid"
)

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
