package sandbox

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/crash"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/sandbox/onchain"
	"github.com/railkit/railkit/money"
)

// When the treasury is given more coins, and how long one look at a chain may take.
const (
	sendTime    = 10 * time.Second
	coinsGiven  = "1"
	tokensGiven = "100000" // more than are needed
)

// outgoing is what the treasury sends in one transaction: a transfer, or the coins of a deposit.
type outgoing struct {
	id        string // in the treasury's list
	chain, to string
	amount    money.Amount
	// signed books it once bytes are written down, and before anybody sees them. Without a hash it has none that stays.
	signed func(t *tx, hash string) error
	// final ends it, once no reorg changes what became of it.
	final func(t *tx, hash string, succeeded bool) error
}

// queueSend hands a payment to the loop that speaks with the chains.
func (t *tx) queueSend(p payment) error {
	if err := t.queue(p.ID, p.Chain); err != nil {
		return err
	}
	return t.put(row{kind: transferKind, id: p.ID, owner: p.Customer, ref: p.Reference}, p)
}

func (t *tx) queue(id, slug string) error {
	_, err := t.exec(`INSERT INTO sends (transfer, chain) VALUES (?, ?) ON CONFLICT DO NOTHING`, id, slug)
	return err
}

// outgoing finds what an id of the treasury's list is. A deposit's has a number behind it.
func (v *view) outgoing(id string) (outgoing, error) {
	if strings.Contains(id, ":") {
		return v.coins(id)
	}
	p, err := paymentOf(v, id)
	return outgoing{
		id: id, chain: p.Chain, to: p.To, amount: p.Net,
		signed: func(t *tx, hash string) error { return paymentSigned(t, id, hash) },
		final:  func(t *tx, hash string, succeeded bool) error { return paymentFinal(t, id, hash, succeeded) },
	}, err
}

// treasury sends what the server has decided to send.
type treasury struct{ *Server }

// keepSending brings the treasury's transactions onto their chains.
func (s treasury) keepSending(ctx context.Context) {
	for {
		open, err := s.sends(ctx, `SELECT transfer FROM sends WHERE done = 0 ORDER BY nonce IS NULL, nonce, rowid`)
		for _, id := range open {
			if err := s.bring(ctx, id); err != nil && ctx.Err() == nil {
				s.config.Log.Warn("a transaction of the treasury waits", "transfer", id, "error", err)
			}
		}
		if err := errors.Join(err, s.resendFinal(ctx)); err != nil && ctx.Err() == nil {
			s.config.Log.Error("looking for what is to be sent", "error", err)
		}
		patience := idle
		if len(open) > 0 {
			patience = lookEvery
		}
		if !s.out.wait(ctx, patience) {
			return
		}
	}
}

// sends reads one column of the treasury's list.
func (s treasury) sends(ctx context.Context, query string, args ...any) ([]string, error) {
	rows, err := s.db.Reader.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

var errNoChain = errors.New("the partner is not on the chain")

// bring signs a payment once, and then sends the same bytes until they are final: whatever happens between, no second
// transaction can be made of it. Where transactions expire, another one is made once no block can have the first.
func (s treasury) bring(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	o, err := s.view(ctx).outgoing(id)
	if err != nil {
		return err
	}
	c, ok := s.chain(o.chain)
	if !ok {
		return errNoChain
	}
	m, err := s.signed(ctx, c, o)
	if errors.Is(err, onchain.ErrNever) {
		return s.giveUp(ctx, o, err)
	}
	if err != nil {
		return err
	}
	crash.At("Partner", "before-send")
	sent := c.Send(ctx, m.Raw)
	crash.At("Partner", "after-send")
	if errors.Is(sent, node.ErrNonceUsed) {
		sent = nil
	}
	// A node that does not take it may have it in a block all the same.
	settled, err := s.settle(ctx, c, o, m)
	if err != nil || settled {
		return err
	}
	return sent
}

// signed is the transaction: the one that was kept, or a new one.
func (s treasury) signed(ctx context.Context, c *onchain.Chain, o outgoing) (m onchain.Signed, err error) {
	err = s.db.Reader.QueryRowContext(ctx, `SELECT raw, COALESCE(since, 0), COALESCE(last_height, 0)
		FROM sends LEFT JOIN windows USING (transfer) WHERE transfer = ?`, o.id,
	).Scan(&m.Raw, &m.Window.Since, &m.Window.LastHeight)
	if err != nil || m.Raw != nil {
		m.ID = c.IDOf(m.Raw)
		return m, err
	}
	if err := s.fund(ctx, c, o); err != nil {
		return m, err
	}
	token, _ := c.Network().TokenBySymbol(string(o.amount.Currency))
	lowest, err := s.view(ctx).nonce(o.chain)
	if err != nil {
		return m, err
	}
	if m, err = c.Pay(ctx, token, o.to, big.NewInt(o.amount.Minor), lowest); err != nil {
		return m, err
	}
	return m, s.update(ctx, func(t *tx) error { return t.keepSend(o, m) })
}

var errUnfunded = errors.New("the treasury's coins are not in a final block yet")

// fund asks the devnet's faucet for coins where the treasury has too few for this payment and those that it signed and
// whose blocks may still go: many at once, since each time takes a block. With 300 USDC there and 250 under way, a
// payment of 60 is 10 short.
func (s treasury) fund(ctx context.Context, c *onchain.Chain, o outgoing) error {
	address, err := c.Address(onchain.Treasury, 0)
	if err != nil {
		return err
	}
	needed, err := s.underWay(ctx, o.chain, o.amount)
	if err != nil {
		return err
	}
	for range 2 {
		coin, token, err := c.Short(ctx, string(needed.Currency), big.NewInt(needed.Minor))
		if err != nil || !coin && !token {
			return err
		}
		if coin {
			if _, err := s.devnet.Faucet(ctx, o.chain, address, "native", coinsGiven); err != nil {
				return err
			}
		}
		if token {
			if err := s.giveTokens(ctx, o.chain, address, needed); err != nil {
				return err
			}
		}
	}
	return errUnfunded
}

func (s treasury) giveTokens(ctx context.Context, slug, address string, needed money.Amount) error {
	spare, err := money.Parse(tokensGiven, needed.Currency)
	if err != nil {
		return err
	}
	if needed, err = needed.Add(spare); err != nil {
		return err
	}
	_, err = s.devnet.Faucet(ctx, slug, address, needed.Currency.Upper(), needed.String())
	return err
}

// underWay is an amount and those of its currency that were signed and are not final.
func (s treasury) underWay(ctx context.Context, slug string, sum money.Amount) (money.Amount, error) {
	open, err := s.sends(ctx, `SELECT transfer FROM sends WHERE done = 0 AND raw IS NOT NULL AND chain = ?`, slug)
	for _, id := range open {
		o, err := s.view(ctx).outgoing(id)
		if err != nil {
			return sum, err
		}
		if o.amount.Currency != sum.Currency {
			continue
		}
		if sum, err = sum.Add(o.amount); err != nil {
			return sum, err
		}
	}
	return sum, err
}

// nonce is the lowest that was never given out. The treasury's key is used by one loop and nowhere else.
func (v *view) nonce(slug string) (next uint64, err error) {
	return next, setting(v, "nonce:"+slug, &next)
}

// keepSend writes the signed bytes down before anybody else sees them, and until when a block can have them. What they
// carry is booked once, also where they expire and others are made.
func (t *tx) keepSend(o outgoing, m onchain.Signed) error {
	if m.Expires() {
		return errors.Join(t.bookOnce(o), t.keepBytes(o, nil, m.Raw), t.keepWindow(o, m.Window))
	}
	return errors.Join(t.set("nonce:"+o.chain, m.Number+1), t.keepBytes(o, int64(m.Number), m.Raw), o.signed(t, m.ID))
}

func (t *tx) keepBytes(o outgoing, nonce any, raw []byte) error {
	_, err := t.exec(`UPDATE sends SET nonce = ?, raw = ? WHERE transfer = ?`, nonce, raw, o.id)
	return err
}

func (t *tx) keepWindow(o outgoing, w node.Window) error {
	_, err := t.exec(`INSERT INTO windows (transfer, since, last_height) VALUES (?, ?, ?) ON CONFLICT (transfer)
		DO UPDATE SET since = excluded.since, last_height = excluded.last_height`, o.id, w.Since, w.LastHeight)
	return err
}

// bookOnce books what is sent, unless bytes that expired were signed for it before.
func (t *tx) bookOnce(o outgoing) error {
	var before bool
	err := t.w.QueryRowContext(
		t.ctx, `SELECT EXISTS (SELECT 1 FROM windows WHERE transfer = ?)`, o.id,
	).Scan(&before)
	if err != nil || before {
		return err
	}
	return o.signed(t, "")
}

// paymentSigned books a payment on a chain.
func paymentSigned(t *tx, id, hash string) error {
	p, err := paymentOf(&t.view, id)
	if err != nil {
		return err
	}
	if err := t.post("payout", "payout:"+p.ID, p.ID, p.payout()...); err != nil {
		return err
	}
	p.State, p.Hash = fiat.TransferSubmitted, hash
	return t.savePayment(&p, time.Time{}, transitioned)
}

// settle ends what the treasury sends when its transaction is final. One that expired is forgotten, so that another one
// is made.
func (s treasury) settle(ctx context.Context, c *onchain.Chain, o outgoing, m onchain.Signed) (bool, error) {
	f, err := c.Fate(ctx, m)
	if err == nil && f.Expired {
		s.config.Log.Warn("a transaction of the treasury expired: another one is made", "transfer", o.id, "hash", m.ID)
		return true, s.update(ctx, func(t *tx) error { return t.keepBytes(o, nil, nil) })
	}
	if err != nil || !f.Landed { // it is sent again
		return false, err
	}
	newest, err := c.Head(ctx)
	if err != nil || newest+1 < f.Block+int64(s.confirmations(c.Network())) {
		return true, err
	}
	return true, s.update(ctx, func(t *tx) error { return t.endSend(o, m.ID, f.Succeeded) })
}

func (t *tx) endSend(o outgoing, hash string, succeeded bool) error {
	if _, err := t.exec(`UPDATE sends SET done = 1 WHERE transfer = ?`, o.id); err != nil {
		return err
	}
	return o.final(t, hash, succeeded)
}

// giveUp ends what no block will ever take.
func (s treasury) giveUp(ctx context.Context, o outgoing, why error) error {
	s.config.Log.Warn("a transaction of the treasury is refused", "transfer", o.id, "error", why)
	return s.update(ctx, func(t *tx) error { return errors.Join(t.bookOnce(o), t.endSend(o, "", false)) })
}

// resendFinal sends transactions again that were final, and that a deeper reorg took out of their blocks: the node's
// pool may have forgotten them, and all that come after their nonces wait for them.
func (s treasury) resendFinal(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	chains, err := s.sends(ctx, `SELECT DISTINCT chain FROM sends WHERE done = 1 AND nonce IS NOT NULL`)
	for _, slug := range chains {
		c, ok := s.chain(slug)
		if !ok {
			return errNoChain
		}
		if err := s.resendFinalOn(ctx, c, slug); err != nil {
			return err
		}
	}
	return err
}

func (s treasury) resendFinalOn(ctx context.Context, c *onchain.Chain, slug string) error {
	next, isNumbered, err := c.Next(ctx)
	if err != nil || !isNumbered {
		return err
	}
	forgotten, err := s.sends(ctx,
		`SELECT raw FROM sends WHERE done = 1 AND chain = ? AND nonce >= ? ORDER BY nonce`, slug, int64(next))
	for _, raw := range forgotten {
		if err := c.Send(ctx, []byte(raw)); err != nil && !errors.Is(err, node.ErrNonceUsed) {
			return err
		}
	}
	return err
}

// paymentFinal ends a payment on a chain.
func paymentFinal(t *tx, id, hash string, succeeded bool) error {
	p, err := paymentOf(&t.view, id)
	if err != nil {
		return err
	}
	if p.State != fiat.TransferSubmitted {
		return fmt.Errorf("a transfer that is %s was sent", p.State)
	}
	p.Hash = hash
	if !succeeded {
		return t.undeliverable(&p, "reverted", "the token refuses the receiver", t.now)
	}
	return t.arrive(&p, t.now)
}
