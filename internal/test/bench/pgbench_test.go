package bench

import (
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"time"

	"github.com/railkit/railkit/internal/test/pgtest"
)

const (
	pgbenchScale = 10   // accounts: a million
	pgbenchCalls = 6000 // in a round
)

var (
	pgbenchRate    = regexp.MustCompile(`(?m)^tps = ([0-9.]+)`)
	pgbenchLatency = regexp.MustCompile(`(?m)^latency average = ([0-9.]+) ms`)
)

// pgbench is PostgreSQL's own measure, on the same server: one update, one read and
// one insert in a transaction (-N). It tells the mean of what a call took, which
// stands in for the median.
func (c *customers) pgbench(scale int) func(callers int) (sample, error) {
	path, err := pgtest.Program("pgbench")
	must(c.tb, err)
	url, _ := pgtest.Durable(c.tb)
	run := func(args ...string) (string, error) {
		out, err := exec.Command(path, append(args, url)...).CombinedOutput()
		if err != nil {
			err = fmt.Errorf("pgbench: %w: %s", err, out)
		}
		return string(out), err
	}
	_, err = run("-i", "-q", "-s", strconv.Itoa(max(1, pgbenchScale/scale)))
	must(c.tb, err)
	return func(callers int) (sample, error) {
		out, err := run("-N", "-n", "-t", strconv.Itoa(pgbenchCalls/scale/callers), "-c",
			strconv.Itoa(callers), "-j", "2")
		if err != nil {
			return sample{}, err
		}
		rate, latency := pgbenchRate.FindStringSubmatch(out), pgbenchLatency.FindStringSubmatch(out)
		if rate == nil || latency == nil {
			return sample{}, fmt.Errorf("pgbench said: %s", out)
		}
		tps, _ := strconv.ParseFloat(rate[1], 64) // digits and points
		took, _ := strconv.ParseFloat(latency[1], 64)
		return sample{p50: time.Duration(took * float64(time.Millisecond)), throughput: tps}, nil
	}
}
