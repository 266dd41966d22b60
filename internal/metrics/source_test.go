package metrics

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/railkit/railkit/platform/ready"
)

var some = gauge("railkit_some", "For tests.")

// read is a scrape: the values of all series, by name and labels.
func read(t *testing.T, m *Metrics) map[string]float64 {
	t.Helper()
	families, err := m.Gatherer().Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	for _, f := range families {
		for _, one := range f.GetMetric() {
			var labels []string
			for _, l := range one.GetLabel() {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
			name := f.GetName()
			if len(labels) > 0 {
				name += "{" + strings.Join(labels, ",") + "}"
			}
			all[name] = one.GetGauge().GetValue() + one.GetCounter().GetValue() +
				float64(one.GetHistogram().GetSampleCount())
		}
	}
	return all
}

func fresh() *Metrics { return New("test", slog.New(slog.DiscardHandler)) }

// However often, and by however many, the numbers are read: a source is asked once in ten seconds.
func TestSource_IsAskedSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, asked := fresh(), atomic.Int64{}
		m.ask("some", func(context.Context) ([]prometheus.Metric, error) {
			time.Sleep(time.Second)
			return []prometheus.Metric{some.of(float64(asked.Add(1)))}, nil
		}, some)
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() { read(t, m) })
		}
		all.Wait()
		for range 9 {
			if got := read(t, m)["railkit_some"]; got != 1 {
				t.Errorf("it says %v", got)
			}
			time.Sleep(time.Second)
		}
		time.Sleep(2 * time.Second)
		got := read(t, m)
		if got["railkit_some"] != 2 || got["railkit_source_up{source=some}"] != 1 ||
			got["railkit_source_seconds{source=some}"] != 1 {
			t.Errorf("after ten seconds: %v", got)
		}
	})
}

// What fails, panics, or hangs without looking at its context leaves all other numbers readable, costs a scrape three
// seconds at most, and is told by a metric and by one line of the log. It is not asked a second time while it hangs.
func TestSource_ThatIsAwayHidesNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		m, hung, broken := New("test", slog.New(slog.NewTextHandler(&log, nil))), atomic.Int64{}, atomic.Bool{}
		release := make(chan struct{})
		broken.Store(true)
		for name, ask := range map[string]func() error{
			"fails":  func() error { return errors.New("no database") },
			"panics": func() error { panic("out of cheese") },
			"hangs":  func() error { hung.Add(1); <-release; return nil },
			"works":  func() error { return nil },
			"mends": func() error {
				if broken.Load() {
					return errors.New("no database")
				}
				return nil
			},
		} {
			of := gauge("railkit_"+name, "For tests.")
			m.ask(name, func(context.Context) ([]prometheus.Metric, error) {
				return []prometheus.Metric{of.of(1)}, ask()
			}, of)
		}
		for range 3 {
			began := time.Now()
			got := read(t, m)
			if took := time.Since(began); took > patience {
				t.Errorf("a scrape took %v", took)
			}
			for name, up := range map[string]float64{"fails": 0, "panics": 0, "hangs": 0, "mends": 0, "works": 1} {
				if _, told := got["railkit_"+name]; told != (up == 1) ||
					got["railkit_source_up{source="+name+"}"] != up {
					t.Errorf("%s: told %v, %v", name, told, got["railkit_source_up{source="+name+"}"])
				}
			}
			if got["railkit_source_seconds{source=hangs}"] != 3 {
				t.Error("nobody says that it hangs")
			}
			time.Sleep(keep)
		}
		if hung.Load() != 1 {
			t.Errorf("what hangs was asked %d times", hung.Load())
		}
		broken.Store(false)
		close(release)
		synctest.Wait()
		if got := read(t, m); got["railkit_mends"] != 1 || got["railkit_hangs"] != 1 {
			t.Errorf("after that: %v", got)
		}
		for line, n := range map[string]int{"source=fails": 1, "source=mends": 2, "source=works": 0} {
			if got := strings.Count(log.String(), line); got != n {
				t.Errorf("%d lines of %s:\n%s", got, line, log.String())
			}
		}
	})
}

// A signer that takes a connection and never answers is told to be away: whoever waits for it does not hide that.
func TestReady_TellsOfASignerThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		probe := ready.New(slog.New(slog.DiscardHandler),
			ready.Part{Name: "database", Ask: func(context.Context) error { return nil }},
			ready.Part{Name: "signer", Ask: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }})
		m := fresh()
		m.AskReady(probe.Parts(), probe.Missing)
		for range 3 {
			expect(t, m, "railkit_ready", map[string]float64{"{part=database}": 1, "{part=signer}": 0})
			if read(t, m)["railkit_source_up{source=ready}"] != 1 {
				t.Error("nobody says whether the signer is there")
			}
			time.Sleep(keep)
		}
	})
}
