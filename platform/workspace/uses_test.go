package workspace

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/test/testlog"
)

type touched struct {
	Store
	writes chan []Use
	err    error
}

func (t touched) TouchKeys(_ context.Context, uses []Use) error { t.writes <- uses; return t.err }

// However often a key is used between two ticks, it costs one write, and a key
// that is not used costs none.
func TestUsesAreWrittenOncePerTick(t *testing.T) {
	store := touched{writes: make(chan []Use, 10)}
	u := NewUses(store, slog.New(slog.DiscardHandler))
	ctx, stop := context.WithCancel(t.Context())
	tick, done := make(chan time.Time), make(chan struct{})
	go func() { u.Run(ctx, tick); close(done) }()
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for i := range 100 {
		u.Used("w", "b", at.Add(-time.Duration(i)*time.Second))
		u.Used("w", "a", at.Add(time.Duration(i)*time.Second))
	}
	tick <- at
	want := []Use{{"w", "a", at.Add(99 * time.Second)}, {"w", "b", at}}
	if got := <-store.writes; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	tick <- at // nothing was used
	u.Used("w", "a", at.Add(time.Hour))
	stop()
	<-done
	if got := <-store.writes; len(got) != 1 || len(store.writes) != 0 {
		t.Errorf("at the end %v, and %d more", got, len(store.writes))
	}
}

// Many keys are written in parts, and what cannot be written is told of and gone.
func TestUsesThatAreLost(t *testing.T) {
	log := &testlog.Log{}
	store := touched{writes: make(chan []Use, 10), err: errors.New("disk on fire")}
	u := NewUses(store, slog.New(slog.NewTextHandler(log, nil)))
	for i := range most + 1 {
		u.Used("w", fmt.Sprint(i), time.Unix(1, 0))
	}
	u.Flush(t.Context())
	u.Flush(t.Context())
	if len(store.writes) != 2 || len(<-store.writes) != most || len(<-store.writes) != 1 {
		t.Error("not in parts")
	}
	if log.String() == "" {
		t.Error("nobody was told")
	}
}
