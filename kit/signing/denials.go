package signing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
)

// What a denial's row may say: which layer refused, and how gravely.
const (
	LayerEnclave    = "enclave"
	LayerPlatform   = "platform"
	SeverityBlocked = "blocked"
)

// Denial is what a rule refused.
type Denial struct {
	WorkspaceID, ID   string
	SubOrganizationID string
	WalletID          string // local id
	TransactionID     string // "": it was refused before there was one
	PolicyID          string // "": the rule is everybody's
	Layer             string
	Rule              string
	Severity          string
	Field             string
	Observed, Limit   string
	CreatedAt         time.Time
}

// DenialFilter selects denials, newest first. Zero fields do not filter.
type DenialFilter struct {
	WorkspaceID     string
	WalletID        string // local id
	Layer, Severity string
	Page            Page
}

// refused says what a rule refused: a body, and its transaction where it has one.
type refused struct {
	workspaceID, subOrganizationID string
	fingerprint, transactionID     string
}

// deny writes the row of a denial and gives what the caller is told. It has a
// transaction of its own, since the caller's refusal commits nothing; with, where
// given, is written along. The same body has the same row, however often it is
// asked for.
func (s *Service) deny(ctx context.Context, r refused, d wire.Denial, with func(context.Context, Tx) error) error {
	row, err := s.denialRow(ctx, r, d)
	if err != nil {
		return err
	}
	err = s.store.Work(ctx, r.workspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		err := tx.InsertDenial(ctx, row)
		if err == nil && with != nil {
			err = with(ctx, tx)
		}
		return command.Audit{Action: "policy.deny", Resource: row.ID, Detail: map[string]string{"policyId": d.PolicyID, "rule": d.Rule}}, err
	})
	if err != nil && !errors.Is(err, ErrStale) { // stale: another caller wrote the same
		return err
	}
	return denied(&d)
}

func (s *Service) denialRow(ctx context.Context, r refused, d wire.Denial) (Denial, error) {
	w, err := s.store.Wallet(ctx, r.workspaceID, d.WalletID)
	return Denial{
		WorkspaceID: r.workspaceID, ID: derivedID("denial", r.workspaceID, r.fingerprint), SubOrganizationID: r.subOrganizationID, WalletID: w.ID,
		TransactionID: r.transactionID, PolicyID: d.PolicyID, Layer: LayerEnclave, Rule: d.Rule, Severity: SeverityBlocked,
		Field: d.Field, Observed: d.Observed, Limit: d.Limit, CreatedAt: s.clock.Now(),
	}, err
}

// denied is what a caller is told of a denial.
func denied(d *wire.Denial) error {
	return ErrPolicyDenied.Msg(d.Rule).With("policyId", d.PolicyID).With("rule", d.Rule).With("field", d.Field).
		With("observed", d.Observed).With("limit", d.Limit)
}

// DenialView is a denial as the API shows it.
type DenialView struct {
	ID            string `json:"id"`
	Layer         string `json:"layer" enum:"enclave,platform"`
	Rule          string `json:"rule" doc:"maxValueUsd, allowedDestinations, unknownCall, ..."`
	Severity      string `json:"severity" enum:"blocked,warn,critical"`
	Detail        string `json:"detail" doc:"In one line"`
	Field         string `json:"field" doc:"Of what was to be signed"`
	Observed      string `json:"observed"`
	Limit         string `json:"limit"`
	PolicyID      string `json:"policyId,omitempty"`
	TransactionID string `json:"transactionId,omitempty"`
	WalletID      string `json:"walletId"`
	Timestamp     string `json:"timestamp" format:"date-time"`
}

// Denials lists what rules refused to a wallet, newest first.
func (s *Service) Denials(ctx context.Context, walletID string, f DenialFilter) ([]DenialView, *Cursor, int, error) {
	w, err := s.store.Wallet(ctx, f.WorkspaceID, walletID)
	if err != nil {
		return nil, nil, 0, err
	}
	f.WalletID = w.ID
	rows, total, err := s.store.Denials(ctx, f)
	views := []DenialView{}
	for _, d := range rows {
		views = append(views, d.view(w.EnclaveID))
	}
	return views, page.Next(f.Page, rows, total, Denial.cursor), total, err
}

func (d Denial) view(walletID string) DenialView {
	return DenialView{
		ID: d.ID, Layer: d.Layer, Rule: d.Rule, Severity: d.Severity, Field: d.Field, Observed: d.Observed, Limit: d.Limit,
		Detail:   fmt.Sprintf("%s: %s is %s, allowed is %s", d.Rule, d.Field, d.Observed, d.Limit),
		PolicyID: d.PolicyID, TransactionID: d.TransactionID, WalletID: walletID, Timestamp: clock.ISO(d.CreatedAt),
	}
}

func (d Denial) cursor() Cursor { return Cursor{CreatedAt: d.CreatedAt, ID: d.ID} }
