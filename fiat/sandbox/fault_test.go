package sandbox_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat/sandbox/control"
)

// A fault that nobody knows is refused.
func TestPartner_UnknownFault(t *testing.T) {
	t.Parallel()
	p := open(t)
	var refusal *control.Error
	if err := p.control.Fault(t.Context(), control.Fault{Kind: "gremlins"}); !errors.As(err, &refusal) ||
		refusal.Code != "invalid_parameters" {
		t.Errorf("an unknown fault: %v", err)
	}
}

// What is done to a transfer by hand, at each of its states.
func TestPartner_TransferControls(t *testing.T) {
	t.Parallel()
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
	if r := p.reaches(held, "refunded"); text(r, "return_details", "code") != "01" ||
		text(r, "return_details", "reason") != "non_existing_account" ||
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
	if got := p.got("/v0/transfers/" + early); got["state"] != "refunded" ||
		text(got, "return_details", "reason") != "blocked_account" {
		t.Errorf("after its delay it is %v, %v", got["state"], got["return_details"])
	}
	async, back := transfer(p.bankAccount(s, "AsyncFailed Ruiz")), transfer(p.bankAccount(s, "Ana Returned"))
	p.reaches(async, "refunded")
	p.reaches(back, "refunded")
	var e *control.Error
	for what, err := range map[string]error{
		"clear what is over": p.control.Clear(ctx, done), "fail what is over": p.control.Fail(ctx, done, control.Why{}),
		"a code of another rail": p.control.Return(ctx, transfer(s.account), control.Why{Code: "R02"}),
		"nothing":                p.control.Clear(ctx, "none"),
	} {
		if !errors.As(err, &e) || e.Status/100 != 4 {
			t.Errorf("%s: %v", what, err)
		}
	}
	p.balanced()
}

// The desk moves when it is told to, and a transfer has the rate of its creation.
func TestPartner_Desk(t *testing.T) {
	t.Parallel()
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
	if err := p.control.SetDesk(ctx, control.Desk{
		PerUSD: map[string]string{"mxn": "20"}, StaleForSeconds: &stale,
	}); err != nil {
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
		"rate": {PerUSD: map[string]string{"mxn": "-1"}}, "currency": {PerUSD: map[string]string{"mxn": "x"}},
		"spread": {BasisPoints: map[string]int64{"mxn": 2000}},
	} {
		if err := p.control.SetDesk(ctx, d); err == nil {
			t.Errorf("a desk with a wrong %s", what)
		}
	}
	p.refused("currency", http.MethodGet, "/v0/exchange_rates?from=usdc&to=xyz", nil, 400, "invalid_parameters", "")
}
