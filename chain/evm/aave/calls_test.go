package aave

import (
	"errors"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
)

// Whatever is written here, the signer reads as that: what leaves, what comes back, and to whom.
func TestWidget_SignerReadsLending(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		env := rapid.SampledFrom([]chain.Environment{chain.Sandbox, chain.Production}).Draw(t, "env")
		n := rapid.SampledFrom(chain.OfKind(chain.EVM, chain.Networks(env))).Draw(t, "network")
		p := chain.LendingPools(n)[0]
		token := rapid.SampledFrom(n.Tokens).Draw(t, "token")
		amount := new(big.Int).SetUint64(rapid.Uint64Min(1).Draw(t, "amount"))
		wallet := evm.Address{0xa1, 19: 1}
		other := rapid.SampledFrom([]evm.Address{wallet, {0xb0, 19: 2}}).Draw(t, "owner or receiver")
		coin := rapid.Bool().Draw(t, "coin")
		asset := token.Address
		if coin {
			asset = "native"
		}
		back := rapid.Bool().Draw(t, "back")
		got := effects(t, n, wallet, lend(t, p, token, amount, other, coin, back))
		last := got[len(got)-1]
		kind, to := chain.Transfer, other.String()
		switch {
		case back && other == wallet:
			kind = chain.Receive
		case !back && other == wallet && coin:
			to = p.Gateway
		case !back && other == wallet:
			to = p.Pool
		}
		if last.Kind != kind || last.To != to || last.Asset != asset || last.Amount != amount.String() ||
			last.Symbol == "" {
			t.Errorf("%+v", got)
		}
	})
}

func lend(
	t *rapid.T, p chain.LendingPool, token chain.Token, n *big.Int, who evm.Address, coin, back bool,
) (c chain.Call) {
	var err error
	switch {
	case coin && back:
		c, err = WithdrawCoin(p, n, who.String())
	case coin:
		c, err = SupplyCoin(p, n, who.String())
	case back:
		c, err = Withdraw(p, token.Address, n, who.String())
	default:
		c, err = Supply(p, token.Address, n, who.String())
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func effects(t *rapid.T, n chain.Network, from evm.Address, c chain.Call) []chain.Effect {
	to, err := evm.ParseAddress(c.To)
	if err != nil {
		t.Fatal(err)
	}
	return evm.Effects(from, &to, c.Value, c.Data, n)
}

// An approval is of the amount and no more, and of nothing there is no call.
func TestWidget_LendingAmounts(t *testing.T) {
	base, _ := chain.BySlug(chain.Sandbox, "base")
	p, usdc := chain.LendingPools(base)[0], base.Tokens[0]
	c, err := Approve(usdc.Address, p.Pool, big.NewInt(10_000_000))
	if err != nil {
		t.Fatal(err)
	}
	token, _ := evm.ParseAddress(c.To)
	got := evm.Effects(evm.Address{1}, &token, c.Value, c.Data, base)
	if len(got) != 1 || got[0].Kind != chain.Approve || got[0].Spender != p.Pool || got[0].Display != "10 USDC" {
		t.Errorf("%+v", got)
	}
	for _, amount := range []*big.Int{nil, {}, big.NewInt(-1), new(big.Int).Add(All, big.NewInt(1))} {
		_, err := Supply(p, usdc.Address, amount, usdc.Address)
		_, coin := SupplyCoin(p, amount, usdc.Address)
		_, back := Withdraw(p, usdc.Address, amount, usdc.Address)
		_, approval := Approve(usdc.Address, p.Pool, amount)
		if amount != nil && amount.Sign() == 0 { // which takes an allowance back
			approval = errors.Join(approval, ErrAmount)
		}
		for _, err := range []error{err, coin, back, approval} {
			if !errors.Is(err, ErrAmount) {
				t.Errorf("%v: %v", amount, err)
			}
		}
	}
	if _, err := Supply(p, "0x12", big.NewInt(1), usdc.Address); err == nil {
		t.Error("a token of no address")
	}
}

// Answers that are short, or of a token that the pool does not lend, are no answers.
func TestWidget_LendingAnswers(t *testing.T) {
	answer := make([]byte, 32*reserveWords)
	if _, err := ParseReserve(answer); !errors.Is(err, ErrAnswer) {
		t.Errorf("a token that is not lent: %v", err)
	}
	answer[32*aTokenAt+31], answer[32*debtTokenAt+31], answer[31] = 1, 2, 1
	answer[31-activeBit/8] |= 1 << (activeBit % 8)
	answer[31-debtCeilingAtBit/8] |= 1 << (debtCeilingAtBit % 8)
	r, err := ParseReserve(append(answer, make([]byte, 32)...))
	if err != nil || !r.Active || r.Frozen || r.Paused || r.Borrowing || !r.Collateral || !r.Isolated {
		t.Errorf("%+v, %v", r, err)
	}
	for _, short := range [][]byte{nil, answer[:32*(reserveWords-1)], append(answer, 0)} {
		if _, err := ParseReserve(short); !errors.Is(err, ErrAnswer) {
			t.Errorf("%d bytes: %v", len(short), err)
		}
	}
	if _, err := ParseNumber(nil); !errors.Is(err, ErrAnswer) {
		t.Errorf("no number: %v", err)
	}
	if _, err := ParseAccount(make([]byte, 32)); !errors.Is(err, ErrAnswer) {
		t.Errorf("no account: %v", err)
	}
}
