package rpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/tron"
	"github.com/railkit/railkit/chain/tron/rpc"
)

// teller is a node that answers what it is told to, by method.
type teller struct {
	mu      sync.Mutex
	answers map[string]string
}

func (l *teller) says(method, answer string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answers[method] = answer
}

func (l *teller) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	answer, ok := l.answers[strings.TrimPrefix(r.URL.Path, "/")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	_, _ = fmt.Fprint(w, answer)
}

const genesis = "wallet/getblockbynum"

func tells(t testing.TB) (*teller, string) {
	l := &teller{answers: map[string]string{genesis: `{"blockID":"` + tron.Genesis("nile") + `","block_header":{}}`}}
	server := httptest.NewServer(l)
	t.Cleanup(server.Close)
	return l, server.URL
}

// A broadcast is a success, a success of before, final, or to be tried again.
func TestSend_Codes(t *testing.T) {
	t.Parallel()
	n := start(t)
	s, id := n.pays(usdt, bob, 1)
	l, url := tells(t)
	c := dialTo(t, url, network)
	refused := func(code, words string) string { return fmt.Sprintf(`{"code":"%s","message":"%s"}`, code, words) }
	const poor = "62616c616e6365206973206e6f742073756666696369656e74" // balance is not sufficient
	for answer, want := range map[string]error{
		`{"result":true,"code":"SUCCESS","txid":"` + id + `"}`:                      nil,
		`{"result":true,"code":"SUCCESS","txid":"` + strings.Repeat("0", 64) + `"}`: rpc.ErrLyingNode,
		refused("DUP_TRANSACTION_ERROR", "Dup transaction."):                        nil,
		refused("SIGERROR", ""):                                              node.ErrRefused,
		refused("TOO_BIG_TRANSACTION_ERROR", ""):                             node.ErrRefused,
		refused("TAPOS_ERROR", ""):                                           node.ErrBlockhash,
		refused("TRANSACTION_EXPIRATION_ERROR", ""):                          node.ErrBlockhash,
		refused("BANDWITH_ERROR", ""):                                        node.ErrNoFunds,
		refused("CONTRACT_VALIDATE_ERROR", "Contract validate error : x"):    node.ErrReverts,
		refused("CONTRACT_VALIDATE_ERROR", "the balance is not sufficient."): node.ErrNoFunds,
		refused("CONTRACT_VALIDATE_ERROR", poor):                             node.ErrNoFunds,
		refused("CONTRACT_EXE_ERROR", ""):                                    node.ErrReverts,
		refused("SERVER_BUSY", ""):                                           rpc.ErrNode,
		refused("NOT_ENOUGH_EFFECTIVE_CONNECTION", ""):                       rpc.ErrNode,
		`{"Error":"class java.lang.NullPointerException : null"}`:            rpc.ErrNode,
		`{}`: rpc.ErrNode, `<html>`: rpc.ErrTransport, ``: rpc.ErrTransport,
	} {
		l.says("wallet/broadcasthex", answer)
		if err := c.Send(t.Context(), s.Signed); !errors.Is(err, want) {
			t.Errorf("%s: %v", answer, err)
		}
	}
	if err := n.all.Send(t.Context(), s.Signed[:len(s.Signed)-1]); !errors.Is(err, node.ErrRefused) {
		t.Errorf("half a transaction is sent: %v", err)
	}
}

// A block that contradicts itself or what came of its transactions brings nothing.
func TestTransfers_Lies(t *testing.T) {
	t.Parallel()
	const (
		number = 9
		id     = "00000000000000090000000000000000000000000000000000000000000000aa"
		parent = "00000000000000080000000000000000000000000000000000000000000000aa"
	)
	tx := strings.Repeat("ab", 32)
	topics := func(contract string) string {
		word := strings.Repeat("0", 24)
		const event = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef" // Transfer of three
		return fmt.Sprintf(`{"address":"%s","topics":["%s","%s%x","%s%x"],"data":"%064x"}`, contract, event, word,
			alice[:], word, bob[:], 5)
	}
	odd := strings.Replace(topics(usdt.Address), "0005", "5", 1)
	listed, err := tron.ParseAddress(usdt.Address)
	if err != nil {
		t.Fatal(err)
	}
	block := func(id, parent string, number int) string {
		return fmt.Sprintf(`{"blockID":"%s","block_header":{"raw_data":{"number":%d,"timestamp":9000,
			"parentHash":"%s"}},"transactions":[{"txID":"%s","ret":[{"contractRet":"SUCCESS"}],"raw_data":{"contract":[
			{"type":"TriggerSmartContract","parameter":{"value":{}}}]}}]}`, id, number, parent, tx)
	}
	info := func(id, result, log string) string {
		return fmt.Sprintf(`[{"id":"%s","blockNumber":%d,"receipt":{"result":"%s"},"log":[%s]}]`, id, number, result,
			log)
	}
	good := block(id, parent, number)
	paid := info(tx, "SUCCESS", topics(fmt.Sprintf("%x", listed[:])))
	l, url := tells(t)
	c := dialTo(t, url, network)
	for name, x := range map[string]struct {
		block, infos string
		transfers    int
		lies         bool
	}{
		"true":                    {good, paid, 1, false},
		"in base58":               {good, info(tx, "SUCCESS", topics(usdt.Address)), 1, false},
		"with its 0x41":           {good, info(tx, "SUCCESS", topics(fmt.Sprintf("41%x", listed[:]))), 1, false},
		"of another contract":     {good, info(tx, "SUCCESS", topics(bob.String())), 0, false},
		"reverted":                {good, info(tx, "REVERT", topics(usdt.Address)), 0, false},
		"without a result":        {good, info(tx, "", topics(usdt.Address)), 0, false},
		"nothing came of it":      {good, `[]`, 0, true},
		"of another transaction":  {good, info(strings.Repeat("cd", 32), "SUCCESS", ""), 0, true},
		"an id of another number": {block(parent, parent, number), paid, 0, true},
		"another number":          {block(parent, strings.Replace(parent, "8", "7", 1), 8), paid, 0, true},
		"a parent further below":  {block(id, strings.Replace(parent, "8", "7", 1), number), paid, 0, true},
		"an event that is none":   {good, info(tx, "SUCCESS", odd), 0, true},
		"an event of no contract": {good, info(tx, "SUCCESS", topics("x")), 0, true},
	} {
		l.says("walletsolidity/getblockbynum", x.block)
		l.says("walletsolidity/gettransactioninfobyblocknum", x.infos)
		all, err := c.Transfers(t.Context(), node.Query{From: number, To: number, Tokens: []string{usdt.Address}})
		if len(all) != x.transfers || errors.Is(err, rpc.ErrLyingNode) != x.lies || !x.lies && err != nil {
			t.Errorf("%s: %v %v", name, all, err)
		}
	}
}

// Who observes a network is told of each question to each of its nodes, and of no URL.
func TestNodesAreObserved(t *testing.T) {
	t.Parallel()
	n := start(t)
	all := dialTo(t, "http://127.0.0.1:1/secret-key "+n.url, network)
	var told []string
	all.Observe(func(_ context.Context, on chain.Network, method string, took time.Duration, err error) {
		if on.Slug != "tron" || took <= 0 {
			t.Errorf("told of %s, %v", on.Slug, took)
		}
		if err != nil {
			method += " failed"
			if strings.Contains(err.Error(), "secret-key") {
				t.Error(err)
			}
		}
		told = append(told, method)
	})
	if _, err := all.Head(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{genesis + " failed", genesis, "walletsolidity/getblock"}
	if !slices.Equal(told, want) {
		t.Errorf("told of %v, not %v", told, want)
	}
}

// Whatever a node answers, the client gives a result or an error.
func FuzzAnswers(f *testing.F) {
	l, url := tells(f)
	c, err := rpc.DialAll(url, network)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(c.Close)
	for _, text := range []string{
		`{"blockID":"` + tron.Genesis("nile") + `"}`, `{"address":"T"}`, `[{"id":"a","log":[{}]}]`,
		`{"result":{"result":true},"energy_used":1,"constant_result":["08c379a0"]}`,
		`{"chainParameter":[{"key":"getEnergyFee","value":100}]}`, `null`, `{"Error":"x"}`,
	} {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, answer, second string) {
		if !json.Valid([]byte(answer)) {
			return
		}
		for _, half := range []string{"wallet/", "walletsolidity/"} {
			for i, m := range []string{
				"getblock", "getaccount", "getaccountresource", "getchainparameters", "triggerconstantcontract",
				"gettransactioninfobyid", "broadcasthex",
			} {
				l.says(half+m, []string{answer, second}[i%2])
			}
		}
		l.says("walletsolidity/getblockbynum", answer)
		l.says("walletsolidity/gettransactioninfobyblocknum", second)
		_, _ = c.Head(t.Context())
		_, _ = c.Balances(t.Context(), []string{alice.String()}, []string{usdt.Address})
		_, _ = c.Transfers(t.Context(), node.Query{From: 1, To: 1, Tokens: []string{usdt.Address, node.Coin}})
		_, _, _ = c.Receipt(t.Context(), strings.Repeat("ab", 32))
		_, _ = c.History(t.Context(), alice.String(), usdt.Address, 0, 3)
	})
}

// A transfer that its contract tells nothing of moved nothing, whatever the receipt is called; and a node that says
// otherwise of the same transaction denies it.
func TestOutcome_Lies(t *testing.T) {
	t.Parallel()
	n := start(t)
	s, id := n.pays(usdt, bob, 5)
	const block = `{"blockID":"%s","block_header":{"raw_data":{"number":9,"timestamp":9000,"parentHash":"%s"}}}`
	word := strings.Repeat("0", 24)
	event := fmt.Sprintf(`{"address":"%s","topics":["%s","%s%x","%s%x"],"data":"%064x"}`, usdt.Address,
		"ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef", word, alice[:], word, bob[:], 5)
	says := func(result, log string) string {
		l, url := tells(t)
		l.says("walletsolidity/getblock", fmt.Sprintf(block, "0000000000000009"+strings.Repeat("0", 48),
			"0000000000000008"+strings.Repeat("0", 48)))
		l.says("walletsolidity/gettransactioninfobyid", fmt.Sprintf(
			`{"id":"%s","blockNumber":9,"fee":7,"receipt":{"result":"%s"},"log":[%s]}`, id, result, log))
		return url + " "
	}
	paid, silent, refused := says("SUCCESS", event), says("SUCCESS", ""), says("REVERT", "")
	for name, x := range map[string]struct {
		nodes  string
		failed string
		denied bool
	}{
		"paid":                     {paid + paid, "", false},
		"no event":                 {silent, "the contract tells of no transfer", false},
		"reverted":                 {refused, "the contract refuses it", false},
		"one says it was reverted": {paid + refused, "", true},
		"one tells no event":       {silent + paid, "the contract tells of no transfer", true},
	} {
		got, err := dialTo(t, x.nodes, network).Outcome(t.Context(), s)
		if err != nil || !got.Landed || got.Failed != x.failed || got.Denied != x.denied || got.Paid.Int64() != 7 {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
}
