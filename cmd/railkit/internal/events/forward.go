package events

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	railkit "github.com/railkit/railkit/sdk/go"
)

const secretPrefix = "whsec_"

// forwarder sends events to a server as webhooks: with the same headers, one after the other.
type forwarder struct {
	to     string
	secret string
	key    []byte // nil: the secret is none
	http   *http.Client
	waits  []time.Duration // before it is tried again
	sleep  func(context.Context, time.Duration) error
}

func newForwarder(to, secret string, sleep func(context.Context, time.Duration) error) *forwarder {
	f := &forwarder{
		to: to, secret: secret, sleep: sleep, waits: []time.Duration{time.Second, 2 * time.Second, 4 * time.Second},
		http: &http.Client{
			Timeout:       15 * time.Second,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
	if err == nil && len(key) >= 24 && strings.HasPrefix(secret, secretPrefix) {
		f.key = key
	}
	return f
}

func newSecret() string {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(raw)
}

// target reads where to forward: a place of this machine, as localhost:3000, or a URL.
func target(text string) (string, error) {
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", errors.New("--forward-to: must be a place such as localhost:3000/railkit")
	}
	return u.String(), nil
}

// forward sends an event, and tells what came of it in the words that end its line.
func (f *forwarder) forward(ctx context.Context, e railkit.Event) string {
	if f == nil {
		return ""
	}
	body, err := json.Marshal(e)
	if err != nil {
		return "  not sent: " + err.Error()
	}
	for _, wait := range append([]time.Duration{0}, f.waits...) {
		if f.sleep(ctx, wait) != nil {
			return "  not sent: stopped"
		}
		var status int
		if status, err = f.post(ctx, e.ID, body); err == nil && status/100 == 2 {
			return fmt.Sprint("  -> ", status)
		}
		if err == nil {
			err = fmt.Errorf("answered %d", status)
		}
	}
	return fmt.Sprintf("  not taken after %d tries: %v", len(f.waits)+1, err)
}

func (f *forwarder) post(ctx context.Context, id string, body []byte) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.to, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	at := strconv.FormatInt(time.Now().Unix(), 10)
	req.Header = http.Header{
		"Content-Type": {"application/json"}, "Webhook-Id": {id}, "Webhook-Timestamp": {at},
		"Webhook-Signature": {railkit.SignWebhook(f.key, id, at, body)}, "User-Agent": {"railkit"},
	}
	res, err := f.http.Do(req)
	if err != nil {
		return 0, errors.Unwrap(err) // without the URL
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<20)) // so that the connection is used again
	return res.StatusCode, res.Body.Close()
}
