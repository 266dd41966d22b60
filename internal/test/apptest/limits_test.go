package apptest_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/supervise"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/redistest"
	"github.com/railkit/railkit/internal/test/testbin"
	"github.com/railkit/railkit/platform/ratelimit"
)

func withRedis(url string) apptest.Option {
	return func(c *apptest.Config) { c.RedisURL = url }
}

const (
	standardPath  = "/v1/signing/wallets?limit=1"
	financialPath = "/v1/signing/wallets/prepare"
)

// At stock limits a key has twenty changes of the signing kit a minute. The next
// is refused in the envelope; reads and other keys are not.
func TestPlatform_H08_LimitOfSigning(t *testing.T) {
	t.Parallel()
	a := apptest.New(t)
	change := func(key string) apptest.Answer { return a.Do(key, "POST", financialPath, `{"walletName":"w"}`) }
	for i := range 20 {
		if got := change(a.Keys.APIKey); got.Status >= 429 ||
			got.Header.Get("RateLimit-Policy") != `"financial";q=20;w=60` {
			t.Fatalf("call %d: %d %s", i, got.Status, got.Body)
		}
	}
	got := change(a.Keys.APIKey)
	var e map[string]any
	if err := json.Unmarshal([]byte(got.Body), &e); err != nil {
		t.Fatal(err)
	}
	at, err := time.Parse("2006-01-02T15:04:05.000Z", e["timestamp"].(string))
	delete(e, "timestamp")
	details, _ := e["details"].(map[string]any)
	wait, _ := details["retryAfterSeconds"].(float64)
	if details["limit"] != 20.0 || details["windowSeconds"] != 60.0 || wait < 1 || wait > 60 {
		t.Errorf("the body names neither limit nor time: %s", got.Body)
	}
	delete(e, "details")
	want := map[string]any{
		"success": false, "statusCode": 429.0, "message": "Rate limit exceeded", "error": "rate_limit_exceeded",
		"path": financialPath,
	}
	if len(e) != len(want) || err != nil || time.Since(at) > time.Minute {
		t.Errorf("%s", got.Body)
	}
	for name, value := range want {
		if e[name] != value {
			t.Errorf("%s is %v", name, e[name])
		}
	}
	if got.Status != 429 || got.Header.Get("Retry-After") == "" ||
		got.Header.Get("Content-Type") != "application/json" ||
		!strings.HasPrefix(got.Header.Get("RateLimit"), `"financial";r=0;t=`) {
		t.Errorf("%d %v", got.Status, got.Header)
	}
	if read := a.Do(a.Keys.APIKey, "GET", standardPath, ""); read.Status != 200 {
		t.Errorf("a read: %d", read.Status)
	}
	if other := change(a.Keys.BenchKey); other.Status == 429 {
		t.Errorf("another key: %d", other.Status)
	}
}

// Two processes of railkit serve that share a Redis and a database admit the stock
// limits together, exactly, whoever of them is asked.
func TestPlatform_LimitsOverTwoProcesses(t *testing.T) {
	t.Parallel()
	a := apptest.New(t, apptest.WithPostgres(t), withRedis(redistest.New(t).URL))
	servers := []string{serve(t, a), serve(t, a)}
	for _, c := range []struct {
		method, path, body string
		limit              int
	}{
		{"POST", financialPath, `{"walletName":"w"}`, 20},
		{"GET", standardPath, "", 100},
	} {
		statuses := map[int]int{}
		var mu sync.Mutex
		var wg sync.WaitGroup
		turns := make(chan struct{}, 32) // at once: a busy machine answers none of 200 in time
		for i := range 200 {
			wg.Go(func() {
				turns <- struct{}{}
				defer func() { <-turns }()
				status := ask(t, c.method, servers[i%2]+c.path, c.body, a.Keys.APIKey)
				mu.Lock()
				defer mu.Unlock()
				statuses[status]++
			})
		}
		wg.Wait()
		if statuses[429] != 200-c.limit || statuses[503] != 0 || len(statuses) != 2 {
			t.Errorf("%s %s: answers by status %v, limit %d\n%s", c.method, c.path, statuses, c.limit, a.Log.Tail(5))
		}
	}
}

func ask(t *testing.T, method, url, body, key string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "ApiKey "+key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

// serve is another server of the application, a process of its own.
func serve(t *testing.T, a *apptest.App) (baseURL string) {
	t.Helper()
	bin, err := testbin.Path("railkit")
	if err != nil {
		t.Fatal(err)
	}
	c := a.Config()
	g := supervise.New(a.Log)
	t.Cleanup(g.Kill)
	child, err := g.Start(context.Background(), supervise.Spec{
		Name: "server", Path: bin,
		Env: []string{"RAILKIT_DATABASE_URL=" + c.DatabaseURL, "RAILKIT_REDIS_URL=" + c.RedisURL},
		Args: func(supervise.Facts) []string {
			return []string{
				"serve", "--addr", "127.0.0.1:0", "--data", t.TempDir(), "--environment", "sandbox", "--sandbox-file",
				c.SandboxFile, "--enclave-socket", c.EnclaveSocket, "--enclave-key", c.EnclaveKey, "--rp-id", c.RPID,
				"--devnet-url", c.DevnetURL, "--rpc", "base=" + c.RPCURLs["base"],
			}
		},
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, a.Log)
	}
	return "http://" + child.Facts().Text("addr")
}

// While Redis holds still or is gone, standard calls go on by the server's own
// count and financial ones are refused, or as it is set; each is counted, few
// wait, and all is as before once Redis is back.
func TestPlatform_LimitsDuringAnOutage(t *testing.T) {
	t.Parallel()
	for name, policies := range map[string]struct{ standard, financial ratelimit.Policy }{
		"by default": {"", ""},
		"reversed":   {ratelimit.Closed, ratelimit.Open},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			redis := redistest.New(t)
			a := apptest.New(t, withRedis(redis.URL), func(c *apptest.Config) {
				c.RateLimitOutageStandard, c.RateLimitOutageFinancial = policies.standard, policies.financial
			})
			o := outage{t, a, policies.standard == ratelimit.Closed, policies.financial != ratelimit.Open}
			o.wantUp()
			for _, step := range []struct{ away, back func() }{
				{func() { redis.Pause(t) }, func() { redis.Resume(t) }},
				{redis.Kill, func() { redis.Start(t) }},
			} {
				step.away()
				o.wantAway()
				step.back()
				o.wantUp()
			}
		})
	}
}

type outage struct {
	t                   *testing.T
	a                   *apptest.App
	standard, financial bool // closed
}

func (o outage) wantUp() {
	o.t.Helper()
	apptest.Eventually(o.t, "calls are counted again", func() bool {
		read, change := o.call()
		return read.Status == 200 && change.Status < 429
	})
}

func (o outage) wantAway() {
	o.t.Helper()
	before, failed := o.a.LimitOutages()
	began := time.Now()
	const calls = 50
	for range calls {
		read, change := o.call()
		o.want("standard", read, o.standard)
		o.want("financial", change, o.financial)
	}
	// What stops is served in any case. That there is nothing to stop is told by the operation, past the limit.
	stop := o.a.Do(o.a.Keys.BenchKey, "POST", "/v1/signing/approvals/"+uuid.NewString()+"/reject", `{}`)
	if stop.Status != 404 || !strings.HasPrefix(stop.Header.Get("RateLimit"), `"financial"`) {
		o.t.Errorf("what only stops: %d %s %v", stop.Status, stop.Body, stop.Header)
	}
	after, failures := o.a.LimitOutages()
	pauses := uint64(time.Since(began) / (250 * time.Millisecond)) // between two questions
	if waited := failures - failed; waited > pauses+2 {
		o.t.Errorf("%d of %d calls waited for Redis in %v", waited, 2*calls, time.Since(began))
	}
	for class, closed := range map[ratelimit.Class]bool{
		ratelimit.Standard: o.standard, ratelimit.Financial: o.financial,
	} {
		d := ratelimit.Decision{
			Class: class, Policy: map[bool]ratelimit.Policy{true: ratelimit.Closed, false: ratelimit.Open}[closed],
		}
		if n := after[d] - before[d]; n != calls {
			o.t.Errorf("%v is counted %d times of %d", d, n, calls)
		}
	}
	if failures == 0 || !strings.Contains(o.a.Log.String(), "the shared count does not answer") {
		o.t.Errorf("%d failures, and nothing in the log", failures)
	}
}

func (o outage) call() (read, change apptest.Answer) {
	return o.a.Do(o.a.Keys.BenchKey, "GET", standardPath, ""), o.a.Do(o.a.Keys.BenchKey, "POST",
		financialPath, `{"walletName":"w"}`)
}

func (o outage) want(class string, got apptest.Answer, closed bool) {
	o.t.Helper()
	refused := got.Status == 503 && got.Field("error") == "rate_limit_unavailable" &&
		got.Header.Get("Retry-After") != ""
	counted := got.Status < 429 && strings.HasPrefix(got.Header.Get("RateLimit"), `"`+class+`"`)
	if closed && !refused || !closed && !counted {
		o.t.Errorf("%s, closed %v: %d %s %v", class, closed, got.Status, got.Body, got.Header)
	}
}

// A server that starts while Redis is away serves, and counts in it once it is there.
func TestStartsWithoutRedis(t *testing.T) {
	t.Parallel()
	redis := redistest.New(t)
	redis.Kill()
	a := apptest.New(t, withRedis(redis.URL))
	for _, line := range []string{`"msg":"the start waits for Redis","at":"/`, `"msg":"starting without Redis`} {
		if strings.Count(a.Log.String(), line) != 1 {
			t.Errorf("no %s in\n%s", line, a.Log)
		}
	}
	o := outage{t, a, false, true}
	o.wantAway()
	redis.Start(t)
	o.wantUp()
}

// The passkey page counts each caller behind an own proxy, and nobody for what
// another page makes a browser send.
func TestPlatform_LimitOfThePage(t *testing.T) {
	t.Parallel()
	a := apptest.New(t, func(c *apptest.Config) {
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	open := func(from string, headers ...string) int {
		return a.CallPage("/open", `{"token":"none"}`, append(headers, "X-Forwarded-For", from)...).Status
	}
	for range 310 {
		if status := open("198.51.100.1", "Origin", "https://evil.example"); status != 403 {
			t.Fatalf("another page: %d", status)
		}
	}
	for i := range 301 {
		if status := open("198.51.100.1"); (status == 429) != (i == 300) {
			t.Fatalf("call %d: %d", i, status)
		}
	}
	if status := open("198.51.100.2"); status == 429 {
		t.Errorf("another caller behind the proxy: %d", status)
	}
}
