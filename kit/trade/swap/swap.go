// Package swap trades tokens of a wallet at an exchange of its network. A swap is a transaction like any other: the
// enclave reads the router's call, the owner's passkey stamps what leaves, the least that comes back, to whom and until
// when, and rules hold. Nothing here has money or a key.
//
// A router takes a token only where the wallet allows it to. The allowance is for the exact amount and nothing more, so
// that it is used up by the swap; that takes a transaction of its own. prepare therefore answers one step at a time,
// and is asked again once that step is in a block:
//
//	revoke   an allowance of another amount is set to zero (Tether's token takes no change of one that is not)
//	approve  the router may take the amount
//	swap     the trade
//
// The network's own coin needs no allowance: its swap has the last step only.
//
// Read service.go for what is asked of whom, prepare.go for the steps, confirm.go for what is checked before a stamped
// swap is signed.
package swap

import (
	"cmp"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/exchange"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/kit/trade/allowance"
	"github.com/railkit/railkit/rest"
)

// Step is what a prepared transaction does for a swap.
type Step string

// The steps, in their order.
const (
	Revoke       = Step(allowance.Revoke)
	Approve      = Step(allowance.Approve)
	Trading Step = "swap"
)

// deadline is how long the chain may take a swap after it was prepared: longer than its body can be stamped.
const deadline = 20 * time.Minute

// Errors of a swap.
var (
	ErrNotASwap = fault.Define(fault.NotFound, "swap_not_found", "Swap not found",
		"execute/swap/confirm for a transaction that execute/swap/prepare did not make")
	ErrMoved = fault.Define(fault.Conflict, "swap_would_fail",
		"The swap would fail now: the price is below its minimum, or its time is over; prepare it again",
		"execute/swap/confirm; the router was asked, and refused. Or prepare, with a minimumAmountOut that no exchange pays now")
)

// SwapInput asks for a swap.
type SwapInput struct {
	ChainID   uint64      `json:"chainId,omitempty" doc:"Chain id of the network, such as 8453; or network"`
	Network   string      `json:"network,omitempty" maxLength:"64" doc:"Slug of the network, such as base; or chainId"`
	FromToken string      `json:"fromToken" minLength:"1" maxLength:"64" doc:"What is sold: address or symbol of a listed token, or native"`
	ToToken   string      `json:"toToken" minLength:"1" maxLength:"64" doc:"What is bought, in the same forms"`
	Amount    rest.Number `json:"amount" minimum:"0" maximum:"1000000000000" doc:"To sell, in whole units: 10.5"`
	Slippage  rest.Number `json:"slippage,omitzero" minimum:"0.01" maximum:"50" doc:"Percent by which less may come back than is quoted. Default 0.5"`
	Minimum   string      `json:"minimumAmountOut,omitempty" pattern:"^[1-9][0-9]{0,77}$" patternDescription:"a positive number" doc:"The least that has to come back, in the smallest unit, as of a quote that somebody looked at; in place of slippage"`
	Protocol  string      `json:"protocol,omitempty" maxLength:"32" doc:"Only this exchange. Absent: the best of all"`
	SignWith  string      `json:"signWith,omitempty" maxLength:"64" doc:"Address that sells; needed where the workspace has several"`
	rest.ReturnTo
}

// SwapQuoteInput asks for a price.
type SwapQuoteInput struct {
	FromToken string `query:"fromToken" required:"true" maxLength:"64" doc:"What is sold: address or symbol of a listed token, or native" example:"USDC"`
	ToToken   string `query:"toToken" required:"true" maxLength:"64" doc:"What is bought, in the same forms" example:"WETH"`
	Amount    string `query:"amount" required:"true" maxLength:"80" doc:"To sell, in whole units" example:"10.5"`
	ChainID   uint64 `query:"chainId" required:"true" example:"84532"`
	Slippage  string `query:"slippage" maxLength:"8" default:"0.5" doc:"Percent by which less may come back"`
	Protocol  string `query:"protocol" maxLength:"32" doc:"Only this exchange. Absent: the best of all" example:"uniswap"`
}

// PreparedSwap is the next step of a swap, to be stamped.
type PreparedSwap struct {
	Step Step           `json:"step" enum:"revoke,approve,swap" doc:"What this transaction does. After revoke and approve, prepare is called again once it is confirmed"`
	Swap rest.SwapTrade `json:"swap"`
	transaction.PreparedTransaction
}

// ConfirmSwapInput is a stamped step.
type ConfirmSwapInput struct {
	TransactionID  string           `json:"transactionId" format:"uuid"`
	SignedActivity activity.Stamped `json:"signedActivity"`
}

// SwapStep is a step once it is signed.
type SwapStep struct {
	Step Step `json:"step" enum:"revoke,approve,swap"`
	transaction.TransactionView
}

// nameOf is how a token is named in an answer.
func nameOf(t chain.Token) string { return cmp.Or(t.Address, exchange.Native) }

// slippage reads percents into hundredths of a percent: "0.5" is 50.
func slippage(percent rest.Number) (bps int, err error) {
	if percent == "" {
		return 50, nil
	}
	bad := fault.Field("slippage", "must be a plain decimal from 0.01 to 50 with at most 2 places")
	if !percent.Plain(2) {
		return 0, bad
	}
	n, err := chain.ParseUnits(string(percent), 2)
	if err != nil || !n.IsInt64() || n.Int64() < 1 || n.Int64() > 5000 {
		return 0, bad
	}
	return int(n.Int64()), nil
}

func route(path []chain.Token) (symbols []string) {
	for _, t := range path {
		symbols = append(symbols, t.Symbol)
	}
	return symbols
}
