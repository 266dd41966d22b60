package payout_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/depositaccount"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/provision"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/auth"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/store/storetest/payouttest"
)

const statementsPath = "/v1/payout/statements"

func date(at time.Time) string { return at.UTC().Format(time.DateOnly) }

// A workspace's statement by days has its own lines, also those that JSON leaves out, and nobody else's.
func TestPayout_Statements(t *testing.T) {
	t.Parallel()
	a := apptest.New(t, apptest.WithoutSweeper())
	ours, key := a.NewWorkspace([]auth.Scope{auth.IntegratorRead}, auth.Payout)
	theirs, foreign := a.NewWorkspace([]auth.Scope{auth.IntegratorRead}, auth.Payout)
	_, empty := a.NewWorkspace([]auth.Scope{auth.IntegratorRead}, auth.Payout)
	fill(t, a, ours, 600)
	fill(t, a, theirs, 3)
	now := time.Now()
	p := railkit.Period{From: date(now.AddDate(0, 0, -2)), To: date(now.AddDate(0, 0, 1))}

	got := must(a.ClientWith(key).Statements.Daily(t.Context(), p))(t)
	want := railkit.StatementBalance{
		Currency: "usdc", Opening: "0.000000", MoneyIn: "60000.000000", MoneyOut: "59550.000000", Fees: "450.000000",
		ReturnedIn: "0.000000", ReturnedOut: "0.000000", Closing: "0.000000",
	}
	if len(got.Days) != 4 || got.From != p.From || got.To != p.To || got.LinesTotal != 1200 || len(got.Lines) != 1000 ||
		len(got.Balances) != 1 || got.Balances[0] != want {
		t.Errorf("%d days, %d lines of %d, %+v", len(got.Days), len(got.Lines), got.LinesTotal, got.Balances)
	}
	first, second := got.Lines[0], got.Lines[1]
	if first.Kind != "deposit" || second.Kind != "payout" || first.OrderID != second.OrderID ||
		!strings.HasPrefix(first.Reference, "OFR-") || first.Balance != "100.000000" || second.Balance != "0.000000" ||
		second.MoneyOut != "99.250000" || second.Fees != "0.750000" {
		t.Errorf("%+v, %+v", first, second)
	}
	var out bytes.Buffer
	if err := a.ClientWith(key).Statements.DailyCSV(t.Context(), &out, p); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(rows) != 1+1200+2*4 {
		t.Errorf("%d lines of CSV, %v", len(rows), err)
	}
	other := must(a.ClientWith(foreign).Statements.Daily(t.Context(), p))(t)
	none := must(a.ClientWith(empty).Statements.Daily(t.Context(), p))(t)
	if other.LinesTotal != 6 || none.LinesTotal != 0 || len(none.Balances) != 0 || len(none.Days) != 4 {
		t.Errorf("another workspace: %+v; one without orders: %+v", other.Balances, none)
	}
	file := a.Do(empty, http.MethodGet, statementsPath+"/days?format=csv&from="+p.From+"&to="+p.To, "")
	if file.Body != strings.Join(rows[0], ",")+"\r\n" || file.Header.Get("Content-Type") != "text/csv; charset=utf-8" ||
		file.Header.Get("Content-Disposition") != `attachment; filename="statement-`+p.From+"-"+p.To+`.csv"` {
		t.Errorf("without orders: %+v", file)
	}
	exampleHasHeader(t, file.Body)
	refusesStatements(t, a, key)
}

func refusesStatements(t *testing.T, a *apptest.App, key string) {
	for query, message := range map[string]string{
		"to=2026-11-01": "from is required", "from=2026-11-01": "to is required",
		"from=2026-11-02&to=2026-11-01":            "to must not be before from",
		"from=2024-01-01&to=2025-01-01":            "to must be at most 366 days",
		"from=2024-01-01T00&to=2025-01-01":         "from must",
		"from=2024-01-01&to=x&format=csv":          "to must be a date",
		"from=2026-11-01&to=2026-11-01&format=pdf": "format must be one of",
	} {
		wantCode(t, query, a.Do(key, "GET", statementsPath+"/days?"+query, ""), 400, "validation_failed", message)
	}
	for _, format := range []string{"json", "csv"} {
		path := statementsPath + "/recipients/r-9?from=2026-11-01&to=2026-11-01&format=" + format
		wantCode(t, path, a.Do(key, "GET", path, ""), 404, "not_found", "Recipient not found")
	}
}

// A recipient's statement has what lies at its withdrawal addresses, and not what lies at another's.
func TestPayout_StatementOfRecipient(t *testing.T) {
	t.Parallel()
	d := newCounter(t)
	other, account := d.recipient("Bea", mexican)
	d.lay(d.address, "100")
	d.lay(d.receive(account, "polygon", "usdt"), "7")
	today := railkit.Period{From: date(time.Now().AddDate(0, 0, -1)), To: date(time.Now())}
	got := must(d.Statements.OfRecipient(t.Context(), d.to.ID, today))(t)
	if got.LinesTotal != 1 || got.Days != nil || got.Lines[0].Kind != "deposit" || got.Lines[0].OrderID != "" ||
		len(got.Balances) != 1 || got.Balances[0].Closing != "100.000000" {
		t.Errorf("%+v", got)
	}
	tomorrow := railkit.Period{From: date(time.Now().AddDate(0, 0, 1)), To: date(time.Now().AddDate(0, 0, 1))}
	next := must(d.Statements.OfRecipient(t.Context(), d.to.ID, tomorrow))(t)
	if next.LinesTotal != 0 || len(next.Balances) != 1 || next.Balances[0].Opening != "100.000000" ||
		next.Balances[0].MoneyIn != "0.000000" {
		t.Errorf("tomorrow: %+v", next)
	}
	var out bytes.Buffer
	err := d.Statements.OfRecipientCSV(t.Context(), &out, other.ID, today)
	rows, wrong := csv.NewReader(&out).ReadAll()
	if err != nil || wrong != nil || len(rows) != 3 || rows[1][6] != "7.000000" || rows[2][9] != "7.000000" {
		t.Errorf("another recipient: %q, %v, %v", rows, err, wrong)
	}
	d.pastesStatements(t, today, d.statementOfDeposits(t))
}

// A deposit account's statement has what arrived there and what became of it.
func (d *counter) statementOfDeposits(t *testing.T) (accountID string) {
	t.Helper()
	at, sent := time.Now(), money.Of(500_000, money.MXN)
	account := depositaccount.Account{
		WorkspaceID: d.Keys.WorkspaceID, ID: uuid.NewString(), Reference: "ONR-20261123-AAAA", WalletID: "wallet",
		Source: money.MXN, Destination: money.USDC, Chain: "base", Address: ownAddress, FeePoints: 110,
		Provision: provision.Provision{Status: provision.Provisioning, Key: uuid.NewString(), KeyedAt: at}, Version: 1,
		CreatedAt: at, UpdatedAt: at,
	}
	p := order.PayIn{
		AccountID: account.ID, PartnerAccountID: "va", DepositID: "d1", Amount: sent, Rail: fiat.SPEI,
	}
	coins := p
	coins.Coins, coins.Fee, coins.Hash = money.Of(268_520_000, money.USDC), money.Of(5_500, money.MXN), "0x1"
	o := order.Order{
		WorkspaceID: d.Keys.WorkspaceID, ID: uuid.NewString(), Reference: "ONR-20261123-BBBB", Type: order.OnRamp,
		Origin: order.FromAccount, WalletID: "wallet", Chain: "base", Address: ownAddress, Source: money.MXN,
		Destination: money.USDC, Rail: fiat.SPEI,
	}
	d.write(func(ctx context.Context, tx payout.Tx) error {
		if err := tx.InsertDepositAccount(ctx, account); err != nil {
			return err
		}
		_, err := payouttest.Walk(ctx, tx, o,
			order.Event{Kind: order.FiatArrived, By: order.Partner, At: at, PayIn: &p},
			order.Event{
				Kind: order.CoinsSubmitted, By: order.Partner, At: at.Add(time.Millisecond), PayIn: &coins,
				Network: money.Of(3_000, money.MXN),
			})
		return err
	})
	today := railkit.Period{From: date(at.AddDate(0, 0, -1)), To: date(at.AddDate(0, 0, 1))}
	got := must(d.Statements.OfDepositAccount(t.Context(), account.ID, today))(t)
	want := railkit.StatementBalance{
		Currency: "mxn", Opening: "0.00", MoneyIn: "5000.00", MoneyOut: "4945.00", Fees: "55.00", ReturnedIn: "0.00",
		ReturnedOut: "0.00", Closing: "0.00",
	}
	if len(got.Balances) != 1 || got.Balances[0] != want || len(got.Lines) != 2 || got.Lines[0].Kind != "deposit" ||
		got.Lines[1].Kind != "conversion" || got.Lines[1].Reference != o.Reference {
		t.Errorf("%+v", got)
	}
	var out bytes.Buffer
	if err := d.Statements.OfDepositAccountCSV(t.Context(), &out, account.ID, today); err != nil ||
		strings.Count(out.String(), "\r\n") != 4 {
		t.Errorf("%s %v", out.String(), err)
	}
	_, err := d.Statements.OfDepositAccount(t.Context(), uuid.NewString(), today)
	wantError(t, "no such account", err, 404, "not_found")
	return account.ID
}

// pastesStatements runs the lines of docs/statements.md.
func (d *counter) pastesStatements(t *testing.T, p railkit.Period, accountID string) {
	document, err := os.ReadFile("../../docs/statements.md")
	if err != nil {
		t.Fatal(err)
	}
	_, lines, _ := strings.Cut(string(document), "```sh\n")
	lines, _, found := strings.Cut(lines, "```")
	script := exec.Command("sh", "-eu", "-c", lines)
	script.Dir = t.TempDir()
	script.Env = append(os.Environ(), "B="+d.BaseURL, "K="+d.Keys.BenchKey, "RECIPIENT="+d.to.ID,
		"ACCOUNT="+accountID, "FROM="+p.From, "TO="+p.To)
	out, err := script.Output()
	answers := json.NewDecoder(bytes.NewReader(out))
	for _, balances := range []int{3, 1, 1} {
		var told struct{ Data railkit.AccountStatement }
		if wrong := answers.Decode(&told); err != nil || wrong != nil || !found || len(told.Data.Balances) != balances {
			t.Fatalf("%s (%v, %v)", out, err, wrong)
		}
	}
	file, err := os.ReadFile(script.Dir + "/statement.csv")
	if err != nil || bytes.Count(file, []byte("\n")) < 4 {
		t.Errorf("%s %v", file, err)
	}
}
