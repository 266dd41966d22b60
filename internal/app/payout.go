package app

import (
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/store"
)

// newPayout makes the payout kit.
func newPayout(c Config, s *store.Store) *payout.Service {
	return payout.New(payout.Config{Store: store.Payout{Store: s}, Clock: c.Clock, Log: c.Log})
}
