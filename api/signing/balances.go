package signing

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/kit/signing/balance"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/rest"
)

const balancesTag = "Balances"

func registerBalances(s *edge.Server, kit *balance.Service) {
	edge.Get(s, edge.Op{
		ID: "getTokenBalance", Path: "/v1/balance/token", Tag: balancesTag, Module: auth.Signing,
		Access: auth.AccessRead, Summary: "Get what an address has of a stablecoin, as the network's node says it now",
		Description: "Any address may be asked about. Where the node does not answer this is 502, and 503 where there is none.",
	}, func(ctx context.Context, _ auth.Principal, in *struct {
		Address string `query:"address" required:"true" maxLength:"64" example:"0x70997970C51812dc3A010C7d01b50e0d17dc79C8"`
		Chain   string `query:"chain" required:"true" maxLength:"32" doc:"Slug, chain id, or a name as base-sepolia" example:"base"`
		Symbol  string `query:"symbol" required:"true" enum:"USDC,USDT" example:"USDC"`
	}) (rest.TokenBalance, error) {
		return kit.Token(ctx, in.Chain, in.Address, in.Symbol)
	})
	edge.Get(s, edge.Op{
		ID: "getWalletBalances", Path: "/v1/signing/wallets/{walletId}/balances", Tag: balancesTag,
		Module:  auth.Signing,
		Summary: "Get what a wallet has on every network: the network's own coin and each listed stablecoin",
		Description: "All nodes are asked at the same time, and an answer is given again for 5 seconds. A node that does not " +
			"answer in 5 seconds leaves an `error` at its own network, and the others are answered.",
	}, func(ctx context.Context, p auth.Principal, in *struct {
		WalletID string `path:"walletId" maxLength:"64"`
		Address  string `query:"address" maxLength:"64" doc:"Only this address of the wallet" example:"0x70997970C51812dc3A010C7d01b50e0d17dc79C8"`
	}) (rest.WalletBalances, error) {
		return kit.Wallet(ctx, p, in.WalletID, in.Address)
	})
	edge.Get(s, edge.Op{
		ID: "listTokenActivity", Path: "/v1/balance/activity", Tag: balancesTag, Module: auth.Signing,
		Access: auth.AccessRead, Summary: "List an address's transfers of USDC, newest first",
		Description: "Read from the node's logs of the last 10,000 blocks at most: transfers of wallets are kept for good " +
			"in their own lists. Not paged; ask for fewer days, or for more by limit. On Tron, which lists no USDC, of USDT, from the newest 600 solid blocks.",
	}, func(ctx context.Context, _ auth.Principal, in *struct {
		Address string `query:"address" required:"true" maxLength:"64" example:"0x70997970C51812dc3A010C7d01b50e0d17dc79C8"`
		Chain   string `query:"chain" required:"true" maxLength:"32" doc:"Slug, chain id, or a name as base-sepolia" example:"base"`
		Limit   int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
		Days    int    `query:"days" minimum:"1" maximum:"30" default:"7" doc:"Back from the newest block"`
	}) ([]rest.TokenMovement, error) {
		return kit.Activity(ctx, in.Chain, in.Address, in.Days, in.Limit)
	})
}
