package stories_test

import (
	"maps"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
)

// twin is the browser's other tab: the same passkeys and cookies as now.
func twin(b *apptest.Browser) *apptest.Browser {
	c := *b
	c.Cookies = maps.Clone(b.Cookies)
	return &c
}

// Sixteen tabs refresh at once: all go on, with one refresh token.
func TestPlatform_RefreshRace(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	b := a.Join("ada@example.com", auth.RoleAdmin)
	for range 3 {
		tabs := make([]*apptest.Browser, 16)
		answers := make([]apptest.Answer, len(tabs))
		var wg sync.WaitGroup
		for i := range tabs {
			tabs[i] = twin(b)
			wg.Go(func() { answers[i] = tabs[i].Post("/v1/auth/refresh", "") })
		}
		wg.Wait()
		tokens := map[string]bool{}
		for i, tab := range tabs {
			wantCode(t, "a tab", answers[i], 200, "")
			tokens[tab.Cookies[refreshCookie].Value] = true
			tab.Take(answers[i])
			wantCode(t, "its access token", tab.Do("GET", "/v1/auth/me", ""), 200, "")
		}
		if len(tokens) != 1 {
			t.Fatalf("%d refresh tokens are alive", len(tokens))
		}
		b = tabs[0]
	}
}

// A refresh token that comes again after the grace ends the session, for whoever
// holds the good one too.
func TestPlatform_RefreshReuse(t *testing.T) {
	t.Parallel()
	h := &elapsed{}
	a := apptest.Rig(t, apptest.WithClock(h.clock()))
	b := a.Join("ada@example.com", auth.RoleAdmin)
	thief := twin(b)
	wantCode(t, "the member", b.Post("/v1/auth/refresh", ""), 200, "")
	h.set(10*time.Second - time.Microsecond)
	lost := twin(thief)
	wantCode(t, "a lost answer, asked for again", lost.Post("/v1/auth/refresh", ""), 200, "")
	if lost.Cookies[refreshCookie].Value != b.Cookies[refreshCookie].Value {
		t.Error("two successors")
	}
	h.set(10 * time.Second)
	wantCode(t, "the thief", thief.Post("/v1/auth/refresh", ""), 401, "session_invalid")
	wantCode(t, "the member after it", b.Post("/v1/auth/refresh", ""), 401, "session_invalid")
	wantCode(t, "its access token", b.Do("GET", "/v1/auth/me", ""), 401, "session_invalid")
	var n int
	if err := a.Store.Writer().QueryRow("SELECT COUNT(*) FROM audit WHERE action = 'session.reused'").Scan(
		&n,
	); err != nil || n != 1 {
		t.Errorf("%d audit rows, %v", n, err)
	}
	b.Take(b.Login())
	wantCode(t, "a new login", b.Do("GET", "/v1/auth/me", ""), 200, "")
}

// The one before the one before is old at once.
func TestPlatform_RefreshReuseOfAnOlderOne(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	b := a.Join("ada@example.com", auth.RoleAdmin)
	thief := twin(b)
	for range 2 {
		wantCode(t, "the member", b.Post("/v1/auth/refresh", ""), 200, "")
	}
	wantCode(t, "the thief", thief.Post("/v1/auth/refresh", ""), 401, "session_invalid")
	wantCode(t, "the member after it", b.Post("/v1/auth/refresh", ""), 401, "session_invalid")
}

// What nobody issued ends nothing.
func TestPlatform_RefreshUnknown(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	b := a.Join("ada@example.com", auth.RoleAdmin)
	stranger := a.NewBrowser()
	wantCode(t, "no cookie", stranger.Post("/v1/auth/refresh", ""), 401, "session_invalid")
	stranger.Cookies[refreshCookie] = &http.Cookie{Name: refreshCookie, Value: b.Cookies[refreshCookie].Value + "A"}
	wantCode(t, "an invented one", stranger.Post("/v1/auth/refresh", ""), 401, "session_invalid")
	wantCode(t, "two of them", b.Post("/v1/auth/refresh", "", "Cookie",
		refreshCookie+"=a; "+refreshCookie+"="+b.Cookies[refreshCookie].Value), 401, "session_invalid")
	wantCode(t, "the member", b.Post("/v1/auth/refresh", ""), 200, "")
}

// A session ends after 7 days without a refresh, and after 30 with as many as one likes.
func TestPlatform_SessionEnds(t *testing.T) {
	t.Parallel()
	h := &elapsed{}
	a := apptest.Rig(t, apptest.WithClock(h.clock()), apptest.WithoutSweeper())
	b := a.Join("ada@example.com", auth.RoleAdmin)
	const day = 24 * time.Hour
	unused := twin(b)
	h.set(7 * day)
	wantCode(t, "a week unused", unused.Post("/v1/auth/refresh", ""), 401, "session_expired")
	h.set(7*day - time.Microsecond)
	refresh := func(at time.Duration) { h.set(at); wantCode(t, at.String(), b.Post("/v1/auth/refresh", ""), 200, "") }
	for _, at := range []time.Duration{7*day - time.Microsecond, 13 * day, 19 * day, 25 * day} {
		refresh(at)
	}
	answer := b.Post("/v1/auth/refresh", "")
	refresh(30*day - time.Second)
	b.Take(answer)
	h.set(30 * day)
	wantCode(t, "thirty days", b.Post("/v1/auth/refresh", ""), 401, "session_expired")
	wantCode(t, "an access token of before", b.Do("GET", "/v1/auth/me", ""), 401, "session_expired")
}
