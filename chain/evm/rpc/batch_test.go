package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/railkit/railkit/chain/node"
)

// before puts a handler for batches before a node, which goes on answering all else.
func before(t *testing.T, fake *fakeNode, batches func(w http.ResponseWriter, body []byte)) *Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || len(body) == 0 || body[0] != '[' {
			r.Body = io.NopCloser(bytes.NewReader(body))
			fake.ServeHTTP(w, r)
			return
		}
		batches(w, body)
	}))
	t.Cleanup(server.Close)
	return dial(t, server.URL)
}

func says(status int, body string) func(http.ResponseWriter, []byte) {
	return func(w http.ResponseWriter, _ []byte) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

var everything = node.Flight{
	From: alice.String(), To: bob.String(), Value: big.NewInt(255), Data: []byte{0xab}, Token: bob.String(),
	Estimate: true,
}

// Many providers take no batch, or one of three at the most, and say so each in
// its own way. Their questions go one by one.
func TestPreflightWithoutBatches(t *testing.T) {
	for name, refuse := range map[string]func(http.ResponseWriter, []byte){
		"one error for all": says(200,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch requests are not supported"}}`),
		"the error of the first": says(200,
			`[{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"batch too large"}}]`),
		"an error without an id": says(200,
			`[{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch too large"}}]`),
		"an empty list":           says(200, `[]`),
		"too large":               says(413, `too large`),
		"a bad request":           says(400, `{"error":"batch"}`),
		"forbidden in this plan":  says(403, `{"message":"Batch of more than 3 requests are not allowed","code":31}`),
		"an error of its parsing": says(500, `{"message":"Batch of more than 3 requests are not allowed","code":31}`),
	} {
		fake, _ := ready(t)
		p, err := before(t, fake, refuse).Preflight(t.Context(), everything)
		if err != nil || p.NextNonce != 7 || p.Balance.String() != "1000000000000000001" ||
			p.TokenBalance.Int64() != 25500000 ||
			p.Gas != 21000 || p.GasError != nil || p.Fee.Max.Int64() != 2_100_000_000 {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
		fake.answer("eth_estimateGas", `!{"code":3,"message":"execution reverted"}`)
		if p, err := before(t, fake, refuse).Preflight(t.Context(), everything); err != nil ||
			!errors.Is(p.GasError, node.ErrReverts) {
			t.Errorf("%s: reverts: %+v, %v", name, p, err)
		}
		fake.answer("eth_getBalance", `""`)
		if p, err := before(t, fake, refuse).Preflight(t.Context(), everything); err == nil {
			t.Errorf("%s: a bad balance: %+v", name, p)
		}
	}
}

// A node that is away, or has had enough, is left alone.
func TestPreflightAsksABusyNodeOnce(t *testing.T) {
	for _, status := range []int{401, 429, 502, 503, 504} {
		fake, _ := ready(t)
		if _, err := before(t, fake, says(status, `busy`)).Preflight(
			t.Context(), everything,
		); !errors.Is(err, ErrTransport) {
			t.Errorf("%d: %v", status, err)
		}
		if got := fake.questions(); !slices.Equal(got, []string{"eth_chainId"}) {
			t.Errorf("%d: asked %v", status, got)
		}
	}
}

// Answers belong to questions by their ids, in whatever order they come.
func TestPreflightInAnyOrder(t *testing.T) {
	fake, _ := ready(t)
	c := before(t, fake, func(w http.ResponseWriter, body []byte) {
		inner := httptest.NewRecorder()
		fake.ServeHTTP(inner, httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body)))
		var answers []json.RawMessage
		if err := json.Unmarshal(inner.Body.Bytes(), &answers); err != nil {
			t.Error(err)
		}
		answers = append(answers, []byte(`{"jsonrpc":"2.0","id":99999,"result":"0xff"}`), []byte(`null`))
		slices.Reverse(answers)
		_ = json.NewEncoder(w).Encode(answers)
	})
	p, err := c.Preflight(t.Context(), everything)
	if err != nil || p.NextNonce != 7 || p.TokenBalance.Int64() != 25500000 || p.Gas != 21000 {
		t.Errorf("%+v, %v", p, err)
	}
}
