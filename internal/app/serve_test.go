package app

import (
	"context"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/test/freeport"
)

func TestListen_WaitsForThePageOnly(t *testing.T) {
	taken, err := freeport.Listen()
	if err != nil {
		t.Fatal(err)
	}
	addr := taken.Addr().String()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := listenSoon(ended, addr); err == nil {
		t.Error("it listens on a port that is taken")
	}
	got := make(chan error)
	go func() {
		l, err := listenSoon(t.Context(), addr)
		if err == nil {
			err = l.Close()
		}
		got <- err
	}()
	select {
	case err := <-got:
		t.Errorf("it did not wait: %v", err)
	case <-time.After(50 * time.Millisecond): // it waits, as far as can be seen
	}
	if err := taken.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Error(err)
	}
}
