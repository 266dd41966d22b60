package rpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/node"
)

var (
	usdc = evm.Address{19: 0xc1}
	usdt = evm.Address{19: 0xc2}
)

// wire is a log as a node writes it, with one part changed.
func wire(block, index int, change func(map[string]any)) map[string]any {
	l := map[string]any{
		"address": usdc.String(), "topics": []string{transferTopic.Hex(), word(alice), word(bob)},
		"data": "0x" + strings.Repeat("0", 62) + "ff", "blockNumber": hexNumber(block), "blockHash": hash(block),
		"transactionHash": hash(1000 + 100*block + index), "transactionIndex": "0x0", "logIndex": hexNumber(index),
		"removed": false, "blockTimestamp": "0x1",
	}
	if change != nil {
		change(l)
	}
	return l
}

func hexNumber(n int) string { return "0x" + strconv.FormatInt(int64(n), 16) }
func hash(n int) string      { return fmt.Sprintf("0x%064x", n) }
func word(a evm.Address) string {
	return "0x" + strings.Repeat("0", 24) + strings.TrimPrefix(chain.Hex(a[:]), "0x")
}

func (f *fakeNode) logs(t *testing.T, all ...map[string]any) {
	t.Helper()
	raw, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	f.answer("eth_getLogs", string(raw))
}

func TestTransfers(t *testing.T) {
	fake, c := setup(t)
	fake.logs(t, wire(9, 4, nil), wire(8, 7, nil), wire(9, 2, func(l map[string]any) { l["address"] = usdt.String() }))
	got, err := c.Transfers(t.Context(), node.Query{From: 8, To: 9, Tokens: []string{usdc.String(), usdt.String()}})
	if err != nil || len(got) != 3 {
		t.Fatal(got, err)
	}
	if got[0].Block != 8 || got[1].Index != 2 || got[1].Token != chain.Hex(usdt[:]) || got[2].Index != 4 {
		t.Errorf("not in the order of the chain: %+v", got)
	}
	first := got[0]
	if first.From != chain.Hex(alice[:]) || first.To != chain.Hex(bob[:]) || first.Amount.Int64() != 255 ||
		first.Index != 7 ||
		first.BlockHash != hash(8) || first.Tx != hash(1807) {
		t.Errorf("%+v", first)
	}
	fake.lastQuestion(t,
		`eth_getLogs[{"fromBlock":"0x8","toBlock":"0x9","address":["`+usdc.String()+`","`+usdt.String()+
			`"],"topics":["0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"]}]`)
}

func TestTransfersOfSome(t *testing.T) {
	fake, c := setup(t)
	fake.logs(t, wire(8, 7, nil))
	q := node.Query{
		From: 8, To: 8, Hash: hash(8), Tokens: []string{usdc.String()},
		Receivers: []string{alice.String(), bob.String()},
	}
	if got, err := c.Transfers(t.Context(), q); err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	fake.lastQuestion(t,
		`eth_getLogs[{"blockHash":"`+hash(8)+`","address":["`+usdc.String()+`"],"topics":["`+transferTopic.Hex()+
			`",null,["`+word(alice)+`","`+word(bob)+`"]]}]`)
	q.Receivers = []string{alice.String()}
	if _, err := c.Transfers(t.Context(), q); !errors.Is(err, ErrLyingNode) {
		t.Errorf("a transfer to another: %v", err)
	}
	q.Senders, q.Receivers = []string{alice.String()}, nil
	if got, err := c.Transfers(t.Context(), q); err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	fake.lastQuestion(t,
		`eth_getLogs[{"blockHash":"`+hash(8)+`","address":["`+usdc.String()+`"],"topics":["`+transferTopic.Hex()+
			`",["`+word(alice)+`"]]}]`)
	q.Senders = []string{bob.String()}
	if _, err := c.Transfers(t.Context(), q); !errors.Is(err, ErrLyingNode) {
		t.Errorf("a transfer of another: %v", err)
	}
	for _, bad := range []node.Query{
		{From: 2, To: 1, Tokens: q.Tokens}, {From: 1, To: 2}, {From: -1, To: 2, Tokens: q.Tokens},
		{From: 1, To: 2, Hash: hash(8), Tokens: q.Tokens},
	} {
		if _, err := c.Transfers(t.Context(), bad); err == nil {
			t.Errorf("%+v was asked for", bad)
		}
	}
}

// What a node says must be what was asked for, and what a token writes.
func TestTransfersOfALyingNode(t *testing.T) {
	set := func(key string, value any) func(map[string]any) { return func(l map[string]any) { l[key] = value } }
	topics := func(texts ...string) func(map[string]any) { return set("topics", texts) }
	event := transferTopic.Hex()
	for name, all := range map[string][]map[string]any{
		"below the range":       {wire(7, 1, nil)},
		"above it":              {wire(10, 1, nil)},
		"another token":         {wire(8, 1, set("address", evm.Address{1}.String()))},
		"removed":               {wire(8, 1, set("removed", true))},
		"waiting":               {wire(8, 1, set("blockNumber", nil))},
		"without a block":       {wire(8, 1, set("blockHash", nil))},
		"without a transaction": {wire(8, 1, set("transactionHash", nil))},
		"without an index":      {wire(8, 1, set("logIndex", nil))},
		"another event":         {wire(8, 1, topics(hash(1), word(alice), word(bob)))},
		"an NFT":                {wire(8, 1, topics(event, word(alice), word(bob), hash(1)))},
		"two topics":            {wire(8, 1, topics(event, word(alice)))},
		"none":                  {wire(8, 1, topics())},
		"a dirty sender":        {wire(8, 1, topics(event, "0x1"+word(alice)[3:], word(bob)))},
		"a dirty receiver":      {wire(8, 1, topics(event, word(alice), "0x1"+word(bob)[3:]))},
		"no amount":             {wire(8, 1, set("data", "0x"))},
		"two amounts":           {wire(8, 1, set("data", "0x"+strings.Repeat("00", 64)))},
		"told twice":            {wire(8, 1, nil), wire(8, 1, nil)},
		"a block of two hashes": {wire(8, 1, nil), wire(8, 2, set("blockHash", hash(3)))},
		"in two blocks": {wire(8, 1, set("transactionHash", hash(5))),
			wire(9, 1, set("transactionHash", hash(5)))},
		"a hash that is too long": {wire(8, 1, set("blockHash", hash(3)+"00"))},
		"an index beyond reason":  {wire(8, 1, set("logIndex", "0xffffffffffffffff"))},
	} {
		fake, c := setup(t)
		fake.logs(t, all...)
		if got, err := c.Transfers(t.Context(), node.Query{
			From: 8, To: 9, Tokens: []string{usdc.String()},
		}); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
	fake, c := setup(t)
	fake.logs(t, wire(8, 1, nil))
	if _, err := c.Transfers(t.Context(), node.Query{
		From: 8, To: 8, Hash: hash(7), Tokens: []string{usdc.String()},
	}); !errors.Is(err, ErrLyingNode) {
		t.Errorf("of another block than the one asked for: %v", err)
	}
}

// narrow is a node that takes ranges of so many blocks at the most, each with one log.
func narrow(t *testing.T, most int, refuse string) (c *Client, asked *[]string) {
	t.Helper()
	var ranges []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Method string
			ID     json.RawMessage
			Params []struct{ FromBlock, ToBlock string }
		}
		raw, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(raw, &q) // the chain id's parameters are none
		w.Header().Set("Content-Type", "application/json")
		if q.Method == "eth_chainId" {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":"0x14a34"}`, q.ID)
			return
		}
		from, _ := strconv.ParseInt(q.Params[0].FromBlock, 0, 64)
		to, _ := strconv.ParseInt(q.Params[0].ToBlock, 0, 64)
		ranges = append(ranges, fmt.Sprintf("%d-%d", from, to))
		if int(to-from) >= most {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":%s}`, q.ID, refuse)
			return
		}
		var logs []map[string]any
		for n := from; n <= to; n++ {
			logs = append(logs, wire(int(n), 1, nil))
		}
		answer, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": q.ID, "result": logs})
		_, _ = w.Write(answer)
	}))
	t.Cleanup(server.Close)
	return dial(t, server.URL), &ranges
}

// Every provider has its own limit and its own words for it.
func TestTransfersOfAWideRange(t *testing.T) {
	q := node.Query{From: 1, To: 9, Tokens: []string{usdc.String()}}
	for _, refuse := range []string{
		`{"code":-32005,"message":"query returned more than 10000 results"}`,
		`{"code":-32602,"message":"Log response size exceeded. You can make eth_getLogs requests with up to a 2K ` +
			`block range"}`,
		`{"code":-32600,"message":"You can make eth_getLogs requests with up to a 10 block range"}`,
		`{"code":-32614,"message":"eth_getLogs is limited to a 10,000 range"}`,
		`{"code":-32000,"message":"exceed maximum block range: 5000"}`,
	} {
		c, asked := narrow(t, 3, refuse)
		got, err := c.Transfers(t.Context(), q)
		if err != nil || len(got) != 9 || got[0].Block != 1 || got[8].Block != 9 {
			t.Errorf("%s: %d transfers, %v", refuse, len(got), err)
		}
		if want := []string{"1-9", "1-5", "1-3", "4-5", "6-9", "6-7", "8-9"}; !slices.Equal(*asked, want) {
			t.Errorf("%s: asked %v", refuse, *asked)
		}
	}
	c, asked := narrow(t, 0, `{"code":-32000,"message":"no"}`)
	if _, err := c.Transfers(t.Context(), q); !errors.Is(err, ErrNode) || len(*asked) != 5 {
		t.Errorf("a node that refuses everything: asked %v, %v", *asked, err)
	}
	for _, refuse := range []string{
		`{"code":-32601,"message":"the method eth_getLogs does not exist/is not available"}`,
		`{"code":-32000,"message":"invalid chain id"}`,
	} {
		c, asked := narrow(t, 0, refuse)
		if _, err := c.Transfers(t.Context(), q); err == nil || len(*asked) != 1 {
			t.Errorf("%s: asked %v, %v", refuse, *asked, err)
		}
	}
}

func TestHeaders(t *testing.T) {
	fake, c := setup(t)
	fake.answer("eth_getBlockByNumber",
		`{"number":"0x10","hash":"`+hash(5)+`","parentHash":"`+hash(4)+`","timestamp":"0x64","logsBloom":"0x"}`)
	if h, err := c.Latest(t.Context()); err != nil || h.Number != 16 || h.ParentNumber != 15 || h.Hash != hash(5) ||
		h.Parent != hash(4) {
		t.Fatal(h, err)
	}
	fake.lastQuestion(t, `eth_getBlockByNumber["latest",false]`)
	if all, err := c.Headers(t.Context(), []int64{16, 16}); err != nil || len(all) != 2 || all[1].Number != 16 {
		t.Fatal(all, err)
	}
	fake.lastQuestion(t, `eth_getBlockByNumber["0x10",false]`)
	if _, err := c.Headers(t.Context(), []int64{16, 17}); !errors.Is(err, ErrLyingNode) {
		t.Error("another block's header was taken", err)
	}
	fake.answer("eth_getBlockByNumber", `null`)
	if _, err := c.Headers(t.Context(), []int64{16}); !errors.Is(err, node.ErrNoBlock) {
		t.Error(err)
	}
	for _, raw := range []string{
		`{}`, `{"number":"0x10","hash":"` + hash(5) + `"}`,
		`{"number":"0x10","hash":"0x05","parentHash":"` + hash(4) + `","timestamp":"0x64"}`,
	} {
		fake.answer("eth_getBlockByNumber", raw)
		if h, err := c.Latest(t.Context()); err == nil {
			t.Errorf("%s was read as %+v", raw, h)
		}
	}
	fake.fail("eth_getBlockByNumber", "no")
	if _, err := c.Headers(t.Context(), []int64{16}); !errors.Is(err, ErrNode) {
		t.Error(err)
	}
}

// Many headers are asked for in several requests.
func TestHeadersInBatches(t *testing.T) {
	fake, _ := setup(t)
	requests := 0
	c := before(t, fake, func(w http.ResponseWriter, body []byte) {
		requests++
		var batch []question
		if err := json.Unmarshal(body, &batch); err != nil {
			t.Error(err)
		}
		var answers []string
		for _, q := range batch {
			var params []any
			_ = json.Unmarshal(q.Params, &params)
			answers = append(answers, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"number":"%v","hash":"%s",`+
				`"parentHash":"%s","timestamp":"0x64"}}`, q.ID, params[0], hash(1), hash(2)))
		}
		says(200, "["+strings.Join(answers, ",")+"]")(w, body)
	})
	wanted := make([]int64, 3*maxHeaders/2)
	for i := range wanted {
		wanted[i] = int64(i)
	}
	if all, err := c.Headers(t.Context(), wanted); err != nil || len(all) != len(wanted) ||
		all[len(all)-1].Number != int64(len(all)-1) || requests != 2 {
		t.Errorf("%d headers in %d requests, %v", len(all), requests, err)
	}
}
