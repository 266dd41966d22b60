package payout_test

import (
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
	railkit "github.com/railkit/railkit/sdk/go"
)

const recipientsPath = "/v1/payout/recipients"

var home = railkit.PostalAddress{Street: "Av. Reforma 1", City: "CDMX", PostalCode: "06600", Country: "MX"}

func person(name string) railkit.RecipientRequest {
	return railkit.RecipientRequest{Name: name, Email: "ana@example.com", OwnerType: "individual", Address: home}
}

// A recipient from its making to the archive and back.
func TestPayout_Recipients(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c, ctx := a.Client(), t.Context()
	ana := must(c.Recipients.Create(ctx, person("Ana")))(t)
	bea := must(c.Recipients.Create(ctx, person("Bea")))(t)
	if ana.Status != "active" || ana.Address != railkit.RecipientAddress(home) || ana.IsSelf ||
		uuid.Validate(ana.ID) != nil || ana.CreatedAt == "" {
		t.Errorf("%+v", ana)
	}
	names := func(o railkit.RecipientListOptions) (all string) {
		o.Limit = 1
		for r, err := range c.Recipients.All(ctx, o) {
			if err != nil {
				t.Fatal(err)
			}
			all += r.Name + " "
		}
		return all
	}
	bea = must(c.Recipients.Update(ctx, bea.ID, railkit.RecipientUpdate{
		Name: new("Beatriz"), Email: new("bea@example.com"),
	}))(t)
	if bea.Name != "Beatriz" || bea.Email != "bea@example.com" {
		t.Errorf("%+v", bea)
	}
	if got := must(c.Recipients.SetStatus(
		ctx, bea.ID, railkit.RecipientStatusRequest{Status: "archived"},
	))(t); got.Status != "archived" {
		t.Errorf("%+v", got)
	}
	for status, want := range map[string]string{"": "Ana ", "archived": "Beatriz ", "all": "Beatriz Ana "} {
		if got := names(railkit.RecipientListOptions{Status: status}); got != want {
			t.Errorf("%q lists %q", status, got)
		}
	}
	back := must(c.Recipients.SetStatus(
		ctx, bea.ID, railkit.RecipientStatusRequest{Status: "active", PendingReason: "missing_bank"},
	))(t)
	if back.Status != "active" || back.PendingReason != "missing_bank" {
		t.Errorf("%+v", back)
	}
	if got := names(railkit.RecipientListOptions{Search: "bEAT"}); got != "Beatriz " {
		t.Errorf("the search found %q", got)
	}
}

// Both dialects make the same recipient; what is wrong is said by its field.
func TestPayout_RecipientInput(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	key := a.Keys.BenchKey
	post := func(body string) apptest.Answer { return a.Do(key, "POST", recipientsPath, body) }
	const address = `{"street":"S 1","city":"C","country":"MX"}`
	old := post(`{"name":"A","account_owner_type":"business","is_self":true,"address":{"street_line_1":"S 1","city":"C","state":"X","postal_code":"1","country":"mex"}}`)
	if old.Status != 201 {
		t.Fatalf("the second dialect: %d %s", old.Status, old.Body)
	}
	data, _ := old.Field("data").(map[string]any)
	where, _ := data["address"].(map[string]any)
	if data["ownerType"] != "business" ||
		data["isSelf"] != true || where["country"] != "MX" || where["street"] != "S 1" || where["postalCode"] != "1" {
		t.Errorf("the second dialect: %s", old.Body)
	}
	for body, message := range map[string]string{
		`{"ownerType":"individual","address":` +
			address + `}`: "name is required",
		`{"name":"A","address":` + address +
			`}`: "ownerType is required",
		`{"name":"A","ownerType":"x","address":` + address +
			`}`: "ownerType must be one of individual, business",
		`{"name":"A","ownerType":"individual"}`: "address is required",

		`{"name":"A","ownerType":"individual","address":{"street":"S","city":"C","country":"Mexico"}}`: "address.country must be an ISO 3166 country code",
		`{"name":"A","ownerType":"individual","address":{"street":"S","city":"C","country":"ZZ"}}`:     "address.country must be an ISO 3166 country code",
		`{"name":"A","ownerType":"individual","email":"x","address":` +
			address + `}`: "email must be an e-mail address",
		`{"name":"A","ownerType":"individual","account_owner_type":"business","address":` + address + `}`:              "ownerType must not be given under two names",
		`{"name":"A","ownerType":"individual","address":{"street":"S","street_line_1":"T","city":"C","country":"MX"}}`: "address.street must not be given under two names",
	} {
		wantCode(t, body, post(body), 400, "validation_failed", message)
	}
	id, _ := data["id"].(string)
	patch := func(path, body string) apptest.Answer { return a.Do(key, "PATCH", recipientsPath+"/"+id+path, body) }
	wantCode(t, "nothing", patch("", `{}`), 400, "validation_failed", "body must have name or email")
	wantCode(
		t, "an immutable field", patch("", `{"ownerType":"individual"}`), 400, "validation_failed",
		"ownerType is not allowed",
	)
	wantCode(t, "no status", patch("/status", `{}`), 400, "validation_failed", "status is required")
	wantCode(t, "a reason of an archived one", patch(
		"/status", `{"status":"archived","pending_reason":"x"}`,
	), 400, "validation_failed",
		"pendingReason goes with the status active only")
}

// Who has not the module, the scope or the approval is told so; what is another
// workspace's is not there.
func TestPayout_RecipientGuards(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	mine := must(a.Client().Recipients.Create(t.Context(), person("Ana")))(t)
	_, closed := a.NewWorkspace([]auth.Scope{auth.Integrator}, auth.Signing)
	_, err := a.ClientWith(closed).Recipients.Create(t.Context(), person("Ana"))
	wantError(t, "without the module", err, 403, "module_inactive")
	_, theirs := a.NewWorkspace([]auth.Scope{auth.PayoutWrite}, auth.Payout)
	c := a.ClientWith(theirs)
	_, err = c.Recipients.List(t.Context(), railkit.RecipientListOptions{})
	wantError(t, "a reading writer", err, 403, "insufficient_scope")
	_, err = c.Recipients.Update(t.Context(), mine.ID, railkit.RecipientUpdate{Name: new("Mine")})
	wantError(t, "another workspace's", err, 404, "not_found")
	must(c.Recipients.Create(t.Context(), person("Theirs")))(t)
}

// Spaces are no name, and no address.
func TestPayout_RecipientBlank(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	known := must(a.Client().Recipients.Create(t.Context(), person("Ana")))(t)
	for field, c := range map[string][3]string{
		"name":           {"  ", "S", "C"},
		"address.street": {"Ana", " \t", "C"},
		"address.city":   {"Ana", "S", " "},
	} {
		body := map[string]any{
			"name": c[0], "ownerType": "individual",
			"address": map[string]string{"street": c[1], "city": c[2], "country": "MX"},
		}
		wantCode(
			t, field, a.Do(a.Keys.BenchKey, "POST", recipientsPath, apptest.JSON(t, body)), 400, "validation_failed",
			field+" must not be empty",
		)
	}
	wantCode(
		t, "changed", a.Do(a.Keys.BenchKey, "PATCH", recipientsPath+"/"+known.ID, `{"name":" "}`), 400,
		"validation_failed", "name must not be empty",
	)
}
