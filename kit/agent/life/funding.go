package life

import (
	"cmp"
	"context"
	"errors"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/plan"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/rest"
)

// budgetToken is what agents pay with.
const budgetToken = "USDC"

// ErrFundKilled refuses money for an agent that can never spend it.
var ErrFundKilled = fault.Define(fault.Conflict, "agent_killed_unfundable",
	"The agent was killed, for good: it would never spend the money",
	"fund/prepare or fund/confirm for a killed agent; make a new agent, and fund that")

// PrepareFundingInput asks for USDC from the owner's wallet to the agent's.
type PrepareFundingInput struct {
	Amount     rest.Number `json:"amount,omitzero" minimum:"0" maximum:"1000000000" doc:"USDC, at most 6 places: 10.5; or amountUSDC"`
	AmountUSDC string      `json:"amountUSDC,omitempty" maxLength:"32" doc:"The same as text: \"10.5\""`
	From       string      `json:"from,omitempty" maxLength:"64" doc:"Address of a wallet of the agent's sub-organization; needed where that has several"`
	Network    string      `json:"network,omitempty" maxLength:"64" doc:"Slug; needed where the agent pays on several networks"`
	rest.ReturnTo
}

// PreparedFunding is the answer: the owner stamps unsignedActivity, and sends it to fund/confirm.
type PreparedFunding struct {
	FundRequestID string `json:"fundRequestId" format:"uuid"`
	AgentID       string `json:"agentId" format:"uuid"`
	transaction.PreparedTransaction
}

// PrepareFunding writes the body of a transfer of USDC from the owner's wallet to the agent's.
func (s *Service) PrepareFunding(
	ctx context.Context, cmd *command.Command, id string, in PrepareFundingInput,
) (command.Answer, error) {
	a, now, err := s.find(ctx, cmd.Principal.WorkspaceID, id)
	if err == nil {
		err = fundable(now)
	}
	if err != nil {
		return command.Answer{}, err
	}
	transfer, err := s.funding(ctx, a, now, in)
	if err != nil {
		return command.Answer{}, err
	}
	d, err := s.c.Transactions.Draft(ctx, a.WorkspaceID, transfer, agentsURL+"/"+a.ID+"/fund/confirm")
	if err != nil {
		return command.Answer{}, err
	}
	view := PreparedFunding{FundRequestID: d.Row.ID, AgentID: a.ID, PreparedTransaction: d.View}
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return command.Reply{
			Status: 200, Data: view, Audit: command.Audit{Action: "agent.fund.prepare", Resource: d.Row.ID,
				Detail: map[string]string{"agentId": a.ID, "amount": d.Row.Amount, "network": d.Row.Chain}},
		}, errors.Join(d.Insert(ctx, tx, cmd.Return), tx.NoteAgentSubject(ctx, a.WorkspaceID, a.ID, d.Row.ID))
	})
}

// fundable refuses an agent that cannot spend yet, or never again.
func fundable(a wire.AgentReply) error {
	switch a.Status {
	case wire.AgentPending:
		return refusal.ErrAgentPending
	case wire.AgentKilled:
		return ErrFundKilled
	}
	return nil
}

// funding is the transfer that is asked for.
func (s *Service) funding(
	ctx context.Context, a Agent, now wire.AgentReply, in PrepareFundingInput,
) (plan.PrepareTransactionInput, error) {
	amount := cmp.Or(string(in.Amount), in.AmountUSDC)
	switch {
	case in.Amount != "" && in.AmountUSDC != "":
		return plan.PrepareTransactionInput{}, fault.Field("amountUSDC", "must not be given beside amount")
	case !rest.Number(amount).Plain(places):
		return plan.PrepareTransactionInput{}, fault.Field("amount", "must be a plain decimal with at most 6 places")
	}
	n, err := s.fundingNetwork(a, now, in.Network)
	if err != nil {
		return plan.PrepareTransactionInput{}, err
	}
	from, err := s.fundingSource(ctx, a, now, in.From, n.Kind)
	token, _ := n.TokenBySymbol(budgetToken)
	return plan.PrepareTransactionInput{
		Type: plan.TransferToken, SignWith: from, Network: n.Slug, To: now.AddressOn(n.Kind), Amount: amount,
		TokenAddress: token.Address,
	}, err
}

// fundingNetwork is one on which the agent pays: elsewhere it could not spend the money.
func (s *Service) fundingNetwork(a Agent, now wire.AgentReply, slug string) (chain.Network, error) {
	pays := s.paysOn(a, now)
	if has := hasOn(pays, now); slug == "" && len(has) == 1 {
		return has[0], nil
	}
	return oneOf(pays, now, slug)
}

// fundingSource is the address of the owner that pays.
func (s *Service) fundingSource(
	ctx context.Context, a Agent, now wire.AgentReply, from string, kind chain.Kind,
) (string, error) {
	owner := activity.Owner{WorkspaceID: a.WorkspaceID, ID: a.SubOrganizationID}
	if from == "" {
		address, ok, err := s.c.Wallets.OwnerAddress(ctx, owner, kind)
		if err == nil && !ok {
			err = fault.Field("from", "is required: its owner does not have exactly one address that could pay there")
		}
		return address, err
	}
	sender, err := s.c.Wallets.Sender(ctx, a.WorkspaceID, from)
	if err != nil && !errors.Is(err, fault.ErrNotFound) {
		return "", err
	}
	if err != nil || sender.External || sender.Wallet.Owner() != owner || sender.Family.Kind() != kind ||
		sender.From == now.AddressOn(kind) {
		return "", fault.Field("from",
			"must be an address of another wallet of the agent's sub-organization, for the network of the transfer")
	}
	return sender.From, nil
}

// ConfirmFundingInput is the stamped transfer.
type ConfirmFundingInput struct {
	FundRequestID  string           `json:"fundRequestId" format:"uuid"`
	SignedActivity activity.Stamped `json:"signedActivity"`
}

// Funded is the transfer once it is signed.
type Funded struct {
	FundRequestID string `json:"fundRequestId" format:"uuid"`
	AgentID       string `json:"agentId" format:"uuid"`
	Signature     string `json:"signature" doc:"The signed transaction, as signedTransaction"`
	transaction.TransactionView
}

// ConfirmFunding has the enclave sign the owner's transfer, and sends it.
func (s *Service) ConfirmFunding(
	ctx context.Context, cmd *command.Command, id string, in ConfirmFundingInput,
) (command.Answer, error) {
	a, now, err := s.find(ctx, cmd.Principal.WorkspaceID, id)
	if err != nil {
		return command.Answer{}, err
	}
	t, err := s.c.Store.Transaction(ctx, a.WorkspaceID, in.FundRequestID)
	n, _ := s.c.Nodes.BySlug(t.Chain)
	if errors.Is(err, fault.ErrNotFound) || err == nil && !funds(t, a, now.AddressOn(n.Kind)) {
		err = fault.Missing("Fund request")
	}
	if err == nil && t.State == transaction.Awaiting { // done before, it is answered again
		err = fundable(now)
	}
	if err != nil {
		return command.Answer{}, err
	}
	own := *cmd
	own.As = func(r command.Reply) command.Reply { return fundedReply(r, a.ID) }
	return s.c.Transactions.Confirm(ctx, &own, transaction.ConfirmTransactionInput{
		TransactionID: t.ID, SignedActivity: &in.SignedActivity,
	})
}

// funds reports whether a transaction is a transfer of USDC from a wallet of the agent's owner to the agent's address
// on its network.
func funds(t transaction.Transaction, a Agent, to string) bool {
	return t.Type == plan.TransferToken && t.TokenSymbol == budgetToken && !t.External() && to != "" &&
		t.SubOrganizationID == a.SubOrganizationID && t.To == to && t.From != to
}

// fundedReply is the answer and the audit entry of a transfer in the words of a funding.
func fundedReply(r command.Reply, agentID string) command.Reply {
	r.Audit.Action = "agent.fund"
	if t, signed := r.Data.(transaction.TransactionView); signed {
		r.Data = Funded{
			FundRequestID: t.TransactionID, AgentID: agentID, Signature: t.SignedTransaction, TransactionView: t,
		}
	} else {
		r.Audit.Action = "agent.fund.queue"
	}
	return r
}
