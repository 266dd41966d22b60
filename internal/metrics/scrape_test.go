package metrics

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/platform/auth"
)

// BenchmarkScrape is a scrape of a server whose every operation was called, with three statuses: what each scrape costs
// beside what the sources are asked, six times a minute.
func BenchmarkScrape(b *testing.B) {
	m := fresh()
	for operation := range 320 {
		for _, status := range []int{200, 400, 429} {
			m.Begin()
			m.End(edge.Measured{
				Operation: fmt.Sprint("someOperation", operation), Caller: auth.ByKey, Status: status,
				Took: time.Millisecond,
			})
		}
	}
	m.ask("some", func(context.Context) ([]prometheus.Metric, error) {
		return []prometheus.Metric{some.of(1)},
			nil
	}, some)
	handler, bytes, series := m.Handler(), 0, 0
	b.ReportAllocs()
	for b.Loop() {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		bytes = w.Body.Len()
		series = strings.Count(w.Body.String(), "\n") - strings.Count(w.Body.String(), "# ")
	}
	b.ReportMetric(float64(bytes), "bytes")
	b.ReportMetric(float64(series), "series")
}
