package walk_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/walk"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/platform/auth"
)

// What is none of the caller's business looks like what is not there. One server
// alone may be listened to at a time: all tests share a log.
func TestPlatform_H01_ForeignIsUnknown(t *testing.T) {
	t.Parallel()
	s := newStage(t, apptest.WithPostgres(t), heard)
	queries := newListener(t, s.App)
	t.Run("ids", func(t *testing.T) { s.foreignIDs(t, queries) })
	t.Run("keys", func(t *testing.T) { s.badKeys(t, queries) })
}

// foreignIDs walks every operation with an id in its path: what is another
// workspace's gives the same answer, after the same queries, as what is nobody's.
func (s *stage) foreignIDs(t *testing.T, queries *listener) {
	t.Helper()
	known := 0
	for _, op := range s.register {
		if !slices.ContainsFunc(strings.Split(op.Path, "/"), namesThing) || op.Public { // which is everybody's
			continue
		}
		make, found := walk.Reads[op.ID]
		if !found {
			make, found = walk.Mutations[op.ID]
		}
		if !found {
			t.Errorf(
				"%s has an id in its path, and nothing walks it: add a request to Reads in internal/test/walk/reads.go",
				op.ID,
			)
			continue
		}
		known++
		own, foreign := make(s.own), make(s.other)
		foreign.Authorization, foreign.Agent = own.Authorization, own.Agent
		foreign.Path = strings.Replace(foreign.Path, s.other.WorkspaceID, s.own.WorkspaceID, 1)
		unknown := foreign
		unknown.Path = ofNothing(op, foreign.Path)

		var got, want apptest.Answer
		ran, would := queries.ofBoth(
			func() { got = foreign.Send(s.own) },
			func() { want = unknown.Send(s.own) })
		if got.Status != http.StatusNotFound || want.Status != http.StatusNotFound ||
			content(t, got) != content(t, want) {
			t.Errorf("%s: another workspace's: %s\nnobody's: %s", op.ID, brief(got), brief(want))
		}
		if ran != would || ran == "" {
			t.Errorf("%s: another workspace's takes the queries %s\nnobody's %s", op.ID, ran, would)
		}
	}
	if known < 10 {
		t.Errorf("only %d operations were walked", known)
	}
}

// badKeys: a key that is no longer good, or of the other environment, looks like one that
// never was.
func (s *stage) badKeys(t *testing.T, queries *listener) {
	t.Helper()
	never, err := auth.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	bad := func(change func(*auth.Key)) string { return s.tenants.key(s.own.WorkspaceID, auth.Integrator, change) }
	live := s.tenants.make("production", "approved", allModules...)
	for name, key := range map[string]string{
		"revoked":     bad(func(k *auth.Key) { k.RevokedAt = k.CreatedAt }),
		"expired":     bad(func(k *auth.Key) { k.ExpiresAt = s.now.Now() }),
		"environment": bad(func(k *auth.Key) { k.Environment = "production" }),
		"production":  s.tenants.key(live, auth.Integrator, func(k *auth.Key) { k.Environment = "production" }),
	} {
		var got, want apptest.Answer
		ran, would := queries.ofBoth(
			func() { got = s.Do(key, "GET", "/v1/signing/wallets", "") },
			func() { want = s.Do(never, "GET", "/v1/signing/wallets", "") })
		if got.Status != want.Status || content(t, got) != content(t, want) || ran != would || ran == "" {
			t.Errorf("%s: %s after %s\nunknown: %s after %s", name, brief(got), ran, brief(want), would)
		}
	}
	good := bad(func(k *auth.Key) { k.ExpiresAt = s.now.Now().Add(time.Microsecond) })
	if got := s.Do(good, "GET", "/v1/signing/wallets", ""); got.Status != http.StatusOK {
		t.Errorf("a microsecond before it expires: %s", brief(got))
	}
}

// namesThing reports whether a piece of a pattern names something in a workspace.
func namesThing(piece string) bool {
	return strings.HasPrefix(piece, "{") && piece != "{integratorId}"
}

// ofNothing puts ids of nothing into a path, a reference of no order of ours in the place of one: which form a name has
// everybody sees.
func ofNothing(op edge.Operation, path string) string {
	pattern, pieces := strings.Split(op.Path, "/"), strings.Split(path, "/")
	for i, p := range pattern {
		if namesThing(p) {
			name, query, asks := strings.Cut(pieces[i], "?")
			pieces[i] = uuid.NewString()
			if order.Ours(name) {
				pieces[i] = name[:strings.LastIndex(name, "-")+1] + pieces[i]
			}
			if asks {
				pieces[i] += "?" + query
			}
		}
	}
	return strings.Join(pieces, "/")
}

// content is an answer without what differs by itself: when it was given, and for
// which path.
func content(t *testing.T, a apptest.Answer) string {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(a.Body), &m); err != nil {
		t.Fatalf("%s: %v", brief(a), err)
	}
	delete(m, "timestamp")
	delete(m, "path")
	return apptest.JSON(t, m)
}
