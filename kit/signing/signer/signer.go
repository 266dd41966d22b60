package signer

import (
	"context"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
)

// Enclave is what the kit asks of the enclave; client.Client answers.
type Enclave interface {
	Info(ctx context.Context) (wire.InfoReply, error)
	Challenge(ctx context.Context, workspaceID, email string) (wire.ChallengeReply, error)
	Recovery(ctx context.Context, q wire.RecoveryRequest) (wire.RecoveryReply, error)
	Preview(ctx context.Context, body string) (wire.Proof, wire.Statement, error)
	PreviewVote(ctx context.Context, body, held string) (wire.Proof, wire.Statement, error)
	Submit(ctx context.Context, q wire.SubmitRequest, fingerprint string) (client.Outcome, error)
	Cancel(ctx context.Context, fingerprint string) (client.Outcome, error)
	Outcome(ctx context.Context, fingerprint string) (client.Outcome, error)
	State(ctx context.Context, q wire.StateRequest) (wire.Proof, error)
	Agent(ctx context.Context, agentID string) (wire.AgentReply, error)
	Heads(ctx context.Context, seqs []string) (wire.Proof, error)
}

// AskOrCancel asks the enclave about a row that waits. An expired one that
// nothing came of is cancelled there, so that no late stamp can sign it.
func AskOrCancel(ctx context.Context, e Enclave, fingerprint string, expired bool) (client.Outcome, error) {
	out, err := e.Outcome(ctx, fingerprint)
	if err == nil && expired && out.State == wire.Unknown {
		return e.Cancel(ctx, fingerprint)
	}
	return out, err
}
