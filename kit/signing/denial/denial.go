package denial

import (
	"errors"
	"time"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
)

// The layers that refuse, and the severity of a refusal.
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
	Payee             string // name of the payee whose address was observed, as the enclave said it
	CreatedAt         time.Time
}

// Refused is what a rule refused: a body, and its transaction where it has one.
type Refused struct {
	WorkspaceID, SubOrganizationID string
	Fingerprint, TransactionID     string
}

// The error of a call that a rule refuses.
var (
	ErrPolicyDenied = fault.Define(fault.Unprocessable, "policy_denied", "Policy denied: %s",
		"A rule of the wallet refuses what was to be signed; the details name it, and the wallet's denials keep it")
)

// Of reads the rule out of the enclave's answer to what it denied.
func Of(out client.Outcome) (*wire.Denial, error) {
	if r := out.Statement.Result; r != nil && r.Denial != nil {
		return r.Denial, nil
	}
	return nil, errors.New("the enclave's answer to what it denied names no rule")
}

// Refusal is what a caller is told of a denial.
func Refusal(d *wire.Denial) error {
	err := ErrPolicyDenied.Msg(d.Rule).With("policyId", d.PolicyID).With("rule", d.Rule).With("field", d.Field).
		With("observed", d.Observed).With("limit", d.Limit)
	if d.Payee != "" {
		err = err.With("payee", d.Payee)
	}
	return err
}

// Words is the reason that a denied row shows.
func Words(d *wire.Denial) string { return "denied by the rule " + d.Rule }
