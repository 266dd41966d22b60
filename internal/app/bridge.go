package app

import (
	"crypto/rsa"
	"fmt"
	"os"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/bridge"
	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/notice"
	"github.com/railkit/railkit/store"
)

// newPartner makes the client of the payment partner, nil where there is none.
func newPartner(c Config) (fiat.Partner, error) {
	if c.PartnerURL == "" {
		return nil, nil
	}
	key, err := webhookKey(c.PartnerWebhookKeyFile)
	if err != nil {
		return nil, err
	}
	p, err := bridge.New(bridge.Config{URL: c.PartnerURL, Key: c.PartnerKey, PublicKey: key, Clock: c.Clock})
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
