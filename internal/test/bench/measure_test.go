package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/supervise"
	"github.com/railkit/railkit/internal/test/testwait"
)

// call is one request, made before the clock runs.
type call func() error

// side is one of the two that are compared: its calls, and its processes.
type side struct {
	work    []call
	program func(callers int) (sample, error) // in place of calls: another program's round
	pids    []int

	profiled []*supervise.Child // those that write a profile of the measured rounds
}

// sample is one round of one side.
type sample struct {
	p50        time.Duration
	throughput float64         // a second
	took       []time.Duration // each call of ours, sorted
}

// result is all rounds of one side.
type result struct {
	samples []sample
	calls   int
	cpu     []time.Duration // by process, as in side.pids
}

// compare runs rounds of both sides in turn, each with its share of the calls.
// The first round warms up and does not count.
func compare(tb testing.TB, rounds, callers int, ours, floor side) (a, b result) {
	tb.Helper()
	for round := range rounds + 1 {
		if round == 1 {
			must(tb, ours.profile(beginProfile))
		}
		for _, turn := range []struct {
			side
			*result
		}{{ours, &a}, {floor, &b}} {
			one, calls, cpu, err := turn.round(round, rounds+1, callers)
			must(tb, err)
			if round > 0 {
				turn.add(one, calls, cpu)
			}
		}
	}
	must(tb, ours.profile(endProfile))
	return a, b
}

// round is one of so many rounds.
func (s side) round(i, rounds, callers int) (one sample, calls int, cpu []time.Duration, err error) {
	if s.program != nil {
		one, err = s.program(callers)
		return one, 1, make([]time.Duration, len(s.pids)), err
	}
	per := len(s.work) / rounds
	one, cpu, err = measure(s.work[i*per:(i+1)*per], callers, s.pids)
	return one, per, cpu, err
}

func (r *result) add(s sample, calls int, cpu []time.Duration) {
	r.samples, r.calls = append(r.samples, s), r.calls+calls
	if r.cpu == nil {
		r.cpu = make([]time.Duration, len(cpu))
	}
	for i, spent := range cpu {
		r.cpu[i] += spent
	}
}

func (r *result) p50() time.Duration {
	return middle(r.samples, func(s sample) time.Duration { return s.p50 })
}

// p99 is of all calls of all rounds: of a round's few it would be the slowest one.
func (r *result) p99() time.Duration {
	var all []time.Duration
	for _, s := range r.samples {
		all = append(all, s.took...)
	}
	slices.Sort(all)
	return all[len(all)*99/100]
}

func (r *result) throughput() float64 {
	return middle(r.samples, func(s sample) float64 { return s.throughput })
}

// perCall is the CPU that process i spent on a call, in microseconds.
func (r *result) perCall(i int) int64 { return r.cpu[i].Microseconds() / int64(r.calls) }

func middle[T int64 | float64 | time.Duration](samples []sample, of func(sample) T) T {
	var all []T
	for _, s := range samples {
		all = append(all, of(s))
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// measure makes the calls, so many at once, and says what they took.
func measure(calls []call, callers int, pids []int) (sample, []time.Duration, error) {
	before, err := spent(pids)
	if err != nil {
		return sample{}, nil, err
	}
	took := make([]time.Duration, len(calls))
	var next atomic.Int64
	var group sync.WaitGroup
	failed := make([]error, callers)
	begun := time.Now()
	for c := range callers {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(calls) && failed[c] == nil; i = int(next.Add(1)) - 1 {
				from := time.Now()
				failed[c] = calls[i]()
				took[i] = time.Since(from)
			}
		})
	}
	group.Wait()
	total := time.Since(begun)
	after, err := spent(pids)
	if err := errors.Join(append(failed, err)...); err != nil {
		return sample{}, nil, err
	}
	for i := range after {
		after[i] -= before[i]
	}
	slices.Sort(took)
	return sample{took[len(took)/2], float64(len(calls)) / total.Seconds(), took}, after, nil
}

// self is this process among side.pids: the load generator.
const self = -1

// spent is the CPU time of each process and all that descend from it.
func spent(pids []int) ([]time.Duration, error) {
	var all []time.Duration
	for _, pid := range pids {
		if pid == self {
			all = append(all, ownCPU())
			continue
		}
		d, err := cpuOf(pid)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

func ownCPU() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// tick is the unit of /proc's times on every Linux that Go runs on.
const tick = 10 * time.Millisecond

// cpuOf adds up a process, its children that have ended, and those that live.
func cpuOf(pid int) (time.Duration, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, fmt.Errorf("reading CPU times: %w", err)
	}
	_, after, _ := bytes.Cut(raw, []byte(") ")) // the name before may hold anything
	fields := strings.Fields(string(after))
	var total time.Duration
	for _, field := range fields[11:15] { // utime stime cutime cstime
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("reading CPU times: %w", err)
		}
		total += time.Duration(n) * tick
	}
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // the pattern is well formed
	for _, list := range lists {
		raw, _ := os.ReadFile(list) // a thread that has ended has none
		for _, text := range strings.Fields(string(raw)) {
			if n, err := strconv.Atoi(text); err == nil {
				d, _ := cpuOf(n) // it may have ended meanwhile; its parent has its times then
				total += d
			}
		}
	}
	return total, nil
}

// caller is the load generator's HTTP client: connections are kept.
var caller = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: mostCallers}, Timeout: testwait.Bound}

// request is a call that expects the status.
func request(method, url, key string, body []byte, header map[string]string, want int) call {
	return func() error {
		_, err := answer(method, url, key, body, header, want)
		return err
	}
}

// answer is what a request that expects the status is told.
func answer(method, url, key string, body []byte, header map[string]string, want int) ([]byte, error) {
	r, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "ApiKey "+key)
	r.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		r.Header.Set(name, value)
	}
	resp, err := caller.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != want {
		err = fmt.Errorf("%s %s: %d: %s", method, url, resp.StatusCode, raw)
	}
	return raw, err
}
