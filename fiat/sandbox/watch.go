package sandbox

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/fiat/sandbox/onchain"
	"github.com/railkit/railkit/money"
)

// How the chains are watched.
const (
	lookEvery = 250 * time.Millisecond
	lookAhead = 1000 // blocks that are read at once
	mostNamed = 500  // addresses that a question names
)

// drain is a deposit on a liquidation address.
type drain struct {
	ID       string         `json:"id"`
	Customer string         `json:"customer_id"`
	Address  string         `json:"liquidation_address_id"`
	Amount   string         `json:"amount"`
	Currency money.Currency `json:"currency"`
	State    string         `json:"state"`
	Source   struct {
		Rail     string         `json:"payment_rail"`
		Currency money.Currency `json:"currency"`
		From     string         `json:"from_address"`
	} `json:"source"`
	Deposit     string `json:"deposit_tx_hash"`
	Destination struct {
		Rail     string         `json:"payment_rail"`
		Currency money.Currency `json:"currency"`
		Wallet   string         `json:"bridge_wallet_id"`
	} `json:"destination"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// The states of a drain that the sandbox has.
const (
	fundsReceived    = "funds_received"
	paymentProcessed = "payment_processed"
	undeliverable    = "undeliverable"
)

// watcher looks for what comes to addresses of the server's wallets.
type watcher struct{ *Server }

// keepWatching reads the chains on which the partner has addresses.
func (s watcher) keepWatching(ctx context.Context) {
	heads := map[string]string{} // what was read, by chain
	for {
		for _, c := range s.chains {
			err := s.watch(ctx, c, heads)
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				s.config.Log.Warn("a chain is not watched", "chain", c.Network().Slug, "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(lookEvery):
		}
	}
}

// watch reads what is new on a chain, and the last blocks again where others may have come in their place. Which blocks
// were read only saves time: a deposit counts once, however often it is read.
func (s watcher) watch(ctx context.Context, c *onchain.Chain, heads map[string]string) error {
	n := c.Network()
	var count int
	err := s.db.Reader.QueryRowContext(
		ctx, `SELECT COUNT(*) FROM objects WHERE kind = ? AND ref = ?`, addressKind, n.Slug,
	).Scan(&count)
	if err != nil || count == 0 {
		return err
	}
	newest, err := c.Latest(ctx)
	if err != nil {
		return err
	}
	seen := fmt.Sprintf("%s %d", newest.Hash, count)
	if heads[n.Slug] == seen {
		return nil
	}
	known, err := s.addresses(ctx, c)
	if err != nil {
		return err
	}
	last := newest.Number - int64(s.confirmations(n)) + 1
	if err := s.read(ctx, c, known, last); err != nil {
		return err
	}
	heads[n.Slug] = seen
	return nil
}

func (s *Server) confirmations(n chain.Network) int {
	if s.config.Confirmations > 0 {
		return s.config.Confirmations
	}
	return n.Confirmations
}

// addresses are the liquidation addresses of a chain, as a node writes them.
func (s watcher) addresses(ctx context.Context, c *onchain.Chain) (map[string]liquidation, error) {
	list, err := all[liquidation](s.view(ctx), "kind = ? AND ref = ?", addressKind, c.Network().Slug)
	known := map[string]liquidation{}
	for _, l := range list {
		known[c.Lookup(l.Address)] = l
	}
	return known, err
}

// read reads from where it was last, or the chain's beginning, to a block that is final.
func (s watcher) read(ctx context.Context, c *onchain.Chain, known map[string]liquidation, last int64) error {
	var next int64
	if err := setting(s.view(ctx), "read:"+c.Network().Slug, &next); err != nil {
		return err
	}
	q := question(c.Network(), known)
	for from := max(0, min(next, last+1)-c.Again()); from <= last; from += lookAhead {
		to := min(last, from+lookAhead-1)
		q.From, q.To = from, to
		found, err := c.Transfers(ctx, q)
		if err != nil {
			return err
		}
		if err := s.credit(ctx, c, known, found, to+1); err != nil {
			return err
		}
	}
	return nil
}

// question asks for transfers of the network's tokens to the addresses, or to
// anybody where those are too many to name.
func question(n chain.Network, known map[string]liquidation) (q node.Query) {
	for _, t := range n.Tokens {
		q.Tokens = append(q.Tokens, t.Address)
	}
	if len(known) <= mostNamed {
		q.Receivers = slices.Collect(maps.Keys(known))
	}
	return q
}

// credit makes drains of deposits, and remembers what was read.
func (s watcher) credit(
	ctx context.Context, c *onchain.Chain, known map[string]liquidation, found []node.Transfer, next int64,
) error {
	return s.update(ctx, func(t *tx) error {
		seen := map[place]int{}
		for _, in := range found {
			at := place{in.Tx, in.Token, in.To}
			if err := t.drain(c, known[in.To], in, seen[at]); err != nil {
				return err
			}
			seen[at]++
		}
		return t.set("read:"+c.Network().Slug, next)
	})
}

// place is a transaction, and a token and a receiver in it. Transfers there are
// numbered: unlike a log's index in its block, that stays as it is where the
// transaction is mined again in another block.
type place struct{ tx, token, to string }

// drainSpace makes the same id of the same deposit, always.
var drainSpace = uuid.MustParse("0b0d9c5e-8f0e-4a63-9c7e-5a3f4f0b6d21")

func (t *tx) drain(c *onchain.Chain, l liquidation, in node.Transfer, seq int) error {
	n := c.Network()
	token, listed := n.TokenByAddress(in.Token)
	if !listed || l.ID == "" || !in.Amount.IsInt64() || in.Amount.Sign() == 0 {
		return nil
	}
	key := fmt.Sprintf("%s %s %s %s %d", n.Slug, strings.TrimPrefix(in.Tx, "0x"), c.Canonical(in.Token),
		c.Canonical(in.To), seq)
	d := drain{
		ID: uuid.NewSHA1(drainSpace, []byte(key)).String(), Customer: l.Customer, Address: l.ID, State: fundsReceived,
	}
	if old, err := find(&t.view, &drain{}, "id = ?", d.ID); old || err != nil {
		return err
	}
	amount := money.Of(in.Amount.Int64(), lower(token.Symbol))
	d.Amount, d.Currency, d.Deposit = amount.String(), amount.Currency, in.Tx
	d.Source.Rail, d.Source.Currency, d.Source.From = n.Slug, amount.Currency, c.Canonical(in.From)
	d.Destination.Rail, d.Destination.Currency, d.Destination.Wallet = "bridge_wallet", amount.Currency, l.Wallet
	d.CreatedAt = t.stamp()
	due := t.now.Add(drainTime)
	if amount.Currency != l.Currency {
		d.State, due = undeliverable, time.Time{}
		if err := t.post("unclaimed", "drain:"+d.ID, d.ID,
			move(chainAccount(n.Slug), unclaimedAccount(l.ID), amount)...); err != nil {
			return err
		}
	}
	return t.saveDrain(d, due, created)
}

func (t *tx) saveDrain(d drain, due time.Time, m mutation) error {
	d.UpdatedAt = t.stamp()
	if err := t.put(row{kind: drainKind, id: d.ID, owner: d.Customer, ref: d.Address, due: due}, d); err != nil {
		return err
	}
	return t.emit("liquidation_address.drain", m, d.ID, d.State, d)
}

var errDrain = errors.New("a drain is not as it was written")

// stepDrain gives the wallet what arrived.
func stepDrain(t *tx, due task) error {
	var d drain
	found, err := find(&t.view, &d, "kind = ? AND id = ?", drainKind, due.id)
	if err != nil || !found {
		return errors.Join(err, errDrain)
	}
	amount, err := money.Parse(d.Amount, d.Currency)
	if err != nil {
		return errDrain
	}
	if err := t.post("drain", "drain:"+d.ID, d.ID,
		move(chainAccount(d.Source.Rail), walletAccount(d.Destination.Wallet), amount)...); err != nil {
		return err
	}
	d.State = paymentProcessed
	return t.saveDrain(d, time.Time{}, transitioned)
}

func listDrains(v *view, r request) (any, error) {
	if _, err := getLiquidation(v, r); err != nil {
		return nil, err
	}
	return list[drain](v, r, drainKind, "owner = ? AND ref = ?", r.PathValue("customer"), r.PathValue("address"))
}

func listCustomerDrains(v *view, r request) (any, error) {
	return list[drain](v, r, drainKind, "owner = ?", r.PathValue("customer"))
}
