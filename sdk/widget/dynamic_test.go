package widget_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/webtest"
)

// dynamic is the server of a dynamic action: it answers with a transaction for who asks.
func (w *world) dynamic(out http.ResponseWriter, r *http.Request) {
	var asked struct{ Account, Units string }
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || asked.Account != w.account.Hex() {
		http.Error(out, "no account", http.StatusBadRequest)
		return
	}
	w.mu.Lock()
	answer := w.dynamics
	w.mu.Unlock()
	if answer == "" {
		answer = serialized(84532, usdc, transferTo(ana, asked.Units))
	}
	_, _ = out.Write([]byte(answer))
}

// transferTo is a call of a token's transfer.
func transferTo(to, units string) []byte {
	n, _ := new(big.Int).SetString(units, 10)
	return hexutil.MustDecode("0xa9059cbb" + fmt.Sprintf("%064s%064x", strings.ToLower(to[2:]), n))
}

// serialized is an answer with a transaction as servers hand it to wallets, written by go-ethereum.
func serialized(chainID int64, to string, data []byte) string {
	raw, err := rlp.EncodeToBytes([]any{
		big.NewInt(chainID), uint64(0), big.NewInt(1), big.NewInt(2), uint64(90_000), common.HexToAddress(to),
		new(big.Int), data, types.AccessList{},
	})
	if err != nil {
		panic(err) // these types always encode
	}
	text := hexutil.Encode(append([]byte{types.DynamicFeeTxType}, raw...))
	return fmt.Sprintf(`{"serializedTransaction":%q}`, text)
}

// The transaction of a dynamic action's server is shown for what it does. One of another network, or that cannot be
// read, is not offered to the wallet.
func TestWidget_DynamicAction(t *testing.T) {
	w := newWorld(t)
	id, _, _ := w.lists(strings.Replace(w.metadata(`{"type":"dynamic","label":"Buy","chains":{"source":"base"},`+
		`"path":"/swap","params":[{"name":"units","type":"uint256","label":"Units","value":"1500000","fixed":true}]}`),
		`"actions"`, `"baseUrl":"`+w.site.URL+`","actions"`, 1))
	before := w.HoldsUSDC("base", ana)
	v := w.visit("/v1/action/" + id + "/metadata")
	v.until("ready")
	for answer, want := range map[string]string{
		serialized(1, usdc, nil):             "a transaction of another network",
		`{"serializedTransaction":"0x02c0"}`: "no transaction that this widget can read",
		`<script>alert(1)</script>`:          "no transaction that this widget can read",
	} {
		w.set(func() { w.dynamics = answer })
		v.click("Buy")
		apptest.Eventually(t, "it says "+want, func() bool { return strings.Contains(v.shown(), want) })
	}
	w.set(func() { w.dynamics = serialized(84532, ana, []byte{1, 2, 3, 4, 5}) })
	v.click("Buy")
	webtest.Contains(t, v.until("review"), "Call a contract", "Function 0x01020304",
		"Only the server that made this call", "Agree with Pocket")
	v.click("Back")
	v.until("ready")
	w.set(func() { w.dynamics = "" })
	v.click("Buy")
	webtest.Contains(t, v.until("review"), "Send 1.50 USDC", "To 0x 7099", "USDC as listed on Base Sepolia")
	if len(w.sent) != 0 {
		t.Errorf("sent before anybody agreed: %v", w.sent)
	}
	v.click("Pay with")
	v.until("done")
	if got := w.HoldsUSDC("base", ana) - before; got != 1_500_000 {
		t.Errorf("%d arrived", got)
	}
	v.clean()
}
