package npmtest

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
)

// Webhooks is the verifier of Standard Webhooks' makers, as it comes.
type Webhooks struct{ packages Packages }

// InstallWebhooks fetches it.
func InstallWebhooks(t testing.TB) Webhooks {
	t.Helper()
	return Webhooks{install(t, "webhooks")}
}

// Modules is the folder of its packages, for a program that imports it by name.
func (w Webhooks) Modules() string { return filepath.Join(w.packages.dir, "node_modules") }

// Webhook is a request as its receiver got it.
type Webhook struct {
	Secret  string            `json:"secret"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

// Verified is what the verifier says of a request: the event, or why it is none.
type Verified struct {
	Event json.RawMessage
	Error string
}

// Verify verifies requests, one after the other.
func (w Webhooks) Verify(requests ...Webhook) (all []Verified, err error) {
	return all, w.packages.run("verify.mjs", func(c *call) error {
		for _, r := range requests {
			var v Verified
			if err := errors.Join(c.write(r), c.read(&v)); err != nil {
				return err
			}
			all = append(all, v)
		}
		return c.in.Close()
	})
}
