package railkit_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	railkit "github.com/railkit/railkit/sdk/go"
)

// own are the bodies that are not types of package rest, because they differ from the
// server's on purpose: by the schema of each, and the properties that they leave out.
var own = []struct {
	body   any
	schema string
	out    []string
}{
	// What is empty is not sent.
	{railkit.BankAccountUpdate{}, "BankAccountChange", []string{
		"account_number", "bank_name", "bic", "br_code", "clabe", "country", "currency", "iban", "legal_name",
		"pix_key",
		"rail", "rfc", "sort_code", "tax_id", // the API takes them to refuse them by name
	}},
	// Metadata are as they came.
	{railkit.MiniApp{}, "MiniApp", nil},
	{railkit.MiniAppWithStats{}, "MiniAppWithStats", nil},
	{railkit.MiniAppMetrics{}, "MiniAppMetrics", nil},
	{railkit.SwapRequest{}, "SwapRequest", nil},
	{railkit.PreparedSwap{}, "PreparedSwap", nil},
	{railkit.SwapStep{}, "SwapStep", nil},
	// Every step is stamped: the API takes these to refuse them by name.
	{railkit.LendingOrderRequest{}, "OrderRequest", []string{"autoApprove", "autoBroadcast"}},
	{railkit.PreparedLending{}, "PreparedLending", nil},
	{railkit.AgentEvent{}, "AgentEvent", []string{
		// A client writes these as metadata.
		"cost_usd", "currency", "endpoint", "model", "provider", "to", "tokens", "tokens_input", "tokens_output",
	}},
	{railkit.PolicyRules{}, "PolicyRules", nil},
	{railkit.Delegation{}, "Delegation", nil},
	{railkit.PolicyRequest{}, "PolicyRequest", nil},
	{railkit.PolicyUpdate{}, "PolicyChange", nil},
	{railkit.ApprovalConfig{}, "ApprovalConfig", nil},
	{railkit.ApprovalConfigRequest{}, "ApprovalConfigRequest", nil},
	// Stamps and proofs are those of the signer's protocol, and can be checked.
	{railkit.SignedActivity{}, "SignedActivity", nil},
	{railkit.ConfirmWalletRequest{}, "ConfirmWalletRequest", nil},
	{railkit.ConfirmAccountRequest{}, "ConfirmAccountRequest", nil},
	{railkit.ConfirmTransactionRequest{}, "ConfirmTransactionRequest", []string{"signedTransaction"}},
	{railkit.ConfirmSignedRequest{}, "ConfirmTransactionRequest", []string{"signedActivity"}},
	{railkit.SignMessageRequest{}, "SignMessageRequest", nil},
	{railkit.RegisterRequest{}, "RegisterRequest", nil},
	{railkit.AddPasskeyRequest{}, "AddPasskeyRequest", nil},
	{railkit.PasskeyChallenge{}, "Challenge", nil},
	{railkit.ChangedPasskey{}, "PasskeyChanged", nil},
	{railkit.Wallet{}, "Wallet", nil},
	{railkit.CreatedWallet{}, "WalletCreated", nil},
	{railkit.Address{}, "Address", nil},
	{railkit.SignedMessage{}, "SignedMessage", nil},
	{railkit.Transaction{}, "Transaction", nil},
	{railkit.Approval{}, "Approval", nil},
	{railkit.Policy{}, "Policy", nil},
	{railkit.Payee{}, "Payee", nil},
	{railkit.PayeeRequest{}, "PayeeRequest", nil},
	{railkit.WithdrawAddress{}, "WithdrawAddress", nil},
	{railkit.WithdrawPayee{}, "WithdrawPayee", nil},
	{railkit.Outstanding{}, "Outstanding", nil},
	{railkit.OutstandingAuthorization{}, "OutstandingAuthorization", nil},
	{railkit.Vote{}, "ApprovalVote", nil},
	{railkit.Meta{}, "PageMeta", nil},
	// They have what is only the client's: what a body was found to do, or is held against.
	{railkit.Prepared{}, "PreparedActivity", nil},
	{railkit.PreparedWallet{}, "PreparedWallet", nil},
	{railkit.PreparedAccount{}, "PreparedAccount", nil},
	{railkit.PreparedVote{}, "PreparedVote", nil},
	{railkit.PreparedTransaction{}, "PreparedTransaction", nil},
	{railkit.PrepareTransactionRequest{}, "PrepareTransactionRequest", []string{"replaces"}}, // see SpeedUp
	{railkit.SignTransactionRequest{}, "SignTransactionRequest", nil},
	{railkit.Registration{}, "RegisteredPasskey", nil},
	{railkit.WalletAddress{}, "WalletAddress", nil},
	{railkit.QueuedError{}, "Queued", nil},
	// Limits are numbers, digit by digit; stamps and proofs are the signer's.
	{railkit.AgentBudgetChange{}, "AgentBudgetRequest", nil},
	{railkit.AgentStatusChange{}, "SetAgentStatusRequest", nil},
	{railkit.AgentRotation{}, "RotateAgentRequest", nil},
	{railkit.AgentRules{}, "AgentLimits", nil},
	{railkit.AgentChange{}, "AgentWithSecret", nil},
	{railkit.Agent{}, "Agent", nil},
	{railkit.PreparedAgent{}, "PreparedAgent", nil},
	{railkit.PreparedAgentPolicies{}, "PreparedAgentPolicies", nil},
	{railkit.FundAgentRequest{}, "PrepareFundingRequest", []string{"amount"}}, // amountUSDC says the same as text
	{railkit.PreparedFunding{}, "PreparedFunding", nil},
	{railkit.Funding{}, "Funded", nil},
	{railkit.AgentExposure{}, "AgentExposure", nil},
	{railkit.KillSwitchChange{}, "KillSwitchRequest", nil},
	{railkit.KillSwitch{}, "KillSwitch", nil},
	// What is empty is not sent; each field has one name.
	{railkit.SkillRequest{}, "SkillRequest", []string{"priceUSDC", "visibility"}},
}

// The client's own bodies have the properties that the document says.
func TestDocument(t *testing.T) {
	raw, err := os.ReadFile("../../api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]any `json:"properties"`
			} `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	for _, c := range own {
		got := append(propertiesOf(reflect.TypeOf(c.body)), c.out...)
		slices.Sort(got)
		if want := slices.Sorted(maps.Keys(doc.Components.Schemas[c.schema].Properties)); !slices.Equal(got, want) {
			t.Errorf("%T has %v, the schema %s %v", c.body, got, c.schema, want)
		}
	}
}

// Who writes another body of its own has to list it above. Owners are stored by the
// client's user, and never sent. An Estimate is a part of two bodies, and so is
// what is outstanding.
func TestDocument_NamesEveryBody(t *testing.T) {
	listed := map[string]bool{
		"Owners": true, "Credential": true, "OutstandingList": true,
	}
	for _, c := range own {
		listed[reflect.TypeOf(c.body).Name()] = true
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, is := n.(*ast.TypeSpec)
			if !is || !spec.Name.IsExported() || listed[spec.Name.Name] {
				return true
			}
			if body, is := spec.Type.(*ast.StructType); is && slices.ContainsFunc(body.Fields.List, isProperty) {
				t.Errorf("%s is held against no schema", spec.Name.Name)
			}
			return true
		})
	}
}

func isProperty(field *ast.Field) bool {
	return field.Tag != nil &&
		strings.Contains(field.Tag.Value, `json:"`) && !strings.Contains(field.Tag.Value, `json:"-"`)
}

func propertiesOf(body reflect.Type) []string {
	var names []string
	for _, field := range reflect.VisibleFields(body) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}
