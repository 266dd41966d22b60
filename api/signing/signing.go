// Package signing is the operations of wallets, of the rules they are held to, and of what they sign.
package signing

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/api/edge/stamp"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

// Register lists the operations.
func Register(s *edge.Server, kit *signing.Kit) {
	registerPasskeys(s, kit)
	registerWallets(s, kit)
	registerAddresses(s, kit)
	registerPolicies(s, kit)
	registerPayees(s, kit)
	registerOutstanding(s, kit)
	registerApprovalConfig(s, kit)
	registerDenials(s, kit)
	registerPrices(s, kit)
	registerJournal(s, kit)
	registerApprovals(s, kit)
	registerSignatures(s, kit)
	registerRecovery(s, kit)
	registerTransactions(s, kit)
	registerBalances(s, kit.Balances)
	registerReturnOrigins(s, kit.Links)
}

// write registers an operation that has nothing but a body.
func write[T, I any](
	s *edge.Server, op edge.Op, do func(context.Context, *command.Command, I) (command.Answer, error),
) {
	op.Module = auth.Signing
	edge.Write[T](s, op, func(ctx context.Context, cmd *command.Command, in *edge.Body[I]) (command.Answer, error) {
		return do(ctx, cmd, in.Body)
	})
}

func registerPasskeys(s *edge.Server, kit *signing.Kit) {
	const tag = "Passkeys"
	write[passkey.ChallengeView](s, edge.Op{
		ID: "createPasskeyChallenge", Path: "/v1/signing/passkeys/challenge", Tag: tag, Status: 201,
		Summary: "Create a registration challenge, good once and for 5 minutes",
	}, kit.Passkeys.Challenge)
	write[passkey.Registered](s, edge.Op{
		ID: "registerPasskey", Path: "/v1/signing/passkeys/register", Tag: tag, Status: 201,
		Summary: "Register a passkey, which creates the sub-organization that it owns",
	}, kit.Passkeys.Register)
	edge.List(s, edge.Op{
		ID: "listPasskeys", Path: "/v1/signing/passkeys", Tag: tag, Summary: "List passkeys, oldest first",
		Module: auth.Signing,
	}, func(ctx context.Context, p auth.Principal, in *passkeysQuery) (edge.Page[rest.Passkey], error) {
		return edge.PageFrom(in.Paging, func(at page.Page) ([]rest.Passkey, *page.Cursor, int, error) {
			return kit.Passkeys.List(ctx, passkey.Filter{
				WorkspaceID: p.WorkspaceID, SubOrganizationID: in.SubOrganizationID, Email: in.Email, Page: at,
			})
		})
	})
	edge.Write[rest.Passkey](s, edge.Op{
		ID: "renamePasskey", Method: "PATCH", Path: "/v1/signing/passkeys/{id}", Tag: tag, Summary: "Rename a passkey",
		Module:  auth.Signing,
		Aliases: edge.Aliases{"name": "label"},
	}, func(ctx context.Context, cmd *command.Command, in *struct {
		ID   string `path:"id" maxLength:"64"`
		Body rest.RenamePasskeyRequest
	}) (command.Answer, error) {
		return kit.Passkeys.Rename(ctx, cmd, in.ID, in.Body)
	})
	registerFurtherPasskeys(s, kit)
}

type passkeysQuery struct {
	edge.Paging
	SubOrganizationID string `query:"subOrganizationId" maxLength:"64"`
	Email             string `query:"email" format:"email" maxLength:"254" doc:"Whose they are"`
}

func registerWallets(s *edge.Server, kit *signing.Kit) {
	const tag = "Wallets"
	write[wallet.PreparedWallet](s, edge.Op{
		ID: "prepareWallet", Path: "/v1/signing/wallets/prepare", Tag: tag,
		Summary: "Prepare a wallet: returns the activity to stamp",
		Aliases: edge.Aliases{"name": "walletName"},
	}, kit.Wallets.Prepare)
	write[wallet.WalletCreated](s, edge.Op{
		ID: "confirmWallet", Path: "/v1/signing/wallets/confirm", Tag: tag, Status: 201,
		Summary: "Confirm a wallet with the stamped activity, and create it",
		Aliases: stamp.Alias,
	}, kit.Wallets.Confirm)
	edge.List(s, edge.Op{
		ID: "listWallets", Path: "/v1/signing/wallets", Tag: tag, Summary: "List wallets, newest first",
		Module: auth.Signing,
	}, listWallets(kit))
	get := func(id, path, summary string) {
		edge.Get(s, edge.Op{ID: id, Path: path, Tag: tag, Summary: summary, Module: auth.Signing},
			func(ctx context.Context, p auth.Principal, in *walletPath) (wallet.WalletView, error) {
				return kit.Wallets.Get(ctx, p, in.WalletID, in.Proof == "fresh")
			})
	}
	get("getWallet", "/v1/signing/wallets/{walletId}", "Get a wallet")
	get("getWalletDetail", "/v1/wallets/{walletId}", "Get a wallet, at the path used before version 2.0")
	edge.List(s, edge.Op{
		ID: "listWalletTransactions", Path: "/v1/signing/wallets/{walletId}/transactions", Tag: tag,
		Summary: "List a wallet's outgoing transactions and incoming token transfers, newest first", Module: auth.Signing,
	}, listWalletTransactions(kit))
}

// walletPath names a wallet, by the enclave's id or the local one.
type walletPath struct {
	WalletID string `path:"walletId" maxLength:"64"`
	Proof    string `query:"proof" enum:"stored,fresh" default:"stored" doc:"fresh: the enclave states anew what is"`
}

type walletsQuery struct {
	edge.Paging
	Search            string `query:"search" maxLength:"100" doc:"Part of the name"`
	SubOrganizationID string `query:"subOrganizationId" maxLength:"64"`
	SortBy            string `query:"sortBy" enum:"created_at,name" default:"created_at"`
	SortDir           string `query:"sortDir" enum:"asc,desc" default:"desc"`
}

func listWallets(
	kit *signing.Kit,
) func(context.Context, auth.Principal, *walletsQuery) (edge.Page[wallet.WalletView], error) {
	return func(ctx context.Context, p auth.Principal, in *walletsQuery) (edge.Page[wallet.WalletView], error) {
		return edge.PageFrom(in.Paging, func(at page.Page) ([]wallet.WalletView, *page.Cursor, int, error) {
			if at.After != nil && in.SortBy == "name" {
				return nil, nil, 0, fault.Field("cursor", "must not be given with sortBy name")
			}
			views, next, total, err := kit.Wallets.List(ctx, wallet.Filter{
				WorkspaceID: p.WorkspaceID, SubOrganizationID: in.SubOrganizationID, Search: in.Search,
				SortBy: in.SortBy, SortDir: in.SortDir, Page: at,
			})
			if in.SortBy == "name" {
				next = nil
			}
			return views, next, total, err
		})
	}
}

type walletTransactionsQuery struct {
	WalletID string `path:"walletId" maxLength:"64"`
	edge.Paging
	Status      string `query:"status" enum:"pending,confirmed,failed"`
	Direction   string `query:"direction" enum:"in,out" doc:"in: listed tokens that came to an address of the wallet, on any EVM network"`
	TokenSymbol string `query:"tokenSymbol" maxLength:"16"`
	SortDir     string `query:"sortDir" enum:"asc,desc" default:"desc"`
}

// directions are the words of the query and those of the lines.
var directions = map[string]string{"in": wallet.Received, "out": wallet.Sent}

func listWalletTransactions(
	kit *signing.Kit,
) func(context.Context, auth.Principal, *walletTransactionsQuery) (edge.Page[rest.WalletTransaction], error) {
	return func(
		ctx context.Context, p auth.Principal, in *walletTransactionsQuery,
	) (edge.Page[rest.WalletTransaction], error) {
		return edge.PageFrom(in.Paging, func(at page.Page) ([]rest.WalletTransaction, *page.Cursor, int, error) {
			return kit.Wallets.History(ctx, in.WalletID, wallet.HistoryFilter{
				WorkspaceID: p.WorkspaceID, Type: directions[in.Direction], Status: in.Status,
				TokenSymbol: in.TokenSymbol, SortDir: in.SortDir, Page: at,
			})
		})
	}
}

func registerAddresses(s *edge.Server, kit *signing.Kit) {
	const tag = "Addresses"
	write[wallet.PreparedAccount](s, edge.Op{
		ID: "prepareWalletAccount", Path: "/v1/signing/wallets/accounts/prepare", Tag: tag,
		Summary: "Prepare an address: returns the activity to stamp",
	}, kit.Wallets.PrepareAccount)
	write[wallet.AddressView](s, edge.Op{
		ID: "confirmWalletAccount", Path: "/v1/signing/wallets/accounts/confirm", Tag: tag, Status: 201,
		Summary: "Confirm an address with the stamped activity, and derive it", Aliases: stamp.Alias,
	}, kit.Wallets.ConfirmAccount)
	edge.Get(s, edge.Op{
		ID: "listAddresses", Path: "/v1/signing/wallets/{walletId}/addresses", Tag: tag,
		Summary: "List a wallet's addresses", Module: auth.Signing,
	}, func(ctx context.Context, p auth.Principal, in *struct {
		WalletID string `path:"walletId" maxLength:"64"`
	}) ([]wallet.AddressView, error) {
		return kit.Wallets.Addresses(ctx, p, in.WalletID)
	})
	edge.Get(s, edge.Op{
		ID: "getAddress", Path: "/v1/signing/wallets/{walletId}/addresses/{addressId}", Tag: tag,
		Summary: "Get an address", Module: auth.Signing,
	}, func(ctx context.Context, p auth.Principal, in *struct {
		WalletID  string `path:"walletId" maxLength:"64"`
		AddressID string `path:"addressId" maxLength:"64" doc:"Its id, or the address itself"`
		Proof     string `query:"proof" enum:"stored,fresh" default:"stored" doc:"fresh: the enclave states anew what is"`
	}) (wallet.AddressView, error) {
		return kit.Wallets.Address(ctx, p, in.WalletID, in.AddressID, in.Proof == "fresh")
	})
}
