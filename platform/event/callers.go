package event

import (
	"sync"
	"time"

	"github.com/railkit/railkit/fault"
)

// mostStreams is how many streams a caller may have open at one server: each reads the database for itself.
const mostStreams = 20

// ErrStreams refuses one more.
var ErrStreams = fault.Define(fault.TooMany, "too_many_streams", "Too many streams are open: close one first",
	"A key or member has 20 streams of events open at this server")

// callers counts open streams.
type callers struct {
	mu   sync.Mutex
	open map[string]int
}

func (c *callers) enter(who string) (leave func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = map[string]int{}
	}
	if c.open[who] >= mostStreams {
		return nil, ErrStreams.After(10 * time.Second)
	}
	c.open[who]++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.open[who]--; c.open[who] == 0 {
			delete(c.open, who)
		}
	}, nil
}
