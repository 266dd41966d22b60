package wallet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// PreparedWallet is a wallet that waits for its stamp.
type PreparedWallet struct {
	WalletRequestID string `json:"walletRequestId"`
	activity.Prepared
}

// Prepare writes the body of a new wallet.
func (s *Service) Prepare(
	ctx context.Context, cmd *command.Command, in rest.PrepareWalletRequest,
) (command.Answer, error) {
	sub, err := s.c.Passkeys.SubOrganization(ctx, cmd.Principal.WorkspaceID, in.SubOrganizationID)
	if err != nil {
		return command.Answer{}, err
	}
	accounts := []wire.AccountParams{}
	if in.Chain != "" {
		form, err := s.accountForm(in.Chain)
		if err != nil {
			return command.Answer{}, err
		}
		accounts = accountParams(form, form.PathOf(0))
	}
	d := activity.Draft{
		Kind: wire.CreateWallet, Link: link.Wallet, Owner: sub.Owner(), ID: record.NewID(),
		URL:    "/v1/signing/wallets/confirm",
		Params: wire.CreateWalletParams{WalletName: in.WalletName, MnemonicLength: "12", Accounts: accounts},
	}
	if err := s.c.Activities.Prepare(ctx, &d); err != nil {
		return command.Answer{}, err
	}
	a, err := d.Activity()
	if err != nil {
		return command.Answer{}, err
	}
	a.WalletID, a.Name, a.Chain = uuid.NewString(), in.WalletName, in.Chain
	view := PreparedWallet{WalletRequestID: a.ID, Prepared: d.Prepared}
	return s.c.Activities.Commit(ctx, cmd, a, d, view, "wallet.prepare")
}

// ConfirmWalletInput is a stamped wallet.
type ConfirmWalletInput struct {
	WalletRequestID string           `json:"walletRequestId" format:"uuid"`
	SignedActivity  activity.Stamped `json:"signedActivity"`
}

// WalletCreated is a new wallet, with the field names of the specification and those of the wallet's detail.
type WalletCreated struct {
	Name      string `json:"name"`
	CreatedAt string `json:"createdAt" format:"date-time"`
	WalletView
}

// Confirm has the enclave make the wallet.
func (s *Service) Confirm(ctx context.Context, cmd *command.Command, in ConfirmWalletInput) (command.Answer, error) {
	a, out, err := s.submit(ctx, cmd, in.WalletRequestID, wire.CreateWallet, in.SignedActivity)
	if err != nil {
		return command.Answer{}, err
	}
	w, addresses, err := Of(a, out)
	if err != nil {
		return command.Answer{}, err
	}
	view := WalletCreated{Name: w.Name, CreatedAt: clock.ISO(w.CreatedAt), WalletView: w.view(addresses)}
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		s.c.Activities.TouchPasskey(tx, a.WorkspaceID, a.SubOrganizationID, &in.SignedActivity.Stamp)
		return command.Reply{
			Status: 201, Message: "Wallet created", Data: view, Audit: command.Audit{Action: "wallet.create",
				Resource: w.EnclaveID},
		}, s.Finish(ctx, tx, a, out)
	})
}

// submit checks that the stamped body is the prepared one, and has the enclave execute it. For a body that it has
// executed before, the enclave only repeats its first result.
func (s *Service) submit(ctx context.Context, cmd *command.Command, id string, kind wire.ActivityType,
	in activity.Stamped,
) (activity.Activity, client.Outcome, error) {
	a, err := s.c.Store.Activity(ctx, cmd.Principal.WorkspaceID, id)
	if err != nil {
		return a, client.Outcome{}, err
	}
	if a.Kind != string(kind) {
		return a, client.Outcome{}, fault.Missing("Wallet request")
	}
	if in.Body != a.Body {
		return a, client.Outcome{}, activity.ErrStampedBody
	}
	if a.State == activity.Expired || a.State == activity.Cancelled {
		return a, client.Outcome{}, activity.ErrRequestExpired
	}
	out, err := s.c.Enclave.Submit(ctx, wire.SubmitRequest{Body: a.Body, Stamp: &in.Stamp}, a.Fingerprint)
	if err == nil && out.State != wire.Done {
		err = activity.ErrRequestExpired
	}
	return a, out, err
}

// Finish writes a wallet that the enclave made. It may run twice, after a crash or at the same time: both write the
// same rows.
func (s *Service) Finish(ctx context.Context, tx Tx, a activity.Activity, out client.Outcome) error {
	w, addresses, err := Of(a, out)
	if err != nil {
		return err
	}
	if err := tx.InsertWallet(ctx, w); err != nil {
		return err
	}
	return s.finishAddresses(ctx, tx, a, addresses)
}

// Of reads a wallet from the enclave's result.
func Of(a activity.Activity, out client.Outcome) (Wallet, []Address, error) {
	r := out.Statement.Result
	if r == nil || r.Wallet == nil {
		return Wallet{}, nil, errors.New("the enclave's answer to a new wallet names none")
	}
	at, err := time.Parse(time.RFC3339, r.Wallet.CreatedAt)
	if err != nil {
		return Wallet{}, nil, fmt.Errorf("reading a wallet's time: %w", err)
	}
	proof, err := signer.Text(out.Proof)
	if err != nil {
		return Wallet{}, nil, err
	}
	w := Wallet{
		WorkspaceID: a.WorkspaceID, ID: a.WalletID, EnclaveID: r.Wallet.ID, SubOrganizationID: a.SubOrganizationID,
		Name: r.Wallet.Name, Proof: proof, CreatedAt: at,
	}
	addresses, err := addressesOf(a, out)
	return w, addresses, err
}
