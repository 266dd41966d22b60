package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/bridge"
	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/internal/demo"
	"github.com/railkit/railkit/money"
)

// learnPartner takes over a local platform's partner, with the key in its folder.
func (t *target) learnPartner(f demo.Facts) {
	key, err := os.ReadFile(filepath.Join(t.DataDir, "partner", control.APIKeyFile))
	if err != nil {
		return
	}
	t.Suggest("partner-url", f.PartnerURL)
	t.Suggest("partner-key", strings.TrimSpace(string(key)))
}

// checkPartner asks the partner for a rate, which needs the key and moves nothing.
func checkPartner(ctx context.Context, t target) []finding {
	if t.PartnerURL == "" {
		return []finding{{note, "partner", "no --partner-url names a payment partner: nothing is paid to banks"}}
	}
	c, err := bridge.New(bridge.Config{URL: t.PartnerURL, Key: t.PartnerKey, Timeout: dial})
	if err != nil {
		return []finding{{failure, "partner", oneLine(err)}}
	}
	if _, err := c.Rate(ctx, money.USDC, money.MXN); err != nil {
		return []finding{{failure, "partner", "it gives no rate: " + rateTrouble(err)}}
	}
	if app.IsSandboxPartner(ctx, t.PartnerURL) {
		return []finding{{fine, "partner", "the sandbox's partner answers, and moves no real money"}}
	}
	return []finding{{fine, "partner", "it answers, and takes the key"}}
}

func rateTrouble(err error) string {
	if errors.Is(err, fiat.ErrUnavailable) {
		return "it does not answer, or does not take the key"
	}
	return oneLine(err)
}
