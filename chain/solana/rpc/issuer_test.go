package rpc_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/solana/rpc"
)

func valueOf(facts []node.Fact, name string) string {
	for _, f := range facts {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

// Who issues a token is what all nodes say. A node that is behind, or lies, is found out; one that is away is told.
func TestIssuer(t *testing.T) {
	t.Parallel()
	n := start(t)
	all := n.both()
	ask := func(whole bool, want error) []node.Fact {
		t.Helper()
		facts, got, err := all.Issuer(t.Context(), usdcMint)
		if !errors.Is(err, want) || want == nil && err != nil || got != whole {
			t.Fatalf("%v, all answered: %t, %v", facts, got, err)
		}
		return facts
	}
	before := ask(true, nil)
	if valueOf(before, "program") != "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA" ||
		valueOf(before, "decimals") != "6" || valueOf(before, "mint authority") != valueOf(before, "freeze authority") {
		t.Fatalf("%v", before)
	}
	n.control("a", "dev_faucet", bob.String(), "USDC", "7") // the supply is no part of it
	if !slices.Equal(ask(true, nil), before) {
		t.Error("it changes with the supply")
	}
	n.control("b", "dev_setView", view{"behind": 1})
	n.control("a", "dev_setAuthority", usdcMint, "freeze", bob.String())
	ask(false, node.ErrDisagree)
	n.control("b", "dev_setView", view{"fails": true})
	if got := ask(false, nil); valueOf(got, "freeze authority") != bob.String() {
		t.Errorf("%v", got)
	}
	n.control("a", "dev_setView", view{"fails": true})
	ask(false, rpc.ErrTransport)
	n.control("a", "dev_setView", view{})
	n.control("b", "dev_setView", view{})
	n.control("a", "dev_setAuthority", usdcMint, "mint", nil)
	if got := ask(true, nil); valueOf(got, "mint authority") != "none" {
		t.Errorf("%v", got)
	}
	if facts, _, err := all.Issuer(t.Context(), alice.String()); err == nil {
		t.Errorf("a person's account is a mint: %v", facts)
	}
	if facts, _, err := all.Issuer(t.Context(), addressOf(keyOf(9)).String()); err == nil {
		t.Errorf("nothing is a mint: %v", facts)
	}
}

// extension is one of Token-2022, with data of zeros but for what set says.
func extension(kind uint16, size int, set ...int) []byte {
	e := binary.LittleEndian.AppendUint16(nil, kind)
	e = append(binary.LittleEndian.AppendUint16(e, uint16(size)), make([]byte, size)...)
	for _, at := range set {
		e[4+at] = 7
	}
	return e
}

// mintText is a mint of Token-2022 with extensions, in base64.
func mintText(extensions ...[]byte) string {
	data := make([]byte, 166)
	data[44], data[45], data[165] = 6, 1, 1
	return base64.StdEncoding.EncodeToString(append(data, slices.Concat(extensions...)...))
}

// A change of an extension is one of the issuer. The fees that a mint has kept back are not, and unreadable data are an
// error.
func TestIssuer_Extensions(t *testing.T) {
	t.Parallel()
	var text string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			ID     int64
			Method string
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		result := `"EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG"`
		if q.Method != "getGenesisHash" {
			result = `{"value":{"lamports":1,"owner":"` + usdcMint + `","data":["` + text + `","base64"]}}`
		}
		fmt.Fprintf(w, `{"id":%d,"result":%s}`, q.ID, result)
	}))
	t.Cleanup(server.Close)
	client, err := rpc.Dial(server.URL, network)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	facts := func(extensions ...[]byte) []node.Fact {
		t.Helper()
		text = mintText(extensions...)
		all, err := client.Issuer(t.Context(), usdcMint)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	before := facts(extension(1, 108), extension(12, 32))
	if len(before) != 6 || valueOf(before, "extension 12") == "" {
		t.Fatalf("%v", before)
	}
	for name, c := range map[string]struct {
		now  []node.Fact
		same bool
	}{
		"a fee was kept back":        {facts(extension(1, 108, 64, 71), extension(12, 32)), true},
		"another takes the fees":     {facts(extension(1, 108, 63), extension(12, 32)), false},
		"another fee":                {facts(extension(1, 108, 72), extension(12, 32)), false},
		"a delegate over all":        {facts(extension(1, 108), extension(12, 32, 31)), false},
		"one extension less":         {facts(extension(1, 108)), false},
		"zeros behind, for new ones": {facts(extension(1, 108), extension(12, 32), make([]byte, 9)), true},
	} {
		if slices.Equal(c.now, before) != c.same {
			t.Errorf("%s: %v", name, c.now)
		}
	}
	for name, broken := range map[string]string{
		"an extension that ends early": mintText(extension(1, 108)[:50]),
		"an account of tokens":         base64.StdEncoding.EncodeToString(make([]byte, 170)),
		"too short":                    base64.StdEncoding.EncodeToString(make([]byte, 81)),
	} {
		text = broken
		if all, err := client.Issuer(t.Context(), usdcMint); !errors.Is(err, rpc.ErrNode) {
			t.Errorf("%s: %v, %v", name, all, err)
		}
	}
}
