package life

import (
	"context"

	"github.com/google/uuid"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/agent/call"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/rest"
)

// OwnWallets are the wallets that agents make for their owners.
type OwnWallets struct{ *Service }

// OwnWallets are the wallets that agents make.
func (s *Service) OwnWallets() OwnWallets { return OwnWallets{s} }

// Create has the enclave make a wallet on the agent's own word, by the very request that it signed.
func (s OwnWallets) Create(ctx context.Context, cmd *command.Command) (command.Answer, error) {
	now, err := s.c.Enclave.Agent(ctx, cmd.Principal.ID)
	if err != nil {
		return command.Answer{}, err
	}
	a, out, err := s.calls.Do(ctx, cmd, call.Call[Tx]{
		Name: "agent wallet", Agent: now,
		Draft: func(ctx context.Context, id string) (activity.Activity, error) {
			return s.walletBody(ctx, cmd, now, id)
		},
	})
	if err != nil {
		return command.Answer{}, err
	}
	answer, err := s.commitWallet(ctx, cmd, a, out)
	if err == nil {
		s.calls.Capture(ctx, a)
	}
	return answer, err
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
	if err := s.c.Activities.Prepare(ctx, &d); err != nil {
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
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return command.Reply{
			Status: 201, Message: "Wallet created", Data: view,
			Audit: command.Audit{
				Action: "agent.wallet", Resource: a.ID, After: map[string]any{"name": w.Name, "walletId": w.EnclaveID},
			},
		}, s.c.Wallets.Finish(ctx, tx, a, out)
	})
}
