package skill_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	railkit "github.com/railkit/railkit/sdk/go"
)

// A test calls the skill's server with the skill's secret, and answers what came; nothing of the platform's callers
// goes there.
func TestAgents_SkillTest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	k := w.create(w.c, nil)
	input := map[string]any{"city": "Lisbon", "days": 3}
	for _, c := range [][2]string{
		{"POST", `{"city":"Lisbon","days":3}|`}, {"PUT", `{"city":"Lisbon","days":3}|`},
		{"DELETE", "|a=b&city=Lisbon&days=3"}, {"GET", "|a=b&city=Lisbon&days=3"},
	} {
		method, want := c[0], c[1]
		url := w.shop.URL + "/echo"
		if strings.HasPrefix(want, "|") {
			url += "?a=b"
		}
		if _, err := w.c.Skills.Update(t.Context(), k.ID, railkit.SkillUpdate{Method: &method, URL: &url}); err != nil {
			t.Fatal(err)
		}
		got, err := w.c.Skills.Test(t.Context(), k.ID, input)
		if err != nil || got.Status != 418 || got.Truncated || got.Headers["Set-Cookie"] != "" {
			t.Fatalf("%s: %+v, %v", method, got, err)
		}
		var seen struct {
			Method, Query, Body string
			Platform            []string
		}
		if err := json.Unmarshal([]byte(got.Body), &seen); err != nil || seen.Method != method ||
			seen.Body+"|"+seen.Query != want || len(seen.Platform) > 0 {
			t.Errorf("%s: %+v, %v", method, seen, err)
		}
	}
	if got, err := w.c.Skills.Test(t.Context(), k.ID, nil); err != nil || !strings.Contains(got.Body, `"query":"a=b"`) {
		t.Errorf("without input: %+v, %v", got, err)
	}
	_, err := w.c.Skills.Test(t.Context(), k.ID, map[string]any{"city": strings.Repeat("a", 3000)})
	wantError(t, "a long query", err, 400, "validation_failed")
	_, err = w.c.Skills.Test(t.Context(), k.ID, map[string]any{"city": strings.Repeat("a", 70<<10)})
	wantError(t, "a long input", err, 400, "validation_failed")
}

// What a skill's server wants to see is in no answer, not in the database in clear, and goes to that host alone.
func TestAgents_SkillAuthIsSealed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	const secret = "weather-secret-0001"
	for _, auth := range []struct {
		kind   string
		config railkit.SkillAuth
		shown  string
	}{
		{"api_key", railkit.SkillAuth{Key: secret, Header: "x-weather-key"}, `"key":"[auth_config]"`},
		{"bearer", railkit.SkillAuth{Token: secret}, `"authorization":"Bearer [auth_config]"`},
	} {
		k := w.create(w.c, func(r *railkit.SkillRequest) { r.AuthType, r.AuthConfig = auth.kind, &auth.config })
		got, err := w.c.Skills.Test(ctx, k.ID, nil)
		if err != nil || !strings.Contains(got.Body, auth.shown) || strings.Contains(got.Headers["X-Echo"], secret) ||
			!strings.Contains(got.Headers["X-Echo"], "[auth_config]") {
			t.Errorf("%s: %+v, %v", auth.kind, got, err)
		}
		a := w.Do(w.Keys.BenchKey, "GET", "/v1/action/skills/"+k.ID, "")
		if a.Status != 200 || strings.Contains(a.Body, secret) || strings.Contains(a.Body, "auth_config") {
			t.Errorf("%s: %s", auth.kind, a.Body)
		}
		// Who stole an API key would have the secret sent to a host of his own.
		_, err = w.c.Skills.Update(ctx, k.ID, railkit.SkillUpdate{URL: to("https://thief.example.com/")})
		wantError(t, "another host", err, 400, "validation_failed")
		_, err = w.c.Skills.Update(ctx, k.ID, railkit.SkillUpdate{AuthType: to(map[string]string{
			"api_key": "bearer", "bearer": "api_key",
		}[auth.kind])})
		wantError(t, "another type", err, 400, "validation_failed")
		if _, err := w.c.Skills.Update(ctx, k.ID, railkit.SkillUpdate{URL: to(w.shop.URL + "/echo?x=y")}); err != nil {
			t.Errorf("another page of the same host: %v", err)
		}
		if got, err := w.c.Skills.Test(ctx, k.ID, nil); err != nil || !strings.Contains(got.Body, auth.shown) {
			t.Errorf("afterwards: %+v, %v", got, err)
		}
		moved, err := w.c.Skills.Update(ctx, k.ID, railkit.SkillUpdate{
			URL: to("https://other.example.com/"), AuthConfig: &auth.config,
		})
		if err != nil || moved.URL != "https://other.example.com/" {
			t.Errorf("with the secret at hand: %+v, %v", moved, err)
		}
		none, err := w.c.Skills.Update(ctx, k.ID, railkit.SkillUpdate{
			AuthType: to("none"), URL: to(w.shop.URL + "/echo"),
		})
		if err != nil || none.AuthType != "none" {
			t.Fatalf("%+v, %v", none, err)
		}
		if got, err := w.c.Skills.Test(ctx, k.ID, nil); err != nil || strings.Contains(got.Body, "[auth_config]") {
			t.Errorf("without: %+v, %v", got, err)
		}
	}
	w.notStored(t, secret)
}

// notStored looks for a text in every row of the skills, the record and the answers under keys.
func (w *world) notStored(t *testing.T, secret string) {
	t.Helper()
	for _, table := range []string{"skills", "audit", "idempotency"} {
		rows, err := w.Store.Writer().QueryContext(t.Context(), "SELECT * FROM "+table)
		if err != nil {
			t.Fatal(err)
		}
		columns, _ := rows.Columns()
		n := 0
		for ; rows.Next(); n++ {
			values := make([]any, len(columns))
			for i := range values {
				values[i] = new([]byte)
			}
			if err := rows.Scan(values...); err != nil {
				t.Fatal(err)
			}
			for i, v := range values {
				if strings.Contains(string(*v.(*[]byte)), secret) {
					t.Errorf("%s.%s has the secret", table, columns[i])
				}
			}
		}
		if err := rows.Close(); err != nil || n == 0 {
			t.Errorf("%d rows of %s, %v", n, table, err)
		}
	}
}

// What a hostile server does ends in an error with a name of its own, and soon.
func TestAgents_SkillHostileServers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	for path, want := range map[string]struct {
		status int
		code   string
	}{
		"/huge": {502, "remote_too_large"}, "/brotli": {502, "remote_unreadable"}, "/slow": {502, "remote_timeout"},
	} {
		k := w.create(w.c, func(r *railkit.SkillRequest) { r.URL = w.shop.URL + path })
		_, err := w.c.Skills.Test(ctx, k.ID, nil)
		wantError(t, path, err, want.status, want.code)
	}
	nobody := w.create(w.c, func(r *railkit.SkillRequest) { r.URL = "http://127.0.0.1:1/" })
	_, err := w.c.Skills.Test(ctx, nobody.ID, nil)
	wantError(t, "nobody listens", err, 502, "remote_unreachable")
	// As if the operator no longer allowed the place, or somebody had written to the database.
	w.Edit("UPDATE skills SET url = 'http://127.0.0.1:2/' WHERE id = '" + nobody.ID + "'")
	_, err = w.c.Skills.Test(ctx, nobody.ID, nil)
	wantError(t, "not allowed", err, 422, "remote_refused")
	if e := new(railkit.Error); !errors.As(err, &e) || !strings.Contains(fmt.Sprint(e.Details), "--fetch-local") {
		t.Errorf("the refusal does not name the flag: %v", e.Details)
	}

	away := w.create(w.c, func(r *railkit.SkillRequest) { r.URL = w.shop.URL + "/away" })
	got, err := w.c.Skills.Test(ctx, away.ID, nil)
	if err != nil || got.Status != 302 || got.Headers["Location"] != "http://169.254.169.254/latest/meta-data/" {
		t.Errorf("a redirect is an answer: %+v, %v", got, err)
	}
	long := w.create(w.c, func(r *railkit.SkillRequest) { r.URL = w.shop.URL + "/long" })
	got, err = w.c.Skills.Test(ctx, long.ID, nil)
	if err != nil || !got.Truncated || len(got.Body) != 64<<10 || strings.Trim(got.Body, "é") != "" {
		t.Errorf("a long answer: %d bytes, %v", len(got.Body), err)
	}
}
