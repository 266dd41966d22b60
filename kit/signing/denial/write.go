package denial

import (
	"context"
	"errors"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
)

// Work runs fn in one transaction of the database, which also writes the audit row.
type Work[T Tx] func(ctx context.Context, workspaceID string, fn func(context.Context, T) (command.Audit, error)) error

// Deny writes the row of a denial and gives the error that the caller is told. The
// row has a transaction of its own, since a call that is refused commits nothing;
// along, where given, is written with it. The same body has the same row, however
// often it is asked for.
func Deny[T Tx](ctx context.Context, s *Service, work Work[T], r Refused, d wire.Denial,
	along func(context.Context, T) error,
) error {
	row, err := s.row(ctx, r, d)
	if err != nil {
		return err
	}
	err = work(ctx, r.WorkspaceID, func(ctx context.Context, tx T) (command.Audit, error) {
		err := tx.InsertDenial(ctx, row)
		if err == nil && along != nil {
			err = along(ctx, tx)
		}
		return command.Audit{Action: "policy.deny", Resource: row.ID,
			Detail: map[string]string{"policyId": d.PolicyID, "rule": d.Rule}}, err
	})
	if err != nil && !errors.Is(err, record.ErrStale) { // stale: another caller wrote the same
		return err
	}
	return Refusal(&d)
}

// UnlessDenied drops the error of a denial that is written: a sweep has no caller to be told.
func UnlessDenied(err error) error {
	if errors.Is(err, ErrPolicyDenied) {
		return nil
	}
	return err
}

func (s *Service) row(ctx context.Context, r Refused, d wire.Denial) (Denial, error) {
	walletID, _, err := s.store.WalletIDs(ctx, r.WorkspaceID, d.WalletID)
	return Denial{
		WorkspaceID: r.WorkspaceID, ID: record.DerivedID("denial", r.WorkspaceID,
			r.Fingerprint), SubOrganizationID: r.SubOrganizationID, WalletID: walletID,
		TransactionID: r.TransactionID, PolicyID: d.PolicyID, Layer: LayerEnclave, Rule: d.Rule,
		Severity: SeverityBlocked, Field: d.Field, Observed: d.Observed, Limit: d.Limit, Payee: d.Payee,
		CreatedAt: s.clock.Now(),
	}, err
}

// Row is the denial of what the enclave refused after it was approved. The caller
// writes it, in the transaction that ends the approval.
func (s *Service) Row(ctx context.Context, r Refused, out client.Outcome) (Denial, error) {
	d, err := Of(out)
	if err != nil {
		return Denial{}, err
	}
	return s.row(ctx, r, *d)
}
