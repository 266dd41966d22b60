package testenv

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// fatal takes down what a run ends with.
type fatal struct {
	testing.TB
	said string
}

func (f *fatal) Helper() {}

func (f *fatal) Fatalf(format string, args ...any) { f.said = fmt.Sprintf(format, args...) }

func TestLists(t *testing.T) {
	for text, want := range map[string][]string{
		"":                {"sqlite", "postgres"},
		"sqlite,postgres": {"sqlite", "postgres"},
		"postgres":        {"postgres"},
		"postgres sqlite": {"postgres", "sqlite"},
	} {
		t.Setenv(engines, text)
		if got := Engines(t); !slices.Equal(got, want) {
			t.Errorf("%q: %v", text, got)
		}
	}
	t.Setenv(sizes, "10,200")
	if got := Sizes(t); !slices.Equal(got, []int{10, 200}) {
		t.Errorf("sizes: %v", got)
	}
}

// What is not understood fails the run instead of measuring something else.
func TestRefused(t *testing.T) {
	for _, tc := range []struct {
		name, value, want string
		read              func(testing.TB)
	}{
		{engines, "sqlite;postgres", "an engine is sqlite or postgres", func(tb testing.TB) { Engines(tb) }},
		{engines, ",", "it names nothing", func(tb testing.TB) { Engines(tb) }},
		{Engine, "mysql", "an engine is sqlite or postgres", func(tb testing.TB) { TestEngine(tb) }},
		{sizes, "1000,many", "a size is a number", func(tb testing.TB) { Sizes(tb) }},
		{flows, "(", "missing closing", func(tb testing.TB) { Flow(tb) }},
		{soak, "long", "invalid duration", func(tb testing.TB) { SoakUntil(tb, "1s") }},
		{"RAILKIT_BENCH_ENGINE", "sqlite", "RAILKIT_BENCH_ENGINE is no setting of the tests",
			func(tb testing.TB) { Engines(tb) }},
		{"RAILKIT_SOAKTIME", "1m", "RAILKIT_SOAKTIME is no setting of the tests",
			func(tb testing.TB) { SoakUntil(tb, "1s") }},
	} {
		t.Run(tc.name+"="+tc.value, func(t *testing.T) {
			t.Setenv(tc.name, tc.value)
			f := &fatal{TB: t}
			if tc.read(f); !strings.Contains(f.said, tc.want) {
				t.Errorf("it says %q", f.said)
			}
		})
	}
}

func TestNightly(t *testing.T) {
	for value, want := range map[string]any{"": false, "1": true, "yes": "RAILKIT_NIGHTLY=yes: it is 1, or not set"} {
		t.Setenv(nightly, value)
		func() {
			defer func() {
				if said := recover(); said != nil && said != want {
					t.Errorf("%q: %v", value, said)
				}
			}()
			if got := Nightly(); got != want {
				t.Errorf("%q: %t", value, got)
			}
		}()
	}
}
