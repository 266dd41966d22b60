// Package rule changes and shows the rules that limit a sub-organization's signing: the policies of its wallets with
// their delegations, the approval settings, and accepted prices. The enclave enforces them. The rows here are a copy
// of the enclave's statements; a list with a fresh proof corrects them.
//
// A change that tightens is made at once, and an API key suffices. A change that loosens takes a stamp or votes.
// Example: lowering dailyUsd from 500 to 100 tightens, raising it back loosens. Removing a delegation does not undo
// what was signed under it: package outstanding lists the signatures that may still have an effect.
//
// Read rules.go for the rules, policy.go, policy_outcome.go and policy_view.go for a policy's life,
// approval_config.go, price.go, sync.go for fresh proofs, then outstanding.go.
package rule

import (
	"context"
	"log/slog"

	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/outstanding"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/platform/record"
)

// Tx is what rules need of a transaction of the database.
type Tx interface {
	activity.Tx
	// KeepPolicy and KeepApprovalConfig write a statement of the enclave, unless the row has a later one. A policy
	// keeps its name if the new row has none.
	KeepPolicy(context.Context, Policy) error
	KeepApprovalConfig(context.Context, ApprovalConfig) error
	RenamePolicy(ctx context.Context, workspaceID, id, name string) error
}

// Store is what rules need of a database.
type Store interface {
	SubOrganization(ctx context.Context, workspaceID, id string) (passkey.SubOrganization, error)
	Wallet(ctx context.Context, workspaceID, idOrEnclaveID string) (wallet.Wallet, error)
	Policy(ctx context.Context, workspaceID, id string) (Policy, error) // also a deleted one
	Policies(ctx context.Context, f PolicyFilter) ([]Policy, int, error)
	PoliciesOf(ctx context.Context, workspaceID, subOrganizationID string) ([]Policy, error) // also deleted ones
	ApprovalConfig(ctx context.Context, workspaceID, subOrganizationID string) (ApprovalConfig, error)
	record.Writer[Tx]
}

// Service changes and shows rules.
type Service struct{ c Config }

// Config wires a Service.
type Config struct {
	Store       Store
	Enclave     signer.Enclave
	Activities  *activity.Service
	Changes     activity.Changes
	Passkeys    *passkey.Service
	Outstanding *outstanding.Service
	Log         *slog.Logger
}

// New makes a Service.
func New(c Config) *Service { return &Service{c} }
