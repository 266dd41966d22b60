package localnet_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/chain/tron/localnet"
)

// startAt is a chain whose clock the test moves.
func startAt(t *testing.T) (n *net, pass func(time.Duration)) {
	t.Helper()
	var mu sync.Mutex
	now := time.UnixMilli(1_800_000_000_000)
	clock := func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return now
	}
	c, err := localnet.OpenAt(t.TempDir(), network, clock)
	if err != nil {
		t.Fatal(err)
	}
	n = &net{T: t, chain: c, server: httptest.NewServer(c.Handler(""))}
	n.url = n.server.URL
	t.Cleanup(n.close)
	return n, func(d time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(d)
	}
}

// Whoever asks for the newest block finds one of within half a minute, and one more every three seconds until what was
// sent is solid. Nobody else makes any.
func TestNewestIsNew(t *testing.T) {
	t.Parallel()
	n, pass := startAt(t)
	number := func(half string) int64 { return n.head(half).BlockHeader.RawData.Number }
	first := number("/wallet")
	pass(29 * time.Second)
	if got := number("/wallet"); got != first {
		t.Errorf("block %d after 29 seconds, and %d before", got, first)
	}
	pass(time.Second)
	if got := number("/wallet"); got != first+1 || number("/wallet") != got {
		t.Errorf("block %d after 30 seconds, and %d before", got, first)
	}
	id := n.gives(alice, "native", "7")
	at := n.info("/wallet", id).BlockNumber
	pass(2 * time.Second)
	if got := number("/wallet"); got != at {
		t.Errorf("block %d, two seconds after %d", got, at)
	}
	for range localnet.Solid {
		if i := n.info("/walletsolidity", id); i.ID != "" {
			t.Fatal("it is solid too early")
		}
		pass(3 * time.Second)
		number("/walletsolidity")
	}
	if i := n.info("/walletsolidity", id); i.ID != id {
		t.Error("it is not solid")
	}
	pass(3 * time.Second)
	if got := number("/wallet"); got != at+localnet.Solid {
		t.Errorf("block %d, though nothing waits", got)
	}
}

// What has expired is in no block, also where no block was made since.
func TestExpires(t *testing.T) {
	t.Parallel()
	n, pass := startAt(t)
	n.gives(alice, "native", "7")
	raw, _ := n.pays(trx, bob, 1, asIs)
	pass(66 * time.Second)
	if code := n.sends("", raw); code != "TRANSACTION_EXPIRATION_ERROR" {
		t.Error(code)
	}
	pass(48 * time.Hour) // after which an old block would refuse every new transaction as one of too far away
	raw, _ = n.pays(trx, bob, 1, asIs)
	if code := n.sends("", raw); code != "SUCCESS" {
		t.Error(code)
	}
}

// Many who send and ask at once are all answered, and nothing is counted twice.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	n := start(t)
	n.gives(alice, "native", "10")
	n.gives(bob, "native", "1")
	var raws [][]byte
	for i := range 8 {
		raw, _ := n.pays(trx, bob, int64(1+i), asIs)
		raws = append(raws, raw)
	}
	var all sync.WaitGroup
	for _, raw := range raws {
		for range 2 {
			all.Go(func() { n.sends("", raw) })
			all.Go(func() { n.tokens("/wallet", bob); n.sun("/walletsolidity", bob); n.head("/wallet") })
		}
	}
	all.Wait()
	if has, _ := n.sun("/wallet", bob); has != 1_000_000+36 {
		t.Errorf("bob has %d", has)
	}
}

// Whatever is asked, there is an answer. The controls are left out: they change what the next question finds.
func FuzzQuestions(f *testing.F) {
	c, err := localnet.Open(f.TempDir(), network)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { c.Close() })
	handler := c.Handler("")
	for _, q := range [][2]string{
		{"getnowblock", `{}`}, {"getblock", `{"id_or_num":"0","detail":true}`}, {"getblockbynum", `{"num":-1}`},
		{"getblockbylimitnext", `{"startNum":0,"endNum":9}`}, {"getblockbyid", `{"value":"00"}`},
		{"getaccount", `{"address":"` + usdt + `","visible":true}`}, {"getaccountresource", `{"address":"41"}`},
		{"gettransactioninfobyblocknum", `{"num":1}`}, {"getcontract", `{"value":"` + usdt + `"}`},
		{"triggerconstantcontract", `{"owner_address":"` + usdt + `","contract_address":"` + usdt + `","data":"06"}`},
		{"broadcasttransaction", `{"raw_data":{"contract":[{}]},"signature":[1]}`},
		{"broadcasthex", `{"transaction":"0a00"}`}, {"validateaddress", `{"address":1}`},
		{"createtransaction", `null`}, {"triggersmartcontract", `{"call_value":-1}`},
	} {
		f.Add(q[0], q[1])
	}
	f.Fuzz(func(t *testing.T, method, body string) {
		if strings.ContainsAny(method, "/?#% ") || strings.Contains(method, "..") || method == "" || method == "." {
			return
		}
		for _, r := range method {
			if r < ' ' || r > '~' {
				return
			}
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "http://localhost/wallet/"+method,
			strings.NewReader(body)))
		if w.Code != http.StatusOK && w.Code != http.StatusNotFound && w.Code != http.StatusBadRequest {
			t.Errorf("%s %s: %d %s", method, body, w.Code, w.Body)
		}
	})
}
