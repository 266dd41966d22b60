package skill_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
	railkit "github.com/railkit/railkit/sdk/go"
)

// The life of a skill, as its owner and as another workspace see it.
func TestAgents_SkillStory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, other := t.Context(), w.elsewhere()
	if page, err := w.c.Skills.List(ctx, railkit.SkillListOptions{}); err != nil || len(page.Items) != 0 {
		t.Fatalf("before there is one: %+v, %v", page, err)
	}
	if b, err := w.c.Skills.Bazaar(ctx, railkit.BazaarOptions{}); err != nil || len(b.Items) != 0 || b.ComingSoon ||
		b.X402Version != 2 || b.Pagination.Limit != 20 {
		t.Fatalf("an empty bazaar: %+v, %v", b, err)
	}
	alice := w.Fund(w.c, "alice@example.com")
	schema := map[string]any{"type": "object", "properties": map[string]any{"city": map[string]any{"type": "string"}}}
	k := w.create(w.c, func(r *railkit.SkillRequest) {
		r.Description, r.CostUSDC, r.SchemaInput = "Of tomorrow", 1000, schema
		r.PayTo, r.Network = alice.Address.Address, "base"
	})
	if k.Owner != w.Keys.WorkspaceID || k.Method != "POST" || k.AuthType != "none" || k.Subtype != "x402" ||
		k.IsPublic || k.Health.Status != "unknown" || k.CostUSDC != 1000 || k.PayTo != alice.Address.Address ||
		!reflect.DeepEqual(k.SchemaInput, schema) || k.SchemaOutput != nil {
		t.Errorf("made: %+v", k)
	}
	if got, err := w.c.Skills.Get(ctx, strings.ToUpper(k.ID)); err != nil || !reflect.DeepEqual(got, k) {
		t.Errorf("read: %+v, %v", got, err)
	}
	// While it is private, it is nobody else's.
	_, err := other.Skills.Get(ctx, k.ID)
	wantError(t, "another's", err, 404, "not_found")
	_, err = other.Skills.Health(ctx, k.ID)
	wantError(t, "another's health", err, 404, "not_found")
	_, err = other.Skills.Update(ctx, k.ID, railkit.SkillUpdate{Name: to("Mine")})
	wantError(t, "changing another's", err, 404, "not_found")

	public, err := w.c.Skills.Update(ctx, k.ID, railkit.SkillUpdate{IsPublic: to(true), CostUSDC: to(int64(2000))})
	if err != nil || !public.IsPublic || public.CostUSDC != 2000 || public.Name != "Weather" {
		t.Fatalf("made public: %+v, %v", public, err)
	}
	if got, err := other.Skills.Get(ctx, k.ID); err != nil || got.Name != "Weather" {
		t.Errorf("public: %+v, %v", got, err)
	}
	_, err = other.Skills.Update(ctx, k.ID, railkit.SkillUpdate{Name: to("Mine")})
	wantError(t, "changing another's", err, 403, "skill_not_owned")
	_, err = other.Skills.Delete(ctx, k.ID)
	wantError(t, "deleting another's", err, 403, "skill_not_owned")
	_, err = other.Skills.Test(ctx, k.ID, nil)
	wantError(t, "testing another's", err, 403, "skill_not_owned")

	own := w.create(other, nil)
	for page, want := range [][]string{{own.ID}, {k.ID}, {}} {
		got, err := other.Skills.List(ctx, railkit.SkillListOptions{
			ListOptions: railkit.ListOptions{Limit: 1, Page: page + 1},
		})
		ids := []string{}
		for _, s := range got.Items {
			ids = append(ids, s.ID)
		}
		if err != nil || !slices.Equal(ids, want) || got.Meta.Total != 2 {
			t.Errorf("page %d: %v of %d, %v", page+1, ids, got.Meta.Total, err)
		}
	}
	all := 0
	one := railkit.SkillListOptions{ListOptions: railkit.ListOptions{Limit: 1}, Subtype: "x402"}
	for _, err := range other.Skills.All(ctx, one) {
		if err != nil {
			t.Fatal(err)
		}
		all++
	}
	if all != 2 {
		t.Errorf("%d skills on all pages", all)
	}

	gone, err := w.c.Skills.Delete(ctx, k.ID)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := w.c.Skills.Delete(ctx, k.ID); err != nil || *again != *gone {
		t.Errorf("deleted again: %+v, %v", again, err)
	}
	for name, c := range map[string]*railkit.Client{"its owner": w.c, "another": other} {
		_, err := c.Skills.Get(ctx, k.ID)
		wantError(t, "a deleted one for "+name, err, 404, "not_found")
	}
	_, err = w.c.Skills.Update(ctx, k.ID, railkit.SkillUpdate{Name: to("Back")})
	wantError(t, "changing a deleted one", err, 404, "not_found")
	_, err = w.c.Skills.Test(ctx, k.ID, nil)
	wantError(t, "testing a deleted one", err, 404, "not_found")
}

// Both spellings of the guides mean the same, and a wrong field is named.
func TestAgents_SkillForms(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	alice := w.Fund(w.c, "alice@example.com")
	_, key := w.NewWorkspace([]auth.Scope{auth.Integrator}, auth.Agents, auth.Signing)
	mallory := w.Fund(w.ClientWith(key), "mallory@example.com")
	fill := strings.NewReplacer("URL", w.shop.URL, "OWN", alice.Address.Address, "OTHER", mallory.Address.Address,
		"LONG", strings.Repeat("a", 17<<10), "DEEP", strings.Repeat(`{"not":`, 20)+"{}"+strings.Repeat("}", 20))
	post := func(body string) apptest.Answer {
		return w.Do(w.Keys.BenchKey, "POST", "/v1/action/skills", fill.Replace(body))
	}
	for _, good := range []string{
		`{"name":"A","url":"URL/x","cost_usdc":1000,"payTo":"OWN","network":"base","is_public":false,"schema_input":{"type":["object","null"]}}`,
		`{"name":"A","endpoint":"URL/x","priceUSDC":"0.001","pay_to":"OWN","network":"base","visibility":"private","inputSchema":{"type":["object","null"]}}`,
	} {
		a := post(good)
		var made struct{ Data railkit.Skill }
		if err := json.Unmarshal([]byte(a.Body), &made); err != nil || a.Status != http.StatusCreated ||
			made.Data.CostUSDC != 1000 || made.Data.URL != w.shop.URL+"/x" || made.Data.SchemaInput == nil {
			t.Errorf("%d %s", a.Status, a.Body)
		}
	}
	for _, bad := range []struct{ field, body string }{
		{"name", `{"url":"URL"}`},
		{"name", `{"name":" ","url":"URL"}`},
		{"url", `{"name":"A"}`},
		{"url", `{"name":"A","url":"http://shop.example.com/"}`},
		{"url", `{"name":"A","url":"https://user:pw@shop.example.com/"}`},
		{"url", `{"name":"A","url":"https://169.254.169.254/latest/meta-data/"}`},
		{"url", `{"name":"A","url":"https://shop.example.com:22/"}`},
		{"url", `{"name":"A","url":"https://2130706433/"}`},
		{"url", `{"name":"A","url":"http://127.0.0.1:2/"}`},
		{"url", `{"name":"A","url":"https://sh\u043ep.example.com/"}`},
		{"url", `{"name":"A","url":"URL","endpoint":"URL"}`},
		{"method", `{"name":"A","url":"URL","method":"PATCH"}`},
		{"subtype", `{"name":"A","url":"URL","subtype":"other"}`},
		{"is_public", `{"name":"A","url":"URL","subtype":"internal","is_public":true}`},
		{"is_public", `{"name":"A","url":"URL","visibility":"public","is_public":true}`},
		{"visibility", `{"name":"A","url":"URL","visibility":"all"}`},
		{"auth_config", `{"name":"A","url":"URL","auth_type":"api_key"}`},
		{"auth_config", `{"name":"A","url":"URL","auth_config":{"key":"k"}}`},
		{"auth_config.key", `{"name":"A","url":"URL","auth_type":"api_key","auth_config":{"header":"X-K"}}`},
		{"auth_config.key", `{"name":"A","url":"URL","auth_type":"api_key","auth_config":{"key":"a\r\nX: y"}}`},
		{"auth_config.header", `{"name":"A","url":"URL","auth_type":"api_key","auth_config":{"key":"k","header":"Host"}}`},
		{"auth_config.header", `{"name":"A","url":"URL","auth_type":"api_key","auth_config":{"key":"k","header":"a b"}}`},
		{"auth_config.token", `{"name":"A","url":"URL","auth_type":"bearer","auth_config":{}}`},
		{"auth_config", `{"name":"A","url":"URL","auth_type":"bearer","auth_config":{"token":"t","key":"k"}}`},
		{"auth_config.secret", `{"name":"A","url":"URL","auth_type":"bearer","auth_config":{"secret":"t"}}`},
		{"cost_usdc", `{"name":"A","url":"URL","cost_usdc":-1}`},
		{"cost_usdc", `{"name":"A","url":"URL","cost_usdc":0.5}`},
		{"cost_usdc", `{"name":"A","url":"URL","cost_usdc":1000000001}`},
		{"cost_usdc", `{"name":"A","url":"URL","cost_usdc":1,"priceUSDC":"1"}`},
		{"priceUSDC", `{"name":"A","url":"URL","priceUSDC":"0.0000001"}`},
		{"priceUSDC", `{"name":"A","url":"URL","priceUSDC":"1000.000001"}`},
		{"priceUSDC", `{"name":"A","url":"URL","priceUSDC":"1e-3"}`},
		{"network", `{"name":"A","url":"URL","cost_usdc":1,"payTo":"OWN"}`},
		{"network", `{"name":"A","url":"URL","payTo":"OWN"}`},
		{"payTo", `{"name":"A","url":"URL","cost_usdc":1,"payTo":"OWN","network":"solana"}`},
		{"payTo", `{"name":"A","url":"URL","cost_usdc":1,"network":"base"}`},
		{"payTo", `{"name":"A","url":"URL","cost_usdc":1,"payTo":"OTHER","network":"base"}`},
		{"payTo", `{"name":"A","url":"URL","cost_usdc":1,"payTo":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8","network":"base"}`},
		{"payTo", `{"name":"A","url":"URL","cost_usdc":1,"payTo":"nobody","network":"base"}`},
		{"schema_input", `{"name":"A","url":"URL","schema_input":[]}`},
		{"schema_input", `{"name":"A","url":"URL","schema_input":{"type":"text"}}`},
		{"schema_input", `{"name":"A","url":"URL","schema_input":{"properties":[]}}`},
		{"schema_input", `{"name":"A","url":"URL","schema_input":{"items":3}}`},
		{"schema_input", `{"name":"A","url":"URL","schema_input":{"anyOf":{}}}`},
		{"schema_input", `{"name":"A","url":"URL","schema_input":{"required":"a"}}`},
		{"schema_input", `{"name":"A","url":"URL","schema_input":{"$ref":"https://other.example.com/schema"}}`},
		{"schema_output", `{"name":"A","url":"URL","schema_output":{"description":"LONG"}}`},
		{"schema_output", `{"name":"A","url":"URL","schema_output":DEEP}`},
	} {
		a := post(bad.body)
		if a.Status != http.StatusBadRequest || !strings.Contains(a.Body, "Validation failed: "+bad.field+" ") {
			t.Errorf("%s: %d %s, want %s", bad.body, a.Status, a.Body, bad.field)
		}
	}
	if page, err := w.c.Skills.List(t.Context(), railkit.SkillListOptions{}); err != nil || page.Meta.Total != 2 {
		t.Errorf("what was refused is there: %+v, %v", page, err)
	}
}

// A change is held to the same rules, as the skill would be then.
func TestAgents_SkillChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	alice := w.Fund(w.c, "alice@example.com")
	k := w.create(w.c, func(r *railkit.SkillRequest) {
		r.CostUSDC, r.PayTo, r.Network = 1000, alice.Address.Address, "base"
		r.SchemaInput = map[string]any{"type": "object", "maximum": 12345678901234567}
	})
	for field, change := range map[string]railkit.SkillUpdate{
		"body":        {},
		"payTo":       {PayTo: to("")},
		"network":     {Network: to("")},
		"name":        {Name: to("  ")},
		"url":         {URL: to("https://localhost/")},
		"auth_config": {AuthType: to("bearer")},
		"is_public":   {Subtype: to("internal"), IsPublic: to(true)},
	} {
		_, err := w.c.Skills.Update(ctx, k.ID, change)
		if wantError(t, field, err, 400, "validation_failed"); err != nil && !strings.Contains(err.Error(), field) {
			t.Errorf("%v names another field than %s", err, field)
		}
	}
	free, err := w.c.Skills.Update(ctx, k.ID, railkit.SkillUpdate{
		CostUSDC: to(int64(0)), PayTo: to(""), Network: to(""), SchemaInput: map[string]any{}, Description: to("Free"),
	})
	if err != nil || free.CostUSDC != 0 || free.PayTo != "" || free.SchemaInput != nil || free.Description != "Free" {
		t.Errorf("%+v, %v", free, err)
	}
	// Numbers of a schema keep their digits.
	a := w.Do(w.Keys.BenchKey, "PATCH", "/v1/action/skills/"+k.ID, `{"schema_output":{"maximum":12345678901234567890.5}}`)
	if a.Status != 200 || !strings.Contains(a.Body, "12345678901234567890.5") {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	// Callers at once: each change of another field is in the end there.
	var wg sync.WaitGroup
	for _, change := range []railkit.SkillUpdate{
		{Name: to("Rain")}, {Description: to("Of today")}, {Method: to("GET")}, {Subtype: to("http")},
	} {
		wg.Go(func() {
			if _, err := w.c.Skills.Update(ctx, k.ID, change); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got, err := w.c.Skills.Get(ctx, k.ID); err != nil || got.Name != "Rain" || got.Description != "Of today" ||
		got.Method != "GET" || got.Subtype != "http" {
		t.Errorf("%+v, %v", got, err)
	}
}

// A workspace has at most 200 skills, and an agent at most 200 tools, however many callers come at once.
func TestAgents_SkillsAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, other := t.Context(), w.elsewhere()
	full := func(what, code string, try func() error) {
		t.Helper()
		var mu sync.Mutex
		var wg sync.WaitGroup
		made := 0
		for range 8 {
			wg.Go(func() {
				err := try()
				mu.Lock()
				defer mu.Unlock()
				if made++; err != nil {
					made--
					wantError(t, what, err, 422, code)
				}
			})
		}
		wg.Wait()
		if made != 1 {
			t.Errorf("%d more %s than there is room for", made-1, what)
		}
	}
	ids := []string{}
	for range 199 {
		ids = append(ids, w.create(w.c, nil).ID)
	}
	full("skills", "too_many_skills", func() error {
		_, err := w.c.Skills.Create(ctx, railkit.SkillRequest{Name: "One more", URL: w.shop.URL})
		return err
	})
	agent := w.agent(w.c)
	for _, id := range ids {
		if _, err := w.c.Agents.AddTool(ctx, agent, id); err != nil {
			t.Fatal(err)
		}
	}
	more := make(chan string, 8)
	for i := range 8 {
		more <- w.create(other, func(r *railkit.SkillRequest) {
			r.Name, r.IsPublic = fmt.Sprint("Public ", i), true
		}).ID
	}
	full("tools", "too_many_tools", func() error {
		_, err := w.c.Agents.AddTool(ctx, agent, <-more)
		return err
	})
	if _, err := w.c.Agents.AddTool(ctx, agent, ids[0]); err != nil {
		t.Errorf("one that is there: %v", err)
	}
}

// agent is an active agent of the caller's.
func (w *world) agent(c *railkit.Client) string {
	w.t.Helper()
	owner := w.Register(c, uuid.NewString()[:8]+"@example.com")
	made, err := c.Agents.Create(w.t.Context(), owner.Passkey, railkit.AgentRequest{
		Name: "Buyer", SubOrganizationID: owner.Sub.SubOrganizationID, ChainID: 84532,
		Budget: railkit.AgentBudget{InfraMonthlyUSD: "1", TokensMonthlyUSD: "1", PaymentsMonthlyUSDC: "1"},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return made.AgentID
}
