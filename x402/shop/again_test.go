package shop_test

import (
	"sync"
	"testing"
)

// One payment that comes twenty times at once sells once: a buyer whose patience ended before the settlement asks
// again, and gets what he paid for.
func TestAgents_ParallelReplaySellsOnce(t *testing.T) {
	for _, idempotent := range []bool{false, true} {
		s := newStreet(t)
		s.bank.idempotent = idempotent
		name, value := s.pay("/a")
		var mu sync.Mutex
		var wg sync.WaitGroup
		start, status := make(chan struct{}), map[int]int{}
		for range 20 {
			wg.Go(func() {
				<-start
				a := s.get("/a", name, value)
				mu.Lock()
				defer mu.Unlock()
				status[a.status]++
			})
		}
		close(start)
		wg.Wait()
		if status[200] != 20 || s.served.Load() != 1 || s.bank.count() != 1 {
			t.Errorf("idempotent %v: %v, served %d, settled %d", idempotent, status, s.served.Load(), s.bank.count())
		}
	}
}
