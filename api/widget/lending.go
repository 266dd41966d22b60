package widget

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/kit/trade/lending"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/rest"
)

const lendingTag = "Lending"

// LendingQuery names an address on a network.
type LendingQuery struct {
	UserAddress string `query:"userAddress" required:"true" maxLength:"64" example:"0x70997970C51812dc3A010C7d01b50e0d17dc79C8"`
	ChainID     uint64 `query:"chainId" required:"true" minimum:"1" example:"43113"`
}

func (q LendingQuery) of() lending.Of {
	return lending.Of{UserAddress: q.UserAddress, ChainID: q.ChainID}
}

// registerLending registers the same calls under both of their names.
func registerLending(s *edge.Server, kit *lending.Service) {
	for _, n := range []struct{ path, suffix string }{
		{"/v1/defi/lending", ""}, {"/v1/protocols/lending", "ByProtocol"},
	} {
		registerUnsignedLending(s, kit, n.path, n.suffix)
		registerPools(s, kit, n.path, n.suffix)
	}
	registerLendingExecution(s, kit)
}

// unsignedLending is said of every call that makes a transaction for its owner to sign.
const unsignedLending = "Nothing is signed, sent or stored: the owner of the address signs `serializedTransaction` and sends " +
	"it (`POST /v1/transactions/broadcast/raw`). `step` says what it does. Without the envelope."

func registerUnsignedLending(s *edge.Server, kit *lending.Service, path, suffix string) {
	op := func(id, name, summary, description string) edge.Op {
		return edge.Op{
			ID: id + suffix, Path: path + "/" + name, Tag: lendingTag, Module: auth.Widget,
			Access: auth.AccessReadOrWrite, Bare: true, Summary: summary, Description: description,
		}
	}
	type avax = struct{ Body rest.AvaxRequest }
	edge.Call(s, op("makeAvaxSupply", "supply-avax",
		"Make the unsigned transaction that supplies AVAX to a lending pool", unsignedLending,
	), func(ctx context.Context, p auth.Principal, in *avax) (rest.LendingTransaction, error) {
		return kit.SupplyAvax(ctx, p, in.Body)
	})
	edge.Call(s, op("makeAvaxWithdrawal", "withdraw-avax",
		"Make the unsigned transaction that takes AVAX out of a lending pool",
		unsignedLending+" The first step allows the pool's gateway exactly the amount.",
	), func(ctx context.Context, p auth.Principal, in *avax) (rest.LendingTransaction, error) {
		return kit.WithdrawAvax(ctx, p, in.Body)
	})
	edge.Call(s, op("makeSupply", "supply", "Make the unsigned transaction that supplies an asset to a lending pool",
		unsignedLending+" For a token the first step allows the pool exactly the amount.",
	), func(
		ctx context.Context, p auth.Principal, in *struct{ Body rest.AssetSupplyRequest },
	) (rest.LendingTransaction, error) {
		return kit.Supply(ctx, p, in.Body)
	})
}

func registerPools(s *edge.Server, kit *lending.Service, path, suffix string) {
	op := func(id, name, summary string) edge.Op {
		return edge.Op{
			ID: id + suffix, Path: path + "/" + name, Tag: lendingTag, Module: auth.Widget, Summary: summary,
			Description: "As the network's node says it now; any address may be asked about. Where the node does not answer this is 502, " +
				"and 503 where there is none.",
		}
	}
	edge.Get(s, op("getAvaxSupply", "my-avax-supply", "Get what an address has supplied of AVAX"),
		func(ctx context.Context, _ auth.Principal, in *LendingQuery) (rest.AvaxSupply, error) {
			return kit.AvaxSupply(ctx, in.of())
		})
	edge.Get(s, op("getLendingPositions", "positions",
		"Get what an address has supplied to a lending pool and owes it"),
		func(ctx context.Context, _ auth.Principal, in *LendingQuery) (rest.LendingPositions, error) {
			return kit.Positions(ctx, in.of())
		})
	edge.Get(s, op("getLendingMarkets", "markets", "Get what a network's lending pool lends, and at which rates"),
		func(ctx context.Context, _ auth.Principal, in *struct {
			UserAddress string `query:"userAddress" maxLength:"64" doc:"Also tells what this address has"`
			ChainID     uint64 `query:"chainId" required:"true" minimum:"1" example:"43113"`
		}) (rest.LendingMarkets, error) {
			return kit.Markets(ctx, lending.Of{UserAddress: in.UserAddress, ChainID: in.ChainID})
		})
	health := op("getLendingHealth", "health", "Get whether the nodes of the networks with a lending pool answer")
	health.Description = "`healthy`: all; `degraded`: some; `unavailable`: none."
	edge.Get(s, health, func(ctx context.Context, _ auth.Principal, _ *struct{}) (rest.LendingHealth, error) {
		return kit.Health(ctx)
	})
}

func registerLendingExecution(s *edge.Server, kit *lending.Service) {
	type order = struct{ Body lending.OrderInput }
	const path = "/v1/protocols/lending/aave/execute"
	prepare := func(id, name, summary string) edge.Op {
		return edge.Op{
			ID: id, Path: path + "/" + name, Tag: lendingTag, Module: auth.Widget, Summary: summary,
			Description: "`step` says what the transaction does; its owner stamps it, and `POST /v1/transactions/confirm` signs and " +
				"sends it. After a step that is not the last, call it again once that transaction is confirmed. An allowance is for " +
				"exactly the amount.",
		}
	}
	edge.Write[lending.PreparedLending](s, prepare("prepareLendingSupply", "supply",
		"Prepare the next step of a supply from a wallet to a lending pool",
	), func(ctx context.Context, cmd *command.Command, in *order) (command.Answer, error) {
		return kit.ExecuteSupply(ctx, cmd, in.Body)
	})
	edge.Write[lending.PreparedLending](s, prepare("prepareLendingWithdrawal", "withdraw",
		"Prepare the next step of a withdrawal from a lending pool to the wallet that supplied",
	), func(ctx context.Context, cmd *command.Command, in *order) (command.Answer, error) {
		return kit.ExecuteWithdraw(ctx, cmd, in.Body)
	})
	edge.Get(s, edge.Op{
		ID: "listLendingChains", Path: path + "/chains", Tag: lendingTag, Module: auth.Widget,
		Summary: "List the networks that have a lending pool",
	}, func(context.Context, auth.Principal, *struct{}) (rest.LendingChains, error) { return kit.Chains(), nil })
	edge.Get(s, edge.Op{
		ID: "getLendingStatus", Path: path + "/status/{transactionId}", Tag: lendingTag, Module: auth.Widget,
		Summary:     "Get a lending transaction, with block and confirmations as the network's node sees them now",
		Description: "Also of an allowance for a pool. Where the node does not answer this is 502.",
	}, func(ctx context.Context, p auth.Principal, in *lendingPath) (rest.LendingStatus, error) {
		return kit.Status(ctx, p, in.TransactionID)
	})
}

// lendingPath names a transaction.
type lendingPath struct {
	TransactionID string `path:"transactionId" maxLength:"64"`
}
