// Package testenv reads the settings of this project's tests and benchmarks, all of
// which are variables. A name or a value that it does not know fails the run: a
// benchmark of the wrong engine looks like one of the right one.
package testenv

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The settings. A list has commas between, or spaces.
const (
	Engine  = "RAILKIT_TEST_ENGINE"   // database of the platforms that tests start
	engines = "RAILKIT_BENCH_ENGINES" // databases to measure, a list
	flows   = "RAILKIT_BENCH_FLOWS"   // a regular expression of the flows' names
	sizes   = "RAILKIT_BENCH_SIZES"   // numbers of rows in the tables, a list; the others are held against the first
	soak    = "RAILKIT_SOAK"          // how long a soak runs, such as 10m
	seed    = "RAILKIT_SEED"          // of a test's dice
	nightly = "RAILKIT_NIGHTLY"       // 1: suites that try a sample try everything
)

// others are read where they are used: what processes of one test tell each other.
var others = []string{
	"RAILKIT_TEST_BIN", "RAILKIT_TEST_CRASH", "RAILKIT_TEST_PICTURES", "RAILKIT_TEST_JOURNAL_DIR",
	"RAILKIT_TEST_KEYSTORE_ROLE", "RAILKIT_TEST_HARDEN_ROLE", "RAILKIT_TEST_HARDEN_ACT", "RAILKIT_TEST_HARDEN_HOME",
	"RAILKIT_TEST_TARGET", "RAILKIT_TEST_MUTANT", "RAILKIT_TEST_SOCKET", "RAILKIT_TEST_PGTEST",
	"RAILKIT_TEST_REDISTEST", "RAILKIT_BENCH_ROLE", "RAILKIT_BENCH_OWNER", "RAILKIT_BENCH_FOLDER",
	"RAILKIT_BENCH_DATABASE", "RAILKIT_BENCH_PROFILE", "RAILKIT_BENCH_CONFIG", "RAILKIT_BENCH_SECRET",
	"RAILKIT_BENCH_SOCKET", "RAILKIT_BENCH_NODE",
}

var known = append([]string{Engine, engines, flows, sizes, soak, seed, nightly}, others...)

// unknown is an error for a variable that looks like a setting and is none.
func unknown(environ []string) error {
	for _, line := range environ {
		name, value, _ := strings.Cut(line, "=")
		ours := strings.HasPrefix(name, "RAILKIT_TEST") || strings.HasPrefix(name, "RAILKIT_BENCH") ||
			strings.HasPrefix(name, "RAILKIT_SOAK") ||
			strings.HasPrefix(name, "RAILKIT_SEED") || strings.HasPrefix(name, "RAILKIT_NIGHTLY")
		if ours && value != "" && !slices.Contains(known, name) {
			return fmt.Errorf("%s is no setting of the tests; they are in internal/test/testenv", name)
		}
	}
	return nil
}

// read gives a setting, or the default where it is not set.
func read[T any](tb testing.TB, name, standard string, parse func(string) (T, error)) T {
	tb.Helper()
	text := os.Getenv(name)
	if text == "" {
		text = standard
	}
	value, err := parse(text)
	if err == nil {
		err = unknown(os.Environ())
	}
	if err != nil {
		tb.Fatalf("%s=%s: %v", name, text, err)
	}
	return value
}

// TestEngine is the database of the platforms that tests start.
func TestEngine(tb testing.TB) string {
	tb.Helper()
	return read(tb, Engine, "sqlite", engine)
}

// Engines are the databases that a benchmark measures.
func Engines(tb testing.TB) []string {
	tb.Helper()
	return read(tb, engines, "sqlite,postgres", func(text string) ([]string, error) { return list(text, engine) })
}

// Flow is the expression of the flows that a benchmark measures.
func Flow(tb testing.TB) *regexp.Regexp {
	tb.Helper()
	return read(tb, flows, "", regexp.Compile)
}

// Sizes are the numbers of rows that a benchmark measures.
func Sizes(tb testing.TB) []int {
	tb.Helper()
	return read(tb, sizes, "1000,100000,1000000", func(text string) ([]int, error) { return list(text, size) })
}

// SoakUntil is until when a soak runs: for so long, unless the setting says otherwise.
func SoakUntil(tb testing.TB, short string) time.Time {
	tb.Helper()
	return time.Now().Add(read(tb, soak, short, time.ParseDuration))
}

// Seed is what a test's dice begin with, another one in each run unless it is set.
func Seed(tb testing.TB) uint64 {
	tb.Helper()
	n := read(tb, seed, strconv.FormatUint(rand.Uint64(), 10), func(text string) (uint64, error) {
		return strconv.ParseUint(text, 10, 64)
	})
	tb.Logf("%s=%d", seed, n)
	return n
}

// Nightly reports whether suites try everything, however long it takes, and not a sample.
func Nightly() bool {
	switch value := os.Getenv(nightly); value {
	case "":
		return false
	case "1":
		return true
	default:
		panic(fmt.Sprintf("%s=%s: it is 1, or not set", nightly, value))
	}
}

// Sample is n of all, in their order, chosen by the test's seed: another n in each run. The nightly run gets all.
func Sample[T any](tb testing.TB, all []T, n int) []T {
	tb.Helper()
	if Nightly() || n >= len(all) {
		return all
	}
	chosen := rand.New(rand.NewPCG(Seed(tb), 0)).Perm(len(all))[:n]
	slices.Sort(chosen)
	some := make([]T, n)
	for i, at := range chosen {
		some[i] = all[at]
	}
	return some
}

// SampleMap is Sample of a map's entries, by their names.
func SampleMap[T any](tb testing.TB, all map[string]T, n int) map[string]T {
	tb.Helper()
	some := map[string]T{}
	for _, name := range Sample(tb, slices.Sorted(maps.Keys(all)), n) {
		some[name] = all[name]
	}
	return some
}

// Overlap has more of a package's tests run at once than there are processors, for who calls it in TestMain: they wait
// for blocks, retries and other processes most of their time. The flag -parallel goes before it.
func Overlap() {
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err)
	}
}

// Checks has rapid try so many histories in place of its hundred, for who calls it in TestMain: a history takes a whole
// server a second. The nightly run has its hundred.
func Checks(n int) {
	if Nightly() {
		return
	}
	if err := flag.Set("rapid.checks", strconv.Itoa(n)); err != nil {
		panic(err)
	}
}

func list[T any](text string, parse func(string) (T, error)) (all []T, err error) {
	for _, field := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		one, err := parse(field)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		return nil, errors.New("it names nothing")
	}
	return all, nil
}

func engine(text string) (string, error) {
	if text != "sqlite" && text != "postgres" {
		return "", errors.New("an engine is sqlite or postgres")
	}
	return text, nil
}

func size(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, errors.New("a size is a number of at least 1")
	}
	return n, nil
}
