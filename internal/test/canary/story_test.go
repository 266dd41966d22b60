package canary_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/canary"
	"github.com/railkit/railkit/internal/test/testenv"
)

// The whole platform as separate programs: everything that can go well or wrong
// is made to happen, then every word that came out is searched for every secret.
func TestSigning_K06_NothingTellsASecret(t *testing.T) {
	for _, engine := range testenv.Sample(t, []string{"SQLite", "PostgreSQL"}, 1) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			p := newPlatform(t, engine == "PostgreSQL")
			p.answers.add([]byte(strings.Join(p.serverArgs(""), " "))) // other users see a program's arguments
			alice := p.happyPath()
			bot := p.agents(alice)
			p.callersFaults(alice)
			p.agentsFaults(bot)
			p.badStamps(alice)
			p.payouts(alice)
			p.nodeFaults(alice)
			p.wrongStarts()
			p.databaseFaults(alice)
			p.signals(alice, bot)
			p.send(alice)
			p.node.Close()
			p.send(alice)
			p.group.Stop(20 * time.Second)
			p.cageSigner()
			p.cageServer()
			p.cageStamps(alice.stamps)
			for _, key := range p.answers.keys {
				p.cage.AddText("idempotency key", key)
			}
			for _, mac := range p.answers.signatures {
				p.cage.AddText("agent's signature", mac)
			}
			p.wantProvoked()
			for _, found := range unique(p.everywhere()) {
				t.Error(found)
			}
			p.wantPlantedFound()
		})
	}
}

// wantProvoked makes sure that the logs have something to be searched.
func (p *platform) wantProvoked() {
	p.t.Helper()
	for _, want := range []string{
		`"operation":"confirmTransaction"`, `"operation":"submitInvite"`, `"status":500`, `"status":503`, "SIGQUIT",
		"SIGABRT", "goroutine", "calling the enclave",
	} {
		if !p.logged(want) {
			p.t.Errorf("the server's log has no %s", want)
		}
	}
	if len(p.answers.keys) == 0 {
		p.t.Error("no idempotency key was sent")
	}
	if len(p.answers.signatures) < 10 {
		p.t.Error("agents sent hardly a signature")
	}
}

// wantPlantedFound plants a secret at each place: a search that cannot find
// proves nothing.
func (p *platform) wantPlantedFound() {
	p.t.Helper()
	p.cage.AddText("planted", "planted-canary-4711")
	p.keep("planted.log", []byte(`{"error":"706c616e7465642d63616e6172792d34373131"}`))
	p.answers.add([]byte("X-Planted: planted-canary-4711"))
	p.execute("UPDATE wallets SET name = 'x planted-canary-4711'")
	p.must(os.WriteFile(filepath.Join(p.serverDir, "planted"), []byte("cGxhbnRlZC1jYW5hcnktNDcxMQ=="), 0o600))
	found := strings.Join(p.everywhere(), "\n")
	for _, want := range []string{
		"planted.log holds the planted, in hex", "an answer holds the planted, as it is",
		"a row of wallets holds the planted, as it is", "planted holds the planted, in base64",
	} {
		if !strings.Contains(found, want) {
			p.t.Errorf("not found: %s in\n%s", want, found)
		}
	}
	p.wantCoreFound()
}

// wantCoreFound lets a program that nothing protects die in the same way. Where
// the kernel gives core files to a program there is none to be seen.
func (p *platform) wantCoreFound() {
	p.t.Helper()
	pattern, err := os.ReadFile("/proc/sys/kernel/core_pattern")
	p.must(err)
	limit, err := exec.Command("sh", "-c", "ulimit -H -c").Output()
	p.must(err)
	if !strings.HasPrefix(string(pattern), "core") || strings.TrimSpace(string(limit)) == "0" {
		return
	}
	// It dies, as it should.
	_ = exec.Command("sh", "-c", `cd "$0" && ulimit -c unlimited && kill -ABRT $$`, p.home).Run()
	if found := strings.Join(p.everywhere(), "\n"); !strings.Contains(found, "a core file") {
		p.t.Error("an unprotected program's core file is not found")
	}
}

func unique(lines []string) (out []string) {
	seen := map[string]bool{}
	for _, l := range lines {
		if !seen[l] {
			out = append(out, l)
		}
		seen[l] = true
	}
	return out
}

// A handler that panics is told of in the log, with its calls and without what
// the request held. The clock panics here, as a fault of ours would.
func TestSigning_K06_PanicInAHandler(t *testing.T) {
	t.Parallel()
	var left atomic.Int64
	a := apptest.New(t, apptest.WithoutSweeper(), apptest.WithClock(clock.Func(func() time.Time {
		if inHandler() && left.Add(-1) == 0 {
			panic("the clock is broken")
		}
		return time.Now().UTC()
	})))
	cage := &canary.Cage{}
	cage.AddText("API key", a.Keys.BenchKey)
	cage.AddText("body", "carol-4711@example.com")
	for when := int64(2); when < 8; when++ { // the first look at the clock is before the handler
		// Another each time: the next caller of one whose handler panicked waits 5 s for its answer.
		key := uuid.NewString()
		cage.AddText("idempotency key", key)
		left.Store(when)
		a.Do(a.Keys.BenchKey, "POST", "/v1/signing/passkeys/challenge",
			`{"email":"carol-4711@example.com"}`, "Idempotency-Key", key)
	}
	log := a.Log.String()
	if !strings.Contains(log, "panic: the clock is broken") || !strings.Contains(log, "goroutine") {
		t.Errorf("no panic in the log:\n%s", log)
	}
	for _, found := range cage.Find("the log", []byte(log)) {
		t.Error(found)
	}
}

// inHandler is false in the jobs and watchers, whose panic ends the server.
func inHandler() bool { return bytes.Contains(debug.Stack(), []byte("ServeHTTP")) }
