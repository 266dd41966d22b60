package webhook_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/railkit/railkit/internal/test/testenv"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/platform/fetch"
)

// soak is a plan: events of some workspaces, each with endpoints of which some misbehave, and servers that die.
type soak struct {
	workspaces, each, events, servers int
	bad                               time.Duration // how long those that misbehave do so
	deaths                            int           // of so many requests one kills the server that sends it
}

// Events arrive at many endpoints while a fifth of those misbehave, each in its own way, and while servers are killed
// in the middle of what they do. All that answer in the end have all events, in the order of each object, and those
// that are well wait for no other: only for the lease of a server that died.
func TestPlatform_W1_Soak(t *testing.T) {
	plan := soak{workspaces: 2, each: 5, events: 200, servers: 3, bad: 10 * time.Minute, deaths: 400}
	if testenv.Nightly() {
		plan = soak{workspaces: 5, each: 10, events: 20_000, servers: 3, bad: 12 * time.Hour, deaths: 50_000}
	}
	seed := testenv.Seed(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, time.Second)
		defer w.close()
		s := &soaking{world: w, soak: plan, dice: rand.New(rand.NewPCG(seed, 0)), heard: map[string]*hearer{}}
		s.begin()
		s.run()
		s.judge(t)
	})
}

type soaking struct {
	*world
	soak
	dice *rand.Rand

	mu       sync.Mutex
	requests int
	heard    map[string]*hearer // by URL
	told     map[string]time.Time
	fleet    []server
}

// server is one that runs, until it is killed.
type server struct {
	*mortal
	stop func()
}

// hearer is an endpoint. It keeps what it answered well, and what was wrong with that.
type hearer struct {
	manner  string
	got     map[int64]int    // by the event's number
	last    map[string]int64 // of an object
	wrong   string
	slowest time.Duration
	until   time.Time // when it begins to behave
}

// manners are those of endpoints that misbehave; the others have none.
var manners = []string{"hangs", "fails", "flaps", "asks to wait", "slow", "redirects"}

func (s *soaking) begin() {
	s.told = map[string]time.Time{}
	bad := s.workspaces * s.each / 5
	for i := range s.workspaces {
		id := fmt.Sprint("ws", i)
		s.workspace(id)
		for j := range s.each {
			url := fmt.Sprintf("https://e%d.%s.example.com/", j, id)
			h := &hearer{got: map[int64]int{}, last: map[string]int64{}}
			if n := i*s.each + j; n%5 == 0 && n/5 < bad {
				h.manner, h.until = manners[n/5%len(manners)], time.Now().Add(s.bad)
			}
			s.heard[url] = h
			cmd := caller("create")
			cmd.Principal.WorkspaceID = id
			s.endpointOf(cmd, url)
		}
	}
	s.answering(s.answer)
	s.mu.Lock()
	defer s.mu.Unlock()
	for range s.servers {
		s.start()
	}
}

func (s *soaking) start() {
	m := &mortal{Store: s.store.Webhooks()}
	s.fleet = append(s.fleet, server{m, s.runs(s.serverWith(m, fetch.Policy{}, s.by(m)))})
}

// kill ends a server in the middle of a request, and has another one take its place.
func (s *soaking) kill(m *mortal) {
	if m == nil || m.dead.Swap(true) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.fleet, func(each server) bool { return each.mortal == m })
	go s.fleet[i].stop()
	s.fleet = slices.Delete(s.fleet, i, i+1)
	s.start()
}

func (s *soaking) roll(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dice.IntN(n)
}

func (s *soaking) run() {
	const at = 20 // events in one transaction
	for n := 0; n < s.events; n += at {
		for i := range s.workspaces {
			id := fmt.Sprint("ws", i)
			objects := make([]string, at)
			for k := range objects {
				objects[k] = fmt.Sprint("o", s.roll(50))
			}
			s.mu.Lock()
			for k := range objects {
				s.told[fmt.Sprint(id, "-", n+k+1)] = time.Now()
			}
			s.mu.Unlock()
			s.tellOf(id, event.OrderUpdated, objects...)
		}
		time.Sleep(time.Duration(900+s.roll(600)) * time.Millisecond)
	}
	time.Sleep(s.bad)
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, each := range s.fleet {
			each.stop()
		}
	}()
	for range 1000 { // a delivery whose turn came late has a schedule of its own
		if s.settled() {
			return
		}
		time.Sleep(10 * time.Minute)
	}
}

func (s *soaking) settled() bool {
	var open int
	err := s.store.Writer().QueryRow(
		"SELECT COUNT(*) FROM webhook_deliveries WHERE status IN ('pending', 'waiting')").Scan(&open)
	return err == nil && open == 0
}

// answer is what an endpoint says, by its manner.
func (s *soaking) answer(ctx context.Context, r request) (int, http.Header) {
	s.mu.Lock()
	h := s.heard[r.url]
	manner, n := h.manner, r.body.Sequence
	if time.Now().After(h.until) {
		manner = ""
	}
	s.requests++
	chance, dies := s.dice.IntN(4), s.requests%s.deaths == 0
	s.mu.Unlock()
	if dies {
		s.kill(r.of)
	}
	switch manner {
	case "hangs":
		<-ctx.Done()
		return stop, nil
	case "fails":
		return refuse, nil
	case "flaps":
		if chance > 0 {
			return refuse, nil
		}
	case "asks to wait":
		if chance > 0 {
			return 429, http.Header{"Retry-After": {"30"}}
		}
	case "slow":
		time.Sleep(10 * time.Second)
	case "redirects":
		return 302, http.Header{"Location": {"https://elsewhere.example.com/"}}
	default:
		time.Sleep(300 * time.Millisecond)
	}
	s.hear(h, r, n)
	return 200, nil
}

func (s *soaking) hear(h *hearer, r request, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.got[n]++
	object := r.body.Object.ID
	if h.got[n] == 1 && n < h.last[object] {
		h.wrong = fmt.Sprintf("%d of %s came first after %d", n, object, h.last[object])
	}
	h.last[object] = max(h.last[object], n)
	if h.got[n] == 1 {
		h.slowest = max(h.slowest, time.Since(s.told[r.id]))
	}
}

func (s *soaking) judge(t *testing.T) {
	twice := 0
	for url, h := range s.heard {
		if len(h.got) != s.events || h.wrong != "" {
			t.Errorf("%s (%s) has %d of %d events %s", url, h.manner, len(h.got), s.events, h.wrong)
		}
		for _, n := range h.got {
			twice += n - 1
		}
		// A lease lasts half a minute, and whoever takes over may be killed too.
		if h.manner == "" && h.slowest > 5*time.Minute {
			t.Errorf("%s waited %v for an event", url, h.slowest)
		}
	}
	var states []string
	for _, state := range []string{"pending", "waiting", "failed", "canceled"} {
		var n int
		err := s.store.Writer().QueryRow("SELECT COUNT(*) FROM webhook_deliveries WHERE status = $1", state).Scan(&n)
		if err != nil || n > 0 {
			states = append(states, fmt.Sprint(n, " ", state))
		}
	}
	if len(states) > 0 {
		t.Errorf("not all were delivered: %s", strings.Join(states, ", "))
	}
	if twice == 0 {
		t.Error("no server was killed between a request and the row of its answer")
	}
	t.Logf("%d deliveries, %d of them twice or more", s.workspaces*s.each*s.events, twice)
}
