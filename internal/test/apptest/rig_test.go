package apptest

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	railkit "github.com/railkit/railkit/sdk/go"
)

// A rig's signer goes on after a stop, with what its journal has.
func TestRig_SignerStopsAndStarts(t *testing.T) {
	t.Parallel()
	a := Rig(t)
	c := a.Client()
	alice := a.Register(c, "alice@example.com")
	a.StopEnclave()
	challenge := func() Answer {
		return a.Do(a.Keys.BenchKey, "POST", "/v1/signing/passkeys/challenge", `{"email":"bob@example.com"}`)
	}
	if got := challenge(); got.Status != 503 {
		t.Errorf("without a signer: %d %s", got.Status, got.Body)
	}
	a.StartEnclave()
	Eventually(t, "the server meets it again", func() bool { return challenge().Status/100 == 2 })
	req := railkit.PrepareWalletRequest{WalletName: "W", SubOrganizationID: alice.Sub.SubOrganizationID}
	made, err := c.Wallets.Create(t.Context(), alice.Passkey, req)
	if err != nil || made.WalletID == "" {
		t.Errorf("a wallet of who registered before the stop: %+v, %v", made, err)
	}
}

// Who shares a rig sees nothing of the other's workspace, and the rig stays when
// the other one ends.
func TestShared_WorkspacesApart(t *testing.T) {
	t.Parallel()
	a := Shared(t)
	t.Run("another", func(t *testing.T) {
		b := Shared(t)
		if b.BaseURL != a.BaseURL || b.Keys.WorkspaceID == a.Keys.WorkspaceID {
			t.Errorf("%s of %s and %s of %s", b.Keys.WorkspaceID, b.BaseURL, a.Keys.WorkspaceID, a.BaseURL)
		}
		b.Register(b.Client(), "alice@example.com")
	})
	c := a.Client()
	if keys, err := c.Passkeys.List(t.Context(), ""); err != nil || len(keys) != 0 {
		t.Errorf("passkeys of another workspace: %+v, %v", keys, err)
	}
	a.Register(c, "alice@example.com")
}

// judge is a test that may fail without failing the one around it.
type judge struct {
	testing.TB
	said string
}

func (j *judge) Fatal(args ...any) {
	j.said = fmt.Sprint(args...)
	runtime.Goexit()
}

func TestRig_SaysWhichFormToUse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		app  *App
		call func(*App)
		want string
	}{
		"kill":               {&App{}, (*App).KillEnclave, "use apptest.New"},
		"pid":                {&App{}, func(a *App) { a.EnclavePID() }, "use apptest.New"},
		"start of a process": {&App{}, (*App).StartEnclave, "only apptest.Rig"},
		"shared server":      {&App{isShared: true}, (*App).StopServer, "use apptest.Rig"},
		"shared signer":      {&App{isShared: true}, (*App).StopEnclave, "use apptest.Rig"},
		"shared options": {&App{isShared: true},
			func(a *App) { a.Reconfigure(WithoutSweeper()) }, "use apptest.Rig"},
		"shared prices": {&App{isShared: true}, func(a *App) { a.Prices(a.t, Market) }, "use apptest.Rig"},
	} {
		j := &judge{TB: t}
		c.app.t = j
		done := make(chan struct{})
		go func() {
			defer close(done)
			c.call(c.app)
		}()
		<-done
		if !strings.Contains(j.said, c.want) {
			t.Errorf("%s: %q", name, j.said)
		}
	}
}
