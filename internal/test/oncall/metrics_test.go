package oncall

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testlog"
)

// receiver is a well-known public test address.
const receiver = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"

// A running application is what docs, alerts and dashboard are held against; and one request of it is followed through
// the logs.
func TestRunning(t *testing.T) {
	server := &testlog.Log{} // the signer has the application's
	solana := apptest.NewSolana(t).URL + "/a"
	a := apptest.Rig(t, apptest.WithPartner(t), func(c *app.Config) {
		c.RPCURLs["solana"] = solana
		c.Log = slog.New(slog.NewJSONHandler(server, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	c := a.Client()
	owner := a.Fund(c, "ada@example.com")
	sent, err := c.Transactions.Send(t.Context(), owner.Passkey, owner.Payment(receiver, "1"))
	if err != nil {
		t.Fatal(err)
	}
	apptest.Eventually(t, "the payment is confirmed, and the partner was compared with the books", func() bool {
		got, err := c.Transactions.Get(t.Context(), sent.TransactionID)
		return err == nil && got.Status == "confirmed" && strings.Contains(server.String(), "compared with the partner")
	})
	apptest.Eventually(t, "the issuer of a token is kept", func() bool {
		kept, err := a.Store.Issuers().Issuers(t.Context())
		return err == nil && len(kept) > 0
	})
	all := scrape(t, a)
	t.Run("Table", func(t *testing.T) { tableIsTrue(t, all) })
	t.Run("Used", func(t *testing.T) { usedNamesExist(t, all) })
	t.Run("Garbage", func(t *testing.T) { garbageMakesNoSeries(t, a) })
	t.Run("Request", func(t *testing.T) { requestIsInAllLogs(t, a, server, owner) })
}

// Whatever strangers send, the number of series stays what the program makes of it.
func garbageMakesNoSeries(t *testing.T, a *apptest.App) {
	flood := func(from, to int) (series []string) {
		for i := range to - from {
			garbage := fmt.Sprintf("garbage%d", from+i)
			for _, path := range []string{
				"/" + garbage, "/v1/" + garbage, "/v1/orders/" + garbage,
				"/v1/signing/wallets/" + garbage + "?x=" + garbage,
			} {
				for _, method := range []string{"GET", "POST", strings.ToUpper(garbage)} {
					apptest.Call(t, method, a.BaseURL+path, "{}", "Authorization", "ApiKey "+garbage, "X-Agent-Id",
						garbage,
						"Idempotency-Key", garbage, "X-Request-Id", garbage, "User-Agent", garbage)
				}
			}
			a.Do(a.Keys.BenchKey, "GET", "/v1/orders/"+garbage, "")
		}
		for name, m := range scrape(t, a) { // the others grow by what the server does by itself meanwhile
			if strings.HasPrefix(name, "railkit_call") || strings.HasPrefix(name, "railkit_rate") {
				series = append(series, m.series...)
			}
		}
		return series
	}
	first := flood(0, 30)
	for _, s := range first {
		if strings.Contains(strings.ToLower(s), "garbage") {
			t.Errorf("a caller's text is a label: %s", s)
		}
	}
	const few = 12 // of statuses that the first flood did not have yet, such as those of the limit
	if second := flood(30, 60); len(second) > len(first)+few {
		t.Errorf("%d series became %d", len(first), len(second))
	}
	if len(first) > 1000 || len(first) < 20 {
		t.Errorf("%d series", len(first))
	}
}

// The id of one request is in the server's line, in those of what it asked the node and the signer, and in the signer's
// own. Other requests have other ids.
func requestIsInAllLogs(t *testing.T, a *apptest.App, server *testlog.Log, owner apptest.Owner) {
	const first, second = "one-request:4711", "another-request:4712"
	prepared := a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/prepare",
		apptest.JSON(t, owner.Payment(receiver, "2")), "X-Request-Id", first)
	var transaction struct {
		ID string `json:"transactionId"`
	}
	if err := json.Unmarshal(prepared.Data(), &transaction); err != nil {
		t.Fatal(err)
	}
	cancelled := a.Do(a.Keys.BenchKey, "DELETE", "/v1/transactions/sign/"+transaction.ID, "", "X-Request-Id", second)
	if cancelled.Status != http.StatusOK || cancelled.Header.Get("X-Request-Id") != second {
		t.Fatalf("%+v", cancelled)
	}
	lines := linesOf(server, a.Log)
	for _, want := range []string{
		first + " request ", first + " the signer was called Preview", first + " a node was asked several things",
		second + " request ", second + " the signer was called Cancel", second + " called Cancel",
	} {
		if lines[want] != 1 {
			t.Errorf("%d lines of %q", lines[want], want)
		}
	}
	if lines[second+" a node was asked several things"] != 0 || lines[second+" the signer was called Preview"] != 0 {
		t.Error("one request has another's lines")
	}
}

// linesOf counts the lines of requests, by id, message and what was called.
func linesOf(logs ...*testlog.Log) map[string]int {
	found := map[string]int{}
	for _, log := range logs {
		for line := range strings.Lines(log.String()) {
			var fields struct {
				Message string `json:"msg"`
				Request string `json:"request_id"`
				Call    string `json:"call"`
			}
			if json.Unmarshal([]byte(line), &fields) == nil && fields.Request != "" {
				found[fields.Request+" "+fields.Message+" "+fields.Call]++
			}
		}
	}
	return found
}
