package app

import (
	"net"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/signing/payee"
	"github.com/railkit/railkit/platform/vault"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/store"
	"github.com/railkit/railkit/web/invite"
)

// ownInvites is where the sandbox's invites lead if nobody says otherwise: to this
// server, by its address. Its name is where the dashboard is.
func (c Config) ownInvites(l net.Listener) Config {
	if c.InviteOrigin == "" && c.Environment == string(chain.Sandbox) {
		_, port, _ := net.SplitHostPort(l.Addr().String())
		c.InviteOrigin = "http://127.0.0.1:" + port
	}
	return c
}

// invitePage is the page that invites lead to, where there is one.
func (c Config) invitePage() string {
	if c.InviteOrigin == "" {
		return ""
	}
	return c.InviteOrigin + invite.Path
}

// newPayout makes the payout kit.
func newPayout(
	c Config, s *store.Store, book *payee.Service, partner fiat.Partner, workspaces *workspace.Service,
) (*payout.Kit, error) {
	sealer, err := newVault(c)
	if err != nil {
		return nil, err
	}
	mailer, err := newMailer(c)
	if err != nil {
		return nil, err
	}
	screening, err := newScreening(c)
	if err != nil {
		return nil, err
	}
	return payout.New(offRamp(c, s, book, payout.Config{
		Screening: screening,
		Stores:    s.Payout().Stores(), Partner: partner, Workspaces: workspaces, Vault: sealer, Cooling: c.cooling(),
		Clock: c.Clock, Log: c.Log, InvitePage: c.invitePage(), Mailer: inviteMailOf(mailer),
	})), nil
}

// newVault reads the keys that seal bank details. The sandbox makes its own.
func newVault(c Config) (*vault.Vault, error) {
	raw, err := keyFile{"vault", "vault-key-file", c.VaultKeyFile, vault.NewSandboxKey}.read(c)
	if err != nil {
		return nil, err
	}
	return vault.Parse(raw, c.Environment == string(chain.Production))
}
