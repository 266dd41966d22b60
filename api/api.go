// Package api puts the HTTP interface together. Its operations are listed in a room for each kit, api/signing and its
// neighbours; what the rooms share, from the envelope to the guards, is in api/edge.
package api

import (
	"net/http"

	"github.com/railkit/railkit/api/agents"
	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/api/examples"
	"github.com/railkit/railkit/api/payout"
	"github.com/railkit/railkit/api/platform"
	"github.com/railkit/railkit/api/signing"
	"github.com/railkit/railkit/api/widget"
	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/kit/agent"
	payoutkit "github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/notice"
	"github.com/railkit/railkit/kit/payout/reconcile"
	"github.com/railkit/railkit/kit/payout/sandbox"
	signingkit "github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/faucet"
	"github.com/railkit/railkit/kit/trade"
	"github.com/railkit/railkit/kit/widget/miniapp"
	"github.com/railkit/railkit/kit/widget/reward"
	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/platform/kyb"
	"github.com/railkit/railkit/platform/ready"
	"github.com/railkit/railkit/platform/session"
	"github.com/railkit/railkit/platform/team"
	"github.com/railkit/railkit/platform/webhook"
	"github.com/railkit/railkit/platform/workspace"
)

//go:generate go test . -run TestOpenAPIGolden -update

// Deps is what the operations stand on. To describe the interface only, the
// environment is enough.
type Deps struct {
	Edge        edge.Config
	Environment string // sandbox | production
	Release     string // of the binary, as health tells it
	Origin      string // at which callers reach the API; "": nobody said
	Audit       audit.Lister
	Events      *event.Service
	Webhooks    *webhook.Service
	Workspaces  *workspace.Service
	Signing     *signingkit.Kit
	Payout      *payoutkit.Kit
	Books       *reconcile.Books
	Notices     *notice.Inbox
	Agents      *agent.Kit
	Trade       *trade.Kit
	MiniApps    *miniapp.Service
	Rewards     *reward.Service
	Team        *team.Service
	Sessions    *session.Service
	KYB         *kyb.Service
	Faucet      faucet.Faucet // sandbox only
	Sandbox     sandbox.Box   // sandbox only
	Ready       *ready.Probe
	Dashboard   string       // where members log in, for who opens the API's address; "": not served here
	InvitePage  http.Handler // files of the page on which recipients enter their accounts
	Gallery     http.Handler // files of the page of widgets; sandbox only
}

// New makes the handler of the whole interface.
func New(d Deps) http.Handler {
	s := register(d)
	serveDocs(s)
	serveFrontPage(s, d)
	if d.InvitePage != nil {
		s.Static("/invite", d.InvitePage)
		s.Static("/invite/", d.InvitePage)
	}
	if d.Gallery != nil {
		s.Static("/widget", d.Gallery)
		s.Static("/widget/", d.Gallery)
	}
	return s
}

// OpenAPI is the document of the interface as an environment serves it.
func OpenAPI(environment string) ([]byte, error) {
	return register(Deps{Environment: environment}).Document()
}

// Operations lists the operations as an environment serves them.
func Operations(environment string) []edge.Operation {
	return register(Deps{Environment: environment}).Operations()
}

// register lists every kit's operations.
func register(d Deps) *edge.Server {
	if d.Signing == nil {
		d.Signing = &signingkit.Kit{} // to describe the interface, no noun does anything
	}
	if d.Payout == nil {
		d.Payout = &payoutkit.Kit{}
	}
	if d.Agents == nil {
		d.Agents = &agent.Kit{}
	}
	if d.Trade == nil {
		d.Trade = &trade.Kit{}
	}
	d.Edge.SchemaNames, d.Edge.Examples, d.Edge.ExampleBodies = examples.SchemaNames, examples.Fields, examples.Bodies
	d.Edge.Tags = tags
	s := edge.New(d.Edge)
	platform.Register(s, platform.Deps{
		Environment: d.Environment, Release: d.Release, Ready: d.Ready, Audit: d.Audit, Workspaces: d.Workspaces,
		Team: d.Team, Sessions: d.Sessions, KYB: d.KYB, Events: d.Events, Webhooks: d.Webhooks,
	})
	signing.Register(s, d.Signing)
	payout.Register(s, payout.Deps{
		Kit: d.Payout, Notices: d.Notices, Workspaces: d.Workspaces, Books: d.Books, Links: d.Edge.Keys,
	})
	agents.Register(s, d.Agents, d.Signing)
	widget.Register(s, widget.Deps{
		Environment: chain.Environment(d.Environment), Origin: d.Origin, MiniApps: d.MiniApps, Rewards: d.Rewards,
		Signing: d.Signing, Trade: d.Trade,
	})
	if d.Environment == string(chain.Sandbox) {
		signing.RegisterSandbox(s, d.Signing, d.Faucet)
		payout.RegisterControls(s, d.Payout, d.Sandbox)
	}
	return s
}
