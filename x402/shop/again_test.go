package shop_test

import (
	"net/http"
	"strings"
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

// A settled payment can be read on the chain: a copy of it brings nothing that its request did not ask for alone.
func TestAgents_CopiedPaymentGetsNothingOfTheBuyer(t *testing.T) {
	s := newStreet(t)
	name, value := s.pay("/a")
	buyer := []string{name, value, "Authorization", "Bearer buyer"}
	if a := s.get("/a", buyer...); a.status != 200 {
		t.Fatal(a.status)
	}
	for what, c := range map[string]struct {
		headers []string
		status  int
	}{
		"the buyer again":           {buyer, 200},
		"the buyer by another way":  {append([]string{"X-Forwarded-For", "::1"}, buyer...), 200},
		"a copy":                    {[]string{name, value}, 402},
		"a copy with other headers": {[]string{name, value, "Authorization", "Bearer thief"}, 402},
	} {
		if a := s.get("/a", c.headers...); a.status != c.status {
			t.Errorf("%s: %d", what, a.status)
		}
	}
	if s.served.Load() != 1 || s.bank.count() != 1 {
		t.Errorf("served %d, settled %d", s.served.Load(), s.bank.count())
	}
}

// What a body asked for is not given again: whoever reads the payment on the chain may not know the body.
func TestAgents_BodiesAreNotAnsweredAgain(t *testing.T) {
	s := newStreet(t)
	name, value := s.pay("/a")
	for _, want := range []int{200, 402} {
		req, err := http.NewRequest(http.MethodPost, s.url+"/a", strings.NewReader("my secret"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(name, value)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%d, not %d", res.StatusCode, want)
		}
	}
}
