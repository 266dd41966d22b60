package bench

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/test/testwait"
)

func TestSomeFlow(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "^sign$": "", "send": "", "pgbench": "", "alone": "", "growth": "",
		"signs": "signs is of no flow; there are sign; sign, caps; create wallet; ",
	} {
		err := someFlow(regexp.MustCompile(text))
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestEnoughRows(t *testing.T) {
	for least, fine := range map[int]bool{1: false, 39: false, 40: true, 1000: true} {
		if err := enoughRows([]int{100, least}); (err == nil) != fine {
			t.Errorf("%d rows: %v", least, err)
		}
	}
}

func TestProfileFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, fine := range map[string]bool{"": true, t.TempDir(): true, file: false, file + "b": false} {
		if err := profileFolder(name); (err == nil) != fine {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// What is done before the measured part, between two of them and after it is in no profile.
func TestProfilesOfMeasuredParts(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(profileEnv, folder)
	ctx, cancel := context.WithCancel(t.Context())
	told, ended := make(chan os.Signal), make(chan error)
	go func() { ended <- profiles(ctx, "x", told) }()
	count := func() int {
		all, _ := filepath.Glob(filepath.Join(folder, "x-*.pprof"))
		return len(all)
	}
	for n := range 2 {
		if count() != n {
			t.Errorf("%d profiles before part %d", count(), n+1)
		}
		told <- beginProfile
		testwait.Until(t, "a profile", func() bool { return count() == n+1 })
		told <- endProfile
	}
	cancel()
	if err := <-ended; err != nil || count() != 2 {
		t.Errorf("%d profiles, %v", count(), err)
	}
}

// One engine that is slow is not hidden by the other one.
func TestWorst(t *testing.T) {
	of := func(engine string, p50 time.Duration, throughput float64) line {
		one := func(d time.Duration, n float64) result { return result{samples: []sample{{p50: d, throughput: n}}} }
		return line{flow: flow{name: "sign", callers: 1, aim: oneAtATime}, engine: engine,
			ours: one(p50, throughput), floor: one(time.Millisecond, 100)}
	}
	table := &table{lines: []line{of("sqlite", 5*time.Millisecond, 40), of("postgres", 3*time.Millisecond, 20)}}
	all := table.worst()
	if len(all) != 1 || all[0].fast != 0.2 || all[0].engine != "postgres" || all[0].slow != 5 {
		t.Fatalf("%+v", all)
	}
	var said strings.Builder
	table.aims(&said)
	if strings.Count(said.String(), "missed") != 2 {
		t.Errorf("it says\n%s", &said)
	}
}
