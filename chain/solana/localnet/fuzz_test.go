package localnet_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain/solana/localnet"
)

// Whatever is asked, there is an answer in JSON. The controls are left out: they change what the next question finds.
func FuzzQuestions(f *testing.F) {
	c, err := localnet.Open(f.TempDir(), network)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { c.Close() })
	handler := c.Handler("")
	for _, body := range []string{`[]`, `{}`, `[{"id":1,"method":"getSlot"}]`, `{"id":"x","method":7}`} {
		f.Add(body)
	}
	for _, q := range []struct{ method, params string }{
		{"getSlot", `{"commitment":"processed"}`},
		{"getBlock", `0,{"transactionDetails":"accounts","maxSupportedTransactionVersion":1}`},
		{"getBlocks", `0,5,{"commitment":"finalized"}`}, {"getBlocksWithLimit", `0,-5`},
		{"getAccountInfo", `"mint",{"encoding":"jsonParsed"}`},
		{"getAccountInfo", `"mint",{"encoding":"base64","dataSlice":{"offset":-1,"length":9}}`},
		{"getTokenAccountsByOwner", `"mint",{"mint":"mint"}`},
		{"getSignatureStatuses", `["1"],{"searchTransactionHistory":true}`},
		{"simulateTransaction", `"AAAA",{"encoding":"base64","accounts":{"addresses":["1"]}}`},
		{"sendTransaction", `"1111"`}, {"getFeeForMessage", `"gAEAAQ=="`},
		{"getSignaturesForAddress", `"mint",{"limit":-1,"before":"x","until":"y"}`},
	} {
		params := strings.ReplaceAll(q.params, `"mint"`, `"`+usdcMint+`"`)
		f.Add(`{"id":1,"method":"` + q.method + `","params":[` + params + `]}`)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if strings.Contains(body, "dev_") || strings.Contains(body, "requestAirdrop") || strings.Contains(body, `\u`) {
			return
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "http://localhost/", strings.NewReader(body)))
		if w.Code != http.StatusOK || !strings.HasSuffix(w.Body.String(), "\n") {
			t.Errorf("%d %q", w.Code, w.Body)
		}
	})
}
