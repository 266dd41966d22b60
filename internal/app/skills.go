package app

import (
	"fmt"
	"strings"
	"time"

	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/internal/keyfile"
	"github.com/railkit/railkit/platform/fetch"
	"github.com/railkit/railkit/platform/webhook"
	"github.com/railkit/railkit/x402/shop"
)

// newStrangers makes the client by which servers of strangers are asked, and the vault for what they are asked with.
func (a *App) newStrangers() (err error) {
	if a.vault, err = newVault(a.config); err != nil {
		return err
	}
	policy, err := fetch.NewPolicy(strings.Fields(a.config.FetchPorts), strings.Fields(a.config.FetchLocal))
	if a.config.Environment == "sandbox" {
		policy = policy.InSandbox()
	}
	a.strangers = fetch.New(fetch.Config{Policy: policy})
	return err
}

// newWebhooks makes what sends events to the workspaces' own servers: addresses that strangers choose.
func (a *App) newWebhooks(tenants webhook.Tenants) error {
	post, err := newPost(a.config, a.Store)
	a.Webhooks = webhook.New(webhook.Config{
		Store: a.Store.Webhooks(), Tenants: tenants, Vault: a.vault, Policy: a.strangers.Policy,
		Sender: func() webhook.Sender { return a.strangers.Session() }, Post: post, Clock: a.config.Clock,
		Log: a.config.Log, Done: a.config.meter.WebhookDone,
	})
	return err
}

// How long the facilitator is waited for within a call. It waits for a block itself, and tells what has none by then as
// pending: docs/x402.md.
const (
	verifyPatience = 8 * time.Second
	settlePatience = 45 * time.Second
)

// newFacilitator makes the client of the facilitator, by which calls of skills are paid. Without one only free ones are
// called.
func newFacilitator(c Config) (shop.Facilitator, error) {
	if c.FacilitatorURL == "" {
		return nil, nil
	}
	f, err := shop.NewClient(c.FacilitatorURL, shop.Timeouts{Verify: verifyPatience, Settle: settlePatience})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", config.Called("facilitator-url"), err)
	}
	if file := c.FacilitatorTokenFile; file != "" {
		token, err := keyfile.Text(file, "the facilitator's token")
		if err != nil {
			return nil, err
		}
		f = f.WithToken(token)
	}
	return f, nil
}
