package walk_test

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/api/ceremony"
	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/walk"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/workspace"
)

// credential is one kind of what a caller can show.
type credential struct {
	name         string
	show         func(op edge.Operation, path, body string) []string // headers
	workspace    string                                              // that a path names
	integratorID string                                              // the query; empty: none
}

// header shows one Authorization header, or none.
func header(authorization string) func(edge.Operation, string, string) []string {
	return func(edge.Operation, string, string) []string {
		if authorization == "" {
			return nil
		}
		return []string{"Authorization", authorization}
	}
}

// call sends an operation's emptiest request. Nobody gets past the guards and
// changes anything with it: the ids are of nothing, and the body lacks all.
func (c credential) call(a *apptest.App, op edge.Operation) apptest.Answer {
	target, body := path(op, c.workspace), ""
	if op.Body {
		body = "{}"
	}
	headers := c.show(op, target, body)
	if c.integratorID != "" {
		target += "?integratorId=" + c.integratorID
	}
	if onPage(op) {
		return a.CallPage(target, body, headers...)
	}
	if op.Dashboard {
		headers = append(headers, "Origin", apptest.Dashboard)
	}
	return a.Do("", op.Method, target, body, headers...)
}

// ofPage are the operations of the passkey page, which are read out of a server that is made for it.
var ofPage = sync.OnceValue(ceremony.Operations)

func onPage(op edge.Operation) bool {
	return slices.ContainsFunc(ofPage(), func(o edge.Operation) bool { return o.ID == op.ID })
}

// tenants are the workspaces of the walk: one in order, and each other with one
// thing amiss.
type tenants struct {
	t *testing.T
	a *apptest.App

	own, other, bare, unverified string
}

var allModules = []auth.Module{auth.Signing, auth.Payout, auth.Agents, auth.Widget}

func newTenants(t *testing.T, a *apptest.App) *tenants {
	t.Helper()
	w := &tenants{t: t, a: a}
	w.own = w.make("sandbox", workspace.KYBApproved, allModules...)
	w.other = w.make("sandbox", workspace.KYBApproved, allModules...)
	w.bare = w.make("sandbox", workspace.KYBApproved)
	w.unverified = w.make("sandbox", "pending", allModules...)
	return w
}

func (w *tenants) make(environment, kyb string, modules ...auth.Module) string {
	w.t.Helper()
	id := uuid.NewString()
	err := w.a.Store.EnsureWorkspace(context.Background(), workspace.Workspace{
		ID: id, Name: "Walk", Email: "walk@example.com", Environment: environment, KYBStatus: kyb, Modules: modules,
		CreatedAt: time.Now(),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

// key makes a key of a workspace; change makes it a strange one.
func (w *tenants) key(workspaceID string, scope auth.Scope, change func(*auth.Key)) string {
	w.t.Helper()
	text, err := auth.GenerateKey()
	if err != nil {
		w.t.Fatal(err)
	}
	k := auth.Key{
		WorkspaceID: workspaceID, ID: uuid.NewString(), Name: "walk", Hash: auth.Hash(text), Prefix: auth.Prefix(text),
		LastFour: auth.LastFour(text), Scopes: []auth.Scope{scope}, Environment: "sandbox", CreatedAt: time.Now(),
		Limits: auth.Limits{Standard: 1_000_000, Financial: 1_000_000},
	}
	if change != nil {
		change(&k)
	}
	if err := w.a.Store.EnsureKey(context.Background(), k); err != nil {
		w.t.Fatal(err)
	}
	return text
}

// newCredentials makes one of each kind.
func newCredentials(t *testing.T, a *apptest.App, now *hands) []credential {
	t.Helper()
	w := newTenants(t, a)
	unknown, err := auth.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	all := []credential{
		{name: "none", show: header("")},
		{name: "bad", show: header("ApiKey")},
		{name: "basic", show: header("Basic eDp5")},
		{name: "unknown", show: header("ApiKey " + unknown)},
		w.strange("revoked", func(k *auth.Key) { k.RevokedAt = k.CreatedAt }),
		w.strange("expired", func(k *auth.Key) { k.ExpiresAt = k.CreatedAt.Add(-time.Hour) }),
		w.strange("live", func(k *auth.Key) { k.Environment = "production" }),
	}
	for _, s := range auth.Assignable {
		c := credential{name: short(s), show: header("ApiKey " + w.key(w.own, s, nil))}
		if s == auth.Internal || s == auth.Admin {
			c.integratorID = w.own
		}
		all = append(all, c)
	}
	all = append(all,
		credential{name: "operator", show: header("ApiKey " + w.key(w.own, auth.Internal, nil))},
		credential{name: "operator-lost", show: header("ApiKey " + w.key(w.own, auth.Admin, nil)),
			integratorID: uuid.NewString()},
		credential{name: "elsewhere", show: header("ApiKey " + w.key(w.own, auth.Integrator, nil)),
			integratorID: w.other, workspace: w.other},
		credential{name: "no-module", show: header("ApiKey " + w.key(w.bare, auth.Integrator, nil)), workspace: w.bare},
		credential{
			name:      "no-kyb",
			show:      header("ApiKey " + w.key(w.unverified, auth.Integrator, nil)),
			workspace: w.unverified,
		},
	)
	all = append(append(all, w.agents()...), w.members(now)...)
	for i, c := range all {
		all[i].workspace = cmp.Or(c.workspace, c.integratorID, w.own)
	}
	return all
}

// agents are one that signs what it sends, and one that does not know its secret.
func (w *tenants) agents() []credential {
	w.t.Helper()
	world := &walk.World{T: w.t, App: w.a, WorkspaceID: w.own, Key: w.key(w.own, auth.Integrator, nil)}
	good := world.Agent()
	forged := walk.Agent{ID: good.ID, Secret: world.Agent().Secret}
	return []credential{{name: "signed", show: signs(good)}, {name: "forged", show: signs(forged)}}
}

// members are one of each role, and an admin who asks for another workspace.
func (w *tenants) members(now *hands) (all []credential) {
	w.t.Helper()
	world := &walk.World{T: w.t, App: w.a, WorkspaceID: w.own, Operator: w.key(w.own, auth.Internal, nil)}
	for _, role := range []auth.Role{auth.RoleAdmin, auth.RoleManager, auth.RoleAuditor, auth.RoleViewer} {
		all = append(all, credential{name: "m:" + string(role), show: w.session(world.Member(role), now)})
	}
	return append(all, credential{
		name: "m:elsewhere", show: w.session(world.Member(auth.RoleAdmin), now), workspace: w.other,
	})
}

// session shows an access token that is younger than ten minutes.
func (w *tenants) session(b *apptest.Browser, now *hands) func(edge.Operation, string, string) []string {
	since := now.Now()
	return func(edge.Operation, string, string) []string {
		if now.Now().Sub(since) > 10*time.Minute {
			b.Take(b.Post("/v1/auth/refresh", ""))
			since = now.Now()
		}
		return []string{"Authorization", "Bearer " + b.Access}
	}
}

func signs(a walk.Agent) func(edge.Operation, string, string) []string {
	return func(op edge.Operation, path, body string) []string { return a.Sign(op.Method, path, body) }
}

// strange is a key that was good once.
func (w *tenants) strange(name string, change func(*auth.Key)) credential {
	return credential{name: name, show: header("ApiKey " + w.key(w.own, auth.Integrator, change))}
}

// short keeps the columns narrow.
func short(s auth.Scope) string { return strings.Replace(string(s), "integrator:", "i:", 1) }
