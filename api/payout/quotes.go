package payout

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

const (
	accountsPath = "/v1/payout/accounts"
	accountsTag  = "Payout accounts"
)

var (
	quoteAliases = edge.Aliases{
		"beneficiary_id": "beneficiaryId", "beneficiary_account_id": "beneficiaryAccountId", "stablecoin": "token",
		"source_amount": "sourceAmount", "destination_amount": "destinationAmount",
		"source_currency": "sourceCurrency", "destination_currency": "destinationCurrency",
	}
	executeAliases = edge.Aliases{
		"quote_id": "quoteId", "beneficiary_id": "beneficiaryId", "beneficiary_account_id": "beneficiaryAccountId",
		"stablecoin":    "token",
		"source_amount": "sourceAmount", "destination_amount": "destinationAmount",
		"source_currency": "sourceCurrency", "destination_currency": "destinationCurrency",
	}
	rateAliases = edge.Aliases{
		"from.currency": "source_currency", "from.chain": "chain", "to.currency": "destination_currency",
		"to.country": "country", "amount": "source_amount",
	}
	depositRateAliases = edge.Aliases{
		"from.currency": "source_currency", "from.country": "country", "to.currency": "destination_currency",
		"to.chain": "chain", "amount": "source_amount",
	}
)

func registerQuotes(s *edge.Server, kit *payout.Kit) {
	edge.Write[rest.Quote](s, paying(edge.Op{
		ID: "quotePayout", Method: "POST", Path: accountsPath + "/quote", Tag: accountsTag, Aliases: quoteAliases,
		Summary: "Quote a payout and hold the price for a few minutes",
		Description: "`currency` says at which end the amount is fixed: USDC, USDT, and USD where the account is not in USD, is what leaves; " +
			"the account's own currency is what arrives, to the cent.",
	}), func(ctx context.Context, cmd *command.Command, in *edge.Body[rest.QuoteRequest]) (command.Answer, error) {
		return kit.Quotes.Create(ctx, cmd, in.Body)
	})
	edge.Write[rest.Payment](s, paying(edge.Op{
		ID: "executePayout", Method: "POST", Path: accountsPath + "/execute", Tag: accountsTag, Status: 201,
		Known:   true,
		Aliases: executeAliases,
		Summary: "Execute a quote, or pay without one by naming both currencies",
		Description: "Where the withdrawal address holds nothing the order waits for a deposit until the quote ends; where it holds enough it is paid from that. " +
			"The same quote again answers 200 with the same order. Instead of a quote both ends can be named (`beneficiaryAccountId`, `sourceAmount` or `destinationAmount`, " +
			"`sourceCurrency`, `destinationCurrency`): that is paid at the price of the moment, and a missing withdrawal address is made. Each such call makes an order, so it needs an `Idempotency-Key`: without one it is 400.",
	}), func(ctx context.Context, cmd *command.Command, in *edge.Body[rest.ExecuteRequest]) (command.Answer, error) {
		return kit.Quotes.Execute(ctx, cmd, in.Body)
	})
	edge.List(s, paying(edge.Op{
		ID: "listPayments", Path: accountsPath, Tag: accountsTag,
		Summary: "List all payments to bank accounts, newest first",
	}), func(ctx context.Context, p auth.Principal, in *edge.Paging) (edge.Page[rest.Payment], error) {
		return edge.PageFrom(*in, func(at page.Page) ([]rest.Payment, *page.Cursor, int, error) {
			return kit.Orders.ListPayments(ctx, p, at)
		})
	})
	edge.Get(s, paying(edge.Op{
		ID: "getPaymentStatus", Path: accountsPath + "/{reference}/status", Tag: accountsTag,
		Summary: "Get a payment by its reference",
	}), func(ctx context.Context, p auth.Principal, in *struct {
		Reference string `path:"reference" maxLength:"128"`
	}) (rest.Payment, error) {
		return kit.Orders.GetPayment(ctx, p, in.Reference)
	})
	edge.Call(s, paying(edge.Op{
		ID: "quoteOffRamp", Method: "POST", Path: "/v1/payout/offramp/quote", Tag: "Off-ramp",
		Access: auth.AccessPayoutWrite, Aliases: rateAliases,
		Summary: "Estimate what an amount of stablecoin is worth at a bank now, without holding the price",
	}), func(
		ctx context.Context, _ auth.Principal, in *edge.Body[rest.OffRampQuoteRequest],
	) (rest.OffRampQuote, error) {
		return kit.Quotes.Estimate(ctx, in.Body)
	})
	edge.Call(s, paying(edge.Op{
		ID: "quoteOnRamp", Method: "POST", Path: "/v1/payout/onramp/quote", Tag: "On-ramp",
		Access: auth.AccessPayoutWrite, Aliases: depositRateAliases,
		Summary: "Estimate what a deposit of fiat money gives in stablecoin now, without holding the price",
		Description: "With `source_amount` the deposit is fixed; with `destination_amount` the answer has the smallest deposit that gives at least that much. " +
			"`source_amount` is `total_fee_amount` + `converted_amount`, and `destination_amount` + `beyond_amount` is what the converted amount is worth at `sell_rate`, rounded down. " +
			"A deposit outside of `minimum_amount` and `maximum_amount` is 400. It is converted when it comes, at the rate of that moment.",
	}), func(
		ctx context.Context, _ auth.Principal, in *edge.Body[rest.OnRampQuoteRequest],
	) (rest.OnRampQuote, error) {
		return kit.Quotes.EstimateDeposit(ctx, in.Body)
	})
}
