package wallet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// PreparedAccount is an address that waits for its stamp.
type PreparedAccount struct {
	WalletAccountRequestID string `json:"walletAccountRequestId"`
	PrepareSkipsActivity   bool   `json:"prepareSkipsActivity" doc:"Always false: every address is stamped"`
	activity.Prepared
}

// PrepareAccount writes the body of a new address.
func (s *Service) PrepareAccount(ctx context.Context, cmd *command.Command,
	in rest.PrepareAccountRequest,
) (command.Answer, error) {
	w, err := s.walletOrOnly(ctx, cmd.Principal.WorkspaceID, in.WalletID)
	if err != nil {
		return command.Answer{}, err
	}
	form, err := s.accountForm(in.Chain)
	if err != nil {
		return command.Answer{}, err
	}
	path := in.Path
	if path == "" {
		if path, err = s.nextPath(ctx, w, form); err != nil {
			return command.Answer{}, err
		}
	}
	d := activity.Draft{
		Kind: wire.CreateWalletAccounts, Link: link.Accounts,
		Owner: activity.Owner{WorkspaceID: w.WorkspaceID, ID: w.SubOrganizationID}, ID: record.NewID(),
		URL:    "/v1/signing/wallets/accounts/confirm",
		Params: wire.CreateWalletAccountsParams{WalletID: w.EnclaveID, Accounts: accountParams(form, path)},
	}
	if err := s.c.Activities.Prepare(ctx, &d); err != nil {
		return command.Answer{}, err
	}
	a, err := d.Activity()
	if err != nil {
		return command.Answer{}, err
	}
	a.WalletID, a.Name, a.Chain, a.Paths = w.ID, in.Name, in.Chain, []string{path}
	view := PreparedAccount{WalletAccountRequestID: a.ID, Prepared: d.Prepared}
	return s.c.Activities.Commit(ctx, cmd, a, d, view, "address.prepare")
}

// walletOrOnly finds the wallet that a call names or, if it names none, the only one that is no agent's.
func (s *Service) walletOrOnly(ctx context.Context, workspaceID, id string) (Wallet, error) {
	if id != "" {
		return s.c.Store.Wallet(ctx, workspaceID, id)
	}
	rows, total, err := s.c.Store.Wallets(ctx, Filter{WorkspaceID: workspaceID, Page: page.Page{Limit: 100}})
	if err != nil {
		return Wallet{}, err
	}
	more := total > len(rows)
	rows = slices.DeleteFunc(rows, Wallet.ofAgent)
	if more || len(rows) != 1 {
		return Wallet{}, fault.Field("walletId", "is required")
	}
	return rows[0], nil
}

// nextPath is the first default path that no address has and no prepared request asks for.
func (s *Service) nextPath(ctx context.Context, w Wallet, form chain.AccountForm) (string, error) {
	addresses, err := s.c.Store.Addresses(ctx, w.WorkspaceID, w.ID)
	if err != nil {
		return "", err
	}
	taken, err := s.c.Store.PendingPaths(ctx, w.WorkspaceID, w.ID, s.c.Clock.Now())
	if err != nil {
		return "", err
	}
	for _, a := range addresses {
		taken = append(taken, a.Path)
	}
	for i := 0; ; i++ {
		if path := form.PathOf(i); !slices.Contains(taken, path) {
			return path, nil
		}
	}
}

// accountForm is how the accounts of a network's family are derived.
func (s *Service) accountForm(slug string) (chain.AccountForm, error) {
	family, ok := s.c.Nodes.Family(slug)
	if !ok {
		return chain.AccountForm{}, fault.Field("chain", chain.Unknown(s.c.Nodes.Networks()))
	}
	return family.Form(), nil
}

// accountParams is one account in the parameters of an enclave's activity.
func accountParams(form chain.AccountForm, path string) []wire.AccountParams {
	return []wire.AccountParams{{
		Curve: form.Curve, PathFormat: form.PathFormat, Path: path, AddressFormat: form.AddressFormat,
	}}
}

// ConfirmAccountInput is a stamped address.
type ConfirmAccountInput struct {
	WalletAccountRequestID string           `json:"walletAccountRequestId" format:"uuid"`
	SignedActivity         activity.Stamped `json:"signedActivity"`
}

// ConfirmAccount has the enclave derive the address.
func (s *Service) ConfirmAccount(ctx context.Context, cmd *command.Command,
	in ConfirmAccountInput,
) (command.Answer, error) {
	a, out, err := s.submit(ctx, cmd, in.WalletAccountRequestID, wire.CreateWalletAccounts, in.SignedActivity)
	if err != nil {
		return command.Answer{}, err
	}
	addresses, err := addressesOf(a, out)
	if err != nil {
		return command.Answer{}, err
	}
	if len(addresses) == 0 {
		return command.Answer{}, errors.New("the enclave's answer to a new address names none")
	}
	view := addresses[0].view(enclaveID(out))
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		s.c.Activities.TouchPasskey(tx, a.WorkspaceID, a.SubOrganizationID, &in.SignedActivity.Stamp)
		return command.Reply{
			Status: 201, Message: "Address created", Data: view, Audit: command.Audit{Action: "address.create",
				Resource: view.AddressID},
		}, s.finishAddresses(ctx, tx, a, addresses)
	})
}

func enclaveID(out client.Outcome) string { return out.Statement.Result.Accounts[0].WalletID }

// addressesOf reads the new addresses from the enclave's result.
func addressesOf(a activity.Activity, out client.Outcome) ([]Address, error) {
	if out.Statement.Result == nil {
		return nil, errors.New("the enclave's answer to new addresses has no result")
	}
	at, err := time.Parse(time.RFC3339, out.Statement.Time)
	if err != nil {
		return nil, fmt.Errorf("reading the enclave's time: %w", err)
	}
	proof, err := signer.Text(out.Proof)
	if err != nil {
		return nil, err
	}
	var all []Address
	for _, acc := range out.Statement.Result.Accounts {
		family, ok := families.OfFormat(acc.AddressFormat)
		if !ok {
			return nil, errors.New("the enclave's answer to new addresses has one of no family of networks")
		}
		all = append(all, Address{
			WorkspaceID: a.WorkspaceID, ID: record.DerivedID("address", acc.WalletID,
				acc.Path), WalletID: a.WalletID, Address: acc.Address,
			Kind: string(family.Kind()), Chain: a.Chain, Name: a.Name, Path: acc.Path, Curve: acc.Curve,
			AddressFormat: acc.AddressFormat, PublicKey: acc.PublicKey, Proof: proof, CreatedAt: at,
		})
	}
	return all, nil
}

// finishAddresses writes addresses that the enclave derived. It may run again after a crash: the rows are the same.
func (s *Service) finishAddresses(ctx context.Context, tx Tx, a activity.Activity, addresses []Address) error {
	for _, address := range addresses {
		if err := tx.InsertAddress(ctx, address); err != nil {
			return err
		}
	}
	return s.c.Activities.Finish(ctx, tx, a)
}

func (s *Service) finishLostAddresses(ctx context.Context, tx Tx, a activity.Activity, out client.Outcome) error {
	addresses, err := addressesOf(a, out)
	if err != nil {
		return err
	}
	return s.finishAddresses(ctx, tx, a, addresses)
}
