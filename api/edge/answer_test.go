package edge_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestEnvelopeOnEverything(t *testing.T) {
	f := newFixture(t)
	huge := `{"name":"` + strings.Repeat("x", 1<<20) + `"}`
	cases := []struct {
		name, method, target, body string
		status                     int
		message                    string
	}{
		{"success", "GET", "/v1/signing/things/t1", "", 200, "Thing retrieved"},
		{"created", "POST", "/v1/signing/things", `{"name":"n"}`, 201, "Thing made"},
		{"queued", "DELETE", "/v1/signing/things/t1", "", 202, "Queued for approval"},
		{"an empty object where there is no body", "DELETE", "/v1/signing/things/t1", "{}", 202, "Queued for approval"},
		{"health", "GET", "/v1/", "", 200, "Success"},
		{"missing resource", "GET", "/v1/signing/things/t2", "", 404, "Thing not found"},
		{"no such path", "GET", "/v1/nothing", "", 404, "Resource not found"},
		{"below health", "GET", "/v1/x/y", "", 404, "Resource not found"},
		{"health without its slash", "GET", "/v1", "", 404, "Resource not found"},
		{"slash at the end", "GET", "/v1/signing/things/", "", 404, "Resource not found"},
		{"unclean path", "GET", "/v1//signing/../signing/things", "", 404, "Resource not found"},
		{"root", "GET", "/", "", 404, "Resource not found"},
		{"wrong method", "PUT", "/v1/signing/things", "{}", 405, "Method not allowed"},
		{"made-up method", "BREW", "/v1/signing/things", "", 405, "Method not allowed"},
		{"body too large", "POST", "/v1/signing/things", huge, 413, "Request body exceeds 512 KiB"},
		{"panic", "GET", "/v1/panic", "", 500, "Internal server error"},
		{"unknown error", "GET", "/v1/broken", "", 500, "Internal server error"},
		{"outage", "GET", "/v1/busy", "", 503, "Temporarily unavailable"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := f.send(c.method, c.target, c.body)
			if w.Code != c.status {
				t.Errorf("status %d, want %d: %s", w.Code, c.status, w.Body)
			}
			if got := message(t, w, c.target); got != c.message {
				t.Errorf("message %q, want %q", got, c.message)
			}
		})
	}
}

func TestSuccessBytes(t *testing.T) {
	f := newFixture(t)
	cases := []struct{ method, target, body, want string }{
		{"GET", "/v1/signing/things/t1?shape=round", "",
			`{"success":true,"message":"Thing retrieved","data":{"id":"t1","name":"round"},"statusCode":200,"timestamp":"2026-03-04T05:06:07.089Z","path":"/v1/signing/things/t1"}`},
		{"GET", "/v1/signing/things?page=2&limit=20", "",
			`{"success":true,"message":"Success","data":[{"id":"a","name":""}],"meta":{"page":2,"limit":20,"total":101,"totalPages":6,"nextCursor":"n"},"statusCode":200,"timestamp":"2026-03-04T05:06:07.089Z","path":"/v1/signing/things"}`},
		{"DELETE", "/v1/signing/things/t1", "",
			`{"success":true,"message":"Queued for approval","data":{"approvalId":"a1"},"statusCode":202,"timestamp":"2026-03-04T05:06:07.089Z","path":"/v1/signing/things/t1","approvalId":"a1"}`},
		{"GET", "/v1/busy", "",
			`{"success":false,"message":"Temporarily unavailable","error":"unavailable","details":{"part":"enclave"},"statusCode":503,"timestamp":"2026-03-04T05:06:07.089Z","path":"/v1/busy"}`},
	}
	for _, c := range cases {
		if got := f.send(c.method, c.target, c.body).Body.String(); got != c.want+"\n" {
			t.Errorf("%s %s:\n got %s\nwant %s and a newline", c.method, c.target, got, c.want)
		}
	}
}

func TestHeaders(t *testing.T) {
	f := newFixture(t)
	if got := f.send("GET", "/v1/busy", "").Header().Get("Retry-After"); got != "2" {
		t.Errorf("Retry-After %q for 1.5 s", got)
	}
	if got := f.send("PUT", "/v1/signing/things", "").Header().Get("Allow"); !strings.Contains(got, "POST") {
		t.Errorf("Allow %q", got)
	}
	if got := f.send(
		"GET", "/v1/busy", "", header("Authorization", ""),
	).Header().Get("WWW-Authenticate"); got != "ApiKey, Bearer" {
		t.Errorf("WWW-Authenticate %q", got)
	}
	if got := f.send("GET", "/v1/", "").Header().Get("Cache-Control"); got != "no-store" {
		t.Errorf("Cache-Control %q", got)
	}
}

func TestRequestID(t *testing.T) {
	f := newFixture(t)
	cases := []struct {
		name, sent string
		kept       bool
	}{
		{"sane", "req-1.a_b:C", true},
		{"none", "", false},
		{"line break", "a\nb", false},
		{"space", "a b", false},
		{"too long", strings.Repeat("a", 65), false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := f.send("GET", "/v1/", "", func(r *http.Request) { r.Header["X-Request-Id"] = []string{c.sent} })
			got := w.Header().Get("X-Request-Id")
			if got == "" || (got == c.sent) != c.kept {
				t.Errorf("sent %q, got %q", c.sent, got)
			}
			if strings.Contains(w.Body.String(), got) {
				t.Error("the request id is in the body")
			}
		})
	}
}

func TestHead(t *testing.T) {
	if w := newFixture(t).send("HEAD", "/v1/signing/things/t1", ""); w.Code != 200 {
		t.Errorf("HEAD: %d", w.Code)
	}
}
