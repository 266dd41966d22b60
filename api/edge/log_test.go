package edge_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/railkit/railkit/requestid"
)

func TestOneLinePerRequest(t *testing.T) {
	f := newFixture(t)
	f.send("GET", "/v1/signing/things/t1", "", header("X-Request-Id", "r1"))
	f.send("GET", "/v1/broken", "")
	f.send("GET", "/v1/panic", "")
	f.send("GET", "/v1/nowhere", "")
	lines := strings.Split(strings.TrimSpace(f.log.String()), "\n")
	if len(lines) != 4 {
		t.Fatalf("%d lines:\n%s", len(lines), f.log)
	}
	var first map[string]any
	if err := json.Unmarshal([]byte(lines[0]), &first); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{"method": "GET", "route": "/v1/signing/things/{id}", "operation": "getThing",
		"status":    200.0,
		"workspace": home, "request_id": "r1", "remoteIp": "192.0.2.1", "level": "INFO"} {
		if first[name] != want {
			t.Errorf("%s is %v, want %v", name, first[name], want)
		}
	}
	if id, _ := first["caller"].(string); len(id) != 8 || first["by"] != "api_key" {
		t.Errorf("caller %q by %v", id, first["by"])
	}
	if !strings.Contains(lines[1], "disk on fire") || !strings.Contains(lines[1], `"level":"ERROR"`) {
		t.Errorf("no detail of the error: %s", lines[1])
	}
	if !strings.Contains(lines[2], "out of cheese") || !strings.Contains(lines[2], "goroutine") {
		t.Errorf("no detail of the panic: %s", lines[2])
	}
}

// What only the caller may know never reaches the log, whatever becomes of the request.
func TestCanariesStayOutOfTheLog(t *testing.T) {
	f := newFixture(t)
	const canary = "canary4711"
	inHeader := func(r *http.Request) {
		r.Header.Set("X-Other", canary)
		r.Header.Set("Cookie", canary)
		r.Header.Set("User-Agent", canary)
	}
	bodies := []string{
		`{"name":"` + canary + `"}`, `{"name":"n","x":"` + canary + `"}`, `{"` + canary + `":1}`, canary,
		`{"name":"n","count":"` + canary + `"}`,
	}
	for _, b := range bodies {
		f.send("POST", "/v1/signing/things", b, inHeader, header("Idempotency-Key", someKey))
	}
	f.send("POST", "/v1/signing/things", `{"name":"n"}`, header("Content-Type", canary))
	f.send("POST", "/v1/signing/things", `{"name":"n"}`, header("Idempotency-Key", canary))
	f.send("GET", "/v1/signing/things/"+canary+"?shape="+canary, "")
	f.send("GET", "/v1/signing/things?cursor="+canary+"&integratorId="+canary, "")
	f.send("GET", "/v1/"+canary, "")
	f.send(strings.ToUpper(canary), "/v1/signing/things", "")
	f.send("GET", "/v1/busy", "", header("Authorization", "Bearer "+canary))
	f.send("GET", "/v1/busy", "", header("Authorization", "ApiKey "+canary))
	f.send("GET", "/v1/busy", "", header("X-Request-Id", canary+" "))
	log := strings.ToLower(f.log.String())
	for _, secret := range []string{canary, strings.ToLower(f.key), someKey} {
		if strings.Contains(log, secret) {
			t.Errorf("%s is in the log:\n%s", secret, f.log)
		}
	}
}

// A caller's request id that would be more than an id in the log is replaced by one of the server's own: nobody writes
// a line of his own into the log.
func TestLogCannotBeForged(t *testing.T) {
	f := newFixture(t)
	hostile := []string{
		"r1\n{\"level\":\"INFO\",\"msg\":\"forged\"}", `r1","msg":"forged`, strings.Repeat("forged", 100), "forged\r\n",
		" forged", "forged\u2028", "{forged}",
	}
	for _, id := range hostile {
		as := func(r *http.Request) { r.Header["X-Request-Id"] = []string{id} }
		answer := f.send("GET", "/v1/signing/things/t1", "", as)
		if got := answer.Header().Get("X-Request-Id"); got == id || !requestid.Valid(got) {
			t.Errorf("%.20q is answered with %q", id, got)
		}
	}
	lines := strings.Split(strings.TrimSpace(f.log.String()), "\n")
	if len(lines) != len(hostile) || strings.Contains(f.log.String(), "forged") {
		t.Errorf("%d lines:\n%s", len(lines), f.log)
	}
	for _, line := range lines {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil || fields["request_id"] == nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}
