package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/railkit/railkit/api"
	"github.com/railkit/railkit/api/ceremony"
	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/devnet"
	"github.com/railkit/railkit/chain/exchange"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job/queue"
	"github.com/railkit/railkit/kit/agent"
	"github.com/railkit/railkit/kit/agent/budget"
	"github.com/railkit/railkit/kit/agent/killswitch"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/notice"
	"github.com/railkit/railkit/kit/payout/reconcile"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/rollback"
	"github.com/railkit/railkit/kit/trade"
	"github.com/railkit/railkit/kit/widget/miniapp"
	"github.com/railkit/railkit/kit/widget/reward"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/platform/fetch"
	"github.com/railkit/railkit/platform/idempotency"
	"github.com/railkit/railkit/platform/issuer"
	"github.com/railkit/railkit/platform/ready"
	"github.com/railkit/railkit/platform/vault"
	"github.com/railkit/railkit/platform/watch"
	"github.com/railkit/railkit/platform/webhook"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/store"
	page "github.com/railkit/railkit/web/ceremony"
	"github.com/railkit/railkit/web/gallery"
	"github.com/railkit/railkit/web/invite"
)

// App is a server that is put together and not yet listening.
type App struct {
	Handler  http.Handler
	Ceremony http.Handler // the passkey page, on an origin of its own; nil: there is none
	Store    *store.Store
	Signing  *signing.Kit
	Payout   *payout.Kit
	Agents   *agent.Kit
	Trade    *trade.Kit
	// Rewards are the executions of mini apps.
	Rewards *reward.Service

	strangers *fetch.Client // asks servers whose addresses strangers choose
	vault     *vault.Vault
	Notices   *notice.Inbox   // of the partner
	Uses      *workspace.Uses // of API keys
	Events    *event.Service
	Webhooks  *webhook.Service

	KillSwitch *killswitch.Service // the operator's, of all agents
	Budgets    *budget.Service     // of agents

	config   Config
	enclave  *client.Client
	guard    *rollback.Guard
	signer   *rollback.Client // the enclave's client with the guard before it
	nodes    []node.Client
	bySlug   map[string]nodes.Node
	miniApps *miniapp.Service
	jobs     *queue.Runner
	watcher  *watch.Watcher
	issuers  *issuer.Service // of tokens
	books    *reconcile.Books
	matcher  *reconcile.Matcher
	limits   limits
	probe    *ready.Probe
	once     *idempotency.Service

	running sync.WaitGroup // what Start began and leave ends
	leave   context.CancelFunc
}

// New puts a server together and makes sure that the signer is the pinned one.
func New(ctx context.Context, c Config) (*App, error) {
	c = c.withDefaults()
	if err := c.check(); err != nil {
		return nil, err
	}
	a := &App{config: c, enclave: client.New(c.EnclaveSocket, c.EnclaveKey)}
	a.enclave.Observe(c.signerCalled)
	if err := a.meetEnclave(ctx); err != nil {
		return nil, errors.Join(err, a.enclave.Close())
	}
	if c.Environment == string(chain.Production) {
		if err := apart(os.Getuid(), c.EnclaveSocket); err != nil {
			return nil, errors.Join(err, a.enclave.Close())
		}
	}
	if err := a.refuseSandboxPartner(ctx); err != nil {
		return nil, errors.Join(err, a.enclave.Close())
	}
	if err := a.open(ctx); err != nil {
		return nil, errors.Join(err, a.Close(ctx))
	}
	return a, nil
}

// meetEnclave waits for the signer and compares what it was sealed with to what
// the server was told: another RP id, environment or page would fail every stamp.
// It waits for a signer that does not answer yet; one that answers wrongly stays so.
func (a *App) meetEnclave(ctx context.Context) error {
	var info wire.InfoReply
	var wrong error
	err := a.await(ctx, "the signer", a.config.EnclaveSocket, func() (err error) {
		if info, err = a.enclave.Info(ctx); err != nil && !errors.Is(err, fault.ErrUnavailable) {
			wrong = fmt.Errorf("the signer is not the one that this server was told of: %w", err)
			return nil
		}
		return err
	})
	if err = errors.Join(err, wrong); err != nil {
		return err
	}
	return a.sameSeal(info)
}

func (a *App) sameSeal(info wire.InfoReply) error {
	if info.Environment != a.config.Environment {
		return errors.New("the signer was sealed for another environment: give the server the same --environment")
	}
	if info.RPID != a.config.RPID {
		return errors.New("the signer was sealed for another RP id: give the server the same --rp-id")
	}
	if origin := a.config.CeremonyOrigin; origin != "" && !slices.Contains(info.Origins, origin) {
		return errors.New("the signer was not sealed for --ceremony-origin: it would refuse every stamp of that page")
	}
	if slices.Contains(info.Origins, a.config.DashboardOrigin) {
		return errors.New("the signer is sealed for --dashboard-origin: a login there could be turned into a stamp; " +
			"give the dashboard another origin")
	}
	if slices.Contains(info.Origins, a.config.InviteOrigin) {
		return errors.New("the signer is sealed for --invite-origin: " +
			"strangers' pages must not be where stamps are made; give invites another origin")
	}
	return nil
}

func (a *App) open(ctx context.Context) error {
	c := a.config
	var jobs *queue.Queue
	var err error
	if a.limits, err = newLimits(c); err != nil {
		return err
	}
	if err = a.meetRedis(ctx); err != nil {
		return err
	}
	if a.Store, jobs, err = openStore(ctx, c); err != nil {
		return err
	}
	if err := a.Store.ProbeAudit(ctx); err != nil {
		return err
	}
	if err := a.newGuard(ctx); err != nil {
		return err
	}
	keeper := a.Store.Workspaces()
	workspaces := workspace.New(keeper, c.Clock)
	a.Uses, a.Events = workspace.NewUses(keeper, c.Log), event.New(a.Store, c.Clock)
	if err := a.bootstrap(ctx, workspaces); err != nil {
		return err
	}
	if err := a.newBudgets(workspaces); err != nil {
		return err
	}
	if err := a.newStrangers(); err != nil {
		return err
	}
	if err := a.newWebhooks(workspaces); err != nil {
		return err
	}
	if a.Signing, err = a.newSigning(ctx); err != nil {
		return err
	}
	a.newWidgets()
	if err = a.newAgents(workspaces); err != nil {
		return err
	}
	a.Trade = trade.New(trade.Config{
		Stores: trade.Stores{Drafts: a.Store.Signing().Others().Drafts}, Signing: a.Signing, Clock: c.Clock,
		Exchanges:   exchange.New(chain.Networks(chain.Environment(c.Environment)), callers(a.bySlug)),
		Environment: chain.Environment(c.Environment),
	})
	partner, err := newPartner(c)
	if err != nil {
		return err
	}
	if a.Payout, err = newPayout(c, a.Store, a.Signing.Payees, partner, workspaces); err != nil {
		return err
	}
	a.Notices = newNotices(c, a.Store, partner, a.Payout)
	people, err := newPeople(c, a.Store)
	if err != nil {
		return err
	}
	if people.kyb, err = NewKYB(c, a.Store); err != nil {
		return err
	}
	a.books = reconcile.NewBooks(a.Store.Payout(), c.Clock, c.Log)
	a.matcher = newMatcher(c, a.Store, partner, a.nodes)
	a.jobs, err = jobs.NewRunner(a.Store.Writer(), queue.Config{
		Handlers: a.handlers(people), Sweep: a.sweep(people), Log: c.Log, SweepEvery: c.SweepEvery,
		Done: c.meter.JobRun,
	})
	if err != nil {
		return err
	}
	a.watcher, a.probe, a.once = a.newWatcher(), a.newProbe(), idempotency.New(a.Store, c.Clock)
	a.Handler, a.Ceremony = a.newHandler(workspaces, people), a.newCeremony(workspaces)
	a.measure(people)
	return nil
}

func (a *App) newSigning(ctx context.Context) (*signing.Kit, error) {
	c := a.config
	env := chain.Environment(c.Environment)
	bySlug := map[string]nodes.Node{}
	for slug, url := range c.RPCURLs {
		network, _ := chain.BySlug(env, slug)
		n, err := c.dialNode(ctx, url, network)
		if err != nil {
			return nil, fmt.Errorf("the node of %s: %w", slug, err)
		}
		a.nodes = append(a.nodes, n)
		bySlug[slug] = withCrashes(n)
	}
	a.bySlug = bySlug
	a.issuers = a.newIssuers()
	if err := a.refuseDevnet(ctx); err != nil {
		return nil, err
	}
	post, err := newPost(c, a.Store)
	if err != nil {
		return nil, err
	}
	return signing.New(signing.Config{
		Post: post, Agents: a.Budgets, Stores: a.Store.Signing().Stores(), Enclave: a.signer,
		Nodes: bySlug, Issuers: a.issuers, Environment: env, Networks: chain.Networks(env), RPID: c.RPID,
		CeremonyOrigin: c.CeremonyOrigin, Dashboard: c.DashboardOrigin, Clock: c.Clock, Log: c.Log,
	}), nil
}

func (a *App) newWidgets() {
	env, rows := chain.Environment(a.config.Environment), a.Store.Widgets()
	a.miniApps = miniapp.New(rows, env, a.config.Clock)
	a.Rewards = reward.New(rows.Rewards(), a.miniApps, verifiers(a.bySlug), env, a.config.Clock)
}

func (a *App) newHandler(workspaces *workspace.Service, people people) http.Handler {
	c := a.config
	d := api.Deps{
		Edge: edge.Config{
			Clock: c.Clock, Log: c.Log,
			Auth: &auth.Authenticator{
				Store: a.Store, Agents: a.Agents.Identity, Sessions: people.sessions, Uses: a.Uses, Clock: c.Clock,
				Environment: c.Environment,
			},
			Workspaces: workspaces, Once: a.once, Proxies: c.TrustedProxies, Meter: c.meter,
			Dashboard: c.DashboardOrigin, APIHost: hostOf(c.APIOrigin),
			Keys: a.limits.named("callers", 0), Strangers: a.limits.named("networks", 50_000),
		},
		Environment: c.Environment, Release: c.Version, Origin: c.APIOrigin, Workspaces: workspaces, Audit: a.Store,
		Events: a.Events, Webhooks: a.Webhooks,
		Signing: a.Signing, Payout: a.Payout, Books: a.books, Notices: a.Notices, Agents: a.Agents, Trade: a.Trade,
		MiniApps: a.miniApps, Rewards: a.Rewards,
		Team: people.team, Sessions: people.sessions, KYB: people.kyb, InvitePage: invite.Static(), Ready: a.probe,
	}
	if c.DashboardAddr != "" {
		d.Dashboard = c.DashboardOrigin
	}
	if c.DevnetURL != "" {
		d.Faucet = faucet{devnet.NewClient(c.DevnetURL)}
	}
	if c.Environment == string(chain.Sandbox) {
		d.Sandbox, d.Gallery = newSandbox(c), gallery.Static()
	}
	return api.New(d)
}

// hostOf is the host of an origin, with its port.
func hostOf(origin string) string {
	_, host, _ := strings.Cut(origin, "://")
	return host
}

func (a *App) newCeremony(workspaces *workspace.Service) http.Handler {
	c := a.config
	if c.CeremonyOrigin == "" {
		return nil
	}
	pin := page.Pin{IdentityKey: c.EnclaveKey, RPID: c.RPID, Environment: c.Environment}
	return ceremony.New(ceremony.Deps{
		Signing: a.Signing, Workspaces: workspaces, Origin: c.CeremonyOrigin, Page: page.Static(pin), Clock: c.Clock,
		Log: c.Log, Links: a.limits.named("links", 100_000), Strangers: a.limits.named("page-networks", 50_000),
		Proxies: c.TrustedProxies, Meter: c.meter,
	})
}

// bootstrap makes the sandbox's workspace and keys, the same at every start.
func (a *App) bootstrap(ctx context.Context, workspaces *workspace.Service) error {
	if a.config.SandboxFile == "" {
		return nil
	}
	k, err := readSandboxKeys(a.config.SandboxFile)
	if err != nil {
		return err
	}
	return EnsureSandbox(ctx, workspaces, a.config.Environment, k)
}

// EnsureSandbox makes a workspace with every module and the keys, where it is not there yet.
func EnsureSandbox(ctx context.Context, workspaces *workspace.Service, environment string, k SandboxKeys) error {
	w := workspace.Workspace{
		ID: k.WorkspaceID, Name: "Sandbox", Email: "sandbox@example.com", Environment: environment,
		KYBStatus: "approved", Modules: []auth.Module{auth.Signing, auth.Payout, auth.Agents, auth.Widget},
	}
	return workspaces.Ensure(ctx, w,
		workspace.KeySpec{Name: "Sandbox key", Text: k.APIKey, Scopes: []auth.Scope{auth.Integrator}},
		workspace.KeySpec{Name: "Sandbox internal key", Text: k.InternalKey, Scopes: []auth.Scope{auth.Internal}},
		workspace.KeySpec{Name: "Sandbox admin key", Text: k.AdminKey, Scopes: []auth.Scope{auth.Admin}},
		workspace.KeySpec{
			Name: "Sandbox benchmark key", Text: k.BenchKey, Scopes: []auth.Scope{auth.Integrator},
			Limits: auth.Limits{Standard: benchLimit, Financial: benchLimit},
		})
}

// benchLimit lets demo, benchmarks and races through. No other key has it.
const benchLimit = 1_000_000

// Start begins the jobs.
func (a *App) Start(ctx context.Context) error {
	var beside context.Context
	beside, a.leave = context.WithCancel(context.WithoutCancel(ctx))
	a.meetNodes(beside)
	a.keepUses(beside)
	a.keepPrices(beside)
	a.running.Go(func() { a.issuers.Run(beside) })
	a.keepWatch(beside)
	a.keepGuard(beside)
	a.running.Go(func() { a.Webhooks.Run(beside) })
	return a.jobs.Start(ctx)
}

// keepUses writes down the last uses of keys, also when the server ends.
func (a *App) keepUses(ctx context.Context) {
	a.running.Go(func() {
		tick := time.NewTicker(workspace.Every)
		defer tick.Stop()
		a.Uses.Run(ctx, tick.C)
	})
}

// Close stops the jobs and lets go of everything.
func (a *App) Close(ctx context.Context) error {
	var err error
	if a.jobs != nil {
		err = a.jobs.Stop(ctx)
	}
	if a.leave != nil {
		a.leave()
		a.running.Wait()
	}
	for _, n := range a.nodes {
		n.Close()
	}
	if a.Store != nil {
		err = errors.Join(err, a.Store.Close())
	}
	return errors.Join(err, a.limits.close(), a.enclave.Close())
}
