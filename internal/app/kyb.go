package app

import (
	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/platform/kyb"
	"github.com/railkit/railkit/store"
)

// NewKYB makes the check of businesses. In the sandbox it decides by itself, in production the operator does.
func NewKYB(c Config, s *store.Store) (*kyb.Service, error) {
	c = c.withDefaults()
	sealer, err := newVault(c)
	if err != nil {
		return nil, err
	}
	mailer, err := newMailer(c)
	if err != nil {
		return nil, err
	}
	settings := kyb.Config{
		Store: s.KYB(), Vault: sealer, Checker: kyb.Operator{}, Mailer: mailer, Origin: c.DashboardOrigin,
		Clock: c.Clock, Log: c.Log,
	}
	if c.Environment == string(chain.Sandbox) {
		settings.Checker = kyb.Sandbox{}
	}
	return kyb.New(settings), nil
}
