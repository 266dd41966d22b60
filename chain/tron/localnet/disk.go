package localnet

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/internal/child/linefile"
)

// entry is a line of the file: something that changed the chain or one of its nodes. What each block was follows from
// them. A line is on the disk before anybody is answered.
type entry struct {
	Genesis string   `json:"genesis,omitempty"` // the first line: whose chain it is
	After   string   `json:"after,omitempty"`   // id of the newest block before it
	Token   *token   `json:"token,omitempty"`   // that the network lists from now on
	Blocks  int      `json:"blocks,omitempty"`  // the first of them takes what waits
	Time    int64    `json:"time,omitempty"`    // of the first block, a millisecond since 1970
	Step    int64    `json:"step,omitempty"`    // milliseconds from one block to the next
	Send    [][]byte `json:"send,omitempty"`    // a block of these
	Gift    string   `json:"gift,omitempty"`    // the name under which Send gives something
	Wait    []byte   `json:"wait,omitempty"`    // for a block that is made by hand
	ByHand  *bool    `json:"byHand,omitempty"`
	Solid   *int64   `json:"solid,omitempty"`
	Prices  *prices  `json:"prices,omitempty"`
	Node    string   `json:"node,omitempty"` // of which View is
	View    *View    `json:"view,omitempty"`
}

var (
	errOther = errors.New("the data are of another chain: its network was another, or a token had other decimals")
	// errExecuted is of a program that executes in another way than the one that made the data.
	errExecuted = errors.New("the data were made by a program that executes transactions otherwise: remove them")
)

// Open opens the chain of a folder, or begins one there. Tokens of the network that an earlier program did not list are
// made now.
func Open(dir string, n chain.Network) (*Chain, error) { return open(dir, n, time.Now) }

func open(dir string, n chain.Network, now func() time.Time) (*Chain, error) {
	tokens, err := tokensOf(n)
	if err != nil {
		return nil, err
	}
	c, err := newChain(n, now)
	if err != nil {
		return nil, err
	}
	if c.disk, err = linefile.Open(dir, "chain.jsonl"); err != nil {
		return nil, fmt.Errorf("opening the chain: %w", err)
	}
	if err = c.read(); err == nil {
		err = c.list(tokens)
	}
	if err != nil {
		return nil, errors.Join(err, c.disk.Close())
	}
	return c, nil
}

// Close lets go of the folder. Nothing is written that is not there.
func (c *Chain) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.disk.Close()
}

// genesis names whose chain it is.
func (c *Chain) genesis() string { return c.network.Slug + " " + c.network.Cluster }

// read follows the entries.
func (c *Chain) read() error {
	lines, err := c.disk.Read(func(n int, line []byte) error {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("reading line %d of the chain: %w", n, err)
		}
		if n == 1 && e.Genesis != c.genesis() {
			return errOther
		}
		if err := c.apply(e); err != nil {
			return fmt.Errorf("following line %d of the chain: %w", n, err)
		}
		return nil
	})
	if err != nil || lines > 0 {
		return err
	}
	return c.write(entry{Genesis: c.genesis()})
}

// write puts an entry on the disk and follows it. The caller has the lock.
func (c *Chain) write(e entry) error {
	if e.Blocks > 0 || len(e.Send) > 0 {
		e.Time = max(c.now().UnixMilli(), c.head().time+1)
	}
	if e.Genesis == "" {
		e.After = c.head().name()
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if err := c.disk.Add(line); err != nil {
		return fmt.Errorf("writing the chain: %w", err)
	}
	return c.apply(e)
}

// apply follows an entry.
func (c *Chain) apply(e entry) error {
	if e.After != "" && e.After != c.head().name() {
		return errExecuted
	}
	if e.Token != nil {
		if err := c.deploy(*e.Token); err != nil {
			return err
		}
	}
	if err := c.applyBlocks(e); err != nil {
		return err
	}
	if e.Wait != nil {
		s, err := decode(e.Wait)
		if err != nil {
			return err
		}
		c.pool = append(c.pool, s)
	}
	if e.ByHand != nil {
		c.byHand = *e.ByHand
	}
	if e.Solid != nil {
		c.solid = *e.Solid
	}
	if e.Prices != nil {
		c.ledger.prices = *e.Prices
	}
	if e.View != nil {
		c.views[e.Node] = *e.View
	}
	return nil
}

func (c *Chain) applyBlocks(e entry) error {
	var all []sent
	for _, raw := range e.Send {
		s, err := decode(raw)
		if err != nil {
			return err
		}
		all = append(all, s)
	}
	if len(all) > 0 {
		if err := c.makeBlock(e.Time, all); err != nil {
			return err
		}
	}
	if e.Gift != "" && len(all) > 0 {
		c.gifts[e.Gift] = all[0].id
	}
	for i := range e.Blocks {
		waited := c.pool
		c.pool = nil
		if err := c.makeBlock(e.Time+int64(i)*e.Step, waited); err != nil {
			return err
		}
	}
	return nil
}

// locked writes one entry.
func (c *Chain) locked(e entry) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.write(e)
}

// refresh makes a block where the newest one is old, so that whoever asks for it finds one that he can name, and what
// was sent becomes solid. On a chain that is made by hand it does nothing.
func (c *Chain) refresh() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	age := c.now().UnixMilli() - c.head().time
	if c.byHand || age < interval || age < stale && !c.waits() {
		return nil
	}
	return c.write(entry{Blocks: 1})
}

// waits reports whether a transaction is in a block that is not solid.
func (c *Chain) waits() bool {
	for n := len(c.blocks) - 1; n >= 0 && c.blocks[n].number > c.head().number-c.solid; n-- {
		if len(c.blocks[n].transactions) > 0 {
			return true
		}
	}
	return false
}
