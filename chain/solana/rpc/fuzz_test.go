package rpc_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/solana/rpc"
)

// Whatever a node answers, the client gives a result or an error.
func FuzzAnswers(f *testing.F) {
	var result atomic.Pointer[string]
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			ID     int64
			Method string
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			f.Error(err)
		}
		text := `"EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG"`
		if q.Method != "getGenesisHash" {
			text = *result.Load()
		}
		_, _ = fmt.Fprintf(w, `{"id":%d,"result":%s}`, q.ID, text)
	}))
	f.Cleanup(server.Close)
	client, err := rpc.Dial(server.URL, network)
	if err != nil {
		f.Fatal(err)
	}
	const transaction = `{"meta":{"preBalances":[1],"postBalances":[1]},"version":0,"transaction":` +
		`{"signatures":["s"],"accountKeys":[{"pubkey":"` + usdcMint + `"}]}}`
	for _, a := range []string{
		`null`, `7`, `{}`, `[3,1]`, `{"value":[null]}`, `{"absoluteSlot":5,"blockHeight":4}`,
		`{"context":{"slot":1},"value":[{"slot":1,"err":{"InstructionError":[0,{"Custom":1}]}}]}`,
		`{"blockhash":"x","previousBlockhash":"y","parentSlot":1,"transactions":[` + transaction + `]}`,
		`{"value":{"err":"AccountNotFound","blockhash":"` + usdcMint + `","lastValidBlockHeight":-1}}`,
		`{"value":[{"lamports":1,"owner":"` + usdcMint + `","data":["AAAA","base64"]}]}`,
		`{"value":{"lamports":1,"owner":"` + usdcMint + `","data":["` + mintText(extension(1, 108)) + `","base64"]}}`,
	} {
		f.Add(a)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ctx := t.Context()
		for _, ask := range []func() error{
			func() error { _, err := client.Latest(ctx); return err },
			func() error {
				_, err := client.Transfers(ctx, node.Query{From: 1, To: 3, Tokens: []string{usdcMint}})
				return err
			},
			func() error { _, err := client.Block(ctx, 2, true); return err },
			func() error { _, err := client.Blockhash(ctx); return err },
			func() error { _, err := client.Accounts(ctx, alice); return err },
			func() error { _, err := client.Issuer(ctx, usdcMint); return err },
			func() error { _, _, err := client.Receipt(ctx, strings.Repeat("1", 64)); return err },
		} {
			result.Store(&text)
			_ = ask()
		}
	})
}
