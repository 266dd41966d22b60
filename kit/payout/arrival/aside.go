package arrival

import (
	"strconv"
	"sync"
	"time"

	"github.com/railkit/railkit/platform/watch"
)

// sayAgain is how long the log says nothing more of arrivals that are alike.
const sayAgain = time.Hour

// asides are the arrivals that nobody pays out and that the log has told of. A stranger can send one lamport as often
// as he likes: of an address, an asset and an order of magnitude the log has a line an hour, with how many it left out.
type asides struct {
	mu  sync.Mutex
	all map[string]*told
}

type told struct {
	at   time.Time
	left int // since then
}

// tells reports whether the log tells of a transfer, and how many like it were left out before.
func (a *asides) tells(t watch.Transfer, now time.Time) (left int, tells bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for key, was := range a.all {
		if was.left == 0 && now.Sub(was.at) >= sayAgain {
			delete(a.all, key)
		}
	}
	key := t.OwnerID + " " + t.Chain + " " + t.Token + " " + strconv.Itoa(len(t.Amount))
	was := a.all[key]
	if was != nil && now.Sub(was.at) < sayAgain {
		was.left++
		return 0, false
	}
	if a.all == nil {
		a.all = map[string]*told{}
	}
	if was != nil {
		left = was.left
	}
	a.all[key] = &told{at: now}
	return left, true
}
