package x402pay_test

import (
	"fmt"
	"maps"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/shops"
	railkit "github.com/railkit/railkit/sdk/go"
)

var signerCall = regexp.MustCompile(`(?m)^railkit_signer_calls_total\{method="(\w+)".*\} (\d+)$`)

// signerCalls counts the calls of the signer, without that of the count itself.
func (m *mall) signerCalls() map[string]int {
	m.t.Helper()
	w := httptest.NewRecorder()
	m.Metrics().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	calls := map[string]int{}
	for _, line := range signerCall.FindAllStringSubmatch(w.Body.String(), -1) {
		n, err := strconv.Atoi(line[2])
		if err != nil {
			m.t.Fatal(err)
		}
		calls[line[1]] += n
	}
	delete(calls, "Info")
	return calls
}

// trips are what a call takes of signer and database.
func (m *mall) trips(call func()) string {
	m.t.Helper()
	before, committed := m.signerCalls(), m.Store.Commits().Transactions
	call()
	committed = m.Store.Commits().Transactions - committed
	after, trips := m.signerCalls(), []string{}
	for _, method := range slices.Sorted(maps.Keys(after)) {
		if n := after[method] - before[method]; n > 0 {
			trips = append(trips, fmt.Sprintf("%d %s", n, method))
		}
	}
	return strings.Join(append(trips, fmt.Sprintf("%d transactions", committed)), ", ")
}

// A purchase asks the signer who the agent is, and for the signature. It takes four transactions: what is to be signed,
// what is signed, what came of it, and the answer. One that waits for votes has the signer say what whoever votes is
// shown, and takes two. A further trip costs every purchase: it has to be worth it.
func TestAgents_X402Trips(t *testing.T) {
	m := newMall(t)
	for _, c := range []struct {
		threshold, state, want string
	}{
		{"1", "settled", "1 Submit, 1 VerifyAgent, 4 transactions"},
		{"0.009", "prepared", "1 Preview, 1 Submit, 1 VerifyAgent, 2 transactions"},
	} {
		b := m.newBuyerOf("1", c.threshold)
		var last string
		for range 20 { // a job of the server's may come between
			last = m.trips(func() {
				got, err := b.PayX402(ctx, railkit.X402Request{URL: m.Shop.URL + "/weather", MaxAmount: "10000"})
				if waits := c.state == "prepared"; waits != (err != nil) || err == nil && got.Body != shops.Weather {
					t.Fatalf("%+v, %v", got, err)
				}
			})
			if last == c.want {
				break
			}
		}
		if last != c.want {
			t.Errorf("%s: %s, want %s", c.state, last, c.want)
		}
	}
}
