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
	setupPath    = "/v1/payout/accounts/setup"
	withdrawPath = "/v1/payout/offramp/withdraw-addresses"
	offRampTag   = "Off-ramp"
)

// beneficiary are the other spellings of who is paid.
var beneficiary = edge.Aliases{"beneficiary_id": "beneficiaryId", "beneficiary_account_id": "beneficiaryAccountId"}

// withdrawAliases are those of a withdrawal address besides.
var withdrawAliases = edge.Aliases{
	"beneficiary_id": "beneficiaryId", "beneficiary_account_id": "beneficiaryAccountId", "wallet_id": "walletId",
	"source_currency": "currency", "sourceCurrency": "currency", "stablecoin": "currency", "payee_name": "payeeName",
}

func registerOffRamp(s *edge.Server, kit *payout.Kit) {
	edge.Write[rest.LiquidationAddress](s, paying(edge.Op{
		ID: "setupLiquidationAddress", Method: "POST", Path: setupPath + "/liquidation-address", Tag: offRampTag,
		Status: 201, Aliases: beneficiary, Natural: true, Known: true,
		Summary:     "Get the withdrawal address of a bank account; it is created by the first call",
		Description: "201 where it was made, 200 where it was there. One address for each bank account, chain and currency, for ever: what arrives there goes to the bank.",
	}), func(
		ctx context.Context, cmd *command.Command, in *edge.Body[rest.LiquidationAddressRequest],
	) (command.Answer, error) {
		return kit.Addresses.SetUp(ctx, cmd, in.Body)
	})
	edge.Write[rest.VirtualAccount](s, paying(edge.Op{
		ID: "setupVirtualAccount", Method: "POST", Path: setupPath + "/virtual-account", Tag: offRampTag, Status: 201,
		Aliases: beneficiary, Natural: true, Known: true,
		Summary:     "Get the CLABE that pays a bank account; it is created by the first call",
		Description: "201 where it was made, 200 where it was there. MXN that arrives becomes stablecoins at the bank account's withdrawal address, which must be there.",
	}), func(
		ctx context.Context, cmd *command.Command, in *edge.Body[rest.VirtualAccountRequest],
	) (command.Answer, error) {
		return kit.Virtuals.SetUp(ctx, cmd, in.Body)
	})
	edge.Write[rest.WithdrawAddress](s, paying(edge.Op{
		ID: "createWithdrawAddress", Method: "POST", Path: withdrawPath, Tag: offRampTag, Status: 201,
		Aliases: withdrawAliases, Known: true,
		Summary: "Get the withdrawal address of a bank account; it is created by the first call",
		Description: "The address is that of `setup/liquidation-address`. `walletId` names the wallet that refunds go to, by its own address on the chain. " +
			"Where the address is there with another wallet, or with none, that is 409 `return_address_differs`: creating never changes where refunds go. " +
			"With `walletId` the answer also has `payee`: what one passkey of the wallet's sub-organization stamps to have the address in its book of payees, with the bank account behind it. " +
			"Without `walletId`, add the payee by POST /v1/signing/payees.",
	}), func(
		ctx context.Context, cmd *command.Command, in *edge.Body[rest.WithdrawAddressRequest],
	) (command.Answer, error) {
		return kit.Addresses.Create(ctx, cmd, in.Body)
	})
	edge.Get(s, paying(edge.Op{
		ID: "getWithdrawAddress", Path: withdrawPath + "/{id}", Tag: offRampTag, Summary: "Get a withdrawal address",
	}),
		func(ctx context.Context, p auth.Principal, in *ofWithdrawAddress) (rest.WithdrawAddress, error) {
			return kit.Addresses.Get(ctx, p, in.ID)
		})
	registerReturnAddress(s, kit)
	edge.List(s, paying(edge.Op{
		ID: "listDrains", Path: withdrawPath + "/{id}/drains", Tag: offRampTag,
		Summary: "List the deposits that arrived at a withdrawal address, oldest first",
	}), listDrains(kit))
}

// ofWithdrawAddress names a withdrawal address.
type ofWithdrawAddress struct {
	ID string `path:"id" maxLength:"64"`
}

// onWithdrawAddress names one, and has a body.
type onWithdrawAddress[T any] struct {
	ID   string `path:"id" maxLength:"64"`
	Body T
}

func registerReturnAddress(s *edge.Server, kit *payout.Kit) {
	path := withdrawPath + "/{id}/return-address"
	edge.Write[rest.WithdrawAddress](s, paying(edge.Op{
		ID: "changeReturnAddress", Method: "POST", Path: path, Tag: offRampTag,
		Aliases: edge.Aliases{"wallet_id": "walletId"},
		Summary: "Have the refunds of a withdrawal address go to another wallet",
		Description: "The change waits as long as a new bank account does (24 hours in production): `pendingReturn` shows it, and until `effectiveAt` refunds go to the old address. " +
			"Orders that are there keep the address that they were made with. Setting it for the first time waits too.",
	}), func(
		ctx context.Context, cmd *command.Command, in *onWithdrawAddress[rest.ReturnRequest],
	) (command.Answer, error) {
		return kit.Addresses.ChangeReturn(ctx, cmd, in.ID, in.Body)
	})
	edge.Write[rest.WithdrawAddress](s, paying(edge.Op{
		ID: "confirmReturnAddress", Method: "POST", Path: path + "/confirm", Tag: offRampTag,
		Summary: "End the wait before refunds go to another wallet",
		Description: "Only a member can, by a session that began with a passkey at most 5 minutes ago. An API key is refused. " +
			"`returnAddress` says which change the member saw: where another one waits the answer is 409.",
	}), func(
		ctx context.Context, cmd *command.Command, in *onWithdrawAddress[rest.ReturnConfirm],
	) (command.Answer, error) {
		return kit.Addresses.ConfirmReturn(ctx, cmd, in.ID, in.Body)
	})
	edge.Write[rest.WithdrawAddress](s, paying(edge.Op{
		ID: "cancelReturnAddress", Method: "POST", Path: path + "/cancel", Tag: offRampTag,
		Summary: "Drop a change of where refunds go, as long as it waits",
	}), func(ctx context.Context, cmd *command.Command, in *ofWithdrawAddress) (command.Answer, error) {
		return kit.Addresses.CancelReturn(ctx, cmd, in.ID)
	})
}

type drainsQuery struct {
	ID string `path:"id" maxLength:"64"`
	edge.Paging
}

func listDrains(
	kit *payout.Kit,
) func(context.Context, auth.Principal, *drainsQuery) (edge.Page[rest.Drain], error) {
	return func(ctx context.Context, p auth.Principal, in *drainsQuery) (edge.Page[rest.Drain], error) {
		return edge.PageFrom(in.Paging, func(at page.Page) ([]rest.Drain, *page.Cursor, int, error) {
			return kit.Arrivals.List(ctx, p, in.ID, at)
		})
	}
}
