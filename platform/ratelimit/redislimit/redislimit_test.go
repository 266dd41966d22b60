package redislimit

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/redistest"
	"github.com/railkit/railkit/internal/test/testenv"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/platform/ratelimit"
	"github.com/railkit/railkit/platform/ratelimit/limittest"
)

// short is a window for tests on the server's own clock. Nothing is said of calls that must fall into one, since a busy
// machine may take longer for them.
const short = 600 * time.Millisecond

var made atomic.Int64

// fresh is a prefix that nobody has counted under.
func fresh() string { return "railkit:test:limit:" + strconv.FormatInt(made.Add(1), 10) }

// open is Open with the patience of a test: Redis may be slow for want of a processor.
func open(t testing.TB, url string) *Redis {
	t.Helper()
	r := openHasty(t, url)
	r.patience = testwait.Bound
	return r
}

func openHasty(t testing.TB, url string) *Redis {
	t.Helper()
	r, err := Open(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// ask asks the server anything.
func ask(t testing.TB, r *Redis, command string, args ...any) any {
	t.Helper()
	c := r.pool.Get()
	defer c.Close()
	answer, err := c.Do(command, args...)
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	return answer
}

// On the server's own clock, with a short window.
func TestRedisConforms(t *testing.T) {
	r := open(t, redistest.New(t).URL)
	calls := 16
	if testenv.Nightly() {
		calls = 60
	}
	limittest.Run(t, limittest.Subject{
		New:    func(*testing.T) ratelimit.Limiter { return r.Limiter(fresh(), short) },
		Window: short,
		Wait:   time.Sleep,
		Calls:  calls,
		Seed:   testenv.Seed(t),
	})
}

// On a clock that the test sets, with the window of production: all of the script
// but the one line that reads the time.
func TestRedisConformsToTheMicrosecond(t *testing.T) {
	r := stepped(t, redistest.New(t).URL)
	wait := waits(t, r)
	limittest.Run(t, limittest.Subject{
		New:    func(*testing.T) ratelimit.Limiter { return r.Limiter(fresh(), ratelimit.Window) },
		Window: ratelimit.Window,
		Wait:   wait,
		Set:    func(back time.Duration) { wait(-back) },
	})
}

// waits starts the clock of a stepped Redis, and gives what moves it.
func waits(t *testing.T, r *Redis) func(time.Duration) {
	t.Helper()
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	wait := func(d time.Duration) {
		now = now.Add(d.Round(time.Microsecond))
		ask(t, r, "MSET", "s", now.Unix(), "us", now.Nanosecond()/1000)
	}
	wait(0)
	return wait
}

// stepped is a client of a Redis whose clock is the keys "s" and "us".
func stepped(t *testing.T, url string) *Redis {
	t.Helper()
	r := open(t, url)
	if strings.Count(source, "redis.call('TIME')") != 1 {
		t.Fatal("the script does not read the time once")
	}
	r.script = redis.NewScript(1, strings.Replace(source, "redis.call('TIME')", "redis.call('MGET', 's', 'us')", 1))
	return r
}

// Two clients, as two processes have them, count as one.
func TestTwoClientsShareTheWindow(t *testing.T) {
	url := redistest.New(t).URL
	prefix, first := fresh(), stepped(t, url)
	both := []ratelimit.Limiter{
		first.Limiter(prefix, ratelimit.Window), stepped(t, url).Limiter(prefix, ratelimit.Window),
	}
	const limit = 20
	subject := limittest.Subject{Window: ratelimit.Window, Wait: waits(t, first)}
	limittest.Exact(t, limittest.Storm(t, both, subject, limit), ratelimit.Window, limit)
}

// Nothing stays of a caller that does not come back, and a caller's key holds no
// more than its limit.
func TestMemoryIsBounded(t *testing.T) {
	r := open(t, redistest.New(t).URL)
	take := func(l ratelimit.Limiter) {
		t.Helper()
		for range 50 {
			if _, err := l.Take(t.Context(), "k", ratelimit.Standard, 7); err != nil {
				t.Fatal(err)
			}
		}
	}
	take(r.Limiter("railkit:test:limit", time.Hour))
	key := "railkit:test:limit:standard:k"
	if n := ask(t, r, "ZCARD", key); n != int64(7) {
		t.Errorf("%d instants of 7 calls", n)
	}
	if left := time.Duration(ask(t, r, "PTTL", key).(int64)) * time.Millisecond; left <= 0 ||
		left > time.Hour+time.Second {
		t.Errorf("it expires in %v", left)
	}
	ask(t, r, "DEL", key)
	take(r.Limiter("railkit:test:limit", short))
	testwait.Until(t, "the key is gone", func() bool { return ask(t, r, "DBSIZE") == int64(0) })
}

func TestURL(t *testing.T) {
	for _, url := range []string{
		"", "localhost:6379", "http://u:secret@h", "redis://u:secret@h:6379/x", "redis://u:se cret@h\x7f",
		"redis://h/0?secret=1", "redis://h/1/2", "redis://h/-1", "redis:h", "unix://", "redis://h?db=secret",
		"redis://h?skip_verify=1", "rediss://h?skip_verify=secret", "redis://h?a=%zz",
	} {
		if _, err := Open(url); !errors.Is(err, ErrURL) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", url, err)
		}
	}
	for url, want := range map[string]string{
		"redis://": "localhost:6379/0", "redis://u:secret@h": "h:6379/0", "redis://h:1/2": "h:1/2",
		"redis://[::1]/": "[::1]:6379/0", "rediss://u:secret@h/3?skip_verify=true": "h:6379/3",
		"unix://u:secret@/a/b": "/a/b/0", "unix:///a/b?db=4": "/a/b/4", "redis://h/1?db=5": "h:6379/5",
	} {
		if got := Address(url); got != want {
			t.Errorf("%q: %s, not %s", url, got, want)
		}
	}
}

// What is logged of a server that refuses or is not there holds no password.
func TestErrorsHoldNoPassword(t *testing.T) {
	const password = "correct-horse"
	for _, url := range []string{"redis://user:" + password + "@127.0.0.1:1/0", strings.Replace(redistest.New(t).URL,
		"unix://", "unix://user:"+password+"@", 1)} {
		_, err := open(t, url).Limiter(fresh(), short).Take(t.Context(), "k", ratelimit.Standard, 1)
		if err == nil || strings.Contains(err.Error(), password) {
			t.Errorf("%v", err)
		}
	}
}

// A URL cannot make a call wait longer, or try twice: it names a server, and no more.
func TestURLDoesNotSetTimeouts(t *testing.T) {
	got, err := ParseURL("redis://u:p@localhost:1/2?read_timeout=1h&dial_timeout=1h&max_retries=9&pool_timeout=1h")
	want := Server{network: "tcp", address: "localhost:1", user: "u", password: "p", database: 2}
	if err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
}

// The user, the password and the database of the URL are the ones that are used.
func TestUserAndDatabase(t *testing.T) {
	url := redistest.New(t).URL
	root := open(t, url)
	ask(t, root, "ACL", "SETUSER", "few", "on", ">hunter2", "~railkit:*", "+select", "+eval", "+evalsha", "+time",
		"+zadd", "+zcard", "+zrange", "+zrangebyscore", "+zremrangebyscore", "+pexpire")
	few := open(t, strings.Replace(url, "unix://", "unix://few:hunter2@", 1)+"?db=3")
	if _, err := few.Limiter("railkit:test", time.Hour).Take(t.Context(), "k", ratelimit.Standard, 1); err != nil {
		t.Fatal(err)
	}
	in3 := open(t, url+"?db=3")
	if ask(t, root, "DBSIZE") != int64(0) || ask(t, in3, "DBSIZE") != int64(1) {
		t.Error("the count is in another database")
	}
}

// The certificate of rediss:// is checked, against the name in the URL.
func TestTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(nil) // whose certificate is for example.com
	server.StartTLS()
	defer server.Close()
	url := "rediss://" + server.Listener.Addr().String()
	take := func(url string) error {
		_, err := open(t, url).Limiter(fresh(), short).Take(t.Context(), "k", ratelimit.Standard, 1)
		return err
	}
	if err := take(url); !errors.As(err, new(*tls.CertificateVerificationError)) {
		t.Errorf("a stranger's certificate: %v", err)
	}
	if err := take(url + "?skip_verify=true"); err == nil || errors.As(err, new(*tls.CertificateVerificationError)) {
		t.Errorf("a server of something else: %v", err)
	}
}

// A server that was started again while nobody asked has closed every connection: no call finds that out by failing.
func TestStartedAgainBetweenCalls(t *testing.T) {
	server := redistest.New(t)
	r := open(t, server.URL)
	const many = 4
	all := make([]redis.Conn, many)
	for i := range all {
		all[i] = r.pool.Get()
		if err := all[i].Err(); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range all {
		_ = c.Close()
	}
	if idle := r.pool.IdleCount(); idle != many {
		t.Fatalf("%d connections lie idle", idle)
	}
	server.Kill()
	server.Start(t)
	l := r.Limiter(fresh(), short)
	for range many {
		if _, err := l.Take(t.Context(), "k", ratelimit.Standard, 100); err != nil {
			t.Error(err)
		}
	}
}

// A server that is gone, or holds still, is an error within the patience; a
// caller that hung up is none.
func TestAway(t *testing.T) {
	server := redistest.New(t)
	l := openHasty(t, server.URL).Limiter(fresh(), short)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	take := func() error {
		began := time.Now()
		_, err := l.Take(gone, "k", ratelimit.Standard, 100)
		if took := time.Since(began); took > time.Minute { // far more than the patience, for a busy machine
			t.Errorf("it took %v", took)
		}
		return err
	}
	for _, step := range []struct {
		name  string
		do    func()
		fails bool
	}{
		{"up", func() {}, false},
		{"paused", func() { server.Pause(t) }, true},
		{"resumed", func() { server.Resume(t) }, false},
		{"killed", server.Kill, true},
		{"started", func() { server.Start(t) }, false},
	} {
		step.do()
		if !step.fails { // a busy machine's Redis may need longer than the patience, and then tries again
			testwait.Until(t, step.name, func() bool { return take() == nil })
		} else if take() == nil {
			t.Errorf("%s: no error", step.name)
		}
	}
}

func BenchmarkTake(b *testing.B) {
	r := open(b, redistest.New(b).URL)
	for name, l := range map[string]ratelimit.Limiter{
		"memory": ratelimit.NewMemory(clock.System{}, ratelimit.Window, 100),
		"redis":  r.Limiter(fresh(), ratelimit.Window),
	} {
		for _, limit := range []int{20, 1_000_000} { // nearly all refused, none
			b.Run(fmt.Sprintf("%s/limit=%d", name, limit), func(b *testing.B) {
				who := fresh()
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						if _, err := l.Take(context.Background(), who, ratelimit.Standard, limit); err != nil {
							b.Fatal(err)
						}
					}
				})
			})
		}
	}
}
