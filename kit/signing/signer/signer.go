package signer

import (
	"context"
	"slices"
	"time"

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
	Known(ctx context.Context, fingerprints []string) ([]string, error)
	State(ctx context.Context, q wire.StateRequest) (wire.Proof, error)
	Agent(ctx context.Context, agentID string) (wire.AgentReply, error)
	Heads(ctx context.Context, seqs []string) (wire.Proof, error)
}

// Waiting is what a sweep asks about a row that awaits its stamp.
type Waiting struct {
	Fingerprint string // "": nobody is asked about it
	ExpiresAt   time.Time
}

// Due leaves out the rows of which the enclave knows nothing and whose time is not over. It asks once about all of
// them: most wait for their owners, and nothing has come of them. Where it has no answer, the rows are left about which
// it did not have to ask.
func Due[T any](ctx context.Context, e Enclave, rows []T, now time.Time, of func(T) Waiting) ([]T, error) {
	waits := func(w Waiting) bool { return w.Fingerprint != "" && !now.After(w.ExpiresAt) }
	var ask []string
	for _, row := range rows {
		if w := of(row); waits(w) {
			ask = append(ask, w.Fingerprint)
		}
	}
	if len(ask) == 0 {
		return rows, nil
	}
	known, err := e.Known(ctx, ask)
	return slices.DeleteFunc(rows, func(row T) bool {
		w := of(row)
		return waits(w) && !slices.Contains(known, w.Fingerprint)
	}), err
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
