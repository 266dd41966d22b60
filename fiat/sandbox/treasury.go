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
	sendGas    = 120_000
	sendTime   = 10 * time.Second
	coinsGiven = "1"
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

// keepSending brings the treasury's transactions onto their chains.
func (s *Server) keepSending(ctx context.Context) {
	for {
		open, err := s.openSends(ctx)
		for _, id := range open {
			if err := s.bring(ctx, id); err != nil && ctx.Err() == nil {
				s.config.Log.Warn("a transaction of the treasury waits", "transfer", id, "error", err)
			}
		}
		if err != nil && ctx.Err() == nil {
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

func (s *Server) openSends(ctx context.Context) ([]string, error) {
	rows, err := s.db.Reader.QueryContext(ctx,
		`SELECT transfer FROM sends WHERE done = 0 ORDER BY nonce IS NULL, nonce, rowid`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var open []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		open = append(open, id)
	}
	return open, rows.Err()
}

// bring signs a payment once, and then sends the same bytes until they are final:
// whatever happens between, no second transaction can be made of it.
func (s *Server) bring(ctx context.Context, id string) error {
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
func (s *Server) signed(ctx context.Context, c *rpc.Client, o outgoing) ([]byte, error) {
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

// fund asks the devnet's faucet for what is to be paid: the treasury holds no
// more than it needs.
func (s *Server) fund(ctx context.Context, c *rpc.Client, o outgoing, treasury evm.Address) error {
	coins, err := c.Balance(ctx, treasury.String())
	if err != nil {
		return err
	}
	if coins.Cmp(fewCoins) < 0 {
		if _, err := s.devnet.Faucet(ctx, o.chain, treasury.String(), "native", coinsGiven); err != nil {
			return err
		}
	}
	_, err = s.devnet.Faucet(ctx, o.chain, treasury.String(), o.amount.Currency.Upper(), o.amount.String())
	return err
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
func (s *Server) settle(ctx context.Context, c *rpc.Client, n chain.Network, o outgoing, raw []byte) error {
	id := evm.ID(raw)
	r, found, err := c.Receipt(ctx, chain.Hex(id[:]))
	if err == nil && !found { // it is sent again
		return s.resendFinal(ctx, c, n.Slug)
	}
	if err != nil {
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
func (s *Server) resendFinal(ctx context.Context, c *rpc.Client, slug string) error {
	_, treasury, err := s.seed.account(treasuryBranch, 0)
	if err != nil {
		return err
	}
	next, err := c.NextNonce(ctx, treasury.String())
	if err != nil {
		return err
	}
	rows, err := s.db.Reader.QueryContext(ctx,
		`SELECT raw FROM sends WHERE done = 1 AND chain = ? AND nonce >= ? ORDER BY nonce`, slug, int64(next))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var raw []byte
		if err := rows.Scan(&raw); err != nil {
			return err
		}
		if err := c.Send(ctx, raw); err != nil && !errors.Is(err, node.ErrNonceUsed) {
			return err
		}
	}
	return rows.Err()
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
