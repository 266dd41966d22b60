package widget_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/webtest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// swaps is the integrator's backend of a swap: it adds who sells and the API key to what the widget sends, and passes
// it on.
func (w *world) swaps(out http.ResponseWriter, r *http.Request) {
	body := map[string]json.RawMessage{}
	err := json.NewDecoder(r.Body).Decode(&body)
	body["signWith"] = json.RawMessage(`"` + w.owner.Address.Address + `"`)
	raw, failed := json.Marshal(body)
	req, refused := http.NewRequestWithContext(r.Context(), "POST", w.BaseURL+r.URL.Path, bytes.NewReader(raw))
	if err := errors.Join(err, failed, refused); err != nil {
		http.Error(out, err.Error(), http.StatusInternalServerError)
		return
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "ApiKey "+w.Keys.BenchKey)
	w.api.ServeHTTP(out, req)
}

// What the builder of swaps makes is swapped by a passkey: the widget asks the integrator's backend, which has the key,
// and leads to the page that shows the first step: the router may take what is sold.
func TestWidget_Swaps(t *testing.T) {
	w := newWorld(t)
	w.owner = w.Fund(w.client, "ada@example.com")
	metadata, err := w.client.Widgets.Swap(t.Context(), railkit.SwapWidget{
		Protocol: "uniswap", ChainName: "base", FromToken: "USDC", ToToken: "WETH", SlippageTolerance: "0.5",
		URL: w.site.URL, Icon: w.site.URL + "/widget/tip.svg",
	})
	w.must(err)
	id, _, _ := w.lists(string(metadata))
	v := w.visit("/v1/action/"+id+"/metadata", `ceremony-origin="`+w.Origin+`"`)
	webtest.Contains(t, v.until("ready"), "Swap USDC for WETH", "Amount of USDC")
	v.typed("10")
	v.click("Swap USDC for WETH")
	webtest.Contains(t, v.until("review"), "for a transaction", "Sells USDC", "Buys WETH", "Amount of USDC 10",
		"What is sent is not known here yet")
	v.Picture("11-swap")
	v.click("Agree with your passkey")
	v.until("handed")
	link := v.Eval(find("a.main") + ".href")
	v.clean()
	v.Go(link)
	webtest.Contains(t, strings.ReplaceAll(v.Wait("ready"), "\n", " "), "Allow spending 10 USDC")
	if len(w.asked) != 0 {
		t.Errorf("the wallet was asked %v", w.asked)
	}
}
