package workspace

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Every is how often the uses of keys are written down, and so how far behind
// a key's last use may be.
const Every = time.Minute

// most is how many uses one transaction writes.
const most = 500

// Uses remembers when keys were used last, so that a call costs no write. What
// was not written when a process dies is lost, and costs nothing.
type Uses struct {
	store interface {
		TouchKeys(ctx context.Context, uses []Use) error
	}
	log *slog.Logger

	mu   sync.Mutex
	last map[[2]string]time.Time // by workspace and key; what is written leaves
}

// NewUses makes an empty one.
func NewUses(store Store, log *slog.Logger) *Uses {
	return &Uses{store: store, log: log, last: map[[2]string]time.Time{}}
}

// Used remembers a use. It never fails and never waits for the database.
func (u *Uses) Used(workspaceID, keyID string, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if key := [2]string{workspaceID, keyID}; at.After(u.last[key]) {
		u.last[key] = at
	}
}

// Run writes down at each tick what was used since the last, until the context
// ends, and then once more.
func (u *Uses) Run(ctx context.Context, tick <-chan time.Time) {
	for {
		select {
		case <-tick:
			u.Flush(ctx)
		case <-ctx.Done():
			u.Flush(context.WithoutCancel(ctx))
			return
		}
	}
}

// Flush writes down what was used.
func (u *Uses) Flush(ctx context.Context) {
	for some := range slices.Chunk(u.take(), most) {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		if err := u.store.TouchKeys(ctx, some); err != nil {
			u.log.WarnContext(ctx, "the last use of API keys was not written down", "keys", len(some), "error", err)
		}
		cancel()
	}
}

// take returns the uses and empties the memory. They are sorted, so that two processes that update the same rows take
// the locks in the same order and cannot deadlock.
func (u *Uses) take() []Use {
	u.mu.Lock()
	last := u.last
	u.last = map[[2]string]time.Time{}
	u.mu.Unlock()
	var uses []Use
	for key, at := range last {
		uses = append(uses, Use{key[0], key[1], at})
	}
	slices.SortFunc(uses, func(a, b Use) int {
		return slices.Compare([]string{a.WorkspaceID, a.KeyID}, []string{b.WorkspaceID, b.KeyID})
	})
	return uses
}
