package edge_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/command"
)

func TestValidation(t *testing.T) {
	f := newFixture(t)
	const secret = "hunter2"
	cases := []struct{ name, body, message string }{
		{"nothing", "", "body is required"},
		{"first of many in order of declaration", `{"places":1,"kind":"x","name":""}`, "name must not be empty"},
		{"missing", `{}`, "name is required"},
		{"missing comes before unknown", `{"aaa":1}`, "name is required"},
		{"wrong type", `{"name":1}`, "name must be a string"},
		{"null", `{"name":null}`, "name must be a string"},
		{"too long", `{"name":"` + strings.Repeat("é", 21) + `"}`, "name must have at most 20 characters"},
		{"unknown field", `{"name":"n","zzz":1,"extra":"` + secret + `"}`, "extra is not allowed"},
		{"other case", `{"name":"n","Kind":"small"}`, "Kind is not allowed: the field is called kind"},
		{"other case of a required field", `{"Name":"n"}`, "Name is not allowed: the field is called name"},
		{"underscores", `{"name":"n","gas_limit":"1"}`, "gas_limit is not allowed: the field is called gasLimit"},
		{
			"unknown field with an odd name", `{"name":"n","` + secret + ` \u0007":1}`,
			"body has a field that is not allowed",
		},
		{"a key as a field", `{"name":"n","` + someKey + `":1}`, "body has a field that is not allowed"},
		{
			"an id as a field", `{"name":"n","3f0c4a52-6d5e-4d0b-9a57-2f1f0f4a8c11":1}`,
			"body has a field that is not allowed",
		},
		{"duplicate", `{"name":"n","name":"` + secret + `"}`, "name must not be given twice"},
		{
			"duplicate below", `{"name":"n","places":[{"city":"a","city":"b"}]}`,
			"places[0].city must not be given twice",
		},
		{"enum", `{"name":"n","kind":"` + secret + `"}`, "kind must be one of small, large"},
		{"format", `{"name":"n","email":"` + secret + `"}`, "email must be an e-mail address"},
		{"display name", `{"name":"n","email":"A <a@b.c>"}`, "email must be an e-mail address"},
		{"fraction", `{"name":"n","count":1.5}`, "count must be an integer"},
		{"exponent", `{"name":"n","count":1e3}`, "count must be an integer"},
		{"number as text", `{"name":"n","count":"1"}`, "count must be an integer"},
		{"below the minimum", `{"name":"n","count":0}`, "count must be at least 1"},
		{"beyond all integers", `{"name":"n","count":99999999999999999999}`, "count is out of range"},
		{"not of the Go type", `{"name":"n","count":3000000000}`, "count is not valid"},
		{"exclusive minimum", `{"name":"n","price":0}`, "price must be greater than 0"},
		{"beyond all floats", `{"name":"n","price":1e999}`, "price is out of range"},
		{"boolean", `{"name":"n","on":"true"}`, "on must be a boolean"},
		{"nested missing", `{"name":"n","place":{}}`, "place.city is required"},
		{"nested", `{"name":"n","place":{"city":"x","country":"AT"}}`, "place.city must have at least 2 characters"},
		{"pattern", `{"name":"n","place":{"city":"xx","country":"at"}}`, "place.country must be a country code"},
		{"item", `{"name":"n","places":[{"city":"xx","country":"AT"},{"city":"xx"}]}`, "places[1].country is required"},
		{"too many items", `{"name":"n","places":[{},{},{}]}`, "places must have at most 2 items"},
		{"array", `{"name":"n","places":{}}`, "places must be an array"},
		{"map value", `{"name":"n","labels":{"a":1}}`, "labels.a must be a string"},
		{"null character", `{"name":"a\u0000b"}`, "name must not hold a null character"},
		{"not an object", `[]`, "body must be an object"},
		{"text", `"` + secret + `"`, "body must be an object"},
		{"not JSON", `{"name":` + secret, "body must be valid JSON"},
		{"data after it", `{"name":"n"} {}`, "body must be valid JSON"},
		{"invalid UTF-8", "{\"name\":\"\xff\"}", "body must be UTF-8"},
		{"half a surrogate pair", `{"name":"\ud800"}`, "body must be valid JSON"},
		{"too deep", strings.Repeat("[", 20000), "body must be valid JSON"},
		{"spaces only", "   ", "body must be valid JSON"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f.now = f.now.Add(1e12) // past any rate limit
			w := f.send("POST", "/v1/signing/things", c.body)
			if got := message(t, w, "/v1/signing/things"); w.Code != 400 || got != "Validation failed: "+c.message {
				t.Errorf("%d %q, want %q", w.Code, got, c.message)
			}
			if strings.Contains(w.Body.String(), secret) {
				t.Errorf("the answer holds the value: %s", w.Body)
			}
		})
	}
	if f.runs != 0 {
		t.Errorf("the operation ran %d times", f.runs)
	}
}

func TestParameters(t *testing.T) {
	f := newFixture(t)
	cases := []struct{ target, message string }{
		{"/v1/signing/things?page=0", "page must be at least 1"},
		{"/v1/signing/things?page=1000001", "page must be at most 1000000"},
		{"/v1/signing/things?limit=201&page=x", "page must be an integer"},
		{"/v1/signing/things?limit=1.0", "limit must be an integer"},
		{"/v1/signing/things?limit=99999999999999999999", "limit is out of range"},
		{"/v1/signing/things?limit=999999", "limit must be at most 200"},
		{"/v1/signing/things?limit=1&limit=2", "limit must be given once"},
		{"/v1/signing/things?limit=%zz", "query is malformed"},
		{"/v1/signing/things?a;b", "query is malformed"},
		{"/v1/signing/things?cursor=%ff", "cursor must be UTF-8"},
		{"/v1/signing/things/t1?colour=red&shape=flat", "colour is not a query parameter of this call: it takes " +
			"integratorId, shape, wide"},
		{"/v1/signing/things/t1?Shape=round", "Shape is not a query parameter of this call: it takes integratorId, shape, wide"},
		{"/v1/signing/things/t1?rk%20secret=1", "query has a parameter that this call does not take: it takes " +
			"integratorId, shape, wide"},
		{"/v1/?x=1", "x is not a query parameter of this call: it takes integratorId"},
		{"/v1/signing/things/t1?shape=flat", "shape must be one of round, square"},
		{"/v1/signing/things/t1?wide=yes", "wide must be a boolean"},
		{"/v1/signing/things/" + strings.Repeat("x", 41), "id must have at most 40 characters"},
		{"/v1/signing/things/a%00b", "id must not hold a null character"},
		{"/v1/signing/things/%ff", "id must be UTF-8"},
	}
	for _, c := range cases {
		w := f.send("GET", c.target, "")
		if got := envelopeOf(t, w)["message"]; w.Code != 400 || got != "Validation failed: "+c.message {
			t.Errorf("%s: %d %q, want %q", c.target, w.Code, got, c.message)
		}
	}
	for _, fine := range []string{
		"/v1/signing/things?page=&limit=", "/v1/signing/things?integratorId=" + home, "/v1/?integratorId=any",
		"/v1/signing/things/t1?wide=true&shape=square",
	} {
		if w := f.send("GET", fine, ""); w.Code != 200 {
			t.Errorf("%s: %d %s", fine, w.Code, w.Body)
		}
	}
}

func TestDefaults(t *testing.T) {
	f := newFixture(t)
	if meta := envelopeOf(t, f.send("GET", "/v1/signing/things", ""))["meta"].(map[string]any); meta["page"] != 1.0 ||
		meta["limit"] != 50.0 {
		t.Errorf("%v", meta)
	}
	if data := envelopeOf(
		t, f.send("POST", "/v1/signing/things", `{"name":"n"}`),
	)["data"].(map[string]any); data["kind"] != "small" {
		t.Errorf("%v", data)
	}
}

func TestContentType(t *testing.T) {
	f := newFixture(t)
	cases := []struct {
		contentType, encoding string
		status                int
	}{
		{"application/json", "", 201},
		{"application/json; charset=utf-8", "", 201},
		{"Application/JSON;charset=UTF-8", "", 201},
		{"", "", 415},
		{"text/plain", "", 415},
		{"application/x-www-form-urlencoded", "", 415},
		{"application/problem+json", "", 415},
		{"application/json; charset=latin1", "", 415},
		{"application/json;;", "", 415},
		{"application/json", "gzip", 415},
	}
	for _, c := range cases {
		w := f.send(
			"POST", "/v1/signing/things", `{"name":"n"}`, header("Content-Type", c.contentType),
			header("Content-Encoding", c.encoding),
		)
		if w.Code != c.status {
			t.Errorf("%q %q: %d, want %d", c.contentType, c.encoding, w.Code, c.status)
		}
		if got := message(t, w, "/v1/signing/things"); w.Code == 415 && got != "Content-Type must be application/json" {
			t.Errorf("%q", got)
		}
	}
}

// An operation may take another form of its body, and reads it by itself. The idempotency key counts the bytes as
// they came.
func TestTextBody(t *testing.T) {
	f := newFixture(t)
	type named struct{ Body thing }
	edge.Write[thing](f.Server, edge.Op{
		ID: "readThing", Path: "/v1/read", Tag: "T", Text: &edge.Text{
			Media: "text/csv", Example: "id,name", Read: func(body []byte) (any, error) {
				id, name, is := strings.Cut(string(body), ",")
				if !is {
					return nil, fault.Field("body", "must have a comma")
				}
				return thing{id, name}, nil
			},
		},
	}, func(_ context.Context, cmd *command.Command, in *named) (command.Answer, error) {
		return f.commit(cmd, command.Reply{Status: 200, Message: in.Body.ID + "+" + in.Body.Name})
	})
	key := header("Idempotency-Key", "0b0b3f0c-4a52-4d5e-8d0b-9a572f1f0f4a")
	for _, c := range []struct {
		body, media, message string
		status               int
	}{
		{`{"id":"a","name":"b"}`, "application/json", "a+b", 200},
		{"c,d", "text/csv; charset=UTF-8", "c+d", 200},
		{"cd", "text/csv", "Validation failed: body must have a comma", 400},
		{"", "text/csv", "Validation failed: body is required", 400},
		{"c,d", "text/csv; charset=latin1", "Content-Type must be application/json or text/csv", 415},
		{"c,d", "text/plain", "Content-Type must be application/json or text/csv", 415},
	} {
		w := f.send("POST", "/v1/read", c.body, header("Content-Type", c.media))
		if got := message(t, w, "/v1/read"); w.Code != c.status || got != c.message {
			t.Errorf("%s as %s: %d %q", c.body, c.media, w.Code, got)
		}
	}
	for body, status := range map[string]int{"e,f": 200, "e,g": 422} {
		f.send("POST", "/v1/read", "e,f", header("Content-Type", "text/csv"), key)
		if w := f.send("POST", "/v1/read", body, header("Content-Type", "text/csv"), key); w.Code != status {
			t.Errorf("%s under the key of e,f: %d %s", body, w.Code, w.Body)
		}
	}
}

func TestBodyWhereThereIsNone(t *testing.T) {
	f := newFixture(t)
	w := f.send("DELETE", "/v1/signing/things/t1", `{"force":true}`)
	if got := message(t, w, "/v1/signing/things/t1"); w.Code != 400 ||
		got != "Validation failed: force is not allowed" {
		t.Errorf("%d %q", w.Code, got)
	}
	if w := f.send("GET", "/v1/signing/things/t1", "ignored", header("Content-Type", "")); w.Code != 200 {
		t.Errorf("a GET with a body: %d", w.Code)
	}
}

func TestExactlyTheMostBytes(t *testing.T) {
	f := newFixture(t)
	body := `{"name":"n"` + strings.Repeat(" ", 512<<10-12) + `}`
	if w := f.send("POST", "/v1/signing/things", body); w.Code != 201 {
		t.Errorf("512 KiB: %d", w.Code)
	}
	if w := f.send("POST", "/v1/signing/things", body+" "); w.Code != 413 {
		t.Errorf("512 KiB and a byte: %d", w.Code)
	}
}

// Many small values cost far more than their bytes: reading ends where there are too many, wherever they stand.
func TestMostValues(t *testing.T) {
	f := newFixture(t)
	for name, body := range map[string]string{
		"objects":           `[` + strings.Repeat("{},", 100_000) + `{}]`,
		"numbers":           `{"gasLimit":[` + strings.Repeat("1,", 100_000) + `1]}`,
		"objects in a list": `{"places":[` + strings.Repeat(`{"a":[]},`, 30_000) + `{}]}`,
		"lists of lists":    `[` + strings.Repeat("[],", 100_000) + `[]]`,
	} {
		began := time.Now()
		w := f.send("POST", "/v1/signing/things", body)
		took := time.Since(began)
		if got := message(t, w, "/v1/signing/things"); w.Code != 400 ||
			!strings.HasSuffix(got, "body must have at most 20000 values") {
			t.Errorf("%s: %d %q after %v", name, w.Code, got, took)
		}
	}
}

func TestAliases(t *testing.T) {
	f := newFixture(t)
	cases := []struct {
		body   string
		status int
		want   string // name and gasLimit, or the message
	}{
		{`{"title":"t"}`, 201, "t "},
		{`{"title":"t","gas":{"limit":"9007199254740993"}}`, 201, "t 9007199254740993"},
		{`{"name":"n","title":"t"}`, 400, "name must not be given under two names"},
		{`{"name":"n","gas":{"limit":"1"},"gasLimit":"2"}`, 400, "gasLimit must not be given under two names"},
		{`{"title":""}`, 400, "name must not be empty"},
		{`{"name":"n","gas":{"limit":"1","price":"2"}}`, 400, "gas is not allowed"},
		{`{"name":"n","gas":1}`, 400, "gas is not allowed"},
	}
	for _, c := range cases {
		w := f.send("POST", "/v1/signing/things", c.body)
		e := envelopeOf(t, w)
		got := strings.TrimPrefix(e["message"].(string), "Validation failed: ")
		if data, ok := e["data"].(map[string]any); ok {
			got = data["name"].(string) + " " + data["gasLimit"].(string)
		}
		if w.Code != c.status || got != c.want {
			t.Errorf("%s: %d %q, want %q", c.body, w.Code, got, c.want)
		}
	}
}

func FuzzBody(f *testing.F) {
	for _, seed := range []string{
		`{"name":"n"}`, `{"title":"t","gas":{"limit":"1"}}`, `{"name":"n","places":[{"city":"xx","country":"AT"}]}`,
		`{`, `[]`, "\xff", `{"a":{"a":{"a":1e400}}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		x := newFixture(t)
		w := x.send("POST", "/v1/signing/things", body, header("Content-Type", "application/json"))
		if w.Code != http.StatusCreated &&
			w.Code != http.StatusBadRequest && w.Code != http.StatusRequestEntityTooLarge {
			t.Errorf("%d for %q", w.Code, body)
		}
		message(t, w, "/v1/signing/things")
	})
}
