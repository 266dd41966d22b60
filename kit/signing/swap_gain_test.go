package signing_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// feeToken is the code of a token that keeps one percent of each transfer, and gives all of it to who makes it. It asks
// for no allowance.
func feeToken() []byte {
	const balanceOf, transfer, transferFrom = "70a08231", "a9059cbb", "23b872dd"
	places := map[string]int{}
	write := func() (code []byte) {
		op := func(text string) {
			raw, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
			if err != nil {
				panic(err)
			}
			code = append(code, raw...)
		}
		jump := func(to, op2 string) { op(fmt.Sprintf("61 %04x ", places[to]) + op2) }
		at := func(name string) { places[name] = len(code); op("5b") }
		op("6000 35 60e0 1c")
		for _, f := range [][2]string{{balanceOf, "balance"}, {transfer, "transfer"}, {transferFrom, "from"}} {
			op("80 63" + f[0] + " 14")
			jump(f[1], "57")
		}
		at("true")
		op("6001 6000 52 6020 6000 f3")
		at("balance")
		op("6004 35 54 6000 52 6020 6000 f3")
		at("transfer")
		op("33 6004 35 6024 35")
		jump("move", "56")
		at("from")
		op("6004 35 6024 35 6044 35")
		at("move")               // from, to, amount
		op("80 83 54 03 83 55")  // the sender has less
		op("6063 02 6064 90 04") // 99 of 100
		op("80 82 54 01 82 55")  // the receiver has more
		op("6000 52 90")         // to, from
		op("7f ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef 6020 6000 a3")
		jump("true", "56")
		return code
	}
	write()
	code := write() // the places are known now
	head, _ := hex.DecodeString(fmt.Sprintf("6f%032x335561%04x806100206000396000f3", big.NewInt(1e18), len(code)))
	return append(head, code...)
}

// maker is an outsider who sends to a node by itself.
type maker struct {
	outsider
	node  string
	nonce uint64
}

// rpc asks the node.
func (m *maker) rpc(into any, method string, params ...any) {
	m.t.Helper()
	body, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	res, err := http.Post(m.node, "application/json", bytes.NewReader(body))
	if err != nil {
		m.t.Fatal(err)
	}
	defer res.Body.Close()
	var answer struct {
		Result json.RawMessage
		Error  json.RawMessage
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || answer.Error != nil {
		m.t.Fatalf("%s: %v, %s", method, err, answer.Error)
	}
	if err := json.Unmarshal(answer.Result, into); err != nil {
		m.t.Fatal(err)
	}
}

// send makes a transaction, and gives the address of the contract that it makes.
func (m *maker) send(to *evm.Address, data []byte) string {
	m.t.Helper()
	raw := m.sign(evm.Tx{
		Type: evm.DynamicFee, ChainID: 84532, Nonce: m.nonce, MaxPriorityFeePerGas: big.NewInt(1e9),
		MaxFeePerGas: big.NewInt(100e9), GasLimit: 4_000_000, To: to, Value: new(big.Int), Data: data,
	})
	m.nonce++
	var hash string
	m.rpc(&hash, "eth_sendRawTransaction", raw)
	var r *struct{ Status, ContractAddress string }
	apptest.Eventually(m.t, "a block", func() bool {
		m.rpc(&r, "eth_getTransactionReceipt", hash)
		return r != nil
	})
	if r.Status != "0x1" {
		m.t.Fatalf("a transaction of the maker's failed: %+v", r)
	}
	return r.ContractAddress
}

// words are a call's data: the selector and its arguments of 32 bytes.
func words(selector string, args ...any) string {
	data := "0x" + selector
	for _, a := range args {
		switch a := a.(type) {
		case string:
			data += fmt.Sprintf("%064s", strings.TrimPrefix(strings.ToLower(a), "0x"))
		case int64:
			data += fmt.Sprintf("%064x", a)
		}
	}
	return data
}

func (m *maker) call(to, data string) {
	m.t.Helper()
	at, err := evm.ParseAddress(to)
	if err != nil {
		m.t.Fatal(err)
	}
	raw, err := chain.ParseHex(data)
	if err != nil {
		m.t.Fatal(err)
	}
	m.send(&at, raw)
}

// A token that keeps a part of what is sent: its swap is not signed where the node can try it, and where it cannot the
// transaction says what came. So does one of an honest token.
func TestSigning_SwapBringsLess(t *testing.T) {
	t.Parallel()
	var target string
	var node *apptest.Node
	a := apptest.Rig(t, func(c *apptest.Config) {
		target = c.RPCURLs["base"]
		node = apptest.NewNode(t, target)
		c.RPCURLs["base"] = node.URL
	})
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	network, _ := chain.BySlug(chain.Sandbox, "base")
	usdc, _ := network.TokenBySymbol("USDC")
	router := chain.Markets(network)[0].Router
	until := time.Now().Add(time.Hour).Unix()

	m := &maker{outsider: newOutsider(t, a), node: target}
	token := m.send(nil, feeToken())
	m.call(usdc.Address, words("095ea7b3", router, int64(5_000_000)))
	m.call(router, words("e8e33700", usdc.Address, token, int64(5_000_000), int64(5_000_000), int64(0), int64(0),
		m.from.String(), until))

	do := func(to, data string) (string, railkit.SignedActivity) {
		t.Helper()
		p, err := c.Transactions.Prepare(ctx, railkit.PrepareTransactionRequest{
			Type: railkit.Call, SignWith: alice.Address.Address, ChainID: 84532, To: to, Data: data, UnpricedSwap: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		signed, err := p.Stamp(alice.Passkey)
		if err != nil {
			t.Fatal(err)
		}
		return p.TransactionID, signed
	}
	confirm := func(id string, signed railkit.SignedActivity) (*railkit.Transaction, error) {
		return c.Transactions.Confirm(ctx, railkit.ConfirmTransactionRequest{TransactionID: id, SignedActivity: signed})
	}
	// swap sells 0.01 USDC for at least so much.
	swap := func(buy string, least int64) (string, railkit.SignedActivity) {
		t.Helper()
		return do(router, words("38ed1739", int64(10_000), least, int64(160), alice.Address.Address, until, int64(2),
			usdc.Address, buy))
	}
	id, signed := do(usdc.Address, words("095ea7b3", router, int64(1_000_000)))
	if _, err := confirm(id, signed); err != nil {
		t.Fatal(err)
	}
	confirmed(t, a, c, id)

	// The pool pays 9,850 of the token or so, one percent of which never arrives.
	id, signed = swap(token, 9_800)
	_, err := confirm(id, signed)
	var e *railkit.Error
	if !errors.As(err, &e) || e.Code != "swap_brings_less" || e.Details["minimum"] != "9800" {
		t.Fatalf("a token that keeps a part: %v", err)
	}
	node.Break("eth_call", withoutOverrides(target))
	done, err := confirm(id, signed)
	if err != nil {
		t.Fatalf("where the node cannot try it: %v", err)
	}
	node.Break("eth_call", nil)
	confirmed(t, a, c, done.TransactionID)
	if got, err := c.Transactions.Get(ctx, id); err != nil || !got.ReceivedLess || len(got.Received) != 4 {
		t.Errorf("it tells %q, less: %t, %v", got.Received, got.ReceivedLess, err)
	}
	id, signed = swap(token, 9_000)
	if _, err := confirm(id, signed); err != nil {
		t.Fatalf("a minimum that what arrives is above: %v", err)
	}
	confirmed(t, a, c, id)
	if got, err := c.Transactions.Get(ctx, id); err != nil || got.ReceivedLess || len(got.Received) != 4 {
		t.Errorf("it tells %q, less: %t, %v", got.Received, got.ReceivedLess, err)
	}
}

// withoutOverrides is a node that tries no call with another state.
func withoutOverrides(target string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		var call struct{ Params []json.RawMessage }
		r.Body = io.NopCloser(bytes.NewReader(raw))
		if json.Unmarshal(raw, &call) == nil && len(call.Params) > 2 {
			apptest.Says("too many arguments, want at most 2")(w, r)
			return
		}
		res, err := http.Post(target, "application/json", bytes.NewReader(raw))
		if err != nil {
			http.Error(w, "no node", http.StatusBadGateway)
			return
		}
		defer res.Body.Close()
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.Copy(w, res.Body) // the client sees a short answer
	}
}
