package app

import (
	"fmt"
	"net/http"
	"time"

	"github.com/railkit/railkit/kit/payout/reconcile"
)

// metrics tells monitoring what the checks of the money found, in Prometheus'
// text format. It is served on an address of its own: who may ask is decided there.
func (a *App) metrics() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		run, err := a.Store.Payout().MatchRun(r.Context())
		if err != nil {
			a.config.Log.Error("reading what is measured", "error", err)
			http.Error(w, "not available", http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		at, differences := a.books.Last()
		fmt.Fprint(w, measured(run, at, differences))
	})
	return mux
}

// measured are the numbers. A check that never ran has none.
func measured(run reconcile.MatchRun, booksAt time.Time, booksDiffer int) string {
	names := []struct{ name, help string }{
		{"railkit_reconcile_differences", "Differences that the last whole check found."},
		{"railkit_reconcile_not_compared", "Wallets and account numbers that the last whole check could not compare with all sides."},
		{"railkit_reconcile_last_run_timestamp_seconds", "When the last whole check ended."},
	}
	values := make([]string, len(names))
	if !booksAt.IsZero() {
		values[0] += fmt.Sprintf("%s{with=\"itself\"} %d\n", names[0].name, booksDiffer)
		values[2] += fmt.Sprintf("%s{with=\"itself\"} %d\n", names[2].name, booksAt.Unix())
	}
	if !run.EndedAt.IsZero() {
		values[0] += fmt.Sprintf("%s{with=\"partner\"} %d\n", names[0].name, run.Last.Differences)
		values[1] += fmt.Sprintf("%s{with=\"partner\"} %d\n", names[1].name, run.Last.Failed)
		values[2] += fmt.Sprintf("%s{with=\"partner\"} %d\n", names[2].name, run.EndedAt.Unix())
	}
	text := ""
	for i, n := range names {
		text += "# HELP " + n.name + " " + n.help + "\n# TYPE " + n.name + " gauge\n" + values[i]
	}
	return text
}
