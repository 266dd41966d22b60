package app

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/internal/test/testlog"
	"github.com/railkit/railkit/kit/payout/screen"
)

// The log says at the start what is screened with, and a broken list ends the start.
func TestPayout_ScreeningAtStart(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "deny")
	if err := os.WriteFile(broken, []byte("\nx\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		settings config.Server
		says     string
		fails    string
		hits     int
	}{
		{config.Server{Environment: "production"}, "no list screens payouts and refunds", "", 0},
		{config.Server{Environment: "sandbox"}, "a deny list screens payouts and refunds", "", 1},
		{config.Server{Environment: "production", ScreeningURL: "https://x", ScreeningKey: "0123456789abcdef"},
			"a provider screens payouts and refunds", "", -1},
		{config.Server{Environment: "sandbox", ScreeningDeny: broken}, "", "--screening-deny", 0},
		{config.Server{ScreeningURL: "https://x", ScreeningKey: "short"}, "", "--screening-url", 0},
	} {
		log := &testlog.Log{}
		s, err := newScreening(Config{Server: c.settings, Log: slog.New(slog.NewTextHandler(log, nil))})
		if (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) ||
			!strings.Contains(log.String(), c.says) {
			t.Errorf("%+v: %v, %s", c.settings, err, log)
		}
		if err != nil || c.hits < 0 {
			continue
		}
		hits, err := s.Check(t.Context(), []screen.Subject{{Kind: screen.Name, Value: "denied person"}}, nil)
		if err != nil || len(hits) != c.hits {
			t.Errorf("%+v: %v, %v", c.settings, hits, err)
		}
	}
}
