package webhook

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/fetch"
	"github.com/railkit/railkit/rest"
)

const (
	patience   = 15 * time.Second // of an endpoint's answer, from the first byte of the connection to the last
	mostAnswer = 1 << 10          // bytes of an answer that are kept
)

// Sender sends requests to one endpoint. It refuses addresses that are not the Internet's, and follows no redirect.
type Sender interface {
	Do(ctx context.Context, r fetch.Request) (fetch.Response, error)
	Close()
}

// message is what is sent: the same at each attempt.
type message struct {
	id   string
	body []byte
}

// outcome is what an answer means for what comes next.
type outcome int

const (
	good    outcome = iota // 2xx
	bad                    // anything else, or no answer
	gone                   // 410: the endpoint wants nothing any more
	unknown                // this server stopped before there was an answer
	unsent                 // there is nothing that may be sent
)

// result is what came of one attempt.
type result struct {
	outcome
	attempt    rest.WebhookAttempt
	retryAfter time.Duration
}

// send makes one attempt.
func (s *Service) send(ctx context.Context, by Sender, url string, keys [][]byte, m message) result {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	begun := s.c.Clock.Now()
	at := strconv.FormatInt(begun.Unix(), 10)
	res, err := by.Do(ctx, fetch.Request{
		Method: http.MethodPost, URL: url, Body: m.body, MostBody: mostAnswer, Coded: true, Cut: true,
		Header: http.Header{
			"Content-Type": {"application/json"}, "Webhook-Id": {m.id}, "Webhook-Timestamp": {at},
			"Webhook-Signature": {sign(keys, m.id, at, m.body)},
		},
	})
	now := s.c.Clock.Now()
	r := result{attempt: rest.WebhookAttempt{At: clock.ISO(begun), DurationMS: now.Sub(begun).Milliseconds()}}
	if err != nil {
		r.outcome, r.attempt.Reason = bad, reasonOf(err)
		if errors.Is(err, context.Canceled) {
			r.outcome = unknown
		}
		return r
	}
	r.attempt.HTTPStatus, r.attempt.Answer = res.Status, strings.ToValidUTF8(string(res.Body), "\uFFFD")
	switch {
	case res.Status >= 200 && res.Status <= 299:
		return r
	case res.Status == http.StatusGone:
		r.outcome = gone
	default:
		r.outcome, r.retryAfter = bad, retryAfter(res.Status, res.Header, now)
	}
	r.attempt.Reason = reasonStatus
	return r
}

func reasonOf(err error) string {
	if f, is := fault.As(err); is {
		return f.Code
	}
	return reasonUnsent
}
