package demo

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/money"
	railkit "github.com/railkit/railkit/sdk/go"
)

// running is a real server with a real chain and the sandbox's partner. Only
// cmd/railkit has one that can be killed.
type running struct{ *apptest.App }

func (r running) Start(context.Context) (Facts, error) {
	return Facts{
		BaseURL: r.BaseURL, APIKey: r.Keys.APIKey, InternalKey: r.Keys.InternalKey, AdminKey: r.Keys.AdminKey,
		BenchKey: r.Keys.BenchKey, WorkspaceID: r.Keys.WorkspaceID, EVMRPCURL: r.Devnet.RPCURL("base"), ChainID: 84532,
		Tokens: map[string]string{"USDC": apptest.USDC().Address}, EnclaveKey: r.EnclaveKey, RPID: "localhost",
		CeremonyOrigin: r.Origin,
	}, nil
}

func (running) KillAll() error { return errors.New("it cannot be killed") }
func (running) Stop() error    { return nil }
func (r running) Logs() string { return r.Log.String() }

// names of steps that the predicate wants.
func names(steps []step) (all []string) {
	for _, st := range steps {
		all = append(all, st.what)
	}
	return all
}

var entry = regexp.MustCompile(
	`^  (?:\d\d:\d\d:\d\d| {8})  ([A-Z]{3}-\d{8}-[0-9A-Z]{4}| {17})  (.{24}) *([+-]?\d+\.\d{6})? +(\d+\.\d{6})$`,
)

// The payouts of the demo, told to the real server: each line of the statement
// has the balance that it leads to.
func TestPayoutsAreTold(t *testing.T) {
	t.Parallel()
	s := &story{}
	needed := slices.Concat(names(s.steps()[:8]), banking)
	o := Options{Out: &bytes.Buffer{}, World: running{apptest.New(t, apptest.WithPartner(t))}}
	o.without = slices.DeleteFunc(names(s.steps()), func(what string) bool { return slices.Contains(needed, what) })
	err := Run(t.Context(), o)
	out := o.Out.(*bytes.Buffer).String()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var balance money.Amount
	var told []string
	for line := range strings.Lines(out) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > lineWidth {
			t.Errorf("a line of %d characters: %s", n, line)
		}
		m := entry.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			continue
		}
		told = append(told, strings.TrimSpace(m[1][:min(3, len(m[1]))]))
		switch after := usdc(t, m[4]); {
		case balance.Currency == "":
			balance = after
		case m[3] != "" && balance.Minor+usdc(t, m[3]).Minor != after.Minor, m[3] == "" && after != balance:
			t.Errorf("the balance before was %v: %s", balance, line)
		default:
			balance = after
		}
	}
	if want := []string{"", "OFR", "OFR", "OFR", "RFD", "OFR", "ONR", "ONR", ""}; !slices.Equal(told, want) {
		t.Errorf("the statement has %q:\n%s", told, out)
	}
	for _, want := range []string{
		"1787.44     MXN", "1000.00 MXN, Ana Ruiz", "deposit.confirmed  funds_received", "fiat.received      completed",
		"canceled, nothing sent",
		"271.838403 USDC  to 0x", "confirmations", "4945.00     MXN   changed at 0.054972376745",
		"crypto.confirmed   completed", "returned, no coins sent", "4945.00           changed into the 271.838403 USDC",
		"1000.01           sent back to the bank",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing:\n%s", want, out)
		}
	}
}

func usdc(t *testing.T, text string) money.Amount {
	t.Helper()
	a, err := money.Parse(strings.TrimLeft(text, "+-"), money.USDC)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(text, "-") {
		return a.Neg()
	}
	return a
}

// A statement does not hide what it cannot explain.
func TestStatementAddsUp(t *testing.T) {
	whole := func() *railkit.OrderDetail {
		o := &railkit.OrderDetail{Explanation: &railkit.OrderExplanation{
			Gross: "100.000000", Network: "0.500000", Platform: "0.250000", Converted: "99.249841", Residue: "0.000159",
			Drift: "0.000000", Net: "1787.44",
		}}
		o.Status, o.Source.Amount = railkit.OrderCompleted, "100.000000"
		return o
	}
	for name, c := range map[string]struct {
		change func(*railkit.OrderDetail)
		want   string
	}{
		"as it is": {func(*railkit.OrderDetail) {}, ""},
		"a cent too much": {func(o *railkit.OrderDetail) { o.Explanation.Platform = "0.260000" },
			"what was sent is not"},
		"no amount": {func(o *railkit.OrderDetail) { o.Source.Amount = "" }, "not a plain decimal"},
		"a refund too small": {func(o *railkit.OrderDetail) {
			o.Status, o.Refund = railkit.OrderReturned, &railkit.Refund{Amount: "99"}
		}, "what was sent is not"},
		"on its way":  {func(o *railkit.OrderDetail) { o.Status = "in_review" }, "is in_review"},
		"unexplained": {func(o *railkit.OrderDetail) { o.Explanation = nil }, "where its money is"},
	} {
		st := &statement{before: usdc(t, "274.500000"), sums: noSums()}
		o := whole()
		c.change(o)
		err := st.enter(o)
		if err == nil {
			err = st.carry()
		}
		if c.want == "" && (err != nil || st.after != usdc(t, "174.500000")) {
			t.Errorf("%s: %v, %v", name, st.after, err)
		}
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
