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
	depositPath = "/v1/payout/onramp/deposit-accounts"
	onRampTag   = "On-ramp"
)

// depositAliases are the other spellings of a deposit account's first form.
var depositAliases = edge.Aliases{
	"walletId": "wallet_id", "sourceCurrency": "source_currency", "destinationCurrency": "destination_currency",
	"destination_address": "destinationAddress",
}

// registerDepositAccounts lists the operations about deposit accounts.
func registerDepositAccounts(s *edge.Server, kit *payout.Kit) {
	edge.Write[rest.DepositAccount](s, paying(edge.Op{
		ID: "createDepositAccount", Method: "POST", Path: depositPath, Tag: onRampTag, Status: 201,
		Aliases: depositAliases, Natural: true, Known: true, Bare: true,
		Wrapped: rest.DepositAccountNumber{},
		Summary: "Get the deposit account of a wallet; it is created by the first call",
		Description: "201 where it was made, 200 where it was there. One account for each wallet, source currency and destination currency, for life: what arrives at its number becomes stablecoins at the wallet's own address. " +
			"The request with `wallet_id` is answered without the envelope, the one with `destinationAddress` in it. Where the account is there on another chain, that is 409 `deposit_account_differs`.",
	}), func(
		ctx context.Context, cmd *command.Command, in *edge.Body[rest.DepositAccountRequest],
	) (command.Answer, error) {
		return kit.Deposits.Create(ctx, cmd, in.Body)
	})
	edge.List(s, paying(edge.Op{
		ID: "listDepositAccounts", Path: depositPath, Tag: onRampTag, Bare: true,
		Summary:     "List deposit accounts, newest first",
		Description: "An array without the envelope. Where there are more, the header `Link` leads to the next page.",
	}), func(ctx context.Context, p auth.Principal, in *edge.Paging) (edge.Page[rest.DepositAccount], error) {
		return edge.PageFrom(*in, func(at page.Page) ([]rest.DepositAccount, *page.Cursor, int, error) {
			return kit.Deposits.List(ctx, p, at)
		})
	})
	edge.Get(s, paying(edge.Op{
		ID: "getDepositAccount", Path: depositPath + "/{id}", Tag: onRampTag, Bare: true,
		Summary: "Get a deposit account", Description: "The account without the envelope.",
	}), func(ctx context.Context, p auth.Principal, in *ofDepositAccount) (rest.DepositAccount, error) {
		return kit.Deposits.Get(ctx, p, in.ID)
	})
	edge.List(s, paying(edge.Op{
		ID: "listDepositEvents", Path: depositPath + "/{id}/events", Tag: onRampTag, Bare: true,
		Summary: "List what happened to deposits at a deposit account, oldest first",
		Description: "By the payment partner's word. An array without the envelope. Where there are more, the header " +
			"`Link` leads to the next page.",
	}), func(ctx context.Context, p auth.Principal, in *depositEventsQuery) (edge.Page[rest.DepositEvent], error) {
		return edge.PageFrom(in.Paging, func(at page.Page) ([]rest.DepositEvent, *page.Cursor, int, error) {
			return kit.Deposits.Events(ctx, p, in.ID, at)
		})
	})
}

// ofDepositAccount names a deposit account.
type ofDepositAccount struct {
	ID string `path:"id" maxLength:"64"`
}

type depositEventsQuery struct {
	ID string `path:"id" maxLength:"64"`
	edge.Paging
}
