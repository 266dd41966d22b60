package swap

import (
	"context"
	"math/big"
	"strconv"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/exchange"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/plan"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/decimal"
	"github.com/railkit/railkit/rest"
)

// confirmURL is where a stamped step goes.
const confirmURL = "/v1/action/execute/swap/confirm"

// order is a trade that somebody wants to make.
type order struct {
	exchange.Quote
	from     string // who sells
	deadline time.Time
}

// Quote is the best price of now. Nothing is kept of it.
func (s *Service) Quote(ctx context.Context, in SwapQuoteInput) (rest.SwapQuote, error) {
	q, err := s.quote(ctx, SwapInput{
		ChainID: in.ChainID, FromToken: in.FromToken, ToToken: in.ToToken, Amount: decimal.Number(in.Amount),
		Slippage: decimal.Number(in.Slippage), Protocol: in.Protocol,
	})
	if err != nil {
		return rest.SwapQuote{}, err
	}
	return rest.SwapQuote{
		AmountOut: q.Out.String(), MinimumAmountOut: q.MinimumOut.String(), Protocol: q.Market.Protocol,
		ChainID: q.Network.ChainID, Route: route(q.Path), PriceImpactBps: q.ImpactBps,
		EstimatedGas: strconv.FormatUint(q.Gas, 10),
	}, nil
}

func (s *Service) quote(ctx context.Context, in SwapInput) (exchange.Quote, error) {
	bps, err := slippage(in.Slippage)
	if err != nil {
		return exchange.Quote{}, err
	}
	switch {
	case in.ChainID == 0 && in.Network == "":
		return exchange.Quote{}, fault.Field("chainId", "is required")
	case in.ChainID != 0 && in.Network != "":
		return exchange.Quote{}, fault.Field("network", "must not be given beside chainId")
	}
	if in.ChainID != 0 {
		in.Network = strconv.FormatUint(in.ChainID, 10)
	}
	q, err := s.c.Exchanges.Quote(ctx, exchange.Request{
		Chain: in.Network, Sell: in.FromToken, Buy: in.ToToken, Amount: string(in.Amount), SlippageBps: bps,
		Protocol: in.Protocol,
	})
	if err != nil || in.Minimum == "" {
		return q, err
	}
	return atLeast(q, in.Minimum)
}

// atLeast holds a quote to the minimum of an earlier one. Prices move a little with every block: a minimum made of the
// price of now would be below the one that somebody has agreed to.
func atLeast(q exchange.Quote, minimum string) (exchange.Quote, error) {
	least, err := chain.ParseUnits(minimum, 0)
	if err != nil || least.Sign() == 0 {
		return q, fault.Field("minimumAmountOut", "must be a positive number")
	}
	if q.Out.Cmp(least) < 0 {
		return q, ErrMoved
	}
	q.MinimumOut = least
	return q, nil
}

// Prepare writes the body of the next step of a swap.
func (s *Service) Prepare(ctx context.Context, cmd *command.Command, in SwapInput) (command.Answer, error) {
	asking, cancel := context.WithTimeout(ctx, nodes.AskTimeout)
	defer cancel()
	o, err := s.order(asking, cmd.Principal.WorkspaceID, in)
	if err != nil {
		return command.Answer{}, err
	}
	step, call, err := s.next(asking, o)
	if err != nil {
		return command.Answer{}, err
	}
	d, err := s.c.Transactions.Draft(ctx, cmd.Principal.WorkspaceID, o.call(call), confirmURL)
	if err != nil {
		return command.Answer{}, err
	}
	view := PreparedSwap{Step: step, Swap: o.quoted(), PreparedTransaction: d.View}
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return command.Reply{Status: 200, Data: view, Audit: command.Audit{
			Action: "swap.prepare", Resource: d.Row.ID, Detail: map[string]string{
				"step": string(step), "protocol": o.Market.Protocol, "network": o.Network.Slug, "from": o.sold().Symbol,
				"to": o.Path[len(o.Path)-1].Symbol, "amount": string(in.Amount), "minimum": o.MinimumOut.String(),
			},
		}}, d.Insert(ctx, tx)
	})
}

// order is the best trade for whoever sells.
func (s *Service) order(ctx context.Context, workspaceID string, in SwapInput) (o order, err error) {
	o.deadline = s.c.Clock.Now().Add(deadline)
	if o.Quote, err = s.quote(ctx, in); err != nil {
		return o, err
	}
	o.from, err = s.seller(ctx, workspaceID, in.SignWith, o.Network.Kind)
	return o, err
}

// seller is the address that sells: the one that is named, or the only one that there is.
func (s *Service) seller(ctx context.Context, workspaceID, signWith string, kind chain.Kind) (string, error) {
	if signWith == "" {
		address, one, err := s.c.Wallets.OwnerAddress(ctx, activity.Owner{WorkspaceID: workspaceID}, kind)
		if err == nil && !one {
			err = fault.Field("signWith",
				"is required: the workspace does not have exactly one address that could sell")
		}
		return address, err
	}
	sender, err := s.c.Wallets.Sender(ctx, workspaceID, signWith)
	if err == nil && sender.External {
		err = fault.Field("signWith", "must be an address of one of the workspace's wallets")
	}
	return sender.From, err
}

// next is the step that the wallet's allowance for the router asks for.
func (s *Service) next(ctx context.Context, o order) (step Step, c chain.Call, err error) {
	allowed := o.In
	if o.sold().Address != "" {
		if allowed, err = s.allowance(ctx, o); err != nil {
			return "", c, err
		}
	}
	switch {
	case allowed.Cmp(o.In) == 0:
		c, err = o.Trade(o.from, o.deadline)
		return Trading, c, err
	case allowed.Sign() == 0:
		c, err = o.Allow(o.In)
		return Approve, c, err
	}
	c, err = o.Allow(new(big.Int))
	return Revoke, c, err
}

// allowance is what the router may take of what is sold. A wallet that does not have as much is told so now, and not
// after it has stamped an allowance.
func (s *Service) allowance(ctx context.Context, o order) (*big.Int, error) {
	n, err := s.c.Nodes.Node(o.Network.Slug)
	if err != nil {
		return nil, err
	}
	has, err := nodes.TokenBalance(ctx, n, o.sold().Address, o.from)
	if err != nil {
		return nil, err
	}
	if has.Cmp(o.In) < 0 {
		return nil, plan.ErrInsufficientBalance
	}
	return nodes.Allowance(ctx, n, o.sold().Address, o.from, o.Market.Router)
}

// call is a transaction of whoever sells.
func (o order) call(c chain.Call) plan.PrepareTransactionInput {
	return plan.PrepareTransactionInput{
		Type: plan.ContractCall, SignWith: o.from, Network: o.Network.Slug, To: c.To, Value: c.Value.String(),
		Data: chain.Hex(c.Data),
	}
}

func (o order) sold() chain.Token { return o.Path[0] }

func (o order) quoted() rest.SwapTrade {
	return rest.SwapTrade{
		Protocol: o.Market.Protocol, Router: o.Market.Router, FromToken: nameOf(o.sold()),
		ToToken: nameOf(o.Path[len(o.Path)-1]), AmountIn: o.In.String(), AmountOut: o.Out.String(),
		MinimumAmountOut: o.MinimumOut.String(), Route: route(o.Path), PriceImpactBps: o.ImpactBps,
		Deadline: clock.ISO(o.deadline),
	}
}
