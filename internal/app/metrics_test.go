package app

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/internal/metrics"
	"github.com/railkit/railkit/kit/payout/reconcile"
	"github.com/railkit/railkit/platform/issuer"
	"github.com/railkit/railkit/platform/record"
)

// What the checks found is told once they have run, and only where it is asked for.
func TestPayout_ReconcileMetrics(t *testing.T) {
	c := Config{Server: config.Server{DataDir: t.TempDir()}, Log: slog.New(slog.DiscardHandler)}
	s, err := OpenStore(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	books := reconcile.NewBooks(s.Payout(), clock.System{}, c.Log)
	ask := func(path string) *httptest.ResponseRecorder {
		m := metrics.New("test", c.Log) // anew: answers are good for ten seconds
		m.AskBooks(s.Payout(), books.Last, time.Now)
		m.AskIssuers([]issuer.Token{{Network: "solana", Address: "4zMM", Symbol: "USDC"}}, s.Issuers().Issuers)
		m.TellIssuers(func() map[issuer.Token]bool {
			return map[issuer.Token]bool{
				{Network: "solana", Symbol: "USDC"}: false, {Network: "solana", Symbol: "USDT"}: true,
			}
		})
		w := httptest.NewRecorder()
		m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w
	}
	if w := ask("/metrics"); w.Code != 200 || strings.Contains(w.Body.String(), "railkit_reconcile") {
		t.Errorf("before anything ran: %d %s", w.Code, w.Body)
	}
	ended := time.Unix(1_800_000_000, 0)
	run := reconcile.MatchRun{
		Version: 1, EndedAt: ended, Last: reconcile.MatchTally{Wallets: 9, Differences: 2, Failed: 1},
	}
	if err := s.Payout().PutMatchRun(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	if err := books.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	usdc := issuer.Issuer{
		Token: issuer.Token{Network: "solana", Address: "4zMM", Symbol: "USDC"}, Kept: "a: 1", Seen: "a: 1",
	}
	err = record.Do(t.Context(), s.Issuers(), issuer.Platform, func(ctx context.Context, tx issuer.Tx) error {
		return errors.Join(tx.KeepIssuer(ctx, usdc), tx.SeeIssuer(ctx, usdc, "a: 2\nb: 1", ended))
	})
	if err != nil {
		t.Fatal(err)
	}
	w := ask("/metrics")
	for _, line := range []string{
		"# TYPE railkit_reconcile_differences gauge\n", "\nrailkit_reconcile_differences{with=\"itself\"} 0\n",
		"\nrailkit_reconcile_differences{with=\"partner\"} 2\n",
		"\nrailkit_reconcile_not_compared{with=\"partner\"} 1\n",
		"\nrailkit_reconcile_last_run_timestamp_seconds{with=\"partner\"} 1.8e+09\n",
		"\nrailkit_token_issuer_changed{network=\"solana\",token=\"USDC\"} 1\n",
		"\nrailkit_token_issuer_unknown{network=\"solana\",token=\"USDC\"} 0\n",
		"\nrailkit_token_issuer_unknown{network=\"solana\",token=\"USDT\"} 1\n",
	} {
		if !strings.Contains(w.Body.String(), line) {
			t.Errorf("%q is missing:\n%s", line, w.Body)
		}
	}
	s.Close()
	away := ask("/metrics")
	for line, there := range map[string]bool{
		"\nrailkit_source_up{source=\"orders\"} 0\n": true, "\nrailkit_source_up{source=\"reconciliation\"} 0\n": true,
		"\nrailkit_build_info{": true, "\nrailkit_calls_in_flight 0\n": true, "\nrailkit_reconcile_differences": false,
	} {
		if strings.Contains(away.Body.String(), line) != there {
			t.Errorf("without the database %q is there: %v", line, !there)
		}
	}
	if w := ask("/v1/orders"); w.Code != 404 {
		t.Errorf("something else: %d", w.Code)
	}
}
