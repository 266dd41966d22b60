package railkit_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// seller is an owner with 1000 USDC on base, and what a swap of ten of them asks for.
type seller struct {
	*apptest.App
	owner apptest.Owner
	ask   railkit.SwapRequest
}

func newSeller(t *testing.T) seller {
	t.Helper()
	return sellerOf(apptest.Rig(t), "seller@example.com")
}

func sellerOf(a *apptest.App, email string) seller {
	owner := a.Fund(a.Client(), email)
	return seller{a, owner, railkit.SwapRequest{
		ChainID: 84532, FromToken: "USDC", ToToken: "WETH", Amount: "10", SignWith: owner.Address.Address,
	}}
}

// holds is what the node says that the seller has of a token.
func (s seller) holds(symbol string) *big.Int {
	return s.Holds("base", symbol, s.owner.Address.Address)
}

func (s seller) quoted(t *testing.T, req railkit.SwapRequest) railkit.SwapRequest {
	t.Helper()
	q, err := s.Client().Swaps.Quote(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	req.Minimum = q.MinimumAmountOut
	return req
}

// Ten USDC become WETH at the price that was quoted, and WETH the coin, and the router's allowance is zero afterwards.
func TestWidget_Swap(t *testing.T) {
	t.Parallel()
	s := newSeller(t)
	ask := s.quoted(t, s.ask)
	before := s.holds("USDC")
	done, err := s.Client().Swaps.Swap(t.Context(), s.owner.Passkey, ask)
	if err != nil || done.Step != railkit.SwapTrading {
		t.Fatalf("%+v, %v", done, err)
	}
	s.confirmed(t, done.TransactionID)
	spent := new(big.Int).Sub(before, s.holds("USDC"))
	least, _ := new(big.Int).SetString(ask.Minimum, 10)
	if spent.Int64() != 10_000_000 || s.holds("WETH").Cmp(least) < 0 {
		t.Errorf("sold %s, has %s WETH, wanted at least %s", spent, s.holds("WETH"), least)
	}
	if again, err := s.Client().Swaps.Prepare(t.Context(), ask); err != nil || again.Step != railkit.SwapApprove {
		t.Errorf("the allowance was not used up: %+v, %v", again, err)
	}
	back := s.ask
	back.FromToken, back.ToToken, back.Amount = "native", "USDC", "0.001"
	if p, err := s.Client().Swaps.Prepare(t.Context(), s.quoted(t, back)); err != nil || p.Step != railkit.SwapTrading {
		t.Errorf("a coin's swap asks for an allowance: %+v, %v", p, err)
	}
}

func (s seller) confirmed(t *testing.T, id string) {
	t.Helper()
	b, err := s.Client().Transactions.WaitConfirmed(t.Context(), id, 0)
	if err != nil || b.Status != "confirmed" {
		t.Fatalf("%+v, %v", b, err)
	}
}

// An allowance of another amount is taken back first. A swap whose minimum the pool no longer pays is not signed.
func TestWidget_SwapThatWouldFail(t *testing.T) {
	t.Parallel()
	s := newSeller(t)
	c := s.Client()
	step := func(want string, req railkit.SwapRequest) (*railkit.SwapStep, error) {
		t.Helper()
		p, err := c.Swaps.Prepare(t.Context(), req)
		if err != nil || p.Step != want {
			t.Fatalf("want %s: %+v, %v", want, p, err)
		}
		stamp, err := s.owner.Passkey.Stamp(p.UnsignedActivity.Body)
		if err != nil {
			t.Fatal(err)
		}
		return c.Swaps.Confirm(t.Context(), p.TransactionID, p.Signed(stamp))
	}
	small := s.ask
	small.Amount = "4"
	done, err := step(railkit.SwapApprove, s.quoted(t, small))
	if err != nil {
		t.Fatal(err)
	}
	s.confirmed(t, done.TransactionID)
	s.ask.Slippage = "0.05"
	ask := s.quoted(t, s.ask)
	for _, want := range []string{railkit.SwapRevoke, railkit.SwapApprove} {
		if done, err = step(want, ask); err != nil {
			t.Fatal(err)
		}
		s.confirmed(t, done.TransactionID)
	}
	p, err := c.Swaps.Prepare(t.Context(), ask)
	if err != nil || p.Step != railkit.SwapTrading {
		t.Fatalf("%+v, %v", p, err)
	}
	other := sellerOf(s.App, "other@example.com")
	other.ask.Amount = "900"
	if done, err = c.Swaps.Swap(t.Context(), other.owner.Passkey, other.quoted(t, other.ask)); err != nil {
		t.Fatal(err)
	}
	other.confirmed(t, done.TransactionID)
	stamp, err := s.owner.Passkey.Stamp(p.UnsignedActivity.Body)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Swaps.Confirm(t.Context(), p.TransactionID, p.Signed(stamp))
	wantCode(t, err, "swap_would_fail")
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	var e *railkit.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Errorf("want %s: %v", code, err)
	}
}

// The server's own quote is no measure of the server: a minimum that is half of its worth is refused, unless the caller
// says so, and a policy refuses it whoever says so.
func TestWidget_LyingQuote(t *testing.T) {
	t.Parallel()
	s := newSeller(t)
	c := s.Client()
	ask := s.ask
	ask.FromToken, ask.ToToken, ask.Amount = "native", "USDC", "0.001" // a coin needs no allowance first
	ask = s.quoted(t, ask)
	fair, _ := new(big.Int).SetString(ask.Minimum, 10)
	ask.Minimum = new(big.Int).Div(fair, big.NewInt(2)).String()
	var lossy *railkit.SlippageError
	if _, err := c.Swaps.Prepare(t.Context(), ask); !errors.As(err, &lossy) || lossy.Limit != "3" ||
		!strings.HasPrefix(lossy.Percent, "50") && !strings.HasPrefix(lossy.Percent, "51") {
		t.Fatalf("half of its worth: %v", err)
	}
	ask.MaxSlippagePercent = "60"
	p, err := c.Swaps.Prepare(t.Context(), ask)
	if err != nil || p.Shown.Slippage == nil || p.Shown.Slippage.Percent != lossy.Percent {
		t.Fatalf("with the caller's word: %+v, %v", p, err)
	}
	rule, err := c.Policies.Create(t.Context(), railkit.PolicyRequest{
		Name: "Swaps", WalletID: s.owner.Wallet.WalletID, Rules: railkit.PolicyRules{MaxSlippagePercent: "3"},
	})
	if err != nil || rule.Rules.MaxSlippagePercent != "3" {
		t.Fatalf("%+v, %v", rule, err)
	}
	_, err = c.Swaps.Prepare(t.Context(), ask)
	wantCode(t, err, "policy_denied")
	if !strings.Contains(err.Error(), "maxSlippagePercent") {
		t.Errorf("%v", err)
	}
	lower := railkit.PolicyUpdate{Rules: railkit.RulesPatch{"maxSlippagePercent": 2.5}}
	if rule, err = c.Policies.Update(t.Context(), rule.ID, lower); err != nil ||
		rule.Rules.MaxSlippagePercent != "2.5" {
		t.Errorf("%+v, %v", rule, err)
	}
	higher := railkit.PolicyUpdate{Rules: railkit.RulesPatch{"maxSlippagePercent": 4}}
	var queued *railkit.QueuedError
	if _, err = c.Policies.Update(t.Context(), rule.ID, higher); !errors.As(err, &queued) {
		t.Errorf("a higher limit came without a vote: %v", err)
	}
	ask.Minimum, ask.MaxSlippagePercent = fair.String(), ""
	if _, err := c.Swaps.Swap(t.Context(), s.owner.Passkey, ask); err != nil {
		t.Errorf("a fair swap: %v", err)
	}
}

// What cannot be traded is refused by name, and the lines of docs/swaps.md work.
func TestWidget_SwapRefusals(t *testing.T) {
	t.Parallel()
	s := newSeller(t)
	c := s.Client()
	with := func(change func(*railkit.SwapRequest)) railkit.SwapRequest {
		req := s.ask
		change(&req)
		return req
	}
	for want, req := range map[string]railkit.SwapRequest{
		"chain_not_supported":  with(func(r *railkit.SwapRequest) { r.ChainID = 8453 }),
		"chain_not_supported ": with(func(r *railkit.SwapRequest) { r.Protocol = "lfj" }),
		"no_route_found":       with(func(r *railkit.SwapRequest) { r.Amount = "10000000000000000000000000000000000" }),
		"chainId is required":  with(func(r *railkit.SwapRequest) { r.ChainID = 0 }),
		"fromToken must":       with(func(r *railkit.SwapRequest) { r.FromToken = s.owner.Address.Address }),
		"toToken must":         with(func(r *railkit.SwapRequest) { r.ToToken = "USDC" }),
		"amount must":          with(func(r *railkit.SwapRequest) { r.Amount = "0" }),
		"slippage must":        with(func(r *railkit.SwapRequest) { r.Slippage = "51" }),
	} {
		if _, err := c.Swaps.Quote(t.Context(), req); err == nil || !strings.Contains(err.Error(),
			strings.TrimSpace(want)) {
			t.Errorf("%s: %v", want, err)
		}
	}
	rich := with(func(r *railkit.SwapRequest) { r.Amount, r.Minimum = "5000", "1" })
	_, err := c.Swaps.Prepare(t.Context(), rich)
	wantCode(t, err, "insufficient_balance")
	if _, err = c.Swaps.Prepare(t.Context(), s.ask); err == nil || !strings.Contains(err.Error(), "Minimum") {
		t.Errorf("a client that verifies believes a price: %v", err)
	}
	greedy := with(func(r *railkit.SwapRequest) { r.Minimum = "1000000000000000000" })
	_, err = c.Swaps.Prepare(t.Context(), greedy)
	wantCode(t, err, "swap_would_fail")
	_, err = c.Swaps.Confirm(context.WithoutCancel(t.Context()), "1c2d3e4f-0000-4000-8000-000000000000",
		railkit.SignedActivity{})
	wantCode(t, err, "swap_not_found")
	for _, text := range pastedOf(t, "swaps", 1, "API="+s.BaseURL) {
		var q railkit.SwapQuote
		if err := json.Unmarshal([]byte(text), &q); err != nil || q.AmountOut == "" || len(q.Route) < 2 {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range pastedOf(t, "swaps", 2, "API="+s.BaseURL, "KEY="+s.Keys.APIKey,
		"ADDRESS="+s.owner.Address.Address) {
		if !strings.Contains(text, `"step":"approve"`) || !strings.Contains(text, `"minimumAmountOut"`) {
			t.Error(text)
		}
	}
}
