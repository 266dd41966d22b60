package balance

import (
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/clock"
)

const (
	fresh      = 5 * time.Second // for how long an answer of a node is given again
	mostRecent = 10_000          // answers that are remembered
)

// answer is what a node said of some addresses, or that it said nothing.
type answer struct {
	at   time.Time
	held []node.Balance
	err  error
}

// recent remembers the answers of nodes for some seconds, so that many open pages about a wallet ask its nodes no more
// than one does. That a node does not answer is remembered too: nobody waits for it again so soon.
type recent struct {
	clock   clock.Clock
	asking  singleflight.Group
	mu      sync.Mutex
	answers map[string]answer
}

// answer gives the remembered answer, or asks. Callers with the same question at the same time share one answer.
func (r *recent) answer(question string, ask func() answer) answer {
	told, _, _ := r.asking.Do(question, func() (any, error) {
		if known, ok := r.known(question); ok {
			return known, nil
		}
		a := ask()
		r.remember(question, a)
		return a, nil
	})
	return told.(answer)
}

func (r *recent) known(question string) (answer, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a, ok := r.answers[question]
	return a, ok && r.clock.Now().Before(a.at.Add(fresh))
}

// remember forgets all others where there are too many: who asks again has the node asked.
func (r *recent) remember(question string, a answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.answers == nil || len(r.answers) >= mostRecent {
		r.answers = map[string]answer{}
	}
	r.answers[question] = a
}
