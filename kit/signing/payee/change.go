package payee

import (
	"context"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/rest"
)

// PayeeInput is a new payee.
type PayeeInput struct {
	SubOrganizationID string                 `json:"subOrganizationId,omitempty" maxLength:"64" doc:"Needed where the workspace has several"`
	Name              string                 `json:"name" minLength:"1" maxLength:"100" doc:"No two names of a book can be mistaken for one another"`
	Network           string                 `json:"network" minLength:"1" maxLength:"32" doc:"Slug of the network, such as base"`
	Address           string                 `json:"address" minLength:"1" maxLength:"64"`
	Kind              wire.PayeeKind         `json:"kind" enum:"wallet,bank_account,contract" doc:"What the address stands for: a person's or a firm's wallet, a bank account to which what arrives is paid out, or a contract"`
	BankAccount       *rest.PayeeBankAccount `json:"bankAccount,omitempty" doc:"Needed for kind bank_account, and only there"`
	SignedActivity    *activity.Stamped      `json:"signedActivity,omitempty" doc:"What prepare=true answered, stamped"`
	rest.ReturnTo
}

const payeesURL = "/v1/signing/payees"

// Add binds a name to an address on a network.
func (s *Service) Add(ctx context.Context, cmd *command.Command, in PayeeInput, prepare bool) (command.Answer, error) {
	c, err := s.adding(ctx, cmd.Principal.WorkspaceID, in)
	if err != nil {
		return command.Answer{}, err
	}
	return s.c.Changes.Do(ctx, cmd, c, activity.Stamping{Prepare: prepare, SignedActivity: in.SignedActivity})
}

// Prepare gives what to stamp for a new payee, for an answer that is about something else too: a withdrawal address.
func (s *Service) Prepare(ctx context.Context, workspaceID string, in PayeeInput) (activity.Prepared, error) {
	c, err := s.adding(ctx, workspaceID, in)
	if err != nil {
		return activity.Prepared{}, err
	}
	return s.c.Changes.Prepare(ctx, c)
}

func (s *Service) adding(ctx context.Context, workspaceID string, in PayeeInput) (activity.Change, error) {
	sub, err := s.c.Passkeys.SubOrganization(ctx, workspaceID, in.SubOrganizationID)
	if err != nil {
		return activity.Change{}, err
	}
	params, err := s.params(in)
	return activity.Change{Kind: wire.AddPayee, Owner: sub.Owner(), Params: params, URL: payeesURL}, err
}

// params puts a new payee into the enclave's words, with the address as its network writes it.
func (s *Service) params(in PayeeInput) (wire.AddPayeeParams, error) {
	address, err := s.canonical(in.Network, in.Address)
	if err != nil {
		return wire.AddPayeeParams{}, err
	}
	network, _ := s.c.Nodes.BySlug(in.Network)
	if k, known := chain.KnownAt(network, address); known && in.Kind != wire.ContractPayee {
		return wire.AddPayeeParams{}, fault.Field("address",
			"is that of "+k.Name+": only a payee of the kind contract can have it")
	}
	bank, err := in.bankAccount()
	return wire.AddPayeeParams{
		Name: strings.TrimSpace(in.Name), Chain: in.Network, Address: address, Kind: in.Kind, BankAccount: bank,
	}, err
}

// canonical is an address as its network writes it.
func (s *Service) canonical(network, text string) (string, error) {
	family, ok := s.c.Nodes.Family(network)
	if !ok {
		return "", fault.Field("network", chain.Unknown(s.c.Nodes.Networks()))
	}
	address, of, ok := families.ParseAddress(text)
	if !ok {
		return "", fault.Field("address", "must be an address")
	}
	if of.Kind() != family.Kind() {
		return "", fault.Field("address", "is an address of another kind of network")
	}
	return address, nil
}

func (in PayeeInput) bankAccount() (*wire.PayeeBankAccount, error) {
	b := in.BankAccount
	switch {
	case in.Kind == wire.BankAccountPayee && b == nil:
		return nil, fault.Field("bankAccount", "is required for the kind bank_account")
	case in.Kind != wire.BankAccountPayee && b != nil:
		return nil, fault.Field("bankAccount", "must not be given for the kind "+string(in.Kind))
	case b == nil:
		return nil, nil
	}
	return &wire.PayeeBankAccount{
		Owner: strings.TrimSpace(b.Owner), Bank: strings.TrimSpace(b.Bank), LastFour: b.LastFour,
		Currency: strings.ToUpper(b.Currency),
	}, nil
}

// Remove takes a payee out of its book. For a stamped call it also finds a removed one: the call may repeat the
// removal, and gets the first answer again.
func (s *Service) Remove(ctx context.Context, cmd *command.Command, id string, in activity.StampInput,
	prepare bool,
) (command.Answer, error) {
	p, err := s.c.Store.Payee(ctx, cmd.Principal.WorkspaceID, id)
	if err == nil && p.Removed() && in.SignedActivity == nil {
		err = fault.Missing("Payee")
	}
	if err != nil {
		bare := activity.Stamping{Prepare: prepare}
		return s.c.Changes.Again(ctx, cmd, activity.Gone{Kind: wire.RemovePayee}, bare, err)
	}
	return s.c.Changes.Do(ctx, cmd, activity.Change{
		Kind: wire.RemovePayee, Owner: activity.Owner{WorkspaceID: p.WorkspaceID, ID: p.SubOrganizationID},
		Params: wire.RemovePayeeParams{PayeeID: p.ID}, URL: payeesURL + "/" + p.ID,
	}, activity.Stamping{Prepare: prepare, SignedActivity: in.SignedActivity})
}
