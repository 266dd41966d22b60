package app

import (
	"context"
	"errors"
	"math/big"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/devnet"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/rpc"
	"github.com/railkit/railkit/crash"
	"github.com/railkit/railkit/kit/payout/mail"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/recovery"
	"github.com/railkit/railkit/platform/notify"
)

// node makes a signing.Node of an RPC client: addresses become text, and the
// nodes' many errors the few that change what the kit does.
type node struct{ *rpc.Client }

// Preflight turns the texts of the kit into addresses, and the answers back.
func (n node) Preflight(ctx context.Context, f nodes.Flight) (nodes.Preflight, error) {
	q := rpc.Flight{Value: f.Value, Data: f.Data, Estimate: f.Estimate}
	from, err := evm.ParseAddress(f.From)
	if err != nil {
		return nodes.Preflight{}, err
	}
	q.From = from
	if q.To, err = optional(f.To); err != nil {
		return nodes.Preflight{}, err
	}
	if q.Token, err = optional(f.Token); err != nil {
		return nodes.Preflight{}, err
	}
	p, err := n.Client.Preflight(ctx, q)
	if err != nil {
		return nodes.Preflight{}, err
	}
	if errors.Is(p.GasError, rpc.ErrReverted) || errors.Is(p.GasError, rpc.ErrInsufficientFunds) {
		p.GasError = errors.Join(nodes.ErrReverts, p.GasError)
	}
	return nodes.Preflight{
		MinedNonce: p.MinedNonce, Fee: networkFee(p.Fee), Balance: p.Balance, TokenBalance: p.TokenBalance,
		Gas: p.Gas, GasError: p.GasError,
	}, nil
}

func optional(address string) (*evm.Address, error) {
	if address == "" {
		return nil, nil
	}
	a, err := evm.ParseAddress(address)
	return &a, err
}

func (n node) MinedNonce(ctx context.Context, address string) (uint64, error) {
	a, err := evm.ParseAddress(address)
	if err != nil {
		return 0, err
	}
	return n.Client.MinedNonce(ctx, a)
}

func (n node) PendingNonce(ctx context.Context, address string) (uint64, error) {
	a, err := evm.ParseAddress(address)
	if err != nil {
		return 0, err
	}
	return n.Client.PendingNonce(ctx, a)
}

func (n node) Fee(ctx context.Context) (nodes.NetworkFee, error) {
	f, err := n.SuggestFee(ctx)
	if err != nil {
		return nodes.NetworkFee{}, err
	}
	return networkFee(f), nil
}

func networkFee(f rpc.Fee) nodes.NetworkFee {
	base := new(big.Int).Sub(f.MaxFeePerGas, f.MaxPriorityFeePerGas) // the client doubles it
	return nodes.NetworkFee{Base: base.Rsh(base, 1), Max: f.MaxFeePerGas, Priority: f.MaxPriorityFeePerGas}
}

func (n node) Send(ctx context.Context, signed []byte) error {
	crash.At("node", "before-send")
	_, err := n.Client.Send(ctx, signed)
	crash.At("node", "after-send")
	switch {
	case errors.Is(err, rpc.ErrAlreadyKnown):
		return nil
	case errors.Is(err, rpc.ErrNonceTooLow):
		return errors.Join(nodes.ErrNonceUsed, err)
	case errors.Is(err, rpc.ErrUnderpriced):
		return errors.Join(nodes.ErrUnderpriced, err)
	case errors.Is(err, rpc.ErrInsufficientFunds):
		return errors.Join(nodes.ErrNoFunds, err)
	case errors.Is(err, rpc.ErrRefused):
		return errors.Join(nodes.ErrRefused, err)
	}
	return err
}

func (n node) Receipt(ctx context.Context, hash string) (nodes.Receipt, bool, error) {
	id, err := transactionHash(hash)
	if err != nil {
		return nodes.Receipt{}, false, err
	}
	r, err := n.Client.Receipt(ctx, id)
	if err != nil || !r.Found {
		return nodes.Receipt{}, false, err
	}
	crash.At("node", "after-receipt")
	return nodes.Receipt{
		Succeeded: !r.Reverted, BlockNumber: r.BlockNumber, BlockHash: chain.Hex(r.BlockHash[:]),
	}, true, nil
}

func (n node) Known(ctx context.Context, hash string) (bool, error) {
	id, err := transactionHash(hash)
	if err != nil {
		return false, err
	}
	return n.Client.TransactionKnown(ctx, id)
}

func transactionHash(text string) ([32]byte, error) {
	raw, err := chain.ParseHex(text)
	if err != nil || len(raw) != 32 {
		return [32]byte{}, errors.New("not a transaction hash")
	}
	return [32]byte(raw), nil
}

func (n node) BlockHash(ctx context.Context, number uint64) (string, bool, error) {
	hash, found, err := n.Client.BlockHash(ctx, number)
	return chain.Hex(hash[:]), found, err
}

// faucet is the devnet's.
type faucet struct{ *devnet.Client }

func (f faucet) Fund(ctx context.Context, slug, address, asset, amount string) (string, error) {
	return f.Client.Faucet(ctx, slug, address, asset, amount)
}

// post is the platform's mail in the words of the kit.
type post struct{ notify.Mailer }

// mailOf is nil where there is no mailer.
func mailOf(m notify.Mailer) recovery.Mailer {
	if m == nil {
		return nil
	}
	return post{m}
}

func (p post) Send(ctx context.Context, m recovery.Mail) error {
	err := p.Mailer.Send(ctx, notify.Message(m))
	if errors.Is(err, notify.ErrRefused) {
		return errors.Join(recovery.ErrMailRefused, err)
	}
	return err
}

// invitePost is the same in the words of the payout kit.
type invitePost struct{ notify.Mailer }

// inviteMailOf is nil where there is no mailer.
func inviteMailOf(m notify.Mailer) mail.Mailer {
	if m == nil {
		return nil
	}
	return invitePost{m}
}

func (p invitePost) Send(ctx context.Context, m mail.Message) error {
	err := p.Mailer.Send(ctx, notify.Message(m))
	if errors.Is(err, notify.ErrRefused) {
		return errors.Join(mail.ErrRefused, err)
	}
	return err
}
