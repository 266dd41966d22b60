package enclave

import "crypto/sha256"

// Bounds of the memory for signatures of writes. An agent over its own is
// refused. Once all together are over theirs, so is an agent with more than its
// share; one below it never is.
const (
	perAgent  = 4096
	allAgents = 1 << 18
	share     = 64
)

// replayLife is how many seconds after its timestamp a signature could still be
// accepted: it is remembered as long.
const replayLife = 60

// signature is an agent's MAC. Whose it is need not be kept with it: no two
// agents have the same.
type signature [sha256.Size]byte

// replays remembers the writes that were accepted, by their timestamps in seconds.
type replays struct {
	at     map[int64]map[signature]string // -> agent
	agents map[string]int                 // how many of each
	all    int
	swept  int64 // second up to which nothing is kept
}

func newReplays() *replays {
	return &replays{at: map[int64]map[signature]string{}, agents: map[string]int{}}
}

func (r *replays) has(at int64, s signature) bool {
	_, ok := r.at[at][s]
	return ok
}

// full reports whether there is no room for a write of this agent.
func (r *replays) full(agent string) bool {
	n := r.agents[agent]
	return n >= perAgent || n >= share && r.all >= allAgents
}

func (r *replays) add(at int64, s signature, agent string) {
	if r.at[at] == nil {
		r.at[at] = map[signature]string{}
	}
	r.at[at][s] = agent
	r.agents[agent]++
	r.all++
}

// forget drops what is too old to come again. Its seconds pass in order.
func (r *replays) forget(now int64) {
	until := now - replayLife
	if until <= r.swept {
		return
	}
	r.swept = until
	for at, list := range r.at {
		if at >= until {
			continue
		}
		for _, agent := range list {
			if r.agents[agent]--; r.agents[agent] == 0 {
				delete(r.agents, agent)
			}
		}
		r.all -= len(list)
		delete(r.at, at)
	}
}
