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
	bankAccountsPath = recipientPath + "/accounts"
	bankAccountPath  = bankAccountsPath + "/{accountId}"
)

var bankAccountAliases = edge.Aliases{
	"account_number": "accountNumber", "routing_number": "routingNumber", "checking_or_savings": "accountType",
	"checkingOrSavings": "accountType", "account_type": "accountType", "bank_name": "bankName", "sort_code": "sortCode",
	"legal_name": "legalName", "pix_key": "pixKey", "br_code": "brCode", "tax_id": "taxId",
	"idempotency_salt":      "idempotencySalt",
	"address.street_line_1": "address.street", "address.postal_code": "address.postalCode",
}

// A change speaks the spec's own dialect, which is the other one here.
var bankAccountChangeAliases = edge.Aliases{
	"routingNumber": "routing_number", "checkingOrSavings": "checking_or_savings", "accountType": "checking_or_savings",
	"account_type": "checking_or_savings", "isActive": "is_active", "accountNumber": "account_number",
	"sortCode": "sort_code",
	"pixKey":   "pix_key", "brCode": "br_code", "taxId": "tax_id", "legalName": "legal_name", "bankName": "bank_name",
	"address.street_line_1": "address.street", "address.postal_code": "address.postalCode",
}

// onBankAccount names a bank account of a recipient, and has a body.
type onBankAccount[T any] struct {
	ID        string `path:"id" maxLength:"64"`
	AccountID string `path:"accountId" maxLength:"64"`
	Body      T
}

func registerBankAccounts(s *edge.Server, kit *payout.Kit) {
	edge.Write[rest.BankAccount](s, paying(edge.Op{
		ID: "createBankAccount", Method: "POST", Path: bankAccountsPath, Tag: recipientsTag, Status: 201,
		Summary: "Register a bank account with the payment partner", Aliases: bankAccountAliases,
		Description: "Which numbers it needs depends on the currency: usd `accountNumber`, `routingNumber`, `accountType`; mxn `clabe`; eur `iban`; " +
			"gbp `sortCode`, `accountNumber`; brl `pixKey` or `brCode`. They are checked, sealed, and shown by their last four only. " +
			"While `status` is pending the account cannot be used; before `payableAt` nothing is paid to it.",
	}), func(
		ctx context.Context, cmd *command.Command, in *onRecipient[rest.BankAccountRequest],
	) (command.Answer, error) {
		return kit.Accounts.Create(ctx, cmd, in.ID, in.Body)
	})
	edge.List(s, paying(edge.Op{
		ID: "listBankAccounts", Path: bankAccountsPath, Tag: recipientsTag,
		Summary: "List a recipient's bank accounts, newest first",
	}), listBankAccounts(kit))
	edge.Write[rest.BankAccount](s, paying(edge.Op{
		ID: "updateBankAccount", Method: "PATCH", Path: bankAccountPath, Tag: recipientsTag,
		Aliases: bankAccountChangeAliases,
		Summary: "Change a bank account's routing number, type or address, archive it or restore it",
		Description: "Numbers that name the account cannot be changed. A changed account cools down anew. " +
			"The last active account cannot be archived (`details.code` is `LAST_ACTIVE_ACCOUNT`).",
	}), func(
		ctx context.Context, cmd *command.Command, in *onBankAccount[rest.BankAccountChange],
	) (command.Answer, error) {
		return kit.Accounts.Update(ctx, cmd, in.ID, in.AccountID, in.Body)
	})
	edge.Write[rest.BankAccount](s, paying(edge.Op{
		ID: "confirmBankAccount", Method: "POST", Path: bankAccountPath + "/confirm", Tag: recipientsTag,
		Summary: "Confirm a new or changed bank account, so that it is paid without further wait",
		Description: "Only a member can, by a session that began with a passkey at most 5 minutes ago. An API key is refused. " +
			"`updatedAt` says which account the member saw: one that was changed meanwhile is 409.",
	}), func(
		ctx context.Context, cmd *command.Command, in *onBankAccount[rest.BankAccountConfirm],
	) (command.Answer, error) {
		return kit.Accounts.Confirm(ctx, cmd, in.ID, in.AccountID, in.Body)
	})
	edge.Write[rest.BankAccount](s, paying(edge.Op{
		ID: "unfreezeBankAccount", Method: "POST", Path: bankAccountPath + "/unfreeze", Tag: recipientsTag,
		Summary: "Have a frozen bank account paid again",
		Description: "An account is frozen by the link that members are mailed when it changes. Only a member can unfreeze it, by a session that began with a passkey " +
			"at most 5 minutes ago; `updatedAt` says which account the member saw. A wait that has not ended goes on.",
	}), func(
		ctx context.Context, cmd *command.Command, in *onBankAccount[rest.BankAccountConfirm],
	) (command.Answer, error) {
		return kit.Accounts.Unfreeze(ctx, cmd, in.ID, in.AccountID, in.Body)
	})
	edge.List(s, paying(edge.Op{
		ID: "listRecipientsWithAccounts", Path: recipientsPath + "/with-accounts", Tag: recipientsTag,
		Summary: "List recipients with their bank accounts and what they were paid this year",
	}), listRecipientsWithAccounts(kit))
}

type bankAccountsQuery struct {
	ID string `path:"id" maxLength:"64"`
	edge.Paging
	Archived bool `query:"include_archived" doc:"Archived ones, too"`
}

func listBankAccounts(
	kit *payout.Kit,
) func(context.Context, auth.Principal, *bankAccountsQuery) (edge.Page[rest.BankAccount], error) {
	return func(ctx context.Context, p auth.Principal, in *bankAccountsQuery) (edge.Page[rest.BankAccount], error) {
		return edge.PageFrom(in.Paging, func(at page.Page) ([]rest.BankAccount, *page.Cursor, int, error) {
			return kit.Accounts.List(ctx, p, in.ID, in.Archived, at)
		})
	}
}

type recipientsWithAccountsQuery struct {
	edge.Paging
	Status   string `query:"status" enum:"active,archived,all" default:"active"`
	Search   string `query:"search" maxLength:"100" doc:"Part of the name"`
	Archived bool   `query:"include_archived" doc:"Archived bank accounts, too"`
}

func listRecipientsWithAccounts(kit *payout.Kit,
) func(
	context.Context, auth.Principal, *recipientsWithAccountsQuery,
) (edge.Page[rest.RecipientWithAccounts], error) {
	return func(
		ctx context.Context, p auth.Principal, in *recipientsWithAccountsQuery,
	) (edge.Page[rest.RecipientWithAccounts], error) {
		return edge.PageFrom(in.Paging, func(at page.Page) ([]rest.RecipientWithAccounts, *page.Cursor, int, error) {
			f := recipientsQuery{Status: in.Status, Search: in.Search}.filter(at)
			return kit.Accounts.ListByRecipient(ctx, p, f, in.Archived)
		})
	}
}
