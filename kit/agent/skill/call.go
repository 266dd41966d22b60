package skill

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/railkit/railkit/platform/fetch"
)

const hidden = "[auth_config]"

// Answer is what a skill's server answered, without cookies, and without auth_config where the server says it back.
type Answer struct {
	Status  int
	Headers map[string]string
	Body    []byte
	Latency time.Duration
}

// Call asks a skill's server, with auth_config and nothing of the caller but the input. It reads bodies of at most so
// many bytes, 0 for 1 MiB, and refuses longer ones.
func (s *Service) Call(ctx context.Context, k Skill, input map[string]any, most int64) (Answer, error) {
	q, err := request(k, input)
	if err != nil {
		return Answer{}, err
	}
	name, value, secret, err := s.opened(k)
	if err != nil {
		return Answer{}, err
	}
	if name != "" {
		q.Private = http.Header{http.CanonicalHeaderKey(name): {value}}
	}
	q.MostBody = most
	begun := time.Now()
	res, err := s.c.Client.Do(ctx, q)
	if err != nil {
		return Answer{}, err
	}
	return answerOf(res, secret, time.Since(begun)), nil
}

func answerOf(res fetch.Response, secret string, took time.Duration) Answer {
	a := Answer{Status: res.Status, Headers: map[string]string{}, Body: res.Body, Latency: took}
	if secret != "" {
		a.Body = bytes.ReplaceAll(a.Body, []byte(secret), []byte(hidden))
	}
	for name, values := range res.Header {
		text := strings.Join(values, ", ")
		if secret != "" {
			text = strings.ReplaceAll(text, secret, hidden)
		}
		a.Headers[name] = strings.ToValidUTF8(text, "\uFFFD")
	}
	return a
}
