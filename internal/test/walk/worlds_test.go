package walk_test

import (
	"sync"
	"testing"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/walk"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/workspace"
)

// stage is an application with two workspaces, and a second server on the same
// database: a key is the database's, not one process's.
type stage struct {
	*apptest.App
	t        *testing.T
	now      *hands
	tenants  *tenants
	own      *walk.World
	other    *walk.World
	twin     *apptest.App // a.App with another server's address
	stock    string       // a key of the own workspace that has used up its calls
	passed   []passed
	register []edge.Operation

	colleagues []colleague // further keys of the own workspace
}

// colleague is a key that is not the one that calls first.
type colleague struct {
	name, key string
	across    bool // an operator's, which names the workspace
}

func newStage(t *testing.T, options ...apptest.Option) *stage {
	t.Helper()
	s := &stage{t: t, now: newHands()}
	s.App = apptest.New(t, append(options, apptest.WithClock(s.now), apptest.WithoutSweeper(), apptest.WithPartner(t),
		func(c *apptest.Config) {
			c.RateOldest = "720h" // of the partner's clock, which does not move with ours
		})...)
	s.tenants = newTenants(t, s.App)
	s.own, s.other = s.world(), s.world()
	s.twin = s.Another()
	s.stock = s.tenants.key(s.own.WorkspaceID, auth.Integrator, func(k *auth.Key) { k.Limits = auth.Limits{} })
	for name, scope := range map[string]auth.Scope{
		"reader": auth.IntegratorRead, "peer": auth.Integrator, "internal": auth.Internal, "admin": auth.Admin,
	} {
		c := colleague{
			name, s.tenants.key(s.own.WorkspaceID, scope, nil), scope == auth.Internal || scope == auth.Admin,
		}
		s.colleagues = append(s.colleagues, c)
	}
	s.register = registered(t, s.App)
	s.exhaust()
	return s
}

func (s *stage) world() *walk.World {
	s.t.Helper()
	id := s.tenants.make("sandbox", workspace.KYBApproved, allModules...)
	return &walk.World{
		T: s.t, App: s.App, WorkspaceID: id, Key: s.tenants.key(id, auth.Integrator, nil),
		Operator: s.tenants.key(id, auth.Admin, nil),
	}
}

// exhaust uses up the calls of the stock key. The clock stands, so none comes back.
func (s *stage) exhaust() {
	s.t.Helper()
	for range 20 {
		s.Do(s.stock, "POST", walk.ChallengePath, "{}")
	}
	for range 100 {
		s.Do(s.stock, "GET", "/v1/signing/wallets", "")
	}
}

// together sends one request n times at once, half of them to each server.
func (s *stage) together(n int, r walk.Request, headers ...string) []apptest.Answer {
	s.t.Helper()
	twin := *s.own
	twin.App = s.twin
	answers, start := make([]apptest.Answer, n), make(chan struct{})
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() {
			w := s.own
			if i%2 == 1 {
				w = &twin
			}
			<-start
			answers[i] = r.Send(w, headers...)
		})
	}
	close(start)
	wg.Wait()
	return answers
}
