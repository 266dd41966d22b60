package sqldb

import (
	"context"
	"errors"
	"hash/maphash"
	"slices"
	"sync"
	"time"
)

const (
	most          = 16               // changes that are committed at once, at most
	batchPatience = 30 * time.Second // for a database that does not answer
)

// lane is where callers wait whose changes are committed together: the changes that come while a commit is under way
// are committed with the next one. Who comes first commits at once; nobody waits for company. All changes of a
// workspace are of one lane, so that no two transactions of a server wait for each other at its audit chain's head.
type lane struct {
	mu      sync.Mutex
	busy    bool
	waiting []*change
}

// seat is where a change waits for its turn in the batch of another caller.
type seat struct {
	turns   chan turn
	did     chan error
	leads   chan struct{} // closed: the lane is this caller's
	ended   chan struct{} // closed: the batch has ended
	lane    bool          // somebody else may wait: the change waits for nobody long
	leading bool
	alone   bool // the batch left it out
}

type turn struct {
	ctx context.Context
	tx  *Tx
}

// together commits a change with those of other callers, or alone where it would make them wait.
func (d *DB) together(c *change) error {
	l := &d.lanes[maphash.String(d.seed, c.workspaceID)%uint64(len(d.lanes))]
	if l.join(c) || c.wait(l) {
		l.lead(d, c)
	}
	if c.alone {
		return d.alone(c)
	}
	return outage(c.err)
}

// alone commits a change in a transaction of its own, as often as it takes to get it through.
func (d *DB) alone(c *change) error {
	c.seat = seat{}
	return outage(d.retry(c.ctx, func() error {
		if err := d.commit(c.ctx, []*change{c}); err != nil {
			return err
		}
		return c.err
	}))
}

// lead commits c's change with those that wait.
func (l *lane) lead(d *DB, c *change) {
	c.leading = true
	all := l.take(c)
	defer l.next()
	defer func() {
		for _, w := range all[1:] {
			close(w.ended)
		}
	}()
	for _, w := range all {
		w.lane, w.alone = true, true // as where c's own code panics
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), batchPatience)
	defer cancel()
	d.settle(all, d.commit(ctx, all))
}

// settle decides what becomes of the changes of a batch. An error of the whole batch is tried again by each alone, so
// that nobody fails by what another one did, but for an error that is nobody's fault: there is no connection, or it
// broke under the commit, which may have happened.
func (d *DB) settle(all []*change, err error) {
	everybodys := errors.As(err, new(outOfReach)) && !d.Retryable(err)
	for _, c := range all {
		switch {
		case everybodys:
			c.err, c.alone = err, false
		case err == nil:
			c.alone = d.leavesLane(c.err)
		}
		if c.alone && c.ctx.Err() != nil {
			c.err, c.alone = c.ctx.Err(), false
		}
		if c.alone {
			d.Counts.Alone.Add(1)
		}
	}
}

// leavesLane reports whether an error says only that the change would have made others wait.
func (d *DB) leavesLane(err error) bool {
	return err != nil && (errors.Is(err, errLong) || d.Retryable(err) || d.Waited(err))
}

// join reports whether the lane was free, and is the caller's now.
func (l *lane) join(c *change) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.busy {
		c.seat = seat{
			turns: make(chan turn), did: make(chan error), leads: make(chan struct{}), ended: make(chan struct{}),
		}
		l.waiting = append(l.waiting, c)
		return false
	}
	l.busy = true
	return true
}

func (l *lane) length() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.waiting)
}

// leave reports whether the change was still waiting, and waits no more.
func (l *lane) leave(c *change) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.waiting, c)
	if i < 0 {
		return false
	}
	l.waiting = slices.Delete(l.waiting, i, i+1)
	return true
}

// take takes what waits, for a batch with c: the oldest change of each workspace, then the second of each, and so on.
// So the many changes of one workspace let those of another pass. No two changes of one key are taken, since the second
// has to find the answer of the first.
func (l *lane) take(c *change) []*change {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := []*change{c}
	for before := 0; before < len(all); {
		before = len(all)
		had := map[string]bool{}
		l.waiting = slices.DeleteFunc(l.waiting, func(w *change) bool {
			if len(all) == most || had[w.workspaceID] || slices.ContainsFunc(all, w.sameKey) {
				return false
			}
			had[w.workspaceID], all = true, append(all, w)
			return true
		})
	}
	return all
}

func (c *change) sameKey(o *change) bool {
	return c.key != nil && o.key != nil && c.key.Hash == o.key.Hash && c.workspaceID == o.workspaceID
}

// next gives the lane to who waits longest.
func (l *lane) next() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		l.busy = false
		return
	}
	close(l.waiting[0].leads)
	l.waiting = slices.Delete(l.waiting, 0, 1)
}

// wait takes part in the batches of others. It reports whether the lane came to this caller instead.
func (c *change) wait(l *lane) (leads bool) {
	left := c.ctx.Done()
	for {
		select {
		case t := <-c.turns:
			c.take(t)
		case <-c.ended:
			return false
		case <-c.leads:
			return true
		case <-left:
			if l.leave(c) {
				c.err = c.ctx.Err()
				return false
			}
			left = nil // it is in a batch, or leads
		}
	}
}

// errGone is the error of a change whose caller's code has panicked. The panic goes on in the caller's own goroutine.
var errGone = errors.New("store: a change has panicked")

// take does the work in the goroutine of the change's own caller.
func (c *change) take(t turn) {
	err := errGone
	defer func() { c.did <- err }()
	err = c.do(t.ctx, t.tx)
}

// work has the change do its work, each in its caller's goroutine. In a lane, that does not end with its caller: the
// driver would break the connection under everybody's transaction.
func (c *change) work(ctx context.Context) error {
	if !c.lane {
		return c.do(ctx, c.tx)
	}
	own := context.WithoutCancel(c.ctx)
	if deadline, is := ctx.Deadline(); is {
		var cancel context.CancelFunc
		own, cancel = context.WithDeadline(own, deadline)
		defer cancel()
	}
	if c.leading {
		return c.do(own, c.tx)
	}
	c.turns <- turn{own, c.tx}
	return <-c.did
}
