package apptest

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/platform/workspace"
)

// shared is the rig of all tests of this process that share one. It lives while
// any of them runs, and the next one after a pause starts another; after Keep it
// lives until the process ends.
var shared struct {
	sync.Mutex
	app     *App
	life    *life
	users   int
	options []func(testing.TB) Option
}

// Keep is m.Run for a package that has examples, or tests that run one after the other: the shared rig starts with
// these options at the first Shared, and ends after the last example.
func Keep(m *testing.M, options ...func(testing.TB) Option) int {
	shared.users, shared.options = 1, options
	code := m.Run()
	if shared.app != nil {
		shared.life.end(Example{})
	}
	return code
}

// Example stands in the place of a test where there is none, as in an example: Shared(Example{}). What fails panics.
type Example struct{ testing.TB }

// Helper does nothing.
func (Example) Helper() {}

// Cleanup does nothing: what an example shares ends with the process.
func (Example) Cleanup(func()) {}

// Fatal panics.
func (Example) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

// Fatalf panics.
func (Example) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// Error panics.
func (Example) Error(args ...any) { panic(fmt.Sprint(args...)) }

// Errorf panics.
func (Example) Errorf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// Shared gives a test a workspace of its own, with keys like the sandbox's, in a
// rig that others use at the same time. Their rows, log lines and mails are there
// too: a test that counts them, that changes prices or options, or that stops
// anything has to use Rig.
func Shared(t testing.TB) *App {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.app == nil {
		shared.life = &life{TB: t}
		var options []Option
		for _, o := range shared.options {
			options = append(options, o(shared.life))
		}
		shared.app = Rig(shared.life, options...)
	}
	shared.users++
	t.Cleanup(func() { leaveShared(t) })
	a := *shared.app
	a.t, a.Keys, a.isShared = t, newKeys(t), true
	workspaces := workspace.New(a.Store.Workspaces(), clock.System{})
	if err := app.EnsureSandbox(context.Background(), workspaces, a.config.Environment, a.Keys); err != nil {
		t.Fatal(err)
	}
	return &a
}

func leaveShared(t testing.TB) {
	shared.Lock()
	defer shared.Unlock()
	if shared.users--; shared.users == 0 {
		shared.life.end(t)
		shared.app = nil
	}
}

// refuseShared fails a test that would change the rig under the others.
func (a *App) refuseShared() {
	a.t.Helper()
	if a.isShared {
		a.t.Fatal("other tests use this application too: use apptest.Rig")
	}
}

// life stands for the test that a shared rig would belong to. What it started
// ends with the last test, which reports what goes wrong there.
type life struct {
	testing.TB // the first test, then the last
	cleanups   []func()
}

func (l *life) Cleanup(f func()) { l.cleanups = append(l.cleanups, f) }

// TempDir is a folder that outlives the first test.
func (l *life) TempDir() string {
	l.Helper()
	dir, err := os.MkdirTemp("", "railkit-rig")
	if err != nil {
		l.Fatal(err)
	}
	l.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			l.Error(err)
		}
	})
	return dir
}

func (l *life) Context() context.Context { return context.Background() }

// Output is where programs that outlive the first test write.
func (l *life) Output() io.Writer { return io.Discard }

func (l *life) end(last testing.TB) {
	l.TB = last
	for _, f := range slices.Backward(l.cleanups) {
		f()
	}
}
