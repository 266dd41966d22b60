package sandbox_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/bridge"
	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/money"
)

// client is the server's own, which has to make sense of what goes wrong.
func (p *partner) client() *bridge.Client {
	p.t.Helper()
	c, err := bridge.New(bridge.Config{URL: p.url, Key: p.key, Timeout: time.Second})
	if err != nil {
		p.t.Fatal(err)
	}
	return c
}

func (p *partner) fault(f control.Fault) {
	p.t.Helper()
	if err := p.control.Fault(p.t.Context(), f); err != nil {
		p.t.Fatal(err)
	}
}

// Every fault comes as often as it was asked for, is met by the client as what it
// is, and afterwards the same key has one effect.
func TestPartner_Faults(t *testing.T) {
	p := onChain(t)
	s := p.setup()
	p.deposit(s, "500")
	c, ctx := p.client(), t.Context()
	for _, f := range []struct {
		control.Fault
		want error
	}{
		{control.Fault{Kind: "unavailable"}, fiat.ErrUnavailable},
		{control.Fault{Kind: "unavailable", Status: 500}, fiat.ErrUnavailable},
		{control.Fault{Kind: "unavailable", RetryAfter: 2}, fiat.ErrBusy},
		{control.Fault{Kind: "rate_limited", RetryAfter: 3}, fiat.ErrBusy},
		{control.Fault{Kind: "slow", DelayMs: 3000}, fiat.ErrUnavailable},
		{control.Fault{Kind: "truncated"}, fiat.ErrAnswer},
		{control.Fault{Kind: "lost_answer"}, fiat.ErrUnavailable},
		{control.Fault{Kind: "amount_mismatch"}, fiat.ErrAnswer},
		{control.Fault{Kind: "currency_mismatch"}, fiat.ErrAnswer},
	} {
		f.Times, f.Method, f.Path = 1, http.MethodPost, "/v0/transfers"
		p.fault(f.Fault)
		if f.Kind == "lost_answer" { // Go itself asks again, once
			p.fault(f.Fault)
		}
		q := s.request(uuid.NewString())
		if f.Kind == "amount_mismatch" {
			q.Gross, q.Net = money.Amount{}, money.Of(10_000, money.MXN)
		}
		key := uuid.NewString()
		if _, err := c.CreateTransfer(ctx, key, q); !errors.Is(err, f.want) {
			t.Errorf("%s: %v, want %v", f.Kind, err, f.want)
		}
		made, err := c.CreateTransfer(ctx, key, q)
		if err != nil {
			t.Fatalf("%s: asked again: %v", f.Kind, err)
		}
		p.reaches(made.ID, "payment_processed")
		p.paid(q.Reference, 1, 0)
	}
	p.fault(control.Fault{Kind: "unknown_state", Path: "/v0/transfers/"})
	made, err := c.CreateTransfer(ctx, uuid.NewString(), s.request(uuid.NewString()))
	if err != nil {
		t.Fatal(err)
	}
	if now, err := c.Transfer(ctx, made.ID); err != nil || now.State != fiat.TransferInReview {
		t.Errorf("in an unknown state: %v, %v", now.State, err)
	}
	if err := p.control.ClearFaults(ctx); err != nil {
		t.Fatal(err)
	}
	p.fault(control.Fault{Kind: "id_reused", Times: 1})
	second, err := c.CreateTransfer(ctx, uuid.NewString(), s.request(uuid.NewString()))
	if err != nil || second.ID != made.ID {
		t.Errorf("with the id of another: %v, %v", second.ID == made.ID, err)
	}
	var refusal *control.Error
	if err := p.control.Fault(ctx, control.Fault{Kind: "gremlins"}); !errors.As(err, &refusal) || refusal.Code != "invalid_parameters" {
		t.Errorf("an unknown fault: %v", err)
	}
	p.balanced()
}

func (s setup) request(reference string) fiat.TransferRequest {
	return fiat.TransferRequest{
		CustomerID: s.customer, WalletID: s.wallet, Reference: reference, Chain: "base",
		Source: money.USDC, Gross: money.Of(10_000_000, money.USDC), Fee: money.Of(75_000, money.USDC),
		Destination: money.MXN, Rail: fiat.SPEI, AccountID: s.account,
	}
}

// What is done to a transfer by hand, at each of its states.
func TestPartner_TransferControls(t *testing.T) {
	p := onChain(t)
	s := p.setup()
	p.deposit(s, "500")
	ctx := t.Context()
	transfer := func(account string) string {
		t.Helper()
		to := s
		to.account = account
		return text(p.made("/v0/transfers", to.transfer(object{"amount": "10"})), "id")
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	held := transfer(s.account)
	must(p.control.Review(ctx, held))
	must(p.control.Clear(ctx, held))
	must(p.control.Fail(ctx, held, control.Why{Code: "01"}))
	if r := p.reaches(held, "refunded"); text(r, "return_details", "code") != "01" || text(r, "return_details", "reason") != "non_existing_account" ||
		text(r, "return_details", "refunded_amount") != "9.250000" {
		t.Errorf("failed: %v", r["return_details"])
	}
	done := transfer(s.account)
	p.reaches(done, "payment_processed")
	must(p.control.Return(ctx, done, control.Why{}))
	if r := p.reaches(done, "refunded"); text(r, "return_details", "code") != "03" {
		t.Errorf("returned: %v", r["return_details"])
	}
	early := transfer(s.account)
	must(p.control.Delay(ctx, early, time.Hour))
	must(p.control.Return(ctx, early, control.Why{Code: "02"}))
	must(p.control.Advance(ctx, 30*time.Minute))
	if got := p.got("/v0/transfers/" + early)["state"]; got != "funds_received" {
		t.Errorf("half an hour into its delay it is %v", got)
	}
	must(p.control.Advance(ctx, time.Hour))
	if got := p.got("/v0/transfers/" + early); got["state"] != "refunded" || text(got, "return_details", "reason") != "blocked_account" {
		t.Errorf("after its delay it is %v, %v", got["state"], got["return_details"])
	}
	async, back := transfer(p.bankAccount(s, "AsyncFailed Ruiz")), transfer(p.bankAccount(s, "Ana Returned"))
	p.reaches(async, "refunded")
	p.reaches(back, "refunded")
	var e *control.Error
	for what, err := range map[string]error{
		"clear what is over": p.control.Clear(ctx, done), "fail what is over": p.control.Fail(ctx, done, control.Why{}),
		"a code of another rail": p.control.Return(ctx, transfer(s.account), control.Why{Code: "R02"}), "nothing": p.control.Clear(ctx, "none"),
	} {
		if !errors.As(err, &e) || e.Status/100 != 4 {
			t.Errorf("%s: %v", what, err)
		}
	}
	p.balanced()
}

// The desk moves when it is told to, and a transfer has the rate of its creation.
func TestPartner_Desk(t *testing.T) {
	p := open(t)
	ctx := t.Context()
	rate := func() object { return p.got("/v0/exchange_rates?from=usdc&to=mxn") }
	if r := rate(); r["midmarket_rate"] != "18.1" || r["sell_rate"] != "18.0095" || r["buy_rate"] != "18.1905" {
		t.Errorf("the desk asks %v", r)
	}
	if r := p.got("/v0/exchange_rates?from=eur&to=usd"); r["midmarket_rate"] != "1.08695652" {
		t.Errorf("from euro: %v", r)
	}
	stale := int64(600)
	if err := p.control.SetDesk(ctx, control.Desk{PerUSD: map[string]string{"mxn": "20"}, StaleForSeconds: &stale}); err != nil {
		t.Fatal(err)
	}
	r := rate()
	at, err := time.Parse(time.RFC3339, text(r, "updated_at"))
	if r["midmarket_rate"] != "20" || err != nil || time.Since(at) < 599*time.Second {
		t.Errorf("moved and old: %v, %v", r, err)
	}
	p.stop()
	p.start()
	if rate()["midmarket_rate"] != "20" {
		t.Error("a restart forgets the rate")
	}
	for what, d := range map[string]control.Desk{
		"rate": {PerUSD: map[string]string{"mxn": "-1"}}, "currency": {PerUSD: map[string]string{"mxn": "x"}}, "spread": {BasisPoints: map[string]int64{"mxn": 2000}},
	} {
		if err := p.control.SetDesk(ctx, d); err == nil {
			t.Errorf("a desk with a wrong %s", what)
		}
	}
	p.refused("currency", http.MethodGet, "/v0/exchange_rates?from=usdc&to=xyz", nil, 400, "invalid_parameters", "")
}
