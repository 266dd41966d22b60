package edge_test

import (
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/platform/auth"
)

const host = "example.com" // of httptest's requests

// signedHTTP puts an agent's HTTP signature on a request.
func signedHTTP(path, query, body string) func(*http.Request) {
	return func(r *http.Request) {
		said := wire.HTTPSignature{
			Authority: host, Query: "?" + query, Created: "1700000000", Expires: "1700000060",
			Nonce: "0123456789abcdef",
		}
		base, input := said.Base(agentID, r.Method, path, wire.Digest(body))
		mac, _ := hex.DecodeString(wire.AgentMAC(agentSecret, base))
		r.Header.Del("Authorization")
		r.Header.Set("x-agent-id", agentID)
		r.Header.Set("Content-Digest", wire.ContentDigest(wire.Digest(body)))
		r.Header.Set("Signature-Input", "sig="+input)
		r.Header.Set("Signature", "sig=:"+base64.StdEncoding.EncodeToString(mac)+":")
	}
}

func TestAgents_EdgeReadsAnHTTPSignature(t *testing.T) {
	f, s := agentFixture(t)
	const path, query, body = "/v1/agents/events", "shape=round&wide=%74rue", `{ "title":"n" }`
	wantStatus(t, "a write with a query", f.send("POST", path+"?"+query, body, signedHTTP(path, query, body)), 200, "")
	c := s.calls[0]
	want := auth.HTTPSignature{
		Authority: host, Query: "?" + query, Created: "1700000000", Expires: "1700000060", Nonce: "0123456789abcdef",
	}
	if c.HTTP == nil || *c.HTTP != want || c.Path != path || string(c.Body) != body || c.Timestamp != "" {
		t.Errorf("%+v, %+v", c, c.HTTP)
	}
	wantStatus(t, "again", f.send("POST", path+"?"+query, body, signedHTTP(path, query, body)), 401, "invalid_auth")
	for name, target := range map[string]string{
		"another query": path + "?shape=square", "no query": path, "another path": "/v1/agents/pay?" + query,
	} {
		wantStatus(t, name, f.send("POST", target, body, signedHTTP(path, query, body)), 401, "invalid_auth")
	}
	other := f.send("POST", path, body, signedHTTP(path, "", body), func(r *http.Request) { r.Host = "other.example" })
	wantStatus(t, "another host", other, 401, "invalid_auth")
	const own = "/v1/agents/x"
	wantStatus(t, "a read", f.send("GET", own, "", signedHTTP(own, "", "")), 200, "")
	wantStatus(t, "with its port", f.send("GET", own, "", signedHTTP(own, "", ""),
		func(r *http.Request) { r.Host = "EXAMPLE.com:443" }), 200, "")
	wantStatus(t, "a key, and a proxy's signature",
		f.send("POST", path, body, header("Signature", "p=:AA==:"), header("Signature-Input", `p=("@path")`)), 200, "")
}

// Where the operator has said at which host the API is, a signature for any other is refused, also if the request
// names that other.
func TestAgents_EdgeRefusesAnotherAuthority(t *testing.T) {
	f, s := agentFixture(t)
	const path, body = "/v1/agents/events", `{"name":"n"}`
	f.APIHost = "api.example"
	w := f.send("POST", path, body, signedHTTP(path, "", body))
	if wantStatus(t, "made for another", w, 401, "invalid_auth"); len(s.calls) != 0 {
		t.Errorf("the signer was asked: %+v", s.calls)
	}
	f.APIHost = host
	wantStatus(t, "made for this one", f.send("POST", path, body, signedHTTP(path, "", body)), 200, "")
}

func TestAgents_EdgeRefusesOtherHTTPSignatures(t *testing.T) {
	f, s := agentFixture(t)
	const path, body = "/v1/agents/events", `{"name":"n"}`
	input := func(old, next string) func(http.Header) {
		return func(h http.Header) {
			was := h.Get("Signature-Input")
			if h.Set("Signature-Input", strings.Replace(was, old, next, 1)); h.Get("Signature-Input") == was {
				t.Errorf("%q changes nothing", old)
			}
		}
	}
	set := func(name, value string) func(http.Header) { return func(h http.Header) { h.Set(name, value) } }
	del := func(name string) func(http.Header) { return func(h http.Header) { h.Del(name) } }
	for name, c := range map[string]struct {
		change func(http.Header)
		says   string
	}{
		"no input":              {del("Signature-Input"), "Signature-Input is missing"},
		"no signature":          {del("Signature"), "Signature is missing"},
		"no agent":              {del("x-agent-id"), "x-agent-id is missing"},
		"no digest":             {del("Content-Digest"), "Content-Digest"},
		"another digest":        {set("Content-Digest", wire.ContentDigest(wire.Digest(""))), "Content-Digest"},
		"sha-512 as well":       {func(h http.Header) { h.Add("Content-Digest", "sha-512=:AA==:") }, "Content-Digest"},
		"a timestamp as well":   {set("x-request-timestamp", "1700000000"), "either"},
		"both forms":            {set("x-agent-auth", strings.Repeat("0", 64)), "either"},
		"reordered":             {input(`"@method" "@authority"`, `"@authority" "@method"`), "cover exactly"},
		"no authority":          {input(` "@authority"`, ``), "cover exactly"},
		"no digest covered":     {input(` "content-digest"`, ``), "cover exactly"},
		"one more":              {input(`"content-digest"`, `"content-digest" "date"`), "cover exactly"},
		"one twice":             {input(`"@query"`, `"@query" "@query"`), "cover exactly"},
		"of another request":    {input(`"@path"`, `"@path";req`), "cover exactly"},
		"nothing covered":       {set("Signature-Input", `sig=()`), "cover exactly"},
		"no created":            {input(`;created=1700000000`, ``), "has no created"},
		"no expires":            {input(`;expires=1700000060`, ``), "has no expires"},
		"no nonce":              {input(`;nonce="0123456789abcdef"`, ``), "has no nonce"},
		"no keyid":              {input(`;keyid="`+agentID+`"`, ``), "has no keyid"},
		"no alg":                {input(`;alg="hmac-sha256"`, ``), "has no alg"},
		"no tag":                {input(`;tag="railkit-agent"`, ``), "has no tag"},
		"params reordered":      {input(`created=1700000000;expires=`, `expires=1700000060;created=`), "order"},
		"one param more":        {input(`;tag=`, `;x=1;tag=`), "exactly these parameters"},
		"a param twice":         {input(`;tag=`, `;created=1;tag=`), "8941"},
		"another's keyid":       {input(agentID, "7d1f0c7e-1111-4222-8333-944455556667"), "keyid is not"},
		"another alg":           {input("hmac-sha256", "ed25519"), "alg is not"},
		"another tag":           {input("railkit-agent", "web-bot-auth"), "tag is not"},
		"created as text":       {input("created=1700000000", `created="1700000000"`), "8941"},
		"created with a point":  {input("created=1700000000", `created=1700000000.0`), "8941"},
		"space":                 {input(`"@path" "@query"`, `"@path"  "@query"`), "8941"},
		"two labels":            {input("sig=", `other=("@path"), sig=`), "exactly one signature"},
		"two headers":           {func(h http.Header) { h.Add("Signature-Input", `other=("@path")`) }, "exactly one"},
		"one label twice":       {input("sig=", `sig=("@path"), sig=`), "8941"},
		"two signatures":        {func(h http.Header) { h.Add("Signature", "b=:AA==:") }, "exactly one"},
		"another label":         {input("sig=", "other="), "under the label"},
		"a short signature":     {set("Signature", "sig=:AAAA:"), "HMAC-SHA256"},
		"a signature in quotes": {set("Signature", `sig="AAAA"`), "HMAC-SHA256"},
		"no structure":          {set("Signature", "AAAA=="), "exactly one signature"},
		"no list":               {set("Signature-Input", "sig=1"), "another type"},
		"garbage":               {set("Signature-Input", `sig=("@path`), "exactly one signature"},
	} {
		before := len(s.calls)
		w := f.send("POST", path, body, signedHTTP(path, "", body), func(r *http.Request) { c.change(r.Header) })
		wantStatus(t, name, w, 401, "invalid_auth")
		if got, _ := envelopeOf(t, w)["message"].(string); !strings.Contains(got, c.says) || len(s.calls) != before {
			t.Errorf("%s: %q, want %q; %d calls", name, got, c.says, len(s.calls)-before)
		}
	}
	if f.runs != 0 {
		t.Errorf("%d runs", f.runs)
	}
}

// Whatever headers come, the signer gets one text for them, or nothing.
func FuzzAgentSignature(f *testing.F) {
	r := httptest.NewRequest("POST", "/v1/agents/events", strings.NewReader("{}"))
	signedHTTP("/v1/agents/events", "", "{}")(r)
	input, value := r.Header.Get("Signature-Input"), r.Header.Get("Signature")
	f.Add(input, value, agentID)
	f.Add(strings.ReplaceAll(input, " ", ""), value, agentID)
	f.Add(input+", "+input, value+", "+value, "")
	f.Add(`sig=("@method";req);created=1;nonce="\""`, "sig=:AA:", "a")
	f.Add("sig=(", "sig", "")
	f.Fuzz(func(t *testing.T, input, value, id string) {
		fx, s := agentFixture(t)
		fx.send("POST", "/v1/agents/events", "{}", signedHTTP("/v1/agents/events", "", "{}"), func(r *http.Request) {
			r.Header["Signature-Input"], r.Header["Signature"] = []string{input}, []string{value}
			r.Header["X-Agent-Id"] = []string{id}
		})
		for _, c := range s.calls {
			if c.HTTP == nil {
				continue
			}
			_, text := wire.HTTPSignature(*c.HTTP).Base(c.AgentID, c.Method, c.Path, wire.Digest(string(c.Body)))
			if !strings.HasSuffix(input, "="+text) || c.AgentID != id || c.HTTP.Authority != host {
				t.Errorf("%q became %q", input, text)
			}
		}
	})
}
