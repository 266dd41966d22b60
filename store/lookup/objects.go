package lookup

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

func order(r db.FindOrdersRow) (Object, error) {
	o := stamps(Object{Kind: "order", WorkspaceID: r.WorkspaceID, ID: r.ID, Status: r.Status}, r.CreatedAt, r.UpdatedAt)
	o.with("reference", r.Reference)
	o.with("type", r.Type)
	o.link("recipient", r.RecipientID)
	o.link("bank_account", r.BankAccountID)
	o.link("withdraw_address", r.WithdrawAddressID)
	o.link("quote", r.QuoteID)
	return o, nil
}

func orderOfReference(r db.FindOrdersOfReferenceRow) (Object, error) {
	return order(db.FindOrdersRow(r))
}

// transaction is with the approvals that it waits or waited for, and whose agent's it is.
func (s Store) transaction(ctx context.Context) func(db.Transaction) (Object, error) {
	return func(r db.Transaction) (Object, error) {
		o := stamps(Object{
			Kind: "transaction", WorkspaceID: r.WorkspaceID, ID: r.ID, Status: r.State,
		}, r.CreatedAt, r.UpdatedAt)
		o.with("type", r.Type)
		o.with("chain", r.Chain)
		o.with("from", r.FromAddress)
		o.with("to", r.ToAddress)
		o.with("amount", strings.TrimSpace(r.Amount+" "+r.TokenSymbol))
		o.with("hash", r.TxHash)
		o.with("block", strconv.FormatInt(r.BlockNumber, 10))
		o.with("confirmations", strconv.FormatInt(r.Confirmations, 10))
		o.with("attempts", strconv.FormatInt(r.Attempts, 10))
		o.with("reason", r.Reason)
		if r.Stuck == 1 {
			o.with("stuck", "its fee is below what the network asks")
		}
		if r.Held == 1 {
			o.with("held", "it is sent when its owner asks for it")
		}
		o.link("wallet", r.WalletID)
		o.link("sub_organization", r.SubOrganizationID)
		o.link("replaces", r.Replaces)
		o.link("replaced_by", r.ReplacedBy)
		return o, s.related(ctx, &o)
	}
}

func (s Store) activity(ctx context.Context) func(db.Activity) (Object, error) {
	return func(r db.Activity) (Object, error) {
		o := Object{Kind: "activity", WorkspaceID: r.WorkspaceID, ID: r.ID, Status: r.State}
		o = stamps(o, r.CreatedAt, r.UpdatedAt)
		o.with("asks for", r.Kind)
		o.with("name", r.Name)
		o.with("chain", r.Chain)
		o.link("wallet", r.WalletID)
		o.link("sub_organization", r.SubOrganizationID)
		return o, s.related(ctx, &o)
	}
}

// related links a subject to its approvals and its agent.
func (s Store) related(ctx context.Context, o *Object) error {
	approvals, err := s.db.Read.FindApprovalsOfSubject(ctx, o.WorkspaceID, o.ID)
	if err != nil {
		return err
	}
	for _, a := range approvals {
		o.link("approval", a.ID)
	}
	agents, err := s.db.Read.FindAgentOfSubject(ctx, o.WorkspaceID, o.ID)
	for _, id := range agents {
		o.link("agent", id)
	}
	return err
}

func transfer(r db.Transfer) (Object, error) {
	o := stamps(
		Object{Kind: "transfer", WorkspaceID: r.WorkspaceID, ID: r.ID, Status: r.State}, r.CreatedAt, r.UpdatedAt)
	o.with("chain", r.Chain)
	o.with("from", r.FromAddress)
	o.with("to", r.ToAddress)
	o.with("amount", strings.TrimSpace(r.Units+" "+r.TokenSymbol))
	o.with("block", strconv.FormatInt(r.BlockNumber, 10))
	kind := r.OwnerKind
	if kind == "withdraw" {
		kind = "withdraw_address"
	}
	o.link(kind, r.OwnerID)
	return o, nil
}

func approval(r db.Approval) (Object, error) {
	o := stamps(
		Object{Kind: "approval", WorkspaceID: r.WorkspaceID, ID: r.ID, Status: r.State}, r.CreatedAt, r.UpdatedAt)
	votes, err := sqldb.Unlist[wire.Vote](r.Votes)
	o.with("asks for", r.Activity)
	o.with("waits because", r.Reason)
	o.with("votes", fmt.Sprintf("%d of %d", len(votes), r.Required))
	for _, v := range votes {
		o.with("vote", v.Email)
	}
	o.with("cost in USD", r.CostUsd)
	o.with("requester", r.Requester)
	o.with("brought by", r.RequestedBy)
	o.with("comment", r.Comment)
	o.with("expires", sqldb.Instant(r.ExpiresAt).UTC().Format("2006-01-02 15:04:05 UTC"))
	o.link(r.Kind, r.Subject)
	o.link("wallet", r.WalletID)
	o.link("sub_organization", r.SubOrganizationID)
	return o, err
}

func agent(r db.Agent) (Object, error) {
	o := stamps(Object{Kind: "agent", WorkspaceID: r.WorkspaceID, ID: r.ID}, r.CreatedAt, 0)
	if r.Deleted == 1 {
		o.Status = "deleted"
	}
	o.with("name", r.Name)
	o.with("description", r.Description)
	o.link("wallet", r.WalletID)
	o.link("sub_organization", r.SubOrganizationID)
	return o, nil
}

func payment(r db.X402Payment) (Object, error) {
	o := stamps(
		Object{Kind: "x402_payment", WorkspaceID: r.WorkspaceID, ID: r.ID, Status: r.State}, r.CreatedAt, r.UpdatedAt)
	o.with("resource", r.Resource)
	o.with("network", r.Network)
	o.with("pay to", r.PayTo)
	o.with("hash", r.TxHash)
	o.with("seller's status", strconv.FormatInt(r.HttpStatus, 10))
	o.with("reason", r.Reason)
	o.link("agent", r.AgentID)
	o.link("x402_payment", r.Reuses)
	o.link("x402_payment", r.ReusedBy)
	return o, nil
}

func member(r db.Member) (Object, error) {
	o := stamps(Object{Kind: "member", WorkspaceID: r.WorkspaceID, ID: r.ID, Status: r.Role}, r.CreatedAt, r.UpdatedAt)
	o.with("e-mail", r.Email)
	o.with("language", r.Language)
	if r.Muted != "[]" {
		o.with("mails switched off", r.Muted)
	}
	return o, nil
}

func wallet(r db.Wallet) (Object, error) {
	o := stamps(Object{Kind: "wallet", WorkspaceID: r.WorkspaceID, ID: r.ID}, r.CreatedAt, 0)
	o.with("name", r.Name)
	o.with("id of the signer", r.EnclaveID)
	o.link("sub_organization", r.SubOrganizationID)
	return o, nil
}

func subOrganization(r db.SubOrganization) (Object, error) {
	o := stamps(Object{Kind: "sub_organization", WorkspaceID: r.WorkspaceID, ID: r.ID}, r.CreatedAt, 0)
	o.with("name", r.Name)
	o.with("e-mail", r.Email)
	return o, nil
}

func recipient(r db.Recipient) (Object, error) {
	o := stamps(
		Object{Kind: "recipient", WorkspaceID: r.WorkspaceID, ID: r.ID, Status: r.Status}, r.CreatedAt, r.UpdatedAt)
	o.with("name", r.Name)
	o.with("e-mail", r.Email)
	o.with("country", r.Country)
	return o, nil
}

func bankAccount(r db.FindBankAccountsRow) (Object, error) {
	o := stamps(Object{
		Kind: "bank_account", WorkspaceID: r.WorkspaceID, ID: r.ID, Status: r.Registration,
	}, r.CreatedAt, r.UpdatedAt)
	o.with("currency", r.Currency)
	o.with("rail", r.Rail)
	o.with("reason", r.Reason)
	if r.FrozenAt > 0 {
		o.with("frozen", sqldb.Instant(r.FrozenAt).UTC().Format("2006-01-02 15:04:05 UTC"))
	}
	if r.IsActive == 0 {
		o.with("archived", "yes")
	}
	o.link("recipient", r.RecipientID)
	return o, nil
}

func workspace(r db.Workspace) (Object, error) {
	o := stamps(Object{Kind: "workspace", WorkspaceID: r.ID, ID: r.ID, Status: r.KybStatus}, r.CreatedAt, 0)
	o.with("name", r.Name)
	return o, nil
}

func event(r db.Event) (Object, error) {
	o := Object{Kind: "event", WorkspaceID: r.WorkspaceID, ID: r.ID, Status: r.Type, Created: sqldb.Instant(r.At)}
	o.with("sequence", strconv.FormatInt(r.Seq, 10))
	kind, _, _ := strings.Cut(r.Type, ".")
	o.link(kind, r.ObjectID)
	o.link("agent", r.AgentID)
	return o, nil
}

// requests is what a request changed, in each workspace: one entry of the record for each change.
func requests(rows []db.FindRequestRow, err error) (all []Object, _ error) {
	for _, r := range rows {
		if len(all) == 0 || all[len(all)-1].WorkspaceID != r.WorkspaceID {
			all = append(all, Object{
				Kind: "request", WorkspaceID: r.WorkspaceID, ID: r.RequestID, Created: sqldb.Instant(r.At),
			})
		}
		o := &all[len(all)-1]
		o.with("did", r.Action)
		kind, _, _ := strings.Cut(r.Action, ".")
		o.link(kind, r.Resource)
	}
	return all, sqldb.Reading("reading what a request did", err)
}
