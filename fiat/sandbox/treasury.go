package sandbox

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/rpc"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/crash"
	"github.com/railkit/railkit/fiat"
)

// What a transaction of the treasury may need, and when it is given more coins.
const (
	sendGas    = 120_000
	sendTime   = 10 * time.Second
	coinsGiven = "1"
)

var fewCoins = big.NewInt(1e17)

// queueSend hands a payment to the loop that speaks with the chains.
func (t *tx) queueSend(p payment) error {
	if _, err := t.exec(`INSERT INTO sends (transfer, chain) VALUES (?, ?) ON CONFLICT DO NOTHING`,
		p.ID, p.Chain); err != nil {
		return err
	}
	return t.put(row{kind: transferKind, id: p.ID, owner: p.Customer, ref: p.Reference}, p)
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
	p, err := paymentOf(s.view(ctx), id)
	if err != nil {
		return err
	}
	n, _ := s.network(p.Chain)
	c, err := s.node(ctx, n)
	if err != nil {
		return err
	}
	raw, err := s.signed(ctx, c, p)
	if err != nil {
		return err
	}
	crash.At("Partner", "before-send")
	if err := c.Send(ctx, raw); err != nil && !errors.Is(err, node.ErrNonceUsed) {
		return err
	}
	crash.At("Partner", "after-send")
	return s.settle(ctx, c, n, p, raw)
}

// signed is the payment's transaction: the one that was kept, or a new one.
func (s *Server) signed(ctx context.Context, c *rpc.Client, p payment) ([]byte, error) {
	var raw []byte
	err := s.db.Reader.QueryRowContext(ctx, `SELECT raw FROM sends WHERE transfer = ?`, p.ID).Scan(&raw)
	if raw != nil || err != nil {
		return raw, err
	}
	secret, treasury, err := s.seed.account(treasuryBranch, 0)
	if err != nil {
		return nil, err
	}
	if err := s.fund(ctx, c, p, treasury); err != nil {
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
	unsigned, err := p.transaction(c.Network(), fee)
	if err != nil {
		return nil, err
	}
	err = s.update(ctx, func(t *tx) error {
		if unsigned.Nonce, err = t.nonce(p.Chain, next); err != nil {
			return err
		}
		if raw, err = evm.SignTx(unsigned, secret, treasury); err != nil {
			return err
		}
		return t.keepSend(&p, unsigned.Nonce, raw)
	})
	return raw, err
}

// fund asks the devnet's faucet for what is to be paid: the treasury holds no
// more than it needs.
func (s *Server) fund(ctx context.Context, c *rpc.Client, p payment, treasury evm.Address) error {
	coins, err := c.Balance(ctx, treasury.String())
	if err != nil {
		return err
	}
	if coins.Cmp(fewCoins) < 0 {
		if _, err := s.devnet.Faucet(ctx, p.Chain, treasury.String(), "native", coinsGiven); err != nil {
			return err
		}
	}
	_, err = s.devnet.Faucet(ctx, p.Chain, treasury.String(), p.Net.Currency.Upper(), p.Net.String())
	return err
}

func (p *payment) transaction(n chain.Network, fee node.Fee) (evm.Tx, error) {
	token, _ := n.TokenBySymbol(string(p.Net.Currency))
	contract, err := evm.ParseAddress(token.Address)
	if err != nil {
		return evm.Tx{}, err
	}
	to, err := evm.ParseAddress(p.To)
	if err != nil {
		return evm.Tx{}, err
	}
	data, err := evm.EncodeTransfer(to, big.NewInt(p.Net.Minor))
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
func (t *tx) keepSend(p *payment, nonce uint64, raw []byte) error {
	if err := t.post("payout", "payout:"+p.ID, p.ID, p.payout()...); err != nil {
		return err
	}
	if _, err := t.exec(`UPDATE sends SET nonce = ?, raw = ? WHERE transfer = ?`, int64(nonce), raw, p.ID); err != nil {
		return err
	}
	id := evm.ID(raw)
	p.State, p.Hash = fiat.TransferSubmitted, chain.Hex(id[:])
	return t.savePayment(p, time.Time{}, transitioned)
}

// settle ends a payment whose transaction is final.
func (s *Server) settle(ctx context.Context, c *rpc.Client, n chain.Network, p payment, raw []byte) error {
	id := evm.ID(raw)
	r, found, err := c.Receipt(ctx, chain.Hex(id[:]))
	if err != nil || !found {
		return err // it is sent again
	}
	newest, err := c.Head(ctx)
	if err != nil || newest+1 < r.BlockNumber+int64(s.confirmations(n)) {
		return err
	}
	return s.update(ctx, func(t *tx) error {
		if p, err = paymentOf(&t.view, p.ID); err != nil {
			return err
		}
		if _, err := t.exec(`UPDATE sends SET done = 1 WHERE transfer = ?`, p.ID); err != nil {
			return err
		}
		if p.State != fiat.TransferSubmitted {
			return fmt.Errorf("a transfer that is %s was sent", p.State)
		}
		if !r.Succeeded {
			return t.undeliverable(&p, "reverted", "the token refuses the receiver", t.now)
		}
		return t.arrive(&p, t.now)
	})
}
