// Package webtest opens pages in a headless Chromium, for tests.
package webtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/railkit/railkit/internal/test/testenv"
	"github.com/railkit/railkit/internal/test/testwait"
)

// chromium is one browser for all tests of a package.
var chromium = sync.OnceValues(start)

var (
	stop  = func() {}
	paint = true
)

// Run is m.Run for a package whose tests open pages.
func Run(run func() int) int {
	code := run()
	stop()
	return code
}

// Unpainted is Run for pages that wait for no frame: the browser lays them out and draws none of them, which is a
// fifth of its work. Pictures need it, and the nightly run has what people have.
func Unpainted(run func() int) int {
	paint = testenv.Nightly() || pictures() != ""
	return Run(run)
}

// pictures is the folder for pictures, if somebody wants them.
func pictures() string { return os.Getenv("RAILKIT_TEST_PICTURES") }

// find is the browser: the one without windows, where it is there, since to open and paint windows that nobody sees
// takes more than half of a test's time. The nightly run has the one that people have.
func find() (string, error) {
	names := []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"}
	if testenv.Nightly() {
		names = append(names[1:], names[0])
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("the browser tests need Chromium: apt-get install chromium, or .ci/install chromium")
}

func start() (context.Context, error) {
	path, err := find()
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path),
		chromedp.WSURLReadTimeout(testwait.Bound), // a busy machine may start nothing within the usual 20 seconds
		// One process for the pages, and none in stock: to start one costs more than a page.
		chromedp.Flag("renderer-process-limit", "1"),
		chromedp.Flag("disable-site-isolation-trials", true),
		chromedp.Flag("disable-features",
			"Translate,BlinkGenPropertyTrees,BackForwardCache,SpareRendererForSitePerProcess,IsolateOrigins,site-per-process"))
	if !paint {
		options = append(options, chromedp.Flag("enable-begin-frame-control", true)) // and nobody ever asks for a frame
	}
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium refuses to run as root with one
	}
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, end := chromedp.NewContext(allocator)
	stop = func() { end(); stopAllocator() }
	return ctx, chromedp.Do(ctx)
}

// Tab is a person's browser, with storage of its own.
type Tab struct {
	T   *testing.T
	Ctx context.Context

	mu       sync.Mutex
	problems []string // what the page's scripts did not catch
}

// Open makes a tab that ends with the test.
func Open(t *testing.T) *Tab {
	t.Helper()
	browser, err := chromium()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	b := &Tab{T: t, Ctx: ctx}
	b.Do()
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if len(b.problems) > 0 {
			t.Errorf("the page's scripts failed: %q", b.problems)
		}
	})
	return b
}

func (b *Tab) listen(event any) {
	if thrown, ok := event.(*runtime.EventExceptionThrown); ok {
		b.mu.Lock()
		b.problems = append(b.problems, thrown.ExceptionDetails.Text)
		b.mu.Unlock()
	}
}

// Do does what a person or the browser would.
func (b *Tab) Do(actions ...chromedp.Action[chromedp.Void]) {
	b.T.Helper()
	if err := chromedp.Do(b.Ctx, actions...); err != nil {
		b.T.Fatalf("browser: %v", err)
	}
}

// Call is one command of the browser's debugging protocol.
func Call[P, R any](b *Tab, command cdp.Command[P, R], params P) R {
	b.T.Helper()
	result, err := chromedp.Run(b.Ctx, func(ctx context.Context, t *chromedp.Target) (R, error) {
		return cdp.Call(ctx, t, command, params)
	})
	if err != nil {
		b.T.Fatalf("browser: %v", err)
	}
	return result
}

// Go opens a link as a new page, also where only its fragment is new.
func (b *Tab) Go(url string) {
	b.T.Helper()
	b.Do(chromedp.Navigate("about:blank"), chromedp.Navigate(url))
}

// Wait waits until the page is in a state, and gives what it shows then.
func (b *Tab) Wait(state string) string {
	b.T.Helper()
	ctx, cancel := context.WithTimeout(b.Ctx, testwait.Bound)
	defer cancel()
	arrived := chromedp.Evaluate[bool](fmt.Sprintf(`new Promise((done) => {
		const look = () => { if (document.getElementById("page")?.dataset.state === %q) done(true) };
		new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
		look();
	})`, state), chromedp.EvalAwaitPromise)
	if _, err := chromedp.Run(ctx, arrived); err != nil {
		b.T.Fatalf("the page is not %s but %s: %v\n%s", state,
			b.Eval("document.getElementById('page')?.dataset.state"), err, b.Text())
	}
	return b.Text()
}

// Picture keeps what the page looks like, where RAILKIT_TEST_PICTURES names a folder for that.
func (b *Tab) Picture(name string) {
	b.T.Helper()
	folder := pictures()
	if folder == "" {
		return
	}
	png, err := chromedp.Run(b.Ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+".png"), png, 0o600)
	}
	if err != nil {
		b.T.Fatal(err)
	}
}

// Text is what the page shows.
func (b *Tab) Text() string { return b.Eval("document.body.innerText") }

// Eval is the text of an expression's value.
func (b *Tab) Eval(expression string) string {
	b.T.Helper()
	value, here := b.EvalHere(expression)
	if !here {
		b.T.Fatal("browser: the page was left meanwhile")
	}
	return value
}

// EvalHere is Eval for where the browser may be on its way to another page: here is false if it left this one before
// the value was known.
func (b *Tab) EvalHere(expression string) (value string, here bool) {
	b.T.Helper()
	value, err := chromedp.Run(b.Ctx, chromedp.Evaluate[string]("Promise.resolve("+expression+").then(String, String)",
		chromedp.EvalAwaitPromise, asThePage))
	if err == nil {
		return value, true
	}
	for _, left := range []string{"navigated or closed", "Cannot find context", "context was destroyed"} {
		if strings.Contains(err.Error(), left) {
			return "", false
		}
	}
	b.T.Fatalf("browser: %v", err)
	return "", false
}

// asThePage holds an expression to the page's own policy.
func asThePage(p *runtime.EvaluateParams) {
	no := false
	p.AllowUnsafeEvalBlockedByCSP = &no
}

// Contains looks for words in what a page shows.
func Contains(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, w := range wanted {
		if !strings.Contains(text, w) {
			t.Errorf("%q is not shown in:\n%s", w, text)
		}
	}
}
