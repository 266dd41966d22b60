package metrics

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/railkit/railkit/platform/ready"
)

const (
	// keep is how long an answer is good: however often monitoring asks, the database is asked six times a minute.
	keep = 10 * time.Second
	// patience is how long a source may take: longer than the probe of GET /readyz, which has to tell of a signer that
	// hangs. Monitoring itself waits for ten seconds as a rule.
	patience = ready.Patience + time.Second
)

var (
	sourceUp = gauge("railkit_source_up",
		"1 where a source of the numbers below answered; 0 where it did not, and its numbers are left out.", "source")
	sourceTook = gauge("railkit_source_seconds", "How long a source took to answer last.", "source")
)

// family is a metric whose values come from a source.
type family struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
}

func gauge(name, help string, labels ...string) family {
	return family{prometheus.NewDesc(name, help, labels, nil), prometheus.GaugeValue}
}

func total(name, help string, labels ...string) family {
	return family{prometheus.NewDesc(name, help, labels, nil), prometheus.CounterValue}
}

// of is a value of the family.
func (f family) of(value float64, labels ...string) prometheus.Metric {
	m, err := prometheus.NewConstMetric(f.desc, f.kind, value, labels...)
	if err != nil {
		return prometheus.NewInvalidMetric(f.desc, err)
	}
	return m
}

// at is an instant in the family, by the seconds since 1970; nothing where there was none.
func (f family) at(t time.Time, labels ...string) []prometheus.Metric {
	if t.IsZero() {
		return nil
	}
	return []prometheus.Metric{f.of(float64(t.UnixMilli())/1000, labels...)}
}

// source is somebody who is asked for numbers: the database, the signer. One that does not answer hides no other's.
type source struct {
	name     string
	log      *slog.Logger
	families []family
	ask      func(context.Context) ([]prometheus.Metric, error)

	mu     sync.Mutex
	asking chan struct{} // closed when the question under way has its answer; nil: none is
	at     time.Time     // of the last answer
	took   time.Duration
	values []prometheus.Metric
	err    error
}

// ask registers a source.
func (m *Metrics) ask(
	name string, ask func(context.Context) ([]prometheus.Metric, error), families ...family,
) {
	m.registry.MustRegister(&source{name: name, log: m.log, ask: ask, families: families})
}

// Describe is called by Prometheus. The two families of all sources are described by none: they are many sources'.
func (s *source) Describe(to chan<- *prometheus.Desc) {
	for _, f := range s.families {
		to <- f.desc
	}
}

// Collect is called by Prometheus, for several scrapes at once.
func (s *source) Collect(to chan<- prometheus.Metric) {
	late := time.NewTimer(patience)
	defer late.Stop()
	err := errLate
	var values []prometheus.Metric
	took := patience
	select {
	case <-s.answer():
		s.mu.Lock()
		values, took, err = s.values, s.took, s.err
		s.mu.Unlock()
	case <-late.C:
	}
	up := 0.0
	if err == nil {
		up = 1
		for _, v := range values {
			to <- v
		}
	}
	to <- sourceUp.of(up, s.name)
	to <- sourceTook.of(seconds(took), s.name)
}

var errLate = errors.New("the source did not answer in time")

// answer gives what is closed once the answer is fresh. A source that hangs is not asked a second time beside.
func (s *source) answer() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asking != nil {
		return s.asking
	}
	done := make(chan struct{})
	if !s.at.IsZero() && time.Since(s.at) < keep {
		close(done)
		return done
	}
	s.asking = done
	go s.learn(done)
	return done
}

func (s *source) learn(done chan struct{}) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	began := time.Now()
	values, err := s.safely(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil && s.err == nil:
		s.log.Warn("numbers for monitoring cannot be had", "source", s.name, "error", err)
	case err == nil && s.err != nil:
		s.log.Info("numbers for monitoring are there again", "source", s.name)
	}
	s.values, s.err, s.at, s.took, s.asking = values, err, time.Now(), time.Since(began), nil
	close(done)
}

// safely makes a panic an error of this source.
func (s *source) safely(ctx context.Context) (values []prometheus.Metric, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("asking %s: panic: %v", s.name, p)
		}
	}()
	return s.ask(ctx)
}

// snapshot is what this process knows itself, and tells without asking anybody.
type snapshot struct {
	tell     func() []prometheus.Metric
	families []family
}

func (m *Metrics) snapshot(tell func() []prometheus.Metric, families ...family) {
	m.registry.MustRegister(snapshot{tell, families})
}

// Describe is called by Prometheus.
func (s snapshot) Describe(to chan<- *prometheus.Desc) {
	for _, f := range s.families {
		to <- f.desc
	}
}

// Collect is called by Prometheus.
func (s snapshot) Collect(to chan<- prometheus.Metric) {
	for _, v := range s.tell() {
		to <- v
	}
}
