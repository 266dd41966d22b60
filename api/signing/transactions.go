package signing

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/api/edge/stamp"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/faucet"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/rest"
)

const transactionsTag = "Transactions"

func registerTransactions(s *edge.Server, kit *signing.Kit) {
	write[transaction.PreparedTransaction](s, edge.Op{
		ID: "prepareTransaction", Path: "/v1/transactions/prepare", Tag: transactionsTag,
		Summary: "Prepare a transaction: returns the activity to stamp, valid for 15 minutes",
		Aliases: edge.Aliases{
			"from": "signWith", "gas.limit": "gasLimit", "gas.maxFeePerGas": "maxFeePerGas", "gasPrice": "maxFeePerGas",
		},
	}, kit.Transactions.Prepare)
	// custody external has none
	s.Optional("PreparedTransaction", "unsignedActivity", "fingerprint", "challenge", "allowCredentials", "preview")
	write[transaction.TransactionView](s, edge.Op{
		ID: "confirmTransaction", Path: "/v1/transactions/confirm", Tag: transactionsTag,
		Summary: "Confirm a transaction with its stamp: sign it in the enclave and broadcast it", Aliases: stamp.Alias,
		Queued: true,
	}, kit.Transactions.Confirm)
	registerSigned(s, kit)
	registerBroadcast(s, kit)
}

// transactionPath names a transaction.
type transactionPath struct {
	TransactionID string `path:"transactionId" maxLength:"64"`
}

func registerSigned(s *edge.Server, kit *signing.Kit) {
	edge.List(s, edge.Op{
		ID: "listTransactions", Path: "/v1/transactions/sign", Tag: transactionsTag,
		Summary: "List signed transactions, newest first; with status also others", Module: auth.Signing,
	}, func(
		ctx context.Context, p auth.Principal, in *transactionsQuery,
	) (edge.Page[transaction.TransactionView], error) {
		states, err := statesOf(in.Status)
		if err != nil {
			return edge.Page[transaction.TransactionView]{}, err
		}
		return listTransactions(ctx, kit, in.Paging, transaction.Filter{
			WorkspaceID: p.WorkspaceID, States: states, Signed: states == nil,
		})
	})
	edge.Get(s, edge.Op{
		ID: "getTransaction", Path: "/v1/transactions/sign/{transactionId}", Tag: transactionsTag,
		Summary: "Get a transaction", Module: auth.Signing,
	}, func(ctx context.Context, p auth.Principal, in *transactionPath) (transaction.TransactionView, error) {
		return kit.Transactions.Get(ctx, p, in.TransactionID)
	})
	edge.Write[transaction.TransactionView](s, edge.Op{
		ID: "cancelTransaction", Method: "DELETE", Path: "/v1/transactions/sign/{transactionId}", Tag: transactionsTag,
		Summary: "Cancel a transaction that waits for its stamp", Module: auth.Signing,
	}, func(ctx context.Context, cmd *command.Command, in *transactionPath) (command.Answer, error) {
		return kit.Transactions.Cancel(ctx, cmd, in.TransactionID)
	})
	edge.List(s, edge.Op{
		ID: "listPendingSignature", Path: "/v1/transactions/pending-signature", Tag: transactionsTag,
		Summary: "List transactions that wait for a passkey's stamp", Module: auth.Signing,
	}, func(
		ctx context.Context, p auth.Principal, in *struct{ edge.Paging },
	) (edge.Page[transaction.TransactionView], error) {
		return listTransactions(ctx, kit, in.Paging, transaction.Filter{
			WorkspaceID: p.WorkspaceID, States: []transaction.State{transaction.Awaiting},
		})
	})
}

type transactionsQuery struct {
	edge.Paging
	Status string `query:"status" maxLength:"200" doc:"One or more, with commas; without it the list has those with a signature. awaiting_signature, awaiting_approval, pending (or signed), broadcast (or broadcasted), confirmed, failed, cancelled, expired"`
}

// statesOf reads the filter. The other dialect's words are accepted.
func statesOf(filter string) ([]transaction.State, error) {
	words := map[string]transaction.State{"signed": transaction.Pending, "broadcasted": transaction.Broadcast}
	for _, st := range []transaction.State{
		transaction.Awaiting, transaction.AwaitingApproval, transaction.Pending, transaction.Broadcast,
		transaction.Confirmed, transaction.Failed, transaction.Cancelled, transaction.Expired,
	} {
		words[string(st)] = st
	}
	var states []transaction.State
	for _, word := range strings.Split(filter, ",") {
		if filter == "" {
			break
		}
		st, ok := words[word]
		if !ok {
			return nil, fault.Field("status", "must be statuses of a transaction, with commas between them: "+
				strings.Join(slices.Sorted(maps.Keys(words)), ", "))
		}
		states = append(states, st)
	}
	return states, nil
}

func listTransactions(
	ctx context.Context, kit *signing.Kit, paging edge.Paging, f transaction.Filter,
) (edge.Page[transaction.TransactionView], error) {
	page, err := edge.PageAt(paging)
	if err != nil {
		return edge.Page[transaction.TransactionView]{}, err
	}
	f.Page = page
	views, next, total, err := kit.Transactions.List(ctx, f)
	return edge.PageOf(paging, views, total, edge.Cursor(next)), err
}

func registerBroadcast(s *edge.Server, kit *signing.Kit) {
	const path = "/v1/transactions/broadcast/{transactionId}"
	edge.Write[rest.Broadcast](s, edge.Op{
		ID: "broadcastTransaction", Path: path, Tag: transactionsTag, Summary: "Broadcast a signed transaction",
		Module: auth.Signing,
	}, func(ctx context.Context, cmd *command.Command, in *transactionPath) (command.Answer, error) {
		return kit.Broadcasts.Send(ctx, cmd, in.TransactionID)
	})
	edge.Write[rest.Broadcast](s, edge.Op{
		ID: "retryBroadcast", Path: path + "/retry", Tag: transactionsTag,
		Summary: "Retry the broadcast of a transaction that could not be sent",
		Module:  auth.Signing,
	}, func(ctx context.Context, cmd *command.Command, in *transactionPath) (command.Answer, error) {
		return kit.Broadcasts.Retry(ctx, cmd, in.TransactionID)
	})
	write[rest.RawBroadcast](s, edge.Op{
		ID: "broadcastRaw", Path: "/v1/transactions/broadcast/raw", Tag: transactionsTag,
		Summary: "Broadcast a transaction that was signed elsewhere",
		Aliases: edge.Aliases{"rawSignedTransaction": "signedTransaction"},
	}, kit.Broadcasts.RelayRaw)
	edge.Get(s, edge.Op{
		ID: "getBroadcast", Path: path, Tag: transactionsTag,
		Summary: "Get the broadcast status of a signed transaction", Module: auth.Signing,
	}, func(ctx context.Context, p auth.Principal, in *transactionPath) (rest.Broadcast, error) {
		return kit.Broadcasts.Status(ctx, p, in.TransactionID)
	})
}

// RegisterSandbox lists what the sandbox alone has.
func RegisterSandbox(s *edge.Server, kit *signing.Kit, bank faucet.Faucet) {
	write[rest.FaucetPayment](s, edge.Op{
		ID: "fundAddress", Path: "/v1/sandbox/faucet", Tag: "Sandbox", Summary: "Send test money from the faucet",
	}, func(ctx context.Context, cmd *command.Command, in rest.FaucetRequest) (command.Answer, error) {
		return kit.Faucet.Fund(ctx, cmd, bank, in)
	})
}
