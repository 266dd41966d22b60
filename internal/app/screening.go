package app

import (
	"fmt"
	"os"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/kit/payout/screen"
	"github.com/railkit/railkit/kit/payout/screen/provider"
)

// newScreening makes the lists that are asked before money leaves, and logs which there are.
func newScreening(c Config) (*screen.Service, error) {
	var lists []screen.Screener
	deny, err := DenyList(c.Server)
	if err != nil {
		return nil, err
	}
	if deny != nil {
		lists = append(lists, deny)
		names, addresses := deny.Len()
		c.Log.Info("a deny list screens payouts and refunds", "names", names, "addresses", addresses)
	}
	asks, err := ScreeningProvider(c.Server)
	if err != nil {
		return nil, err
	}
	if asks != nil {
		lists = append(lists, asks)
		c.Log.Info("a provider screens payouts and refunds")
	}
	if len(lists) == 0 {
		c.Log.Warn("no list screens payouts and refunds", "settings",
			config.Called("screening-deny")+", "+config.Called("screening-url"))
	}
	return screen.New(c.Log, lists...), nil
}

// DenyList reads the deny list that a setting names. Without one the sandbox has its own, and production none (nil).
func DenyList(c config.Server) (*screen.DenyList, error) {
	if c.ScreeningDeny == "" {
		if c.Environment == string(chain.Sandbox) {
			return screen.Sandbox()
		}
		return nil, nil
	}
	file, err := os.Open(c.ScreeningDeny)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", config.Called("screening-deny"), err)
	}
	defer func() { _ = file.Close() }() // it was only read
	d, err := screen.Load(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", config.Called("screening-deny"), err)
	}
	return d, nil
}

// ScreeningProvider makes the client of the provider that a setting names, nil where none does.
func ScreeningProvider(c config.Server) (*provider.Client, error) {
	if c.ScreeningURL == "" {
		return nil, nil
	}
	p, err := provider.New(provider.Config{URL: c.ScreeningURL, Key: c.ScreeningKey})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", config.Called("screening-url"), err)
	}
	return p, nil
}
