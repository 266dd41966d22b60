package x402pay_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/rest"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/x402"
	"github.com/railkit/railkit/x402/shop"
)

func solKey(b byte) (ed25519.PrivateKey, string) {
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{b}, ed25519.SeedSize))
	return key, solana.Address(key.Public().(ed25519.PublicKey)).String()
}

// stand is a platform, a chain of Solana with two nodes, and a seller of its own who signs as the sponsor does.
type stand struct {
	*apptest.App
	t       *testing.T
	client  *railkit.Client
	owner   apptest.Owner
	bot     *railkit.AgentClient
	id      string
	address string // of the agent on Solana
	chain   *apptest.Solana
	usdc    chain.Token
	network chain.Network
	seller  string
	sponsor ed25519.PrivateKey
	server  *httptest.Server

	mu      sync.Mutex
	offers  func(x402.Offer) x402.Offer // what the seller makes of its offer
	paid    func(w http.ResponseWriter, tx solana.Transaction)
	headers []string
	away    bool // the facilitator answers nothing
}

func newStand(t *testing.T) *stand {
	t.Helper()
	s := &stand{t: t}
	s.network, _ = chain.BySlug(chain.Sandbox, "solana")
	s.usdc, _ = s.network.TokenBySymbol("USDC")
	s.chain = apptest.NewSolana(t)
	s.server = httptest.NewServer(http.HandlerFunc(s.sell))
	facilitator := httptest.NewServer(http.HandlerFunc(s.facilitate))
	t.Cleanup(func() {
		s.server.Close()
		facilitator.Close()
	})
	s.offers, s.paid = func(o x402.Offer) x402.Offer { return o }, s.settle
	place := strings.TrimPrefix(s.server.URL, "http://")
	s.App = apptest.Rig(t, func(c *apptest.Config) {
		c.FetchLocal, c.FacilitatorURL = place, facilitator.URL
		s.chain.Nodes(c)
	})
	s.Edit("UPDATE workspaces SET agent_limit_standard = 100000, agent_limit_financial = 100000")
	var sponsor string
	s.sponsor, sponsor = solKey(2)
	_, s.seller = solKey(3)
	s.control("requestAirdrop", sponsor, 1_000_000_000)
	s.control("dev_faucet", s.seller, "USDC", "1")
	s.client = s.Client()
	s.owner = s.Register(s.client, "solana-buyer@example.com")
	made, err := s.client.Agents.Create(ctx, s.owner.Passkey, railkit.AgentRequest{
		Name: "Buyer", SubOrganizationID: s.owner.Sub.SubOrganizationID,
		AgentReach: railkit.AgentReach{
			AllowedChains: []string{"solana"}, AnyRecipient: true,
			AllowedHosts: []string{place, strings.TrimPrefix(s.BaseURL, "http://")},
		},
		Budget: railkit.AgentBudget{
			InfraMonthlyUSD: "1", TokensMonthlyUSD: "1", PaymentsMonthlyUSDC: "0.05", ApprovalThresholdUSDC: "0.03",
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.id = made.AgentID
	if s.bot, err = railkit.NewAgentClient(railkit.AgentConfig{
		BaseURL: s.BaseURL, AgentID: made.AgentID, Secret: made.AgentSecret, HTTPSignatures: true,
		HTTPClient: &http.Client{Timeout: time.Minute},
	}); err != nil {
		t.Fatal(err)
	}
	wallet, err := s.client.Agents.Wallet(ctx, s.id)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range wallet.Networks {
		if n.Network == "solana" {
			s.address = n.Address
		}
	}
	s.control("dev_faucet", s.address, "USDC", "1")
	return s
}

// control asks node a of the chain.
func (s *stand) control(method string, params ...any) json.RawMessage {
	s.t.Helper()
	return s.chain.Control("a", method, params...)
}

// has is what an owner has, in millionths of a USDC.
func (s *stand) has(owner string) string {
	s.t.Helper()
	at, err := solana.ParseAddress(owner)
	mint, also := solana.ParseAddress(s.usdc.Address)
	if err != nil || also != nil {
		s.t.Fatal(err, also)
	}
	var a struct{ Value struct{ Amount string } }
	raw := s.control("getTokenAccountBalance", solana.AssociatedAddress(at, mint, solana.TokenProgram).String())
	if err := json.Unmarshal(raw, &a); err != nil {
		s.t.Fatal(err)
	}
	return a.Value.Amount
}

// sell asks for 0.01 USDC, and hands what pays to paid.
func (s *stand) sell(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	change, paid := s.offers, s.paid
	s.mu.Unlock()
	if r.URL.Path == "/sky" {
		_, _ = w.Write([]byte("blue"))
		return
	}
	p, found, err := x402.ReadPayment(r.Header)
	if found && err == nil && p.Transaction != nil {
		s.mu.Lock()
		s.headers = append(s.headers, r.Header.Get(x402.HeaderPayment))
		s.mu.Unlock()
		paid(w, *p.Transaction)
		return
	}
	o := shop.Exactly(s.network, s.usdc, "10000", s.seller)
	_, o.Extra.FeePayer = solKey(2)
	text, err := x402.EncodeHeader(map[string]any{
		"x402Version": 2, "accepts": []x402.Offer{change(o)},
		"resource": map[string]string{"url": s.server.URL + r.URL.Path},
	})
	if err != nil {
		s.t.Error(err)
	}
	w.Header().Set(x402.HeaderRequired, text)
	w.WriteHeader(http.StatusPaymentRequired)
}

// send signs a transaction as the sponsor, and sends it.
func (s *stand) send(tx solana.Transaction) {
	message, err := tx.Message.Encode()
	if err != nil {
		s.t.Error(err)
	}
	whole, err := tx.Attach(tx.Keys[0], solana.Signature(ed25519.Sign(s.sponsor, message)))
	if err != nil {
		s.t.Error(err)
	}
	raw, err := whole.Encode()
	if err != nil {
		s.t.Error(err)
	}
	body, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "sendTransaction", "params": []any{
		base64.StdEncoding.EncodeToString(raw), map[string]any{"encoding": "base64"},
	}})
	res, err := http.Post(s.chain.URL+"/a", "application/json", bytes.NewReader(body))
	if err != nil {
		s.t.Error(err)
		return
	}
	_ = res.Body.Close()
}

func (s *stand) settle(w http.ResponseWriter, tx solana.Transaction) {
	s.send(tx)
	_, _ = w.Write([]byte("sunny"))
}

func (s *stand) set(offers func(x402.Offer) x402.Offer, paid func(http.ResponseWriter, solana.Transaction)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.offers, s.paid = offers, paid
}

func (s *stand) buy(q railkit.X402Request) (*railkit.X402Answer, error) {
	if q.URL == "" && q.PaymentID == "" && q.ResourceURL == "" && q.PaymentRequirement == nil {
		q.URL, q.MaxAmount = s.server.URL+"/weather", "10000"
	}
	return s.bot.PayX402(ctx, q)
}

func (s *stand) endsAs(id, state string) *railkit.X402Payment {
	s.t.Helper()
	var got *railkit.X402Payment
	testwait.Until(s.t, state, func() (ok bool) {
		p, err := s.bot.X402Payment(ctx, id)
		got = p
		return err == nil && p.State == state
	})
	return got
}

func (s *stand) spentIs(want string) {
	s.t.Helper()
	b, err := s.bot.Budget(ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	if got := b.Layers.Payments.Spent.String() + " less " + b.Layers.Payments.Unused.String(); got != want {
		s.t.Errorf("spent %s, want %s", got, want)
	}
}

// An agent buys on Solana: the sponsor pays the fee, the chain tells which transaction it was, and nobody could tell
// before. What is paid for and asked for again is not paid for again.
func TestAgents_X402BuysOnSolana(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	bought, err := s.buy(railkit.X402Request{})
	if err != nil {
		t.Fatal(err)
	}
	p := bought.Payment
	if bought.Status != 200 || bought.Body != "sunny" || p == nil || p.State != "settled" || p.Tx == "" ||
		p.ValidBefore != nil || p.LastHeight == nil || p.Amount != "10000" || !p.Delivered {
		t.Fatalf("%+v, %+v", bought, p)
	}
	if s.has(s.seller) != "1010000" || s.has(s.address) != "990000" {
		t.Errorf("the seller has %s, the agent %s", s.has(s.seller), s.has(s.address))
	}
	s.spentIs("0.01 less 0")
	if got, err := s.buy(railkit.X402Request{PaymentID: p.ID}); err != nil || !got.Payment.Delivered {
		t.Errorf("%+v, %v", got, err)
	}
	if len(s.headers) != 1 {
		t.Errorf("the seller was paid %d times", len(s.headers))
	}
}

// What the seller did not take in time is unused, and stays counted: the next payment is another message. The same
// payment is sent again meanwhile, and never a second one.
func TestAgents_X402UnusedOnSolana(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	s.set(s.offers, func(w http.ResponseWriter, _ solana.Transaction) { w.WriteHeader(http.StatusBadGateway) })
	got, err := s.buy(railkit.X402Request{})
	if err != nil || got.Payment.State != "signed" || got.Payment.Delivered {
		t.Fatalf("%+v, %v", got, err)
	}
	if _, err := s.buy(railkit.X402Request{PaymentID: got.Payment.ID}); err != nil {
		t.Fatal(err)
	}
	for _, h := range s.headers {
		if h != s.headers[0] {
			t.Error("a second payment was signed for one call")
		}
	}
	s.control("dev_mine", 200)
	if p := s.endsAs(got.Payment.ID, "unused"); p.Tx != "" || p.Delivery != "undelivered" {
		t.Errorf("%+v", p)
	}
	s.spentIs("0.01 less 0")
	e := new(railkit.Error)
	_, err = s.buy(railkit.X402Request{PaymentID: got.Payment.ID})
	if !errors.As(err, &e) || e.Code != "x402_payment_over" {
		t.Errorf("%v", err)
	}
	s.set(s.offers, s.settle)
	if next, err := s.buy(railkit.X402Request{}); err != nil || next.Payment.State != "settled" {
		t.Errorf("%+v, %v", next, err)
	}
	s.spentIs("0.02 less 0")
}

// What a shop asks for that an agent cannot or may not pay is refused before anything is signed.
func TestAgents_X402LyingShopOnSolana(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	_, poor := solKey(9)
	mint, _ := solana.ParseAddress(s.usdc.Address)
	at, _ := solana.ParseAddress(s.seller)
	account := solana.AssociatedAddress(at, mint, solana.TokenProgram).String()
	const mainnet = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"
	long := strings.Repeat("m", 257)
	for name, c := range map[string]struct {
		change func(*x402.Offer)
		code   string
	}{
		"another mint":                 {func(o *x402.Offer) { o.Asset = poor }, "x402_no_offer"},
		"the fee of the buyer":         {func(o *x402.Offer) { o.Extra.FeePayer = s.address }, "x402_no_offer"},
		"the fee of nobody":            {func(o *x402.Offer) { o.Extra.FeePayer = "" }, "x402_no_offer"},
		"a sponsor without SOL":        {func(o *x402.Offer) { o.Extra.FeePayer = poor }, "would_fail"},
		"a payee without an account":   {func(o *x402.Offer) { o.PayTo = poor }, "would_fail"},
		"a token account":              {func(o *x402.Offer) { o.PayTo = account }, "would_fail"},
		"the buyer itself":             {func(o *x402.Offer) { o.PayTo = s.address }, "x402_no_offer"},
		"a memo that is too long":      {func(o *x402.Offer) { o.Extra.Memo = long }, "x402_no_offer"},
		"more than the agent allows":   {func(o *x402.Offer) { o.Amount = "10001" }, "x402_no_offer"},
		"a network of somebody else's": {func(o *x402.Offer) { o.Network = mainnet }, "x402_no_offer"},
	} {
		s.set(func(o x402.Offer) x402.Offer { c.change(&o); return o }, s.settle)
		got, err := s.buy(railkit.X402Request{})
		if e := new(railkit.Error); !errors.As(err, &e) || e.Code != c.code {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if len(s.headers) != 0 {
		t.Errorf("%d payments were sent", len(s.headers))
	}
	s.spentIs("0 less 0")
}

// A requirement that names nobody who pays the fee is the facilitator's to sponsor, and without its word not signed.
func TestAgents_X402SponsorUnknown(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	s.mu.Lock()
	s.away = true
	s.mu.Unlock()
	_, err := s.buy(railkit.X402Request{PaymentRequirement: &rest.X402Requirement{
		Amount: "0.01", Currency: "USDC", Network: "solana", Recipient: s.seller,
	}})
	if e := new(railkit.Error); !errors.As(err, &e) || e.Code != "x402_sponsor_unknown" {
		t.Error(err)
	}
	s.spentIs("0 less 0")
}

// Above the threshold the message is made with the vote.
func TestAgents_X402ApprovedOnSolana(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	if _, err := s.client.Agents.SetBudget(ctx, s.id, railkit.AgentBudgetChange{
		AgentBudget: railkit.AgentBudget{ApprovalThresholdUSDC: "0.009"},
	}); err != nil {
		t.Fatal(err)
	}
	_, err := s.buy(railkit.X402Request{})
	q := new(railkit.QueuedError)
	if !errors.As(err, &q) {
		t.Fatal(err)
	}
	s.control("dev_mine", 200) // no blockhash of before counts now
	if _, err := s.client.Approvals.Approve(ctx, s.owner.Passkey, q.ApprovalID, func(p *railkit.Preview) error {
		if len(p.Effects) != 1 || p.Effects[0].To != s.seller {
			t.Errorf("%+v", p)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	got, err := s.buy(railkit.X402Request{PaymentID: q.PaymentID})
	if err != nil || got.Body != "sunny" || got.Payment.State != "settled" {
		t.Errorf("%+v, %v", got, err)
	}
}

// facilitate answers as a facilitator that settles what it is sent: shops and platforms are tried with it, not the
// payments.
func (s *stand) facilitate(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	away := s.away
	s.mu.Unlock()
	if away {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	_, sponsor := solKey(2)
	network := x402.NetworkID(s.network)
	var answer any = map[string]any{"kinds": []any{map[string]any{
		"x402Version": 2, "scheme": "exact", "network": network, "extra": map[string]string{"feePayer": sponsor},
	}}, "extensions": []string{}, "signers": map[string]any{}}
	if r.Method == http.MethodPost {
		var in x402.Request
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			s.t.Error(err)
		}
		p, _, err := in.Parse()
		if err != nil || p.Transaction == nil {
			s.t.Error(err)
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		answer = map[string]any{"isValid": true, "payer": p.Payer()}
		if r.URL.Path == "/settle" {
			s.send(*p.Transaction)
			answer = map[string]any{"success": true, "transaction": "1", "network": network, "payer": p.Payer()}
		}
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// A skill is sold on Solana: its offers name the facilitator's fee payer, and an agent calls and pays for it in one go.
// A payee of another family than its network's is refused. Where a requirement names no fee payer, it is the
// facilitator's.
func TestAgents_X402SkillOnSolana(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	wallet, err := s.client.Wallets.Create(ctx, s.owner.Passkey, railkit.PrepareWalletRequest{
		WalletName: "Shop", SubOrganizationID: s.owner.Sub.SubOrganizationID,
	})
	if err != nil {
		t.Fatal(err)
	}
	payTo, err := s.client.Addresses.Create(ctx, s.owner.Passkey, railkit.PrepareAccountRequest{
		WalletID: wallet.WalletID, Chain: "solana",
	})
	if err != nil {
		t.Fatal(err)
	}
	s.control("dev_faucet", payTo.Address, "USDC", "1")
	request := railkit.SkillRequest{
		Name: "Sky", URL: s.server.URL + "/sky", IsPublic: true, CostUSDC: 1000, PayTo: payTo.Address, Network: "base",
	}
	e := new(railkit.Error)
	if _, err := s.client.Skills.Create(ctx, request); !errors.As(err, &e) || e.Code != "validation_failed" {
		t.Errorf("a payee of Solana on an EVM network: %v", err)
	}
	request.Network = "solana"
	skill, err := s.client.Skills.Create(ctx, request)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.client.Agents.AddTool(ctx, s.id, skill.ID); err != nil {
		t.Fatal(err)
	}
	answer, err := s.bot.ExecuteSkill(ctx, skill.ID, map[string]any{}, 1000)
	if err != nil || answer.Status != 200 || answer.Payment == nil || answer.Payment.PayTo != payTo.Address ||
		answer.Payment.Network != x402.NetworkID(s.network) || answer.Payment.Payer != s.address {
		t.Fatalf("%+v, %v", answer, err)
	}
	if s.has(payTo.Address) != "1001000" {
		t.Errorf("the seller has %s", s.has(payTo.Address))
	}
	older, err := s.buy(railkit.X402Request{PaymentRequirement: &rest.X402Requirement{
		Amount: "0.01", Currency: "USDC", Network: "devnet", Recipient: s.seller, Memo: "order-7",
	}})
	if err != nil || older.PaymentHeaderName != "X-Payment" || older.Payment.Network != "solana" {
		t.Fatalf("%+v, %v", older, err)
	}
	p, _, err := x402.ReadPayment(http.Header{"X-Payment": {older.PaymentHeader}})
	if _, sponsor := solKey(2); err != nil || p.Transaction.Keys[0].String() != sponsor || p.Payer() != s.address {
		t.Fatalf("%+v, %v", p, err)
	}
	s.send(*p.Transaction)
	s.endsAs(older.Payment.ID, "settled")
}
