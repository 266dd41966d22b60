package oncall

import (
	"flag"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
)

var update = flag.Bool("update", false, "write the table of metrics instead of comparing it")

// metric is a family as a scrape tells it.
type metric struct {
	name, kind, help string
	labels           []string
	series           []string // names with labels
}

var (
	described = regexp.MustCompile(`^# (HELP|TYPE) (\S+) (.*)$`)
	sample    = regexp.MustCompile(`^([a-z_0-9]+)(\{.*\})? \S+$`)
	label     = regexp.MustCompile(`[{,]([a-z_]+)="`)
)

// scrape reads the metrics of a server, as monitoring does.
func scrape(t testing.TB, a *apptest.App) map[string]*metric {
	t.Helper()
	w := httptest.NewRecorder()
	a.Metrics().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	all := map[string]*metric{}
	of := func(name string) *metric {
		if all[name] == nil {
			all[name] = &metric{name: name}
		}
		return all[name]
	}
	var last *metric
	for line := range strings.Lines(w.Body.String()) {
		line = strings.TrimSpace(line)
		if d := described.FindStringSubmatch(line); d != nil {
			last = of(d[2])
			if d[1] == "HELP" {
				last.help = d[3]
			} else {
				last.kind = d[3]
			}
			continue
		}
		s := sample.FindStringSubmatch(line)
		if s == nil || last == nil || !strings.HasPrefix(s[1], last.name) {
			t.Fatalf("not of any metric: %s", line)
		}
		last.series = append(last.series, s[1]+s[2])
		for _, l := range label.FindAllStringSubmatch(s[2], -1) {
			if !slices.Contains(last.labels, l[1]) && !(l[1] == "le" && last.kind == "histogram") {
				last.labels = append(last.labels, l[1])
			}
		}
	}
	return all
}

// ours are the names of Railkit's own metrics, in their order.
func ours(all map[string]*metric) []string {
	names := slices.Sorted(maps.Keys(all))
	return slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, "railkit_") })
}
