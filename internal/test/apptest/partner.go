package apptest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/internal/supervise"
	"github.com/railkit/railkit/internal/test/rsatest"
)

// partnerSpec is the sandbox's partner, on a folder and the chains.
func partnerSpec(program, folder, node string, flags ...string) supervise.Spec {
	return supervise.Spec{Name: Partner, Path: program, Args: func(first supervise.Facts) []string {
		return append([]string{"--data", folder, "--devnet-url", node, "--addr", addrOf(first)}, flags...)
	}}
}

// WithPartner gives the server the sandbox's partner: a process of its own, on the
// chains of the test run, with further flags. App.Partner has its controls.
func WithPartner(t testing.TB, flags ...string) Option {
	t.Helper()
	folder, log := rsatest.PartnerFolder(t, t.TempDir()), t.Output()
	group := supervise.New(log)
	t.Cleanup(group.Kill)
	child, err := group.Start(context.Background(),
		partnerSpec(program(t, "railkit-partner"), folder, devnetURL(t), flags...))
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + child.Facts().Text("addr")
	return func(a *app.Config) {
		a.WatchEvery = 300 * time.Millisecond // tests of payouts wait for deposits; others let servers rest
		a.PartnerURL, a.PartnerKey = url, readKey(t, folder, control.APIKeyFile)
		a.PartnerControlKey = readKey(t, folder, control.KeyFile)
		a.PartnerWebhookKeyFile = filepath.Join(folder, control.PublicKeyFile)
	}
}

func readKey(t testing.TB, folder, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(raw))
}

// meetPartner tells the partner, where there is one, where the server is now.
func (a *App) meetPartner(url, key, controlKey string) {
	a.t.Helper()
	if controlKey == "" { // none, or a test's own
		return
	}
	a.PartnerURL, a.PartnerKey = url, key
	a.Partner = control.New(url, controlKey)
	if err := a.Partner.SetWebhookURL(context.Background(), a.BaseURL+control.NoticePath); err != nil {
		a.t.Fatal(err)
	}
}
