// Package metrics is what monitoring reads of a server: the one package that knows Prometheus. What happens often is
// counted as it happens, by the hooks of Metrics; what somebody else has to be asked for is asked when monitoring asks,
// and at most every ten seconds (Source). Kits and the platform know neither: internal/app hands the hooks to them.
//
// How many series there are is bounded by this program and its settings: a label is an operation of the API, a network,
// a kind of job, never what a caller sent.
package metrics

import (
	"log/slog"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// unknown is the label of what this program has no name for.
const unknown = "unknown"

// Metrics are those of one server.
type Metrics struct {
	registry *prometheus.Registry
	log      *slog.Logger
	calls
	others
}

// New makes the metrics of a server of a version.
func New(version string, log *slog.Logger) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), log: log, calls: newCalls(), others: newOthers()}
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "railkit_build_info", Help: "1, for the server's version and that of Go.",
	}, []string{"version", "go"})
	build.WithLabelValues(version, runtime.Version()).Set(1)
	m.registry.MustRegister(build, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.registry.MustRegister(m.calls.all()...)
	m.registry.MustRegister(m.others.all()...)
	return m
}

// Gatherer is for tests.
func (m *Metrics) Gatherer() prometheus.Gatherer { return m.registry }

// scrapes is how many may read at once: nobody keeps the server busy with reading numbers.
const scrapes = 4

// Handler serves GET /metrics. What cannot be told is left out, and named by railkit_source_up.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog:      slog.NewLogLogger(m.log.Handler(), slog.LevelError),
		ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: scrapes, Registry: m.registry,
	}))
	return mux
}

// quick are the bounds, in seconds, of what takes milliseconds; slow those of what others take.
var (
	quick = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 10}
	slow  = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}
)

func counter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

func histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
}

// statuses are the texts of HTTP's statuses. A call of which nothing was sent has none of them.
var statuses = func() map[int]string {
	all := map[int]string{}
	for code := 100; code < 600; code++ {
		if http.StatusText(code) != "" {
			all[code] = strconv.Itoa(code)
		}
	}
	return all
}()

func seconds(d time.Duration) float64 { return d.Seconds() }
