package localnet

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/internal/child/linefile"
)

// entry is a line of the file: something that changed the chain or one of its nodes. What each block was follows from
// them. A line is on the disk before anybody is answered.
type entry struct {
	Genesis string   `json:"genesis,omitempty"` // the first line: whose chain it is
	After   string   `json:"after,omitempty"`   // hash of the newest block before it
	Mint    *mint    `json:"mint,omitempty"`    // a token that the network lists from now on
	Blocks  int      `json:"blocks,omitempty"`  // the first of them takes what waits
	Time    int64    `json:"time,omitempty"`    // of the blocks
	Send    [][]byte `json:"send,omitempty"`    // a block of these
	Gift    string   `json:"gift,omitempty"`    // the name under which Send gives something
	Wait    []byte   `json:"wait,omitempty"`    // for a block that is made by hand
	ByHand  *bool    `json:"byHand,omitempty"`
	Skip    int64    `json:"skip,omitempty"`
	Rent    uint64   `json:"rent,omitempty"`
	Node    string   `json:"node,omitempty"` // of which View is
	View    *View    `json:"view,omitempty"`
}

var (
	errOther = errors.New("the data are of another chain: its network was another, or a token had other decimals")
	// errExecuted is of a program that executes in another way than the one that made the data.
	errExecuted = errors.New("the data were made by a program that executes transactions otherwise: remove them")
)

// Open opens the chain of a folder, or begins one there. The network's tokens are its mints; those that an earlier
// program did not list are made now.
func Open(dir string, n chain.Network) (*Chain, error) { return open(dir, n, time.Now) }

func open(dir string, n chain.Network, now func() time.Time) (*Chain, error) {
	mints, err := mintsOf(n)
	if err != nil {
		return nil, err
	}
	disk, err := linefile.Open(dir, "chain.jsonl")
	if err != nil {
		return nil, fmt.Errorf("opening the chain: %w", err)
	}
	c := newChain(n, now)
	c.disk = disk
	if err = c.read(); err == nil {
		err = c.list(mints)
	}
	if err != nil {
		return nil, errors.Join(err, disk.Close())
	}
	return c, nil
}

// Close lets go of the folder. Nothing is written that is not there.
func (c *Chain) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.disk.Close()
}

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
		e.Time = c.now().Unix()
	}
	if e.Genesis == "" {
		e.After = solana.Address(c.head().hash).String()
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if err := c.disk.Add(line); err != nil {
		return fmt.Errorf("writing the chain: %w", err)
	}
	close(c.changed)
	c.changed = make(chan struct{})
	return c.apply(e)
}

// apply follows an entry.
func (c *Chain) apply(e entry) error {
	if e.After != "" && e.After != solana.Address(c.head().hash).String() {
		return errExecuted
	}
	if e.Mint != nil {
		c.mints = append(c.mints, *e.Mint)
		authority := addressOf(mintKey)
		c.putMint(*e.Mint, &authority)
	}
	sent, err := decodeAll(e.Send)
	if err != nil {
		return err
	}
	if len(sent) > 0 {
		c.makeBlock(e.Time, sent)
	}
	if e.Gift != "" && len(sent) > 0 {
		c.gifts[e.Gift] = sent[0].tx.ID()
	}
	for range e.Blocks {
		waited := c.pool
		c.pool = nil
		c.makeBlock(e.Time, waited)
	}
	if e.Wait != nil {
		w, err := decode(e.Wait)
		if err != nil {
			return err
		}
		c.pool = append(c.pool, w)
	}
	if e.ByHand != nil {
		c.byHand = *e.ByHand
	}
	c.skip += e.Skip
	if e.Rent > 0 {
		c.ledger.Rent = e.Rent
	}
	if e.View != nil {
		c.views[e.Node] = *e.View
	}
	return nil
}

func decodeAll(all [][]byte) ([]waiting, error) {
	var some []waiting
	for _, raw := range all {
		w, err := decode(raw)
		if err != nil {
			return nil, err
		}
		some = append(some, w)
	}
	return some, nil
}
