package execution_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// An agent buys a call out of its own wallet and budget, of a skill on its list, by one call of the SDK.
func TestAgents_SkillBoughtByAgent(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	c, ctx := s.Client(), t.Context()
	owner := s.Fund(c, "owner@example.com")
	a, id := s.agent(owner, c, s.skill.ID)
	had, input := s.chain.Balance(s.payTo), map[string]any{"city": "Rome"}
	got, err := a.ExecuteSkill(ctx, s.skill.ID, input, price)
	if err != nil || got.Payment == nil || string(got.Output) != `{"call":1,"said":"[auth_config]"}` {
		t.Fatalf("%+v, %v", got, err)
	}
	if got := s.chain.Balance(s.payTo) - had; got != price {
		t.Errorf("the seller got %d", got)
	}
	apptest.Eventually(t, "the payment is the agent's own", func() bool {
		p, err := c.X402.List(ctx, id, railkit.ListOptions{})
		return err == nil && len(p.Items) == 1 && p.Items[0].State == "settled" &&
			p.Items[0].Tx == got.Payment.Transaction
	})
	if _, err := a.ExecuteSkill(ctx, s.skill.ID, input, price-1); !errors.Is(err, railkit.ErrSkillOffer) {
		t.Errorf("above the most that it may cost: %v", err)
	}
	if got := s.chain.Balance(s.payTo) - had; got != price || s.calls() != 1 {
		t.Errorf("the seller got %d for %d calls", got, s.calls())
	}
}

// An offer that names another payee than the skill, or another server, is not paid.
func TestAgents_SkillOfferIsCompared(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	c, ctx := s.Client(), t.Context()
	owner := s.Fund(c, "owner@example.com")
	_, id := s.agent(owner, c, s.skill.ID)
	var from, to string
	target, err := url.Parse(s.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	between := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target); r.Out.Host = r.In.Host },
		ModifyResponse: func(r *http.Response) error {
			body, err := io.ReadAll(r.Body)
			if r.StatusCode == http.StatusPaymentRequired {
				body = []byte(strings.ReplaceAll(string(body), from, to))
				r.Header.Del("Content-Length")
				r.ContentLength = int64(len(body))
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			return err
		},
	})
	t.Cleanup(between.Close)
	a, err := railkit.NewAgentClient(railkit.AgentConfig{
		BaseURL: between.URL, AgentID: id, Secret: s.secrets[id], Retry: railkit.Retry{Sleep: soon},
	})
	if err != nil {
		t.Fatal(err)
	}
	for what, swap := range map[string][2]string{
		"another payee":  {s.payTo.String(), owner.Address.Address},
		"another server": {between.URL, "https://elsewhere.example.com"},
		"another scheme": {`"exact"`, `"upto"`},
		"no offers":      {`"accepts":[`, `"accepts":[],"others":[`},
	} {
		from, to = swap[0], swap[1]
		if _, err := a.ExecuteSkill(ctx, s.skill.ID, nil, price); !errors.Is(err, railkit.ErrSkillOffer) {
			t.Errorf("%s: %v", what, err)
		}
	}
	s.Edit("UPDATE skills SET network = 'arbitrum' WHERE id = '" + s.skill.ID + "'")
	from, to = "eip155:421614", "eip155:421614"
	if _, err := a.ExecuteSkill(ctx, s.skill.ID, nil, price); !errors.Is(err, railkit.ErrSkillOffer) {
		t.Errorf("a network that version 1 has no name for: %v", err)
	}
	list, err := c.X402.List(ctx, id, railkit.ListOptions{})
	if err != nil || len(list.Items) > 0 || s.calls() != 0 {
		t.Errorf("%+v for %d calls, %v", list, s.calls(), err)
	}
}

// Where the payment's end is not known the agent sends the identical one again, also after its process died, and never
// makes another one for the call.
func TestAgents_SkillAgentPaysOnce(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	c, ctx := s.Client(), t.Context()
	a, id := s.agent(s.Fund(c, "owner@example.com"), c, s.skill.ID)
	had, failures := s.chain.Balance(s.payTo), 0
	s.fail(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/settle" || failures == 2 {
			return false
		}
		failures++
		w.WriteHeader(500)
		return true
	})
	if got, err := a.ExecuteSkill(ctx, s.skill.ID, nil, price); err != nil || got.Payment == nil || failures != 2 {
		t.Errorf("%+v, %v after %d failures", got, err, failures)
	}
	key := railkit.WithIdempotencyKey(ctx, uuid.NewString())
	s.fail(unsettled)
	_, err := a.ExecuteSkill(key, s.skill.ID, nil, price)
	var paid *railkit.PaidSkillError
	if !errors.As(err, &paid) || !strings.EqualFold(paid.Payment.Name, "X-PAYMENT") {
		t.Fatalf("%v", err)
	}
	wantError(t, "the last answer", err, 502, "x402_settlement_unknown")
	s.fail(nil)
	got, err := a.ExecuteSkill(key, s.skill.ID, nil, price)
	if err != nil || got.Payment == nil {
		t.Errorf("%+v, %v", got, err)
	}
	again, err := a.CallSkill(ctx, s.skill.ID, nil, paid.Payment)
	if err != nil || again.Body != got.Body {
		t.Errorf("%+v, %v", again, err)
	}
	list, err := c.X402.List(ctx, id, railkit.ListOptions{})
	moved := s.chain.Balance(s.payTo) - had
	if err != nil || len(list.Items) != 2 || s.calls() != 2 || moved != 2*price {
		t.Errorf("%d payments for %d calls, %d moved, %v", len(list.Items), s.calls(), moved, err)
	}
}

// An agent calls the skills on its list alone, and only while it is active.
func TestAgents_SkillOfAgentsList(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	c, ctx := s.Client(), t.Context()
	owner := s.Fund(c, "owner@example.com")
	free := s.sell(func(r *railkit.SkillRequest) { r.CostUSDC, r.PayTo, r.Network = 0, "", "" })
	hidden := s.sell(func(r *railkit.SkillRequest) { r.IsPublic = false })
	a, id := s.agent(owner, c)
	call := func(skill string) error {
		_, err := a.ExecuteSkill(ctx, skill, nil, price)
		return err
	}
	wantError(t, "none on its list", call(free.ID), 403, "skill_not_allowed")
	wantError(t, "another's private skill", call(hidden.ID), 404, "not_found")
	s.call(s.Keys.BenchKey, hidden.ID, `{}`).is(t, "the same with a key", 404, "not_found")
	if _, err := c.Agents.AddTool(ctx, id, free.ID); err != nil {
		t.Fatal(err)
	}
	if err := call(free.ID); err != nil {
		t.Errorf("a free one on its list: %v", err)
	}
	if _, err := c.Agents.RemoveTool(ctx, id, free.ID); err != nil {
		t.Fatal(err)
	}
	wantError(t, "taken off", call(free.ID), 403, "skill_not_allowed")
	if _, err := c.Agents.AddTool(ctx, id, free.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Agents.Pause(ctx, id); err != nil {
		t.Fatal(err)
	}
	wantError(t, "suspended", call(free.ID), 403, "agent_not_active")
	b, other := s.agent(owner, c, free.ID)
	stop := railkit.KillSwitchChange{SubOrganizationID: owner.Sub.SubOrganizationID, On: true}
	if _, err := c.Agents.SetKillSwitch(ctx, stop); err != nil {
		t.Fatal(err)
	}
	_, err := b.ExecuteSkill(ctx, free.ID, nil, 0)
	wantError(t, "all stopped", err, 503, "kill_switch_active")
	if _, err := c.Agents.Kill(ctx, other); err != nil {
		t.Fatal(err)
	}
	_, err = b.ExecuteSkill(ctx, free.ID, nil, 0)
	wantError(t, "killed", err, 401, "agent_killed")
	if s.calls() != 1 {
		t.Errorf("%d calls", s.calls())
	}
}

// A free skill is called at once: each request without a key is a call, and one key is one call.
func TestAgents_SkillFree(t *testing.T) {
	t.Parallel()
	s := newStreet(t, func(c *apptest.Config) { c.FacilitatorURL, c.FacilitatorTokenFile = "", "" })
	key := s.Keys.BenchKey
	free := s.sell(func(r *railkit.SkillRequest) {
		r.CostUSDC, r.PayTo, r.Network = 0, "", ""
		r.SchemaInput = map[string]any{
			"type": "object", "required": []string{"city"},
			"properties": map[string]any{"city": map[string]any{"type": "string"}},
		}
	})
	s.call(key, free.ID, `{"city":"Rome"}`).is(t, "free", 200, "")
	once := []string{"Idempotency-Key", uuid.NewString()}
	first := s.call(key, free.ID, `{"city":"Rome"}`, once...)
	again := s.call(key, free.ID, `{"city":"Rome"}`, once...)
	if first.Status != 200 || again.Body != first.Body || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("%s\n%s", first.Body, again.Body)
	}
	if first.Data.Payment != nil || s.calls() != 2 {
		t.Errorf("%+v, %d calls", first.Data, s.calls())
	}
	for input, want := range map[string]string{
		`{}`: "input.city is required", `{"city":1}`: "input.city must be of the type string",
	} {
		if g := s.call(key, free.ID, input); g.Status != 400 || !strings.Contains(g.Message, want) {
			t.Errorf("%s: %s", input, g.Body)
		}
	}
	s.call(key, s.skill.ID, `{}`).is(t, "without a facilitator", 503, "x402_not_configured")
	s.Edit("UPDATE skills SET cost_usdc = 5, network = 'gone' WHERE id = '" + free.ID + "'")
	s.call(key, free.ID, `{"city":"Rome"}`).is(t, "without a facilitator", 503, "x402_not_configured")
	if s.calls() != 2 {
		t.Errorf("%d calls", s.calls())
	}
	s.Reconfigure(func(c *apptest.Config) { c.FacilitatorURL = s.settles.URL })
	s.restart()
	s.call(key, free.ID, `{"city":"Rome"}`).is(t, "a network that is gone", 422, "skill_not_payable")

	audited := 0
	const query = "SELECT COUNT(*) FROM audit WHERE action = 'skill.execute'"
	if err := s.Store.Writer().QueryRowContext(t.Context(), query).Scan(&audited); err != nil || audited != 2 {
		t.Errorf("%d audit entries, %v", audited, err)
	}
}
