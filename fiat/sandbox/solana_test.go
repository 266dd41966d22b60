package sandbox_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"sync"
	"testing"

	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/localnet"
	"github.com/railkit/railkit/fiat/sandbox"
	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/internal/test/solanatest"
)

// solanaPayee is an owner there, who has nothing at the beginning.
const solanaPayee = "9B5XszUGdMaxCZ7uSQhPzdks5ZQSmWxrmzCSvtJ6Ns6g"

// onSolana starts a partner on a chain of Solana of its own.
func onSolana(t *testing.T) (*partner, *solanatest.Chain) {
	t.Helper()
	c, devnet := solanatest.New(t)
	return start(t, sandbox.Config{DevnetURL: devnet}), c
}

// payerTo is a customer with a virtual account whose coins go to an address on Solana.
func (p *partner) payerTo(address string) payer {
	p.t.Helper()
	a := payer{partner: p, address: address, customer: text(p.customer(), "id")}
	v := p.made("/v0/customers/"+a.customer+"/virtual_accounts", object{
		"source":      object{"currency": "mxn"},
		"destination": object{"payment_rail": "solana", "currency": "usdc", "address": address},
	})
	a.account, a.number = text(v, "id"), text(v, "source_deposit_instructions", "clabe")
	return a
}

// A deposit on Solana is what the address's own account of a listed mint has more, whatever moved it. Nothing else is
// one: a mint that looks alike, another account of the address, SOL, a transaction that failed. What comes of another
// listed token is told, and credits nobody. Each counts once, also what came while nobody looked.
func TestPartner_SolanaDeposits(t *testing.T) {
	t.Parallel()
	p, c := onSolana(t)
	s := p.on("solana", "usdc")
	to, err := solana.ParseAddress(s.address)
	if err != nil || !to.OnCurve() {
		t.Fatalf("the address %s: %v", s.address, err)
	}
	rich := c.Rich()
	c.PaysAlike(rich, to, 500_000_000)
	c.PaysAside(rich, to, "USDC", 400_000_000)
	c.Fails(rich, to, "USDC", 300_000_000)
	c.Gives(s.address, "native", "2")
	other := c.Pays(rich, to, "USDT", 7_000_000)
	first := c.Pays(rich, to, "USDC", 5_000_000)
	p.eventually("the deposits are told", func() bool {
		all := p.drains(s)
		return len(all) == 2 && all[0]["state"] == "payment_processed"
	})
	p.stop()
	second := c.Pays(rich, to, "USDC", 6_000_000)
	c.Ask(nil, "dev_skip", 40)
	c.Ask(nil, "dev_mine", 30)
	p.start()
	p.eventually("what came while nobody looked counts", func() bool {
		all := p.drains(s)
		return len(all) == 3 && all[0]["state"] == "payment_processed"
	})
	for i, want := range []struct{ hash, currency, amount, state string }{
		{second, "usdc", "6.000000", "payment_processed"}, {first, "usdc", "5.000000", "payment_processed"},
		{other, "usdt", "7.000000", "undeliverable"},
	} {
		d := p.drains(s)[i]
		if d["deposit_tx_hash"] != want.hash || d["currency"] != want.currency || d["amount"] != want.amount ||
			d["state"] != want.state || text(d, "source", "from_address") != rich.String() {
			t.Errorf("drain %d is %v, want %v", i, d, want)
		}
	}
	p.holds(s, "11.000000")
	p.balanced()
}

// What the treasury signs on Solana is sent until it is in a block. Only once no block can have it any more, by the
// height and by all that the node has, another message is made: the coins are sent once, whoever loses what.
func TestPartner_SolanaPaymentExpires(t *testing.T) {
	t.Parallel()
	c, devnet := solanatest.New(t)
	sent := watched(t, devnet)
	p := start(t, sandbox.Config{DevnetURL: sent.url})
	a := p.payerTo(solanaPayee)
	c.SetView(localnet.View{Loses: true})
	d := a.pays(control.BankDeposit{Amount: "1000"})
	p.eventually("it is sent again and again", func() bool { return sent.count() > 3 })
	a.counted("on its way", d.ID, 1, 0)
	if all := a.events(d.ID); len(all) != 1 {
		t.Errorf("a hash is told that may not stay: %v", all)
	}
	p.stop()
	c.Ask(nil, "dev_mine", 140)
	p.start()
	before := sent.count()
	p.eventually("the same is sent after a restart", func() bool { return sent.count() > before+2 })
	if n := len(sent.messages()); n != 1 {
		t.Errorf("%d messages before the first has expired", n)
	}
	c.Ask(nil, "dev_mine", 20)
	c.SetView(localnet.View{})
	if got := a.told(d.ID, "payment_processed"); got != paidOut {
		t.Error(got)
	}
	is, err := p.control.FindDeposit(t.Context(), d.ID)
	if got := c.Holds(solanaPayee, "USDC"); err != nil || len(is.Hashes) != 1 || got != minor(t, is.PaymentAmount) {
		t.Errorf("%d arrived of %+v (%v)", got, is, err)
	}
	if n := len(sent.messages()); n != 2 {
		t.Errorf("%d messages, want the one that expired and another", n)
	}
	a.counted("in the end", d.ID, 1, 0)
}

// A message that is in a block which the node hides is not made again: the node has not looked at all blocks.
func TestPartner_SolanaPaymentHidden(t *testing.T) {
	t.Parallel()
	c, devnet := solanatest.New(t)
	sent := watched(t, devnet)
	p := start(t, sandbox.Config{DevnetURL: sent.url})
	a := p.payerTo(solanaPayee)
	c.SetView(localnet.View{Unfinalized: 1}) // what is in the newest block counts with the next one
	d := a.pays(control.BankDeposit{Amount: "1000"})
	p.eventually("it is sent", func() bool {
		c.Ask(nil, "dev_mine", 1)
		return sent.count() > 0
	})
	c.SetView(localnet.View{NoHistory: true, Keeps: 50})
	c.Ask(nil, "dev_mine", 200)
	before := sent.count()
	p.eventually("it is still open", func() bool { return sent.count() > before+2 })
	c.SetView(localnet.View{})
	if got := a.told(d.ID, "payment_processed"); got != paidOut {
		t.Error(got)
	}
	if n := len(sent.messages()); n != 1 {
		t.Errorf("%d messages", n)
	}
	a.counted("once", d.ID, 1, 0)
}

// Whoever cannot be paid is found before anything is signed: money goes back to the bank, or into the wallet.
func TestPartner_SolanaPayeeRefused(t *testing.T) {
	t.Parallel()
	p, c := onSolana(t)
	away := c.Rich()
	c.GivesAway(away, "USDC", c.Rich().Address)
	a := p.payerTo(away.String())
	d := a.pays(control.BankDeposit{Amount: "1000"})
	if got := a.told(d.ID, "refunded"); got != goneOut {
		t.Error(got)
	}
	a.counted("refused", d.ID, 0, 1)
	s := p.on("solana", "usdc")
	c.Gives(s.address, "USDC", "20")
	p.eventually("the deposit is in the wallet", func() bool {
		all := p.drains(s)
		return len(all) == 1 && all[0]["state"] == "payment_processed"
	})
	to := func(address string) object {
		return s.transfer(object{"amount": "12.5", "developer_fee": nil, "destination": object{
			"payment_rail": "solana", "currency": "usdc", "to_address": address,
		}})
	}
	back := p.reaches(text(p.made("/v0/transfers", to(away.String())), "id"), "refunded")
	if text(back, "return_details", "refunded_amount") != "12.500000" {
		t.Errorf("%v", back)
	}
	p.holds(s, "20.000000")
	for what, address := range map[string]string{
		"an address of another chain": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
		"a mint":                      solanatest.Mint("USDC").String(), "a program": solana.TokenProgram.String(),
		"letters that are none": "9B5XszUGdMaxCZ7uSQhPzdks5ZQSmWxrmzCSvtJ6Ns60",
	} {
		p.refused(what, http.MethodPost, "/v0/transfers", to(address), 400, "invalid_parameters",
			"destination.to_address")
	}
}

// sentMessages is what a partner sends to its node.
type sentMessages struct {
	url string
	mu  sync.Mutex
	all []string
}

// watched stands in front of a devnet, and keeps what is sent.
func watched(t *testing.T, devnet string) *sentMessages {
	t.Helper()
	target, err := url.Parse(devnet)
	if err != nil {
		t.Fatal(err)
	}
	s := &sentMessages{}
	proxy := httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return // who asked is gone
		}
		var q struct {
			Method string
			Params []json.RawMessage
		}
		if json.Unmarshal(raw, &q) == nil && q.Method == "sendTransaction" {
			s.mu.Lock()
			s.all = append(s.all, string(q.Params[0]))
			s.mu.Unlock()
		}
		r.Body = io.NopCloser(bytes.NewReader(raw))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *sentMessages) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.all)
}

// messages are the different ones.
func (s *sentMessages) messages() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Clone(s.all)
	slices.Sort(all)
	return slices.Compact(all)
}
