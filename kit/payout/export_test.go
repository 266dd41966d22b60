package payout_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/store/storetest/payouttest"
)

// exportsThose wants an export to have just the orders that the list has, in its order and as it shows them.
func (d *counter) exportsThose(t *testing.T, o railkit.OrderListOptions, want []railkit.Order) {
	t.Helper()
	rows := exportedCSV(t, d.Client, o)
	var out bytes.Buffer
	err := d.Orders.Export(t.Context(), &out, railkit.OrderExportOptions{OrderListOptions: o, Format: "jsonl"})
	if err != nil || len(rows) != len(want) {
		t.Fatalf("%+v exports %d orders of %d, %v", o, len(rows), len(want), err)
	}
	lines := json.NewDecoder(&out)
	for i, listed := range want {
		var line railkit.Order
		err := lines.Decode(&line)
		if err != nil || !reflect.DeepEqual(line, listed) || rows[i]["reference"] != listed.Reference ||
			rows[i]["destinationAmount"] != listed.Destination.Amount || rows[i]["rate"] != listed.Rate {
			t.Errorf("%+v exports %+v and %v, the list has %+v, %v", o, line, rows[i], listed, err)
		}
	}
	if lines.More() {
		t.Errorf("%+v exports more lines than the list has", o)
	}
}

// exportedCSV is an export's lines, each by the names of its columns.
func exportedCSV(t *testing.T, c *railkit.Client, o railkit.OrderListOptions) (all []map[string]string) {
	t.Helper()
	var out bytes.Buffer
	if err := c.Orders.Export(t.Context(), &out, railkit.OrderExportOptions{OrderListOptions: o}); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(rows) == 0 {
		t.Fatalf("%d lines, %v", len(rows), err)
	}
	for _, row := range rows[1:] {
		cells := map[string]string{}
		for i, name := range rows[0] {
			cells[name] = row[i]
		}
		all = append(all, cells)
	}
	return all
}

// made is more than two pages of an export.
const made = 410

// fill makes completed orders in a workspace, one a second.
func fill(t *testing.T, a *apptest.App, workspaceID string, n int) {
	t.Helper()
	start := time.Now().UTC().Truncate(time.Second).Add(-time.Hour)
	err := a.Store.Payout().Work(t.Context(), workspaceID, func(
		ctx context.Context, tx payout.Tx,
	) (command.Audit, error) {
		for i := range n {
			at := start.Add(time.Duration(i) * time.Second)
			o, seen := payouttest.Deposited(workspaceID, uuid.NewString(), "w1", at)
			o.RecipientName = `=HYPERLINK("http://evil.example","` + o.ID + `")`
			o, err := payouttest.Walk(ctx, tx, o, seen)
			if err != nil {
				return command.Audit{}, err
			}
			if _, err := payouttest.Walk(ctx, tx, o, payouttest.Paid(o, at)...); err != nil {
				return command.Audit{}, err
			}
		}
		return command.Audit{}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// All orders of the workspace are exported over several pages, and none of another's.
func TestPayout_Export(t *testing.T) {
	t.Parallel()
	a := apptest.New(t, apptest.WithoutSweeper())
	ours, key := a.NewWorkspace([]auth.Scope{auth.IntegratorRead}, auth.Payout)
	theirs, foreign := a.NewWorkspace([]auth.Scope{auth.IntegratorRead}, auth.Payout)
	_, empty := a.NewWorkspace([]auth.Scope{auth.IntegratorRead}, auth.Payout)
	fill(t, a, ours, made)
	fill(t, a, theirs, 3)

	rows, seen := exportedCSV(t, a.ClientWith(key), railkit.OrderListOptions{}), map[string]bool{}
	for i, row := range rows {
		seen[row["id"]] = true
		if i > 0 && row["createdAt"] >= rows[i-1]["createdAt"] || row["status"] != "completed" ||
			row["sourceAmount"] != "100.000000" ||
			row["networkFee"] != "0.500000" || row["platformFee"] != "0.250000" ||
			row["destinationAmount"] != "1826.94" || row["bankReference"] != "K-"+row["id"] ||
			row["recipientName"] != `'=HYPERLINK("http://evil.example","`+row["id"]+`")` {
			t.Fatalf("line %d: %v", i, row)
		}
	}
	if len(rows) != made || len(seen) != made {
		t.Errorf("%d lines of %d orders, want %d", len(rows), len(seen), made)
	}
	for _, row := range exportedCSV(t, a.ClientWith(foreign), railkit.OrderListOptions{}) {
		if seen[row["id"]] {
			t.Errorf("another workspace exports %v", row)
		}
	}
	header := a.Do(empty, "GET", ordersPath+"/export", "")
	if strings.Count(header.Body, "\r\n") != 1 || header.Header.Get("Content-Type") != "text/csv; charset=utf-8" ||
		header.Header.Get("Content-Disposition") != `attachment; filename="orders.csv"` {
		t.Errorf("without orders: %+v", header)
	}
	if lines := a.Do(empty, "GET", ordersPath+"/export?format=jsonl", ""); lines.Body != "" || lines.Status != 200 ||
		lines.Header.Get("Content-Type") != "application/x-ndjson" {
		t.Errorf("without orders: %+v", lines)
	}
	exampleHasHeader(t, header.Body)
	refusesExports(t, a, key)
	pastes(t, a, key)
}

func refusesExports(t *testing.T, a *apptest.App, key string) {
	for query, message := range map[string]string{
		"format=xlsx": "format must be one of", "status=nope": "status[0] must be one of",
		"from=yesterday": "from must be",
	} {
		wantCode(t, query, a.Do(key, "GET", ordersPath+"/export?"+query, ""), 400, "validation_failed", message)
	}
	err := a.ClientWith(key).Orders.Export(t.Context(), &bytes.Buffer{}, railkit.OrderExportOptions{Format: "xlsx"})
	wantError(t, "by the client", err, 400, "validation_failed")
}

// exampleHasHeader wants the document's example to begin with the header that exports have.
func exampleHasHeader(t *testing.T, header string) {
	document, err := os.ReadFile("../../api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := json.Marshal(header); !bytes.Contains(document, bytes.TrimSuffix(text, []byte(`"`))) {
		t.Errorf("the example of api/openapi.json does not begin with %s", text)
	}
}

// pastes runs the lines of docs/payouts.md about exports.
func pastes(t *testing.T, a *apptest.App, key string) {
	document, err := os.ReadFile("../../docs/payouts.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(document), "## Export of orders")
	_, lines, _ := strings.Cut(section, "```sh\n")
	lines, _, found := strings.Cut(lines, "```")
	script := exec.Command("sh", "-eu", "-c", lines)
	script.Dir = t.TempDir()
	script.Env = append(os.Environ(), "B="+a.BaseURL, "K="+key)
	if out, err := script.CombinedOutput(); err != nil || !found {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, breaks := range map[string]int{"orders.csv": made + 1, "orders.jsonl": made} {
		file, err := os.ReadFile(script.Dir + "/" + name)
		if err != nil || bytes.Count(file, []byte("\n")) != breaks {
			t.Errorf("%s has %d lines, want %d, %v", name, bytes.Count(file, []byte("\n")), breaks, err)
		}
	}
}
