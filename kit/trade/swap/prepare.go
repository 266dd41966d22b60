package swap

import (
	"context"
	"strconv"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/exchange"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/plan"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/kit/trade/allowance"
	"github.com/railkit/railkit/platform/command"
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
		ChainID: in.ChainID, FromToken: in.FromToken, ToToken: in.ToToken, Amount: rest.Number(in.Amount),
		Slippage: rest.Number(in.Slippage), Protocol: in.Protocol,
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
	d, err := s.c.Transactions.Draft(ctx, cmd.Principal.WorkspaceID, plan.CallOf(o.from, o.Network, call), confirmURL)
	if err != nil {
		return command.Answer{}, err
	}
	view := PreparedSwap{Step: step, Swap: o.quoted(), PreparedTransaction: d.View}
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx transaction.DraftTx) (command.Reply, error) {
		return command.Reply{Status: 200, Data: view, Audit: command.Audit{
			Action: "swap.prepare", Resource: d.Row.ID, Detail: map[string]string{
				"step": string(step), "protocol": o.Market.Protocol, "network": o.Network.Slug, "from": o.sold().Symbol,
				"to": o.Path[len(o.Path)-1].Symbol, "amount": string(in.Amount), "minimum": o.MinimumOut.String(),
			},
		}}, d.Insert(ctx, tx, cmd.Return)
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
	sender, err := s.c.Wallets.Own(ctx, workspaceID, signWith)
	return sender.From, err
}

// next is the step that the wallet's allowance for the router asks for, and the trade where it asks for none.
func (s *Service) next(ctx context.Context, o order) (Step, chain.Call, error) {
	if o.sold().Address != "" {
		step, call, err := s.allows(ctx, o)
		if err != nil || step != allowance.None {
			return Step(step), call, err
		}
	}
	call, err := o.Trade(o.from, o.deadline)
	return Trading, call, err
}

// allows is what the allowance of what is sold asks for. A wallet that does not have as much is told so now, and not
// after it has stamped an allowance.
func (s *Service) allows(ctx context.Context, o order) (allowance.Step, chain.Call, error) {
	n, err := s.c.Nodes.Node(o.Network.Slug)
	if err != nil {
		return allowance.None, chain.Call{}, err
	}
	has, err := nodes.TokenBalance(ctx, n, o.sold().Address, o.from)
	if err == nil && has.Cmp(o.In) < 0 {
		err = plan.Insufficient(o.sold(), o.In, has)
	}
	if err != nil {
		return allowance.None, chain.Call{}, err
	}
	return allowance.Need{
		Token: o.sold().Address, Owner: o.from, Spender: o.Market.Router, Amount: o.In,
	}.Next(ctx, n)
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
