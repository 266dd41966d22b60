package app

import (
	"fmt"
	"os"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/bridge"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/platform/vault"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/store"
)

// newPayout makes the payout kit.
func newPayout(c Config, s *store.Store, workspaces *workspace.Service) (*payout.Service, error) {
	sealer, err := newVault(c)
	if err != nil {
		return nil, err
	}
	partner, err := newPartner(c)
	if err != nil {
		return nil, err
	}
	return payout.New(payout.Config{
		Store: store.Payout{Store: s}, Partner: partner, Workspaces: workspaces, Vault: sealer, Cooling: c.cooling(), Clock: c.Clock, Log: c.Log,
	}), nil
}

// newVault reads the keys that seal bank details. The sandbox makes its own.
func newVault(c Config) (*vault.Vault, error) {
	raw, err := keyFile{"vault", "vault-key-file", c.VaultKeyFile, vault.NewSandboxKey}.read(c)
	if err != nil {
		return nil, err
	}
	return vault.Parse(raw, c.Environment == string(chain.Production))
}

// newPartner is nil where none is named: nothing is paid to banks then.
func newPartner(c Config) (fiat.Partner, error) {
	if c.PartnerURL == "" {
		return nil, nil
	}
	settings := bridge.Config{URL: c.PartnerURL, Key: c.PartnerKey, Clock: c.Clock}
	if c.PartnerWebhookKeyFile != "" {
		raw, err := os.ReadFile(c.PartnerWebhookKeyFile)
		if err != nil {
			return nil, fmt.Errorf("reading the partner's public key (--partner-webhook-key-file): %w", err)
		}
		if settings.PublicKey, err = bridge.ParsePublicKey(raw); err != nil {
			return nil, err
		}
	}
	client, err := bridge.New(settings)
	if err != nil {
		return nil, err
	}
	return client, nil
}
