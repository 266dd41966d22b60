package api

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
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
	"source_currency": "currency", "sourceCurrency": "currency", "stablecoin": "currency",
}

func registerOffRamp(s *edge.Server, kit *payout.Service) {
	edge.Write[payout.LiquidationView](s, paying(edge.Op{
		ID: "setupLiquidationAddress", Method: "POST", Path: setupPath + "/liquidation-address", Tag: offRampTag, Status: 201, Aliases: beneficiary, Natural: true, Known: true,
		Summary:     "Get the withdrawal address of a bank account, and make it where there is none",
		Description: "201 where it was made, 200 where it was there. One address for each bank account, chain and currency, for ever: what arrives there goes to the bank.",
	}), func(ctx context.Context, cmd *command.Command, in *body[payout.LiquidationInput]) (command.Answer, error) {
		return kit.SetUpLiquidation(ctx, cmd, in.Body)
	})
	edge.Write[payout.VirtualView](s, paying(edge.Op{
		ID: "setupVirtualAccount", Method: "POST", Path: setupPath + "/virtual-account", Tag: offRampTag, Status: 201, Aliases: beneficiary, Natural: true, Known: true,
		Summary:     "Get the CLABE that pays a bank account, and make it where there is none",
		Description: "201 where it was made, 200 where it was there. MXN that arrives becomes stablecoins at the bank account's withdrawal address, which must be there.",
	}), func(ctx context.Context, cmd *command.Command, in *body[payout.VirtualInput]) (command.Answer, error) {
		return kit.SetUpVirtualAccount(ctx, cmd, in.Body)
	})
	edge.Write[payout.WithdrawView](s, paying(edge.Op{
		ID: "createWithdrawAddress", Method: "POST", Path: withdrawPath, Tag: offRampTag, Status: 201, Aliases: withdrawAliases, Natural: true, Known: true,
		Summary:     "Get a withdrawal address, and make it where there is none",
		Description: "The address is that of `setup/liquidation-address`. `walletId` names the wallet that refunds go to, by its own address on the chain.",
	}), func(ctx context.Context, cmd *command.Command, in *body[payout.WithdrawInput]) (command.Answer, error) {
		return kit.CreateWithdrawAddress(ctx, cmd, in.Body)
	})
	edge.Get(s, paying(edge.Op{ID: "getWithdrawAddress", Path: withdrawPath + "/{id}", Tag: offRampTag, Summary: "Get a withdrawal address"}),
		func(ctx context.Context, p auth.Principal, in *struct {
			ID string `path:"id" maxLength:"64"`
		}) (payout.WithdrawView, error) {
			return kit.WithdrawAddress(ctx, p, in.ID)
		})
	edge.List(s, paying(edge.Op{
		ID: "listDrains", Path: withdrawPath + "/{id}/drains", Tag: offRampTag, Summary: "List what arrived at a withdrawal address, oldest first",
	}), listDrains(kit))
}

type drainsQuery struct {
	ID string `path:"id" maxLength:"64"`
	edge.Paging
}

func listDrains(kit *payout.Service) func(context.Context, auth.Principal, *drainsQuery) (edge.Page[items[payout.DrainView]], error) {
	return func(ctx context.Context, p auth.Principal, in *drainsQuery) (edge.Page[items[payout.DrainView]], error) {
		return paged(in.Paging, func(at page.Page) ([]payout.DrainView, *page.Cursor, int, error) {
			return kit.Drains(ctx, p, in.ID, at)
		})
	}
}
