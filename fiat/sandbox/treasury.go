package sandbox

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/rpc"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/crash"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
)

// What a transaction of the treasury may need, and when it is given more coins.
const (
	sendGas     = 120_000
	sendTime    = 10 * time.Second
	coinsGiven  = "1"
	tokensGiven = "100000" // more than are needed
)

var fewCoins = big.NewInt(1e17)

// outgoing is what the treasury sends in one transaction: a transfer, or the coins of a deposit.
type outgoing struct {
	id        string // in the treasury's list
	chain, to string
	amount    money.Amount
	signed    func(t *tx, hash string) error    // once its bytes are written down, and before anybody sees them
	final     func(t *tx, succeeded bool) error // once no reorg changes it
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
		final:  func(t *tx, succeeded bool) error { return paymentFinal(t, id, succeeded) },
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

// bring signs a payment once, and then sends the same bytes until they are final:
// whatever happens between, no second transaction can be made of it.
func (s treasury) bring(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	o, err := s.view(ctx).outgoing(id)
	if err != nil {
		return err
	}
	n, _ := s.network(o.chain)
	c, err := s.node(ctx, n)
	if err != nil {
		return err
	}
	raw, err := s.signed(ctx, c, o)
	if err != nil {
		return err
	}
	crash.At("Partner", "before-send")
	if err := c.Send(ctx, raw); err != nil && !errors.Is(err, node.ErrNonceUsed) {
		return err
	}
	crash.At("Partner", "after-send")
	return s.settle(ctx, c, n, o, raw)
}

// signed is the transaction: the one that was kept, or a new one.
func (s treasury) signed(ctx context.Context, c *rpc.Client, o outgoing) ([]byte, error) {
	var raw []byte
	err := s.db.Reader.QueryRowContext(ctx, `SELECT raw FROM sends WHERE transfer = ?`, o.id).Scan(&raw)
	if raw != nil || err != nil {
		return raw, err
	}
	secret, treasury, err := s.seed.account(treasuryBranch, 0)
	if err != nil {
		return nil, err
	}
	if err := s.fund(ctx, c, o, treasury); err != nil {
		return nil, err
	}
	fee, err := c.Fee(ctx)
	if err != nil {
		return nil, err
	}
	next, err := c.NextNonce(ctx, treasury.String())
	if err != nil {
		return nil, err
	}
	unsigned, err := o.transaction(c.Network(), fee)
	if err != nil {
		return nil, err
	}
	err = s.update(ctx, func(t *tx) error {
		if unsigned.Nonce, err = t.nonce(o.chain, next); err != nil {
			return err
		}
		if raw, err = evm.SignTx(unsigned, secret, treasury); err != nil {
			return err
		}
		return t.keepSend(o, unsigned.Nonce, raw)
	})
	return raw, err
}

// fund asks the devnet's faucet for coins where the treasury has too few for this payment and those that it signed and
// whose blocks may still go: many at once, since each time takes a block. With 300 USDC there and 250 under way, a
// payment of 60 is 10 short.
func (s treasury) fund(ctx context.Context, c *rpc.Client, o outgoing, treasury evm.Address) error {
	coins, err := c.Balance(ctx, treasury.String())
	if err != nil {
		return err
	}
	if coins.Cmp(fewCoins) < 0 {
		if _, err := s.devnet.Faucet(ctx, o.chain, treasury.String(), "native", coinsGiven); err != nil {
			return err
		}
	}
	token, _ := c.Network().TokenBySymbol(string(o.amount.Currency))
	has, err := c.TokenBalance(ctx, token.Address, treasury.String())
	if err != nil {
		return err
	}
	needed, err := s.underWay(ctx, o.chain, o.amount)
	if err != nil || has.Cmp(big.NewInt(needed.Minor)) >= 0 {
		return err
	}
	spare, err := money.Parse(tokensGiven, needed.Currency)
	if err != nil {
		return err
	}
	if needed, err = needed.Add(spare); err != nil {
		return err
	}
	_, err = s.devnet.Faucet(ctx, o.chain, treasury.String(), needed.Currency.Upper(), needed.String())
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

func (o outgoing) transaction(n chain.Network, fee node.Fee) (evm.Tx, error) {
	token, _ := n.TokenBySymbol(string(o.amount.Currency))
	contract, err := evm.ParseAddress(token.Address)
	if err != nil {
		return evm.Tx{}, err
	}
	to, err := evm.ParseAddress(o.to)
	if err != nil {
		return evm.Tx{}, err
	}
	data, err := evm.EncodeTransfer(to, big.NewInt(o.amount.Minor))
	return evm.Tx{
		Type: evm.DynamicFee, ChainID: n.ChainID, GasLimit: sendGas, To: &contract, Value: new(big.Int), Data: data,
		MaxFeePerGas: fee.Max, MaxPriorityFeePerGas: fee.Priority,
	}, err
}

// nonce gives each out once. The treasury's key is used here and nowhere else.
func (t *tx) nonce(slug string, onChain uint64) (uint64, error) {
	next := onChain
	if err := setting(&t.view, "nonce:"+slug, &next); err != nil {
		return 0, err
	}
	next = max(next, onChain)
	return next, t.set("nonce:"+slug, next+1)
}

// keepSend writes the signed bytes down before anybody else sees them.
func (t *tx) keepSend(o outgoing, nonce uint64, raw []byte) error {
	if _, err := t.exec(`UPDATE sends SET nonce = ?, raw = ? WHERE transfer = ?`, int64(nonce), raw, o.id); err != nil {
		return err
	}
	id := evm.ID(raw)
	return o.signed(t, chain.Hex(id[:]))
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

// settle ends what the treasury sends when its transaction is final.
func (s treasury) settle(ctx context.Context, c *rpc.Client, n chain.Network, o outgoing, raw []byte) error {
	id := evm.ID(raw)
	r, found, err := c.Receipt(ctx, chain.Hex(id[:]))
	if err != nil || !found { // it is sent again
		return err
	}
	newest, err := c.Head(ctx)
	if err != nil || newest+1 < r.BlockNumber+int64(s.confirmations(n)) {
		return err
	}
	return s.update(ctx, func(t *tx) error {
		if _, err := t.exec(`UPDATE sends SET done = 1 WHERE transfer = ?`, o.id); err != nil {
			return err
		}
		return o.final(t, r.Succeeded)
	})
}

// resendFinal sends transactions again that were final, and that a deeper reorg took out of their blocks: the node's
// pool may have forgotten them, and all that come after their nonces wait for them.
func (s treasury) resendFinal(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	chains, err := s.sends(ctx, `SELECT DISTINCT chain FROM sends WHERE done = 1`)
	for _, slug := range chains {
		n, _ := s.network(slug)
		c, err := s.node(ctx, n)
		if err != nil {
			return err
		}
		if err := s.resendFinalOn(ctx, c, slug); err != nil {
			return err
		}
	}
	return err
}

func (s treasury) resendFinalOn(ctx context.Context, c *rpc.Client, slug string) error {
	_, treasury, err := s.seed.account(treasuryBranch, 0)
	if err != nil {
		return err
	}
	next, err := c.NextNonce(ctx, treasury.String())
	if err != nil {
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
func paymentFinal(t *tx, id string, succeeded bool) error {
	p, err := paymentOf(&t.view, id)
	if err != nil {
		return err
	}
	if p.State != fiat.TransferSubmitted {
		return fmt.Errorf("a transfer that is %s was sent", p.State)
	}
	if !succeeded {
		return t.undeliverable(&p, "reverted", "the token refuses the receiver", t.now)
	}
	return t.arrive(&p, t.now)
}
