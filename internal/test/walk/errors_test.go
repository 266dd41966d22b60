package walk_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/walk"
	"github.com/railkit/railkit/platform/auth"
)

const (
	wallets = "/v1/signing/wallets"
	email   = `{"email":"a@example.com"}`
)

// refusal is a call and what has to come of it.
type refusal struct {
	got     apptest.Answer
	status  int
	code    string
	message string
}

// Every status of the spec that the server has so far, by its words, in a whole
// envelope. Those of the payout kit come with it.
func TestPlatform_Errors(t *testing.T) {
	t.Parallel()
	var node *apptest.Node
	s := newStage(t, func(c *apptest.Config) {
		node = apptest.NewNode(t, c.RPCURLs["base"])
		c.DevnetURL = node.URL
	})
	for name, r := range s.refusals(t) {
		t.Run(name, func(t *testing.T) { r.check(t) })
	}
	node.Break("*", apptest.Down)
	fund := `{"chain":"base","address":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8","asset":"native","amount":"1"}`
	refusal{s.Do(s.own.Key, "POST", "/v1/sandbox/faucet", fund), 502, "node_unreachable",
		"The network's node does not answer"}.check(t)
	s.StopEnclave()
	refusal{s.Do(s.own.Key, "POST", walk.ChallengePath, email), 503, "unavailable", "Temporarily unavailable"}.check(t)
	if _, err := s.Store.Writer().ExecContext(t.Context(), "DROP TABLE passkeys"); err != nil {
		t.Fatal(err)
	}
	refusal{s.Do(s.own.Key, "GET", "/v1/signing/passkeys", ""), 500, "internal", "Internal server error"}.check(t)
}

func (s *stage) refusals(t *testing.T) map[string]refusal {
	t.Helper()
	key, used, unknown := s.own.Key, uuid.NewString(), strings.Repeat("0", 8)
	bare := s.tenants.key(s.tenants.bare, auth.Integrator, nil)
	reader := s.tenants.key(s.own.WorkspaceID, auth.IntegratorRead, nil)
	never, _ := auth.GenerateKey()
	awaiting := strings.Replace(walk.Mutations["cancelTransaction"](s.own).Path, "/sign/", "/broadcast/", 1)
	with := func(authorization string) apptest.Answer {
		return s.Do("", "GET", wallets, "", "Authorization", authorization)
	}
	challenge := func(body string, headers ...string) apptest.Answer {
		return s.Do(key, "POST", walk.ChallengePath, body, headers...)
	}
	challenge(email, "Idempotency-Key", used)
	return map[string]refusal{
		"400 missing": {challenge(`{}`), 400, "validation_failed", "Validation failed: email is required"},
		"400 constraint": {challenge(`{"email":7}`), 400, "validation_failed",
			"Validation failed: email must be a string"},
		"400 query": {s.Do(key, "GET", wallets+"?page=0", ""), 400, "validation_failed",
			"Validation failed: page must be at least 1"},
		"400 not JSON": {challenge(`{"email":`), 400, "validation_failed",
			"Validation failed: body must be valid JSON"},
		"400 key": {challenge(email, "Idempotency-Key", unknown), 400, "idempotency_key_malformed",
			"Validation failed: Idempotency-Key must be a UUID v4"},
		"401 missing": {s.Do("", "GET", wallets, ""), 401, "authorization_missing",
			"Authorization header is missing"},
		"401 no key":    {with("ApiKey"), 401, "authorization_malformed", "Authorization header is malformed"},
		"401 two words": {with("ApiKey a b"), 401, "authorization_malformed", "Authorization header is malformed"},
		"401 two of them": {with("ApiKey " + key + ",ApiKey " + key), 401, "authorization_malformed",
			"Authorization header is malformed"},
		"401 key as bearer": {
			with("Bearer " + key), 401, "api_key_as_bearer",
			"This is an API key: send it as Authorization: ApiKey <key>, not as Bearer",
		},
		"401 scheme": {with("Basic eDp5"), 401, "authorization_scheme", "Unsupported authorization scheme"},
		"403 scope": {s.Do(reader, "POST", walk.ChallengePath, email), 403, "insufficient_scope",
			"Insufficient permissions for this resource"},
		"403 workspace": {
			s.Do(key, "GET", wallets+"?integratorId="+s.other.WorkspaceID, ""), 403, "insufficient_scope",
			"Insufficient permissions for this resource",
		},
		"403 module": {s.Do(bare, "GET", wallets, ""), 403, "module_inactive",
			"The signing module is not active for this workspace"},
		"403 address": {s.Do(s.fromElsewhere(t), "GET", wallets, ""), 403, "ip_not_allowed",
			"IP address is not allowed for this API key"},
		"404 key":      {s.Do(never, "GET", wallets, ""), 404, "api_key_not_found", "API key not found"},
		"404 odd key":  {s.Do("rk_x", "GET", wallets, ""), 404, "api_key_not_found", "API key not found"},
		"404 resource": {s.Do(key, "GET", wallets+"/"+uuid.NewString(), ""), 404, "not_found", "Wallet not found"},
		"404 route":    {s.Do(key, "GET", "/v1/exchange/quotes", ""), 404, "route_not_found", "Resource not found"},
		"405":          {s.Do(key, "PUT", wallets, ""), 405, "method_not_allowed", "Method not allowed"},
		"409":          {s.Do(key, "POST", awaiting, ""), 409, "not_signed", "Transaction is not signed"},
		"413": {challenge(`{"email":"` + strings.Repeat("a", 1<<20) + `"}`), 413, "body_too_large",
			"Request body exceeds 512 KiB"},
		"415": {challenge("x", "Content-Type", "text/plain"), 415, "unsupported_media_type",
			"Content-Type must be application/json"},
		"422": {
			challenge(`{"email":"b@example.com"}`, "Idempotency-Key", used), 422, "idempotency_key_reused",
			"Idempotency-Key was used with another request",
		},
		"429": {s.Do(s.stock, "GET", wallets, ""), 429, "rate_limit_exceeded", "Rate limit exceeded"},
	}
}

// fromElsewhere is a key that may not be used from where this test runs.
func (s *stage) fromElsewhere(t *testing.T) string {
	t.Helper()
	got := s.Do(s.own.Operator, "POST", "/v1/integrators/"+s.own.WorkspaceID+"/api-keys",
		`{"name":"far","ipAllowlist":["203.0.113.0/24"]}`)
	var made struct{ Key string }
	if err := got.Into(&made); err != nil || made.Key == "" {
		t.Fatalf("making a key: %s, %v", brief(got), err)
	}
	return made.Key
}

// check holds the answer against what has to come, and its envelope against the spec.
func (r refusal) check(t *testing.T) {
	t.Helper()
	if r.got.Status != r.status || r.got.Field("error") != r.code || r.got.Field("message") != r.message {
		t.Errorf("%s, want %d %s %q", brief(r.got), r.status, r.code, r.message)
	}
	if r.got.Field("success") != false || fmt.Sprint(r.got.Field("statusCode")) != fmt.Sprint(r.status) {
		t.Errorf("success or statusCode: %s", brief(r.got))
	}
	at, _ := r.got.Field("timestamp").(string)
	if _, err := time.Parse("2006-01-02T15:04:05.000Z", at); err != nil {
		t.Errorf("timestamp %q", at)
	}
	if path, _ := r.got.Field("path").(string); !strings.HasPrefix(path, "/v1/") {
		t.Errorf("path %q", path)
	}
	if (r.status == 401) != (r.got.Header.Get("WWW-Authenticate") != "") {
		t.Errorf("WWW-Authenticate is %q", r.got.Header.Get("WWW-Authenticate"))
	}
	if (r.status == 429) && r.got.Header.Get("Retry-After") == "" ||
		(r.status == 405) && r.got.Header.Get("Allow") == "" {
		t.Errorf("headers: %v", r.got.Header)
	}
}
