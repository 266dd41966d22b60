package app

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/reconcile"
	"github.com/railkit/railkit/kit/signing/payee"
	"github.com/railkit/railkit/platform/vault"
	"github.com/railkit/railkit/platform/watch"
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
	post, err := newPost(c, s)
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
		Clock: c.Clock, Log: c.Log, InvitePage: c.invitePage(), Post: post,
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

// newMatcher compares the books with the partner and the chains. It asks the
// partner without the crash points of payouts: it moves nothing.
func newMatcher(c Config, s *store.Store, p fiat.Partner, nodes []node.Client) *reconcile.Matcher {
	eyes := eyes{}
	for _, n := range nodes {
		eyes[n.Network().Slug] = n
	}
	return reconcile.NewMatcher(s.Payout(), s.Watch(), p, eyes, c.Clock, c.Log)
}

// OpenMatcher is the comparison for who has only a database and the settings of a
// server. Nil: there is no partner to compare with.
func OpenMatcher(ctx context.Context, c Config, s *store.Store) (_ *reconcile.Matcher, closing func(), err error) {
	c = c.withDefaults()
	p, err := newPartner(c)
	if err != nil || p == nil {
		return nil, func() {}, err
	}
	var nodes []node.Client
	closing = func() {
		for _, n := range nodes {
			n.Close()
		}
	}
	for slug, url := range c.RPCURLs {
		network, known := chain.BySlug(chain.Environment(c.Environment), slug)
		if !known {
			return nil, closing, fmt.Errorf("%s names what is no network of this environment", config.Called("rpc"))
		}
		n, err := c.dialNode(ctx, url, network)
		if err != nil {
			return nil, closing, fmt.Errorf("the node of %s: %w", slug, err)
		}
		nodes = append(nodes, n)
	}
	return newMatcher(c, s, p, nodes), closing, nil
}

// eyes are the nodes by chain.
type eyes map[string]watch.Node

var errNoNode = errors.New("there is no node of it")

func (e eyes) Gone(ctx context.Context, chain string, some []watch.Transfer) ([]string, error) {
	n, known := e[chain]
	if !known {
		return nil, errNoNode
	}
	return watch.MissingTransfers(ctx, n, some)
}
