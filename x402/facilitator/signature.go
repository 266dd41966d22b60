package facilitator

import (
	"context"
	"errors"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/signed"
	"github.com/railkit/railkit/x402"
)

// signature checks it, and gives the bytes that the contract takes.
func (j *Judge) signature(ctx context.Context, p payment) ([]byte, error) {
	from, wrong := p.payload.From(), refusal(x402.ReasonSignature)
	if p.permit {
		wrong = x402.ReasonPermit2Signature
	}
	if who, err := p.payload.Recover(p.domain()); err == nil && who == from {
		return p.payload.Signature, nil
	}
	signature := p.payload.Signature
	_, _, inner, wrapped := signed.Unwrap(signature)
	if wrapped {
		signature = inner
	}
	// Only a contract can have signed it now.
	deployed, err := p.chain.Code(ctx, from)
	if err != nil {
		return nil, err
	}
	if !deployed {
		if wrapped { // to deploy a wallet that the payer names is to run what the payer names: nobody here does
			return nil, refusal(x402.ReasonUndeployedWallet)
		}
		return nil, wrong
	}
	answer, err := p.chain.Call(ctx, Call{
		From: j.signers[0], To: from, Data: signed.WalletCall(p.payload.Digest(p.domain()), signature),
	})
	if err != nil && !errors.Is(err, ErrReverted) {
		return nil, err
	}
	if err != nil || !signed.WalletTakes(answer) {
		return nil, wrong
	}
	return signature, nil
}

// settleCall is the call that settles a payment whose signature was checked.
func (j *Judge) settleCall(p payment, signature []byte) Call {
	if t := p.payload.Permit; t != nil {
		from := j.signers[0]
		if t.Upto() {
			from = t.Facilitator
		}
		return Call{From: from, To: t.Spender(), Data: t.Call(signature, p.amount)}
	}
	call := Call{From: j.signers[0], To: p.asset}
	if sig, err := signed.ReadSignature(signature); err == nil {
		call.Data = p.payload.Authorization.Call(sig) // the form that every token with EIP-3009 has
	} else {
		call.Data = p.payload.Authorization.CallBytes(signature)
	}
	return call
}

// diagnose finds out why the call that would settle the payment does not run.
func (p payment) diagnose(ctx context.Context) error {
	if p.permit {
		return p.diagnosePermit(ctx)
	}
	a := p.payload.Authorization
	answer, err := p.ask(ctx, p.asset, signed.StateCall(a.From, a.Nonce))
	used, ok := signed.ReadBool(answer)
	switch {
	case err != nil:
		return err
	case !ok:
		return refusal(x402.ReasonNotSupported)
	case used:
		return refusal(x402.ReasonNonceUsed)
	}
	for _, q := range []struct {
		call         []byte
		want, reason string
	}{
		{signed.NameCall(), p.offer.Extra.Name, x402.ReasonTokenName},
		{signed.VersionCall(), p.offer.Extra.Version, x402.ReasonTokenVersion},
	} {
		answer, err := p.ask(ctx, p.asset, q.call)
		if err != nil {
			return err
		}
		if text, ok := signed.ReadText(answer); ok && text != q.want {
			return refusal(q.reason)
		}
	}
	if low, err := p.less(ctx, p.asset, signed.BalanceCall(a.From)); err != nil || low {
		return orRefusal(err, x402.ReasonBalance)
	}
	return refusal(x402.ReasonSimulation)
}

func (p payment) diagnosePermit(ctx context.Context) error {
	t := p.payload.Permit
	answer, err := p.ask(ctx, evm.Permit2Address(), signed.BitmapCall(t.From, t.Nonce))
	if err != nil {
		return err
	}
	if bitmap, ok := signed.ReadNumber(answer); ok && signed.NonceUsed(bitmap, t.Nonce) {
		return refusal(x402.ReasonPermit2Nonce)
	}
	if low, err := p.less(ctx, p.asset, signed.BalanceCall(t.From)); err != nil || low {
		return orRefusal(err, x402.ReasonPermit2Balance)
	}
	allowance := signed.AllowanceCall(t.From, evm.Permit2Address())
	if low, err := p.less(ctx, p.asset, allowance); err != nil || low {
		return orRefusal(err, x402.ReasonPermit2Allowance)
	}
	return refusal(x402.ReasonPermit2Simulation)
}

func orRefusal(err error, reason string) error {
	if err != nil {
		return err
	}
	return refusal(reason)
}

// ask runs a question. A contract that refuses it answers nothing.
func (p payment) ask(ctx context.Context, at evm.Address, data []byte) ([]byte, error) {
	answer, err := p.chain.Call(ctx, Call{To: at, Data: data})
	if errors.Is(err, ErrReverted) {
		return nil, nil
	}
	return answer, err
}

// less reports whether the contract answers with a number below what is to move.
func (p payment) less(ctx context.Context, at evm.Address, data []byte) (bool, error) {
	answer, err := p.ask(ctx, at, data)
	n, ok := signed.ReadNumber(answer)
	return ok && n.Cmp(p.amount) < 0, err
}
