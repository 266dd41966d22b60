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

	railkit "github.com/railkit/railkit/sdk/go"
)

// refusal is what the server says to a stamp that is not over the prepared body.
const refusal = "Passkey signature invalid"

// tamper tries what a thief on the way would try, and wants to see each refused.
func (s *story) tamper(ctx context.Context) (string, error) {
	p, err := s.client.Transactions.Prepare(ctx, s.transfer("1"))
	if err != nil {
		return "", err
	}
	honest, err := s.stamp(p.Prepared)
	if err != nil {
		return "", err
	}
	stamp, body := honest, honest
	if stamp.Stamp.HeaderValue, err = otherSignature(honest.Stamp.HeaderValue); err != nil {
		return "", err
	}
	if body.Body = strings.ReplaceAll(honest.Body, `"1000000"`, `"9000000"`); body.Body == honest.Body {
		return "", errors.New("the body does not name the amount")
	}
	if err := s.wantRefused(ctx, "stamp", p.TransactionID, stamp); err != nil {
		return "", err
	}
	if err := s.wantRefused(ctx, "body", p.TransactionID, body); err != nil {
		return "", err
	}
	if _, err := s.client.Transactions.Cancel(ctx, p.TransactionID); err != nil {
		return "", fmt.Errorf("cancelling: %w", err)
	}
	if err := s.tamperPreview(ctx); err != nil {
		return "", err
	}
	return "all three refused", s.nothingMoved(ctx)
}

func (s *story) wantRefused(ctx context.Context, what, id string, signed railkit.SignedActivity) error {
	_, err := s.client.Transactions.Confirm(ctx, railkit.ConfirmTransactionRequest{
		TransactionID: id, SignedActivity: signed,
	})
	var answer *railkit.Error
	if !errors.As(err, &answer) || answer.Status != http.StatusUnprocessableEntity || answer.Message != refusal {
		return fmt.Errorf("a tampered %s got %w, not 422 %s", what, orNothing(err), refusal)
	}
	return nil
}

func orNothing(err error) error {
	if err == nil {
		return errors.New("an answer")
	}
	return err
}

// otherSignature turns one bit of the passkey's signature.
func otherSignature(header string) (string, error) {
	var h map[string]string
	if err := json.Unmarshal([]byte(header), &h); err != nil || len(h["signature"]) < 30 {
		return "", errors.New("the stamp has no signature to tamper with")
	}
	sig := []byte(h["signature"])
	at := 20 // inside of r: the encoding stays well-formed
	if sig[at] == 'A' {
		sig[at] = 'B'
	} else {
		sig[at] = 'A'
	}
	h["signature"] = string(sig)
	raw, err := json.Marshal(h)
	return string(raw), err
}

// tamperPreview puts a host between client and server that shows a smaller
// amount than the body holds.
func (s *story) tamperPreview(ctx context.Context) error {
	host := &liar{next: s.recorder}
	victim, err := s.newClient(host)
	if err != nil {
		return err
	}
	_, err = victim.Transactions.Prepare(ctx, s.transfer("1"))
	if !host.lied {
		return errors.New("the preview does not name the amount")
	}
	if !railkit.IsTampered(err) {
		return fmt.Errorf("the client took a tampered preview: %w", orNothing(err))
	}
	return s.cancelWaiting(ctx)
}

// cancelWaiting leaves nothing behind that could still be stamped.
func (s *story) cancelWaiting(ctx context.Context) error {
	waiting, err := s.client.Transactions.ListPendingSignature(ctx, railkit.ListOptions{})
	if err != nil {
		return err
	}
	for _, t := range waiting.Items {
		if _, err := s.client.Transactions.Cancel(ctx, t.TransactionID); err != nil {
			return fmt.Errorf("cancelling: %w", err)
		}
	}
	return nil
}

// nothingMoved asks the node whether an attack got anything.
func (s *story) nothingMoved(ctx context.Context) error {
	now, err := s.node().tokenBalance(ctx, s.facts.Tokens[token], s.receiver)
	if err == nil && now.Cmp(s.received) != 0 {
		return errors.New("money moved")
	}
	return err
}

// liar is a host that was taken over: it changes the amount in every preview.
type liar struct {
	next http.RoundTripper
	lied bool
}

func (l *liar) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := l.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(res.Body)
	if err = errors.Join(err, res.Body.Close()); err != nil {
		return nil, err
	}
	// The preview is JSON inside of JSON text: its quotes are escaped.
	changed := bytes.ReplaceAll(raw, []byte(`\"amount\":\"1000000\",\"display\"`),
		[]byte(`\"amount\":\"1\",\"display\"`))
	l.lied, raw = l.lied || !bytes.Equal(raw, changed), changed
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
	return res, nil
}
