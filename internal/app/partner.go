package app

import (
	"context"
	"crypto/rsa"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/bridge"
	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/notice"
	"github.com/railkit/railkit/store"
)

// refuseSandboxPartner ends the start of a production server whose partner is the
// sandbox's: what it says to have paid nobody has. One that does not answer now is
// not judged.
func (a *App) refuseSandboxPartner(ctx context.Context) error {
	if a.config.Environment == string(chain.Production) && IsSandboxPartner(ctx, a.config.PartnerURL) {
		return fmt.Errorf("%s: production refuses the sandbox's partner", config.Called("partner-url"))
	}
	return nil
}

// IsSandboxPartner tells whether a partner says that it is the sandbox's own.
func IsSandboxPartner(ctx context.Context, url string) bool {
	if url == "" {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(url, "/")+"/healthz", nil)
	if err != nil {
		return false
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	return res.Header.Get(control.Header) == control.Name
}

// newPartner makes the client of the payment partner, nil where there is none.
func newPartner(c Config) (fiat.Partner, error) {
	if c.PartnerURL == "" {
		return nil, nil
	}
	key, err := webhookKey(c.PartnerWebhookKeyFile)
	if err != nil {
		return nil, err
	}
	p, err := bridge.New(bridge.Config{URL: c.PartnerURL, Key: c.PartnerKey, PublicKey: key, Clock: c.Clock,
		Observe: c.partnerAsked})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", config.Called("partner-url"), err)
	}
	return p, nil
}

// webhookKey reads the key that notices are signed with. Without one none is believed.
func webhookKey(path string) (*rsa.PublicKey, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the partner's public key: %w", err)
	}
	key, err := bridge.ParsePublicKey(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", config.Called("partner-webhook-key-file"), err)
	}
	return key, nil
}

// keepNotices is how long notices are kept where nobody says otherwise.
const keepNotices = 400 * 24 * time.Hour

func newNotices(c Config, s *store.Store, partner fiat.Partner, kit *payout.Kit) *notice.Inbox {
	keep, err := time.ParseDuration(c.PartnerNoticesKeep)
	if err != nil {
		keep = keepNotices // said nothing, for Check reads what is said
	}
	return notice.New(notice.Config{
		Store: s.Payout().Stores().Notices, Partner: partner, Name: "bridge", Keep: keep, Follow: kit.Follow(),
		Clock: c.Clock, Log: c.Log,
	})
}
