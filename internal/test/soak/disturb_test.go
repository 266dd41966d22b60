package soak

import (
	"bytes"
	"fmt"
	"os"
	"time"

	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/internal/test/apptest"
)

// disturb breaks one thing after the other. One that is down already is left so: reorgs and kills do not meet, since a
// chain that dies amid a reorg forgets transactions for good, which no chain does.
func (w *world) disturb(all []disturbance) {
	for _, d := range all {
		time.Sleep(time.Until(w.began.Add(d.at))) // by its plan
		var err error
		switch d.what {
		case killServer:
			w.Kill(apptest.Server)
		case killPartner:
			w.Kill(apptest.Partner)
		case killEnclave:
			w.Kill(apptest.Enclave)
		case killChain:
			w.Kill(apptest.Chain)
		case killDB:
			w.CrashDatabase()
		case reorg:
			err = w.Devnet.Reorg(w.t.Context(), "base", d.n, false)
		case expire:
			err = w.Devnet.Mine(w.t.Context(), "solana", hashLife+1)
		case badNotices:
			err = w.Partner.SetManners(w.t.Context(), d.manners())
		case badAnswers:
			err = w.Partner.Fault(w.t.Context(), d.fault())
		}
		if err != nil {
			w.t.Logf("%v: %s: %v", d.at.Round(time.Second), d.what, err) // who was killed a moment ago
		}
	}
}

// hashLife is for how many blocks of Solana a transaction may name one.
const hashLife = 150

// manners are how the next notices go wrong: in one way of several, or in some together.
func (d disturbance) manners() control.Manners {
	return control.Manners{
		Twice: d.which%2 == 0, Reordered: d.which%3 == 0, Lost: d.which%5 == 0, BadSignature: d.which%7 == 0,
		LateMs: int64(d.which%4) * 300, Times: d.n,
	}
}

func (d disturbance) fault() control.Fault {
	kinds := []string{"unavailable", "rate_limited", "truncated", "lost_answer", "slow"}
	return control.Fault{Kind: kinds[d.which%len(kinds)], Times: d.n, DelayMs: 300}
}

// weight is the memory of a process at one moment.
type weight struct {
	at   time.Duration
	part string
	kib  int64
}

// weigh looks every second at what the processes have in memory.
func (w *world) weigh(stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(time.Second): // between two looks
		}
		for _, part := range parts {
			if kib, ok := resident(w.PID(part)); ok {
				w.weights = append(w.weights, weight{time.Since(w.began), part, kib})
			}
		}
	}
}

// resident is a process's memory. One that was just killed has none.
func resident(pid int) (kib int64, ok bool) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, false
	}
	for line := range bytes.Lines(raw) {
		if n, _ := fmt.Sscanf(string(line), "VmRSS: %d kB", &kib); n == 1 {
			return kib, true
		}
	}
	return 0, false
}

// flat compares, of a long run, the memory at the end with that of a third of the time for which nothing was killed.
func (w *world) flat(length time.Duration) {
	calm := calmFrom(length)
	if calm == length {
		return
	}
	third := (length - calm) / 3
	for _, part := range parts {
		early, late := w.most(part, calm, calm+third), w.most(part, length-third, length+time.Hour)
		w.t.Logf("memory of the %s: %d MiB, then %d MiB", part, early>>10, late>>10)
		if late > early+early/2+32<<10 {
			w.t.Errorf("the %s grew from %d to %d KiB in %v", part, early, late, 2*third)
		}
	}
}

func (w *world) most(part string, from, until time.Duration) (kib int64) {
	for _, x := range w.weights {
		if x.part == part && x.at >= from && x.at < until {
			kib = max(kib, x.kib)
		}
	}
	return kib
}
