package facilitator_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/internal/facilitator"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/internal/test/x402test"
	"github.com/railkit/railkit/x402"
)

func settled(t *testing.T, r x402.Receipt, err error) {
	t.Helper()
	if err != nil || !r.Success || len(r.Transaction) != 66 {
		t.Errorf("%+v %v", r, err)
	}
}

// duplicate is the answer to who hears of no success, and of the transaction.
func duplicate(t *testing.T, r x402.Receipt, err error) {
	t.Helper()
	if err != nil || r.Success || r.ErrorReason != x402.ReasonDuplicateSettlement || len(r.Transaction) != 66 {
		t.Errorf("%+v %v", r, err)
	}
}

func TestAgents_FacilitatorSettles(t *testing.T) {
	c := x402test.NewChain(t)
	f, seller := c.Facilitator(), x402test.NewKey(t).Address
	buyer := c.Buyer("1")
	c.Approve(buyer)
	exact := c.Offer("10000", seller)
	permit, upto := exact, exact
	permit.Extra.AssetTransferMethod = x402.Permit2
	upto.Scheme, upto.Amount, upto.Extra.FacilitatorAddress = x402.Upto, "25000", f.Signer.Address().String()
	v1 := exact
	v1.Dialect, v1.Network, v1.Resource = x402.V1, "base-sepolia", "https://shop.example/a"
	want := int64(0)
	for name, o := range map[string]x402.Offer{"eip3009": exact, "permit2": permit, "upto": upto, "v1": v1} {
		r, _, header := c.Pay(buyer, o)
		if v, err := f.Client(t).Verify(t.Context(), r); err != nil || !v.Valid {
			t.Fatalf("%s: %+v %v", name, v, err)
		}
		if o.Scheme == x402.Upto {
			o.Amount = "7000"
			r = c.Ask(o, header)
		}
		receipt, err := f.Client(t).Settle(t.Context(), r)
		settled(t, receipt, err)
		want += map[string]int64{"upto": 7000}[name]
		if o.Scheme == x402.Exact {
			want += 10000
		}
		if got := c.Balance(seller); got != want {
			t.Errorf("%s: the seller has %d, not %d", name, got, want)
		}
		again, err := f.Client(t).Settle(t.Context(), r)
		if duplicate(t, again, err); again.Transaction != receipt.Transaction || f.Signer.Signs > 4 {
			t.Errorf("%s: again: %+v, %d signatures", name, again, f.Signer.Signs)
		}
		if v, err := f.Client(t).Verify(t.Context(), r); err != nil || v.Valid {
			t.Errorf("%s: a settled payment is valid: %+v %v", name, v, err)
		}
	}
}

// One account, fifty payments at one time: the nonces come one after the other.
func TestAgents_FacilitatorFiftyAtOnce(t *testing.T) {
	c := x402test.NewChain(t)
	f, seller := c.Facilitator(), x402test.NewKey(t).Address
	buyer := c.Buyer("1")
	const n = 50
	var all sync.WaitGroup
	hashes := make([]string, n)
	for i := range n {
		r, _, _ := c.Pay(buyer, c.Offer("10000", seller))
		all.Go(func() {
			receipt, err := f.Client(t).Settle(t.Context(), r)
			settled(t, receipt, err)
			hashes[i] = receipt.Transaction
		})
	}
	all.Wait()
	different := map[string]bool{}
	for _, h := range hashes {
		different[h] = true
	}
	if got := c.Balance(seller); len(different) != n || got != n*10000 || f.Signer.Signs != n {
		t.Errorf("%d transactions, %d signatures, the seller has %d", len(different), f.Signer.Signs, got)
	}
}

// Who only knows the number of a payment that was settled gets no receipt of it, and a second settlement of one
// payment on other terms is none.
func TestAgents_FacilitatorOtherTermsOfOnePayment(t *testing.T) {
	c := x402test.NewChain(t)
	f, seller := c.Facilitator(), x402test.NewKey(t).Address
	buyer := c.Buyer("1")
	r, _, _ := c.Pay(buyer, c.Offer("10000", seller))
	receipt, err := f.Settle(t.Context(), r)
	settled(t, receipt, err)
	forged := r
	at := strings.Index(string(r.Payload), `"signature":"0x`) + len(`"signature":"0x`)
	forged.Payload = []byte(string(r.Payload[:at]) + "1" + string(r.Payload[at+1:]))
	if forged.Payload[at] == r.Payload[at] {
		forged.Payload[at] = '2'
	}
	for what, c := range map[string]struct {
		r      x402.Request
		reason string
	}{
		"another signature": {forged, x402.ReasonSignature},
		"another shop":      {c.Ask(c.Offer("10000", buyer.Address), headerOf(t, r)), x402.ReasonRecipient},
		"another price":     {c.Ask(c.Offer("9999", seller), headerOf(t, r)), x402.ReasonValue},
	} {
		if got, err := f.Settle(t.Context(), c.r); err != nil || got.Success || got.ErrorReason != c.reason {
			t.Errorf("%s: %+v %v", what, got, err)
		}
	}

	upto := c.Offer("25000", seller)
	upto.Scheme, upto.Extra.FacilitatorAddress = x402.Upto, f.Signer.Address().String()
	c.Approve(buyer)
	_, _, header := c.Pay(buyer, upto)
	c.Automine(false)
	defer c.Automine(true)
	f.Wait = time.Millisecond
	upto.Amount = "7000"
	first, err := f.Settle(t.Context(), c.Ask(upto, header))
	if err != nil || !first.Pending() {
		t.Fatalf("%+v %v", first, err)
	}
	upto.Amount = "7001"
	second, err := f.Settle(t.Context(), c.Ask(upto, header))
	if duplicate(t, second, err); second.Transaction != first.Transaction || f.Signer.Signs != 2 {
		t.Errorf("%+v, %d signatures", second, f.Signer.Signs)
	}
	c.Automine(true)
	f.Wait = testwait.Bound
	upto.Amount = "7000"
	receipt, err = f.Settle(t.Context(), c.Ask(upto, header))
	settled(t, receipt, err)
	upto.Amount = "7001"
	second, err = f.Settle(t.Context(), c.Ask(upto, header))
	if duplicate(t, second, err); second.Transaction != first.Transaction {
		t.Errorf("once it is mined: %+v", second)
	}
}

func headerOf(t *testing.T, r x402.Request) string {
	t.Helper()
	text, err := x402.EncodeHeader(r.Payload)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// As long as the transaction is in no block the answer is settlement_pending, with its hash. Another process on the
// same folder goes on with the same transaction.
func TestAgents_FacilitatorPendingAcrossRestart(t *testing.T) {
	c := x402test.NewChain(t)
	folder := t.TempDir()
	same := func(config *facilitator.Config) { config.Folder, config.Wait = folder, 100*time.Millisecond }
	f, seller := c.Facilitator(same), x402test.NewKey(t).Address
	r, _, _ := c.Pay(c.Buyer("1"), c.Offer("10000", seller))
	c.Automine(false)
	defer c.Automine(true)
	first, err := f.Settle(t.Context(), r)
	if err != nil || !first.Pending() || len(first.Transaction) != 66 || f.Waiting() != 1 {
		t.Fatalf("%+v %v", first, err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	g := c.FacilitatorOf(f.Signer, same)
	again, err := g.Settle(t.Context(), r)
	if err != nil || again.Transaction != first.Transaction || !again.Pending() {
		t.Errorf("%+v %v", again, err)
	}
	c.Automine(true)
	g.Wait = testwait.Bound
	last, err := g.Settle(t.Context(), r)
	settled(t, last, err)
	if last.Transaction != first.Transaction || f.Signer.Signs != 1 || c.Balance(seller) != 10000 {
		t.Errorf("%+v, %d signatures, the seller has %d", last, f.Signer.Signs, c.Balance(seller))
	}
}

// The signer's answer is lost, and the process ends. The next one asks for the same bytes, and signs for nobody else
// before it has them.
func TestAgents_FacilitatorSignerAnswersLate(t *testing.T) {
	c := x402test.NewChain(t)
	folder := t.TempDir()
	same := func(config *facilitator.Config) { config.Folder = folder }
	f, seller := c.Facilitator(same), x402test.NewKey(t).Address
	buyer := c.Buyer("1")
	f.Signer.Fail = func() (bool, error) { return true, errors.New("connection reset") }
	r, _, _ := c.Pay(buyer, c.Offer("10000", seller))
	got, err := f.Settle(t.Context(), r)
	if err == nil || got.Success || got.ErrorReason != x402.ReasonUnexpectedSettleError {
		t.Fatalf("%+v %v", got, err)
	}
	second, _, _ := c.Pay(buyer, c.Offer("10000", seller))
	if got, err := f.Settle(t.Context(), second); err == nil || got.Success {
		t.Fatalf("beside it: %+v %v", got, err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	f.Signer.Fail = nil
	g := c.FacilitatorOf(f.Signer, same)
	for _, r := range []x402.Request{second, r} {
		receipt, err := g.Settle(t.Context(), r)
		settled(t, receipt, err)
	}
	if c.Balance(seller) != 20000 || f.Signer.Signs != 2 {
		t.Errorf("the seller has %d, %d signatures", c.Balance(seller), f.Signer.Signs)
	}
}

// Two payments, each good alone, of a buyer who has money for one, at two facilitators, which do not know of each
// other's: one is settled, of the other is said that it failed. Both are judged before either is sent: what is sent
// counts in the next block's state, and a node knows of it sooner or later.
func TestAgents_FacilitatorTellsWhatFailed(t *testing.T) {
	c := x402test.NewChain(t)
	all, seller := []*x402test.Facilitator{c.Facilitator(), c.Facilitator()}, x402test.NewKey(t).Address
	buyer := c.Buyer("0.015")
	var asks []x402.Request
	c.Automine(false)
	defer c.Automine(true)
	for _, f := range all {
		r, _, _ := c.Pay(buyer, c.Offer("10000", seller))
		asks, f.Wait = append(asks, r), soon
	}
	judged, sent := make(chan struct{}), make(chan struct{})
	told := sync.OnceFunc(func() { close(judged) })
	all[0].Signer.Fail = func() (bool, error) { <-judged; return false, nil }
	all[1].Signer.Fail = func() (bool, error) { told(); <-sent; return false, nil }
	begins := func(i int) {
		if got, err := all[i].Settle(t.Context(), asks[i]); err != nil || !got.Pending() {
			t.Errorf("%+v %v", got, err)
		}
	}
	var later sync.WaitGroup
	later.Go(func() { begins(1); told() })
	begins(0)
	close(sent)
	later.Wait()
	for _, f := range all {
		f.Wait = testwait.Bound
	}
	c.Automine(true)
	first, err := all[0].Settle(t.Context(), asks[0])
	settled(t, first, err)
	second, err := all[1].Settle(t.Context(), asks[1])
	if err != nil || second.Success || second.ErrorReason != x402.ReasonTransactionFailed || second.Transaction == "" ||
		c.Balance(seller) != 10000 {
		t.Errorf("%+v %v, the seller has %d", second, err, c.Balance(seller))
	}
}

// Its account's owner has another transaction under a settlement's nonce: the settlement can be mined no more, and that
// is said once the node has been asked often enough.
func TestAgents_FacilitatorLosesItsNonce(t *testing.T) {
	c := x402test.NewChain(t)
	f := c.Facilitator(func(config *facilitator.Config) {
		config.Wait, config.Lost = time.Millisecond, time.Millisecond
	})
	seller := x402test.NewKey(t).Address
	r, _, _ := c.Pay(c.Buyer("1"), c.Offer("10000", seller))
	c.Automine(false)
	defer c.Automine(true)
	first, err := f.Settle(t.Context(), r)
	if err != nil || !first.Pending() {
		t.Fatalf("%+v %v", first, err)
	}
	raw, err := evm.SignTx(evm.Tx{
		Type: evm.DynamicFee, ChainID: c.Network.ChainID, MaxFeePerGas: big.NewInt(1e12),
		MaxPriorityFeePerGas: big.NewInt(1e11), GasLimit: 21000, To: &seller, Value: big.NewInt(1),
	}, f.Signer.Secret, f.Signer.Address())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Node.Send(t.Context(), raw); err != nil {
		t.Fatal(err)
	}
	c.Automine(true)
	f.Wait = testwait.Bound
	last, err := f.Settle(t.Context(), r)
	if err != nil || last.Success || last.ErrorReason != x402.ReasonInvalidTransaction || c.Balance(seller) != 0 {
		t.Errorf("%+v %v, the seller has %d", last, err, c.Balance(seller))
	}
}

// A block that had a settlement goes away: the same bytes are sent again.
func TestAgents_FacilitatorAfterReorg(t *testing.T) {
	c := x402test.NewChain(t)
	f, seller := c.Facilitator(), x402test.NewKey(t).Address
	r, _, _ := c.Pay(c.Buyer("1"), c.Offer("10000", seller))
	receipt, err := f.Settle(t.Context(), r)
	settled(t, receipt, err)
	if err := c.Devnet.Reorg(t.Context(), x402test.Slug, 1, true); err != nil {
		t.Fatal(err)
	}
	if c.Balance(seller) != 0 {
		t.Fatal("the reorg dropped nothing")
	}
	testwait.Until(t, "it is sent again", func() bool { return c.Balance(seller) == 10000 })
}

// Without coins for gas nothing is signed, and nothing is said of the payment.
func TestAgents_FacilitatorWithoutGas(t *testing.T) {
	c := x402test.NewChain(t)
	f := c.FacilitatorOf(&x402test.Signer{Key: x402test.NewKey(t)})
	r, _, _ := c.Pay(c.Buyer("1"), c.Offer("10000", x402test.NewKey(t).Address))
	if got, err := f.Settle(t.Context(), r); err == nil || got.Success || f.Signer.Signs != 0 || f.Waiting() != 0 {
		t.Errorf("%+v %v", got, err)
	}
}

// Two processes on one folder would sign under one nonce.
func TestFacilitatorHoldsItsFolder(t *testing.T) {
	c := x402test.NewChain(t)
	folder := t.TempDir()
	f := c.Facilitator(func(config *facilitator.Config) { config.Folder = folder })
	config := f.Config
	if _, err := facilitator.Open(t.Context(), config); err == nil || !strings.Contains(err.Error(), "another") {
		t.Errorf("a second one: %v", err)
	}
}

func TestFacilitatorHTTP(t *testing.T) {
	c := x402test.NewChain(t)
	f, seller := c.Facilitator(), x402test.NewKey(t).Address
	ask := func(method, path, body string) (int, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(context.Background(), method, f.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		var out json.RawMessage
		if err := json.NewDecoder(res.Body).Decode(&out); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		return res.StatusCode, string(out)
	}
	for _, q := range []struct {
		method, path, body string
		status             int
		has                string
	}{
		{"POST", "/verify", `{`, 400, `"invalidReason":"invalid_payload"`},
		{"POST", "/settle", `[]`, 400, `"errorReason":"invalid_payload"`},
		{"POST", "/settle", strings.Repeat(" ", 70_000), 400, `"errorReason":"invalid_payload"`},
		{"POST", "/verify", `{}`, 200, `"invalidReason":"invalid_x402_version"`},
		{"POST", "/settle", `{"x402Version":2,"paymentPayload":{},"paymentRequirements":{}}`, 200, `"invalid_payload"`},
		{"GET", "/supported", "", 200, `"network":"eip155:84532"`},
		{"GET", "/supported", "", 200, `"extensions":["bazaar"]`},
		{"GET", "/healthz", "", 200, `"ready":true`},
		{"GET", "/discovery/resources", "", 200, `"items":[]`},
		{"GET", "/discovery/resources?limit=0", "", 400, `limit`},
		{"GET", "/discovery/resources?offset=-1", "", 400, `offset`},
	} {
		if status, body := ask(q.method, q.path, q.body); status != q.status || !strings.Contains(body, q.has) {
			t.Errorf("%s %.40s: %d %s", q.path, q.body, status, body)
		}
	}
	list(t, c, f, seller)
	status, body := ask("GET", "/discovery/resources?limit=1&type=http", "")
	if status != 200 || !strings.Contains(body, `"total":2`) || strings.Count(body, `"lastUpdated"`) != 1 ||
		!strings.Contains(body, `"resource":"https://shop.example/people/:id"`) || strings.Contains(body, "Ana") {
		t.Errorf("%d %s", status, body)
	}
	if status, body = ask("GET", "/discovery/resources?limit=1&offset=1", ""); !strings.Contains(body, `example/1"`) {
		t.Errorf("%d %s", status, body)
	}
	if status, body = ask("GET", "/discovery/resources?type=mcp", ""); !strings.Contains(body, `"total":0`) {
		t.Errorf("%d %s", status, body)
	}
}

// list settles three payments; the shops of two of them ask to be listed.
func list(t *testing.T, c *x402test.Chain, f *x402test.Facilitator, seller [20]byte) {
	t.Helper()
	buyer := c.Buyer("1")
	for i, extension := range []string{
		`,"extensions":{"bazaar":{"info":{"input":{"type":"http","method":"GET"}},"schema":{}}}}`,
		`,"extensions":{"bazaar":{"info":{"input":{"type":"http","method":"GET","pathParams":{"id":"Ana"}}},"schema":{},` +
			`"routeTemplate":"/people/:id"}}}`, `}`,
	} {
		r, _, _ := c.Pay(buyer, c.Offer("10000", seller))
		about := fmt.Sprintf(`,"resource":{"url":"https://shop.example/%d?name=Ana#here"}`, i+1)
		r.Payload = []byte(strings.TrimSuffix(string(r.Payload), "}") + about + extension)
		receipt, err := f.Settle(t.Context(), r)
		settled(t, receipt, err)
	}
}

// With a token, only who has it is served, except to say whether the facilitator is well.
func TestAgents_FacilitatorToken(t *testing.T) {
	c := x402test.NewChain(t)
	f := c.Facilitator()
	h := f.Handler("secret", "another")
	for header, want := range map[string]int{
		"": 401, "Bearer": 401, "Bearer other": 401, "secret": 401, "Bearer secret": 200, "Bearer another": 200,
	} {
		if got := x402test.Status(h, "GET", "/supported", header); got != want {
			t.Errorf("%q: %d", header, got)
		}
	}
	if got := x402test.Status(h, "GET", "/healthz", ""); got != 200 {
		t.Errorf("healthz: %d", got)
	}
}
