package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"

	railkit "github.com/railkit/railkit/sdk/go"
)

// trader is what a swap and a supply have done, by the node's balances of the wallet.
type trader struct {
	before, after purse
	minimum       *big.Int // WETH that had to come back
	exchange      string
	supplied      string // in whole units, by the pool
}

// What the wallet trades.
const (
	traded     = "10"
	bought     = "WETH"
	allowances = 3 // steps that a supply takes at most
)

func (s *story) tradeSteps() []step {
	return []step{
		{traded + " " + token + " become " + bought + ", at the quote", s.trade},
		{"The " + bought + " is supplied, for interest", s.supply},
	}
}

// trade sells USDC for WETH at the sandbox's exchange, at the price that was quoted. The node says what it brought.
func (s *story) trade(ctx context.Context) (string, error) {
	ask := railkit.SwapRequest{
		ChainID: s.facts.ChainID, FromToken: token, ToToken: bought, Amount: traded, SignWith: s.account.Address,
		FeeLimit: feeLimit,
	}
	quote, err := s.client.Swaps.Quote(ctx, ask)
	if err != nil {
		return "", err
	}
	ask.Minimum = quote.MinimumAmountOut
	t := &trader{exchange: quote.Protocol}
	t.minimum, _ = new(big.Int).SetString(ask.Minimum, 10)
	if t.before, err = s.purse(ctx); err != nil {
		return "", err
	}
	done, err := s.client.Swaps.Swap(ctx, s.passkey, ask)
	if err != nil {
		return "", err
	}
	if _, err := s.client.Transactions.WaitConfirmed(ctx, done.TransactionID, s.Poll); err != nil {
		return "", err
	}
	if t.after, err = s.purse(ctx); err != nil {
		return "", err
	}
	s.trader = t
	sold := new(big.Int).Sub(t.before.usdc, t.after.usdc)
	if formatUnits(sold, decimals) != traded || t.got().Cmp(t.minimum) < 0 {
		return "", fmt.Errorf("the node says that %s %s brought %s wei of %s, where at least %s were stamped",
			formatUnits(sold, decimals), token, t.got(), bought, t.minimum)
	}
	return cents(formatUnits(t.before.usdc, decimals)) + " to " + cents(formatUnits(t.after.usdc, decimals)) + " " +
		token, nil
}

func (t *trader) got() *big.Int { return new(big.Int).Sub(t.after.weth, t.before.weth) }

// purse is what the node says that the wallet has.
type purse struct{ usdc, weth *big.Int }

func (s *story) purse(ctx context.Context) (p purse, err error) {
	if p.usdc, err = s.node().tokenBalance(ctx, s.facts.Tokens[token], s.account.Address); err != nil {
		return p, err
	}
	p.weth, err = s.node().tokenBalance(ctx, s.facts.Tokens[bought], s.account.Address)
	return p, err
}

// dust is what has more than six places of an amount in whole units, in the smallest one: it stays in the wallet.
var dust = big.NewInt(1_000_000_000_000)

// supply lends what was bought. Each step is stamped: an allowance of exactly the amount, and the supply.
func (s *story) supply(ctx context.Context) (string, error) {
	order := railkit.LendingOrderRequest{
		SignWith: s.account.Address, TokenAddress: bought,
		Amount:  json.Number(formatUnits(new(big.Int).Quo(s.trader.got(), dust), 6)),
		ChainID: s.facts.ChainID, FeeLimit: feeLimit,
	}
	for range allowances {
		p, err := s.client.Lending.PrepareSupply(ctx, order)
		if err != nil {
			return "", err
		}
		signed, err := s.stamp(p.Prepared)
		if err != nil {
			return "", err
		}
		if _, err = s.client.Transactions.Confirm(ctx, railkit.ConfirmTransactionRequest{
			TransactionID: p.TransactionID, SignedActivity: signed,
		}); err != nil {
			return "", err
		}
		if _, err := s.client.Transactions.WaitConfirmed(ctx, p.TransactionID, s.Poll); err != nil {
			return "", err
		}
		if p.Step == "supply" {
			return s.supplied(ctx)
		}
	}
	return "", fmt.Errorf("after %d steps nothing was supplied", allowances)
}

// supplied holds what the pool says against what the node says that the wallet has left.
func (s *story) supplied(ctx context.Context) (string, error) {
	positions, err := s.client.Lending.Positions(ctx, s.account.Address, s.facts.ChainID)
	if err != nil {
		return "", err
	}
	left, err := s.purse(ctx)
	if err != nil {
		return "", err
	}
	if len(positions.Supplies) != 1 || positions.Supplies[0].Symbol != bought || left.weth.Cmp(dust) >= 0 {
		return "", fmt.Errorf("the pool has %+v, and the wallet %s %s", positions.Supplies, left.weth, bought)
	}
	s.trader.supplied = positions.Supplies[0].Amount
	return s.trader.supplied[:min(8, len(s.trader.supplied))] + " " + bought + " in the pool", nil
}

// trader shows the balances around the swap, and where what it brought is now.
func (s screen) trader(t *trader) {
	if t == nil || t.supplied == "" {
		return
	}
	s.heading("One swap and one supply, says the node", t.exchange)
	s.amount(formatUnits(t.before.usdc, decimals), token, "before")
	s.amount(formatUnits(t.after.usdc, decimals), "", "after: "+traded+" were sold")
	s.amount(formatUnits(t.got(), 18)[:10], bought, "came back, at least "+formatUnits(t.minimum,
		18)[:10]+" were stamped")
	s.amount(t.supplied[:min(10, len(t.supplied))], "", "in the lending pool, with its interest")
}
