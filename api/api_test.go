package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/api"
	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/platform/ratelimit"
	"github.com/railkit/railkit/platform/ready"
	"github.com/railkit/railkit/rest"
)

var update = flag.Bool("update", false, "write openapi.json instead of comparing it")

func TestOpenAPIGolden(t *testing.T) {
	got, err := api.OpenAPI("sandbox") // the sandbox serves everything
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("openapi.json", got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("openapi.json is not what the code says: run go generate ./api and look at the difference")
	}
}

// What is served while Redis is away, of what moves money or changes the right to move it, is decided here by name, and
// each operation of it stands in docs/operations.md.
func TestOperationsThatOnlyStop(t *testing.T) {
	want := []string{
		"cancelBatch", "cancelOrder", "cancelRecovery", "cancelReturnAddress", "cancelTransaction", "deletePasskey",
		"deletePolicy", "initiateRecovery", "rejectApproval", "removePayee", "setRecipientStatus", "syncRecovery",
		"updateApprovalConfig", "updateBankAccount", "updatePolicy", "updateRecovery",
	}
	doc, err := os.ReadFile("../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, op := range api.Operations("sandbox") {
		if op.Class != ratelimit.Stops {
			continue
		}
		got = append(got, op.ID)
		if line := "`" + op.Method + " " + op.Path + "`"; !bytes.Contains(doc, []byte(line)) {
			t.Errorf("docs/operations.md lacks %s", line)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("they are\n%q, want\n%q", got, want)
	}
}

// leadNowhere are the operations whose answers have a ceremonyUrl that leads nowhere, each with the reason.
var leadNowhere = map[string]string{
	"createWithdrawAddress": "the link is of the payee that comes with the address", "getWithdrawAddress": "the same",
	"changeReturnAddress": "the same", "cancelReturnAddress": "the same", "confirmReturnAddress": "the same",
	"getRecoveryContext": "it is a read, of a link that was mailed",
}

// Every request that is answered with a ceremonyUrl says where the page is to lead once the link has ended.
func TestCeremoniesLeadBack(t *testing.T) {
	text, err := api.OpenAPI("sandbox")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
			RequestBody json.RawMessage
			Responses   json.RawMessage
		}
		Components struct{ Schemas map[string]json.RawMessage }
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	ref := regexp.MustCompile(`"#/components/schemas/(\w+)"`)
	has := func(schema json.RawMessage, field string) bool {
		seen := map[string]bool{}
		for todo := []json.RawMessage{schema}; len(todo) > 0; todo = todo[1:] {
			if bytes.Contains(todo[0], []byte(`"`+field+`":`)) {
				return true
			}
			for _, m := range ref.FindAllSubmatch(todo[0], -1) {
				if name := string(m[1]); !seen[name] {
					seen[name] = true
					todo = append(todo, doc.Components.Schemas[name])
				}
			}
		}
		return false
	}
	found := 0
	for _, methods := range doc.Paths {
		for _, op := range methods {
			if !has(op.Responses, "ceremonyUrl") {
				continue
			}
			found++
			if leads := has(op.RequestBody, "returnUrl"); leads == (leadNowhere[op.OperationID] != "") {
				t.Errorf("%s takes a returnUrl: %v; that it leads nowhere: %q", op.OperationID, leads,
					leadNowhere[op.OperationID])
			}
		}
	}
	if found < 35 {
		t.Errorf("only %d operations answer with a ceremonyUrl", found)
	}
}

func TestServedDocument(t *testing.T) {
	w := get(t, newAPI(nil), "/openapi.json")
	var doc struct {
		OpenAPI string
		Info    struct{ Version string }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if w.Code != 200 || doc.OpenAPI != "3.1.0" || doc.Info.Version != "1.0" {
		t.Errorf("%d %+v", w.Code, doc)
	}
}

// The page shows groups in the order of the list; a group that is not on it would come last, without a word.
func TestEveryTagIsListed(t *testing.T) {
	var doc struct {
		Tags  []struct{ Name, Description string }
		Paths map[string]map[string]struct{ Tags []string }
	}
	if err := json.Unmarshal(get(t, newAPI(nil), "/openapi.json").Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, operations := range doc.Paths {
		for _, o := range operations {
			for _, tag := range o.Tags {
				used[tag] = true
			}
		}
	}
	for _, tag := range doc.Tags {
		if !used[tag.Name] || tag.Description == "" {
			t.Errorf("no operation has the tag %q, or it is not described", tag.Name)
		}
		delete(used, tag.Name)
	}
	if len(used) > 0 {
		t.Errorf("tags that are not listed: %v", slices.Collect(maps.Keys(used)))
	}
}

// A path that names what no parameter describes is no OpenAPI.
func TestEveryPathParameterIsDescribed(t *testing.T) {
	var doc struct {
		Paths map[string]map[string]struct {
			Parameters []struct{ Name, In string }
		}
	}
	if err := json.Unmarshal(get(t, newAPI(nil), "/openapi.json").Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	for path, operations := range doc.Paths {
		for method, o := range operations {
			for _, name := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(path, -1) {
				if !slices.Contains(o.Parameters, struct{ Name, In string }{name[1], "path"}) {
					t.Errorf("%s %s does not describe %s", method, path, name[1])
				}
			}
		}
	}
}

// Generators keep types by these names: two of one name are no program. Examples are what readers copy.
func TestDocumentForGenerators(t *testing.T) {
	raw := get(t, newAPI(nil), "/openapi.json").Body.Bytes()
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct {
					Enum  []any
					AnyOf []struct{ Type string }
				}
			}
		}
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	schemas := doc.Components.Schemas
	for name, schema := range schemas {
		for field, of := range schema.Properties {
			enum := name + strings.ToUpper(field[:1]) + field[1:]
			if _, is := schemas[enum]; is && of.Enum != nil {
				t.Errorf("the values of %s.%s have the name of the schema %s", name, field, enum)
			}
		}
	}
	for name, field := range map[string]string{
		"LendingMarkets": "userState", "DepositAccount": "source_deposit_instructions",
	} {
		if of := schemas[name].Properties[field]; len(of.AnyOf) != 2 || of.AnyOf[1].Type != "null" {
			t.Errorf("%s.%s cannot be null: %+v", name, field, of)
		}
	}
	if bytes.Contains(raw, []byte(`"4XX"`)) {
		t.Error("4XX says again what default says, and some generators make no program of it")
	}
}

// An instant stands where the schema says one, and nowhere else.
func TestExamplesOfInstants(t *testing.T) {
	var doc map[string]any
	if err := json.Unmarshal(get(t, newAPI(nil), "/openapi.json").Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	schemas := doc["components"].(map[string]any)["schemas"].(map[string]any)
	var compare func(at string, schema map[string]any, value any)
	compare = func(at string, schema map[string]any, value any) {
		if ref, is := schema["$ref"].(string); is {
			schema = schemas[ref[strings.LastIndex(ref, "/")+1:]].(map[string]any)
		}
		switch value := value.(type) {
		case string:
			_, err := time.Parse(time.RFC3339, value)
			if (err == nil) != (schema["format"] == "date-time") {
				t.Errorf("%s: %q is an example of %v", at, value, schema)
			}
		case map[string]any:
			properties, _ := schema["properties"].(map[string]any)
			for field, v := range value {
				if of, is := properties[field].(map[string]any); is {
					compare(at+"."+field, of, v)
				}
			}
		case []any:
			for _, v := range value {
				compare(at+"[]", schema["items"].(map[string]any), v)
			}
		}
	}
	for path, item := range doc["paths"].(map[string]any) {
		for method, operation := range item.(map[string]any) {
			bodies := map[string]any{"body": operation.(map[string]any)["requestBody"]}
			maps.Copy(bodies, operation.(map[string]any)["responses"].(map[string]any))
			for name, body := range bodies {
				content, _ := body.(map[string]any)
				content, _ = content["content"].(map[string]any)
				if media, is := content["application/json"].(map[string]any); is {
					compare(method+" "+path+" "+name, media["schema"].(map[string]any), media["example"])
				}
			}
		}
	}
}

// The process lives also where its signer does not answer, which the two others tell,
// and none of the three is kept from a balancer that asks a hundred times a minute.
func TestPlatform_Readiness(t *testing.T) {
	for name, c := range map[string]struct {
		signer              error
		ready               int
		status, error, text string
	}{
		"all parts": {nil, 200, "ok", "", `"status":"ready"`},
		"without a signer": {
			errors.New("dial /run/railkit/signer.sock"), 503, "degraded", "not_ready", "Not ready: signer",
		},
	} {
		h := newAPI(c.signer)
		for range 101 {
			alive, readiness, health := get(t, h, "/healthz"), get(t, h, "/readyz"), get(t, h, "/v1/")
			var e struct {
				Success bool
				Data    rest.Health
			}
			if err := json.Unmarshal(health.Body.Bytes(), &e); err != nil {
				t.Fatal(err)
			}
			if alive.Code != 200 || readiness.Code != c.ready ||
				health.Code != 200 || !e.Success || e.Data.Status != c.status || e.Data.Service != "railkit" ||
				e.Data.Version != "v9" || e.Data.Environment != "sandbox" ||
				c.signer != nil != slices.Equal(e.Data.Missing, []string{"signer"}) {
				t.Fatalf("%s: %d %d %d %+v", name, alive.Code, readiness.Code, health.Code, e)
			}
			if text := readiness.Body.String(); !strings.Contains(text, c.text) ||
				!strings.Contains(text, c.error) || strings.Contains(text, ".sock") {
				t.Fatalf("%s: %s", name, text)
			}
			if readiness.Header().Get("RateLimit") != "" ||
				!strings.HasPrefix(health.Header().Get("RateLimit"), `"health";`) {
				t.Fatalf("%s: %v, %v", name, readiness.Header(), health.Header())
			}
		}
	}
}

// A person who opens the server's address is led on. All that is linked is there.
func TestFrontPage(t *testing.T) {
	h := newAPI(nil)
	w := get(t, h, "/")
	page := w.Body.String()
	if w.Code != 200 ||
		!strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") || !strings.Contains(page, "sandbox") {
		t.Fatalf("%d %s\n%s", w.Code, w.Header(), page)
	}
	links := regexp.MustCompile(`href="([^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(links) != 3 {
		t.Errorf("%d links:\n%s", len(links), page)
	}
	for _, l := range links {
		if w := get(t, h, l[1]); w.Code != 200 {
			t.Errorf("%s: %d", l[1], w.Code)
		}
	}
}

// The page loads from its own server only, and its policy says so.
func TestDocsPageNeedsNoNetwork(t *testing.T) {
	h := newAPI(nil)
	var page string
	for _, path := range []string{"/docs", "/docs/"} {
		w := get(t, h, path)
		page = w.Body.String()
		if w.Code != 200 || !strings.Contains(page, "/openapi.json") {
			t.Fatalf("%s: %d\n%s", path, w.Code, page)
		}
		if policy := w.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") ||
			strings.Contains(policy, "http") {
			t.Errorf("policy %q", policy)
		}
	}
	links := regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(links) < 3 {
		t.Fatalf("%d links in\n%s", len(links), page)
	}
	for _, l := range links {
		if !strings.HasPrefix(l[1], "/docs/") {
			t.Errorf("loads %s", l[1])
			continue
		}
		if w := get(t, h, l[1]); w.Code != 200 || w.Body.Len() == 0 {
			t.Errorf("%s: %d, %d bytes", l[1], w.Code, w.Body.Len())
		}
	}
}

func TestDocsMissingFile(t *testing.T) {
	for _, path := range []string{"/docs/none.js", "/docs/index.html", "/openapi.yaml", "/schemas/Meta.json"} {
		notFound(t, newAPI(nil), "GET", path)
	}
}

// What the contract has removed is not there in any form.
func TestRemovedPaths(t *testing.T) {
	h := newAPI(nil)
	for _, path := range []string{
		"/v1/exchange/quote", "/v1/exchange/trades", "/v1/exchange/orders", "/v1/exchange/treasury",
		"/v1/bots", "/v1/bots/1", "/v1/users", "/v1/users/me", "/v1/applications", "/v1/applications/1",
		"/v1/transactions/sign/transfer/native", "/v1/transactions/sign/transfer/token",
		"/v1/transactions/cancel-pending",
		"/v1/action", "/v1/action/widgets/swap", "/v1/action/rewards/swap", "/v1/action/builders/staking",
		"/v1/action/builders/crosschain_transfer",
	} {
		notFound(t, h, "POST", path)
	}
	for _, path := range []string{
		"/v1/action/" + uuid.NewString(), "/v1/action/" + uuid.NewString() + "/fees-withdrawal",
		"/v1/action/" + uuid.NewString() + "/metadata",
	} {
		notFound(t, h, "PATCH", path)
	}
	for _, path := range []string{"/v1/action", "/v1/action/widgets/swap", "/v1/action/rewards/swap"} {
		notFound(t, h, "GET", path)
	}
}

func newAPI(signerFault error) http.Handler {
	keys, strangers := edge.DefaultLimiters(clock.System{})
	return api.New(api.Deps{Edge: edge.Config{Keys: keys, Strangers: strangers}, Environment: "sandbox", Release: "v9",
		Ready: ready.New(slog.New(slog.DiscardHandler), ready.Part{Name: "signer", Ask: func(context.Context) error {
			return signerFault
		}}),
	})
}

func get(t *testing.T, h http.Handler, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", path, http.NoBody))
	return w
}

func notFound(t *testing.T, h http.Handler, method, path string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, http.NoBody))
	body, _ := io.ReadAll(w.Body)
	var e map[string]any
	if err := json.Unmarshal(body, &e); err != nil ||
		w.Code != 404 || e["success"] != false || e["message"] != "Resource not found" || e["path"] != path {
		t.Errorf("%s %s: %d %s", method, path, w.Code, body)
	}
}
