package agent

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/idempotency"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// patience is how long a try may be on its way to the enclave: longer than a request waits for it. Only after that
// another try under the same key takes its place, and retryAfter is when it may ask again.
const (
	patience   = 20 * time.Second
	retryAfter = 2 * time.Second
)

// mostTries is how often a call under one Idempotency-Key may be cut off by a crash before its wallet was made.
const mostTries = 20

// Budget counts an agent's calls. The agent kit has it.
type Budget interface {
	// Hold admits a call: its price is kept until it is captured or void.
	Hold(ctx context.Context, a wire.AgentReply, id, fingerprint string) error
	Capture(ctx context.Context, workspaceID, id string) error
	Void(ctx context.Context, workspaceID, id string) error
}

// OwnWallets are the wallets that agents make for their owners.
type OwnWallets struct{ *Service }

// OwnWallets are the wallets that agents make.
func (s *Service) OwnWallets() OwnWallets { return OwnWallets{s} }

// Create has the enclave make a wallet on the agent's own word, by the very request that it signed. The order is
// that of a payment: the row, the price of the call, the enclave, the commit. What a crash leaves in between, the
// sweepers of activities and budgets settle by the enclave's word.
func (s OwnWallets) Create(ctx context.Context, cmd *command.Command) (command.Answer, error) {
	now, err := s.enclave.Agent(ctx, cmd.Principal.ID)
	if err != nil {
		return command.Answer{}, err
	}
	a, out, err := s.walletMade(ctx, cmd, now)
	if err == nil && out == nil {
		out, err = s.askWallet(ctx, cmd, now, a)
	}
	if err != nil {
		return command.Answer{}, err
	}
	answer, err := s.commitWallet(ctx, cmd, a, *out)
	if err != nil {
		return answer, err
	}
	if err := s.budget.Capture(ctx, a.WorkspaceID, a.ID); err != nil {
		s.log.Warn("capturing the price of a call failed; the sweeper does it", "activity", a.ID, "error", err)
	}
	return answer, nil
}

// askWallet holds the call's price, and asks the enclave for the wallet. Once it is refused, the next try under the
// key need not wait for this one.
func (s OwnWallets) askWallet(
	ctx context.Context, cmd *command.Command, now wire.AgentReply, a activity.Activity,
) (*client.Outcome, error) {
	if err := s.budget.Hold(ctx, now, a.ID, a.Fingerprint); err != nil {
		return nil, errors.Join(err, s.dropWallet(ctx, a))
	}
	stamp := &wire.Stamp{HeaderName: wire.AgentStamp, HeaderValue: cmd.Principal.Claim.MAC}
	out, err := s.enclave.Submit(ctx, wire.SubmitRequest{Body: a.Body, Stamp: stamp}, a.Fingerprint)
	if err == nil && out.State == wire.Done {
		return &out, nil
	}
	late, unknown := s.enclave.Cancel(ctx, a.Fingerprint)
	switch {
	case unknown != nil: // the sweepers find out
		return nil, cmp.Or(err, unknown)
	case late.State == wire.Done:
		return &late, nil
	}
	return nil, errors.Join(cmp.Or(err, error(activity.ErrRequestExpired)), s.budget.Void(ctx, a.WorkspaceID, a.ID))
}

// dropWallet ends the row of a body that the enclave was never asked about.
func (s OwnWallets) dropWallet(ctx context.Context, a activity.Activity) error {
	return record.UnlessStale(s.store.Work(ctx, a.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		return command.Audit{}, tx.MoveActivity(ctx, a.WorkspaceID, a.ID, activity.Awaiting, activity.Expired,
			a.WalletID, s.clock.Now())
	}))
}

// walletMade finds what a call under the same Idempotency-Key has had made before, where that call had no answer. Else
// it writes the row of a new body, before the enclave hears of it, so that a sweep finds a wallet that a crash kept out
// of the database. A body whose call was cut off before the enclave heard of it is cancelled there first: the agent's
// signature under it is lost, and it must not make a second wallet.
func (s OwnWallets) walletMade(
	ctx context.Context, cmd *command.Command, now wire.AgentReply,
) (a activity.Activity, made *client.Outcome, err error) {
	id := record.NewID()
	for n := 0; cmd.Key != nil; n++ {
		id = record.DerivedID("agent wallet", cmd.Principal.WorkspaceID, cmd.Key.Hash, cmd.Key.Request, strconv.Itoa(n))
		a, err = s.store.Activity(ctx, cmd.Principal.WorkspaceID, id)
		if errors.Is(err, fault.ErrNotFound) {
			break
		}
		if err == nil && n == mostTries {
			err = activity.ErrRequestExpired
		}
		if err != nil {
			return a, nil, err
		}
		if a.State == activity.Expired { // the enclave was not asked, or has cancelled it
			continue
		}
		out, err := s.ended(ctx, a)
		if err != nil || out.State == wire.Done {
			return a, &out, err
		}
	}
	a, err = s.walletBody(ctx, cmd, now, id)
	if err == nil {
		err = s.insertFirst(ctx, a)
	}
	return a, nil, err
}

// ended is what became of a body that another try under the same key has written: Done, or Cancelled. A try that may
// still be on its way to the enclave is left alone.
func (s OwnWallets) ended(ctx context.Context, a activity.Activity) (client.Outcome, error) {
	out, err := s.enclave.Outcome(ctx, a.Fingerprint)
	if err != nil || out.State != wire.Unknown {
		return out, err
	}
	if s.clock.Now().Sub(a.CreatedAt) < patience {
		return out, idempotency.ErrInFlight.After(retryAfter)
	}
	return s.enclave.Cancel(ctx, a.Fingerprint)
}

// insertFirst writes the row of a body, unless another try under the same key was faster.
func (s OwnWallets) insertFirst(ctx context.Context, a activity.Activity) error {
	if err := s.store.Work(ctx, a.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		return command.Audit{}, tx.InsertActivity(ctx, a)
	}); err != nil {
		return err
	}
	is, err := s.store.Activity(ctx, a.WorkspaceID, a.ID)
	if err == nil && is.Fingerprint != a.Fingerprint {
		err = idempotency.ErrInFlight.After(retryAfter)
	}
	return err
}

// walletBody writes the body that carries the agent's request, and has the enclave say whether it would be done.
func (s OwnWallets) walletBody(
	ctx context.Context, cmd *command.Command, now wire.AgentReply, id string,
) (activity.Activity, error) {
	claim := cmd.Principal.Claim
	d := activity.Draft{
		Kind: wire.AgentWallet, ID: id, URL: agentsURL + "/wallets",
		Owner: activity.Owner{WorkspaceID: now.WorkspaceID, ID: now.OrganizationID},
		Params: wire.AgentWalletParams{
			AgentCall: signer.Call(now.AgentID, claim),
		},
	}
	if err := s.activities.Prepare(ctx, &d); err != nil {
		return activity.Activity{}, err
	}
	a, err := d.Activity()
	a.WalletID = uuid.NewString()
	return a, err
}

// commitWallet writes a wallet that the enclave made, and answers it.
func (s OwnWallets) commitWallet(
	ctx context.Context, cmd *command.Command, a activity.Activity, out client.Outcome,
) (command.Answer, error) {
	w, addresses, err := wallet.Of(a, out)
	if err != nil {
		return command.Answer{}, err
	}
	view := rest.AgentMadeWallet{
		WalletID: w.EnclaveID, ID: w.EnclaveID, WalletName: w.Name, Addresses: []string{},
		CreatedAt: clock.ISO(w.CreatedAt), Proof: rest.Proof(out.Proof),
	}
	for _, address := range addresses {
		view.Addresses = append(view.Addresses, address.Address)
	}
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return command.Reply{
			Status: 201, Message: "Wallet created", Data: view,
			Audit: command.Audit{
				Action: "agent.wallet", Resource: a.ID, After: map[string]any{"name": w.Name, "walletId": w.EnclaveID},
			},
		}, s.wallets.Finish(ctx, tx, a, w, addresses)
	})
}
