package provider_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/kit/payout/screen"
	"github.com/railkit/railkit/kit/payout/screen/provider"
)

const key = "secret-of-16-letters"

var subjects = []screen.Subject{
	{Kind: screen.Name, Role: screen.Recipient, Value: "Ana Ruiz", Country: "MX"},
	{Kind: screen.Address, Role: screen.Sender, Value: "0xab", Chain: "base"},
}

// wire is what docs/screening.md shows.
const wire = `{"subjects":[{"id":1,"kind":"name","role":"recipient","value":"Ana Ruiz","country":"MX"},` +
	`{"id":2,"kind":"address","role":"sender","value":"0xab","chain":"base"}]}`

func serve(t *testing.T, h http.HandlerFunc) *provider.Client {
	t.Helper()
	return serveFor(t, time.Minute, h)
}

// serveFor is serve with another patience of the client.
func serveFor(t *testing.T, timeout time.Duration, h http.HandlerFunc) *provider.Client {
	t.Helper()
	web := httptest.NewServer(h)
	t.Cleanup(web.Close)
	c, err := provider.New(provider.Config{URL: web.URL + "/screen", Key: key, Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func says(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = io.WriteString(w, text)
}

func TestProvider_Asks(t *testing.T) {
	var got string
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got = r.Method + " " + r.URL.Path + " " + r.Header.Get("Authorization") + " " + r.Header.Get("Content-Type") +
			" " + string(body)
		says(w, `{"screened":[2,1],"hits":[{"id":2,"entry":"sdn-3"},{"id":2,"entry":"eu_17"},{"id":1,"entry":"x.1"}]}`)
	})
	hits, err := c.Screen(t.Context(), subjects)
	if err != nil || len(hits) != 3 || hits[0] != (screen.Hit{Subject: subjects[1], Entry: "sdn-3"}) ||
		hits[2] != (screen.Hit{Subject: subjects[0], Entry: "x.1"}) {
		t.Errorf("%+v, %v", hits, err)
	}
	if want := "POST /screen Bearer " + key + " application/json " + wire; got != want {
		t.Errorf("asked\n%s\nwant\n%s", got, want)
	}
}

func TestProvider_Ping(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+key {
			w.WriteHeader(http.StatusUnauthorized)
		}
		says(w, `{"screened":[],"hits":[]}`)
	})
	if err := c.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

// Whatever is not a whole answer to this question is none.
func TestProvider_NoAnswer(t *testing.T) {
	for what, h := range map[string]http.HandlerFunc{
		"slow": func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		},
		"slow in the middle": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			says(w, `{"screened":[1,2],`)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
		"500": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			says(w, `{"screened":[1,2],"hits":[]}`)
		},
		"204":       func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
		"elsewhere": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/other", http.StatusFound) },
		"a page": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, `{"screened":[1,2],"hits":[]}`)
		},
		"closed": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		timeout := time.Minute
		if strings.HasPrefix(what, "slow") {
			timeout = 200 * time.Millisecond
		}
		hits, err := serveFor(t, timeout, h).Screen(t.Context(), subjects)
		if !errors.Is(err, screen.ErrUnavailable) || hits != nil {
			t.Errorf("%s: %v, %v", what, hits, err)
		}
	}
	for _, text := range []string{
		``, `null`, `{}`, `[]`, `{"hits":[]}`, `{"screened":[1,2]}`, `{"screened":[1,2],"hits":null}`,
		`{"screened":[1],"hits":[]}`, `{"screened":[1,1],"hits":[]}`, `{"screened":[1,3],"hits":[]}`,
		`{"screened":[0,1],"hits":[]}`, `{"screened":[1,2,3],"hits":[]}`, `{"screened":[1,2,2],"hits":[]}`,
		`{"screened":[1,2],"hits":[{"id":3,"entry":"a"}]}`, `{"screened":[1,2],"hits":[{"entry":"a"}]}`,
		`{"screened":[1,2],"hits":[{"id":1}]}`, `{"screened":[1,2],"hits":[{"id":1,"entry":"Ana Ruiz"}]}`,
		`{"screened":[1,2],"hits":[{"id":1,"entry":"` + strings.Repeat("a", 65) + `"}]}`,
		`{"screened":[1,2],"hits":[],"clear":true}`, `{"screened":[1,2],"hits":[]} x`,
		`{"screened":[1,2],"hits":[],"hits":[]}`, `{"screened":[1,2],"Hits":[]}`, `{"screened":["1","2"],"hits":[]}`,
		`{"screened":[1,2],"hits":[]` + strings.Repeat(" ", 64<<10) + `}`,
	} {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) { says(w, text) })
		if hits, err := c.Screen(t.Context(), subjects); !errors.Is(err, screen.ErrUnavailable) || hits != nil {
			t.Errorf("%.60s: %v, %v", text, hits, err)
		} else if strings.Contains(err.Error(), "Ana") || strings.Contains(err.Error(), "127.0.0.1") {
			t.Errorf("it tells too much: %v", err)
		}
	}
}

func TestProvider_Config(t *testing.T) {
	for _, c := range []provider.Config{
		{URL: "", Key: key}, {URL: "ftp://x", Key: key}, {URL: "https://", Key: key}, {URL: "https://x?a=b", Key: key},
		{URL: "https://u:hunter2@x", Key: key}, {URL: "https://x#a", Key: key}, {URL: "https://x", Key: "short"},
		{URL: "https://[hunter2", Key: key},
	} {
		if _, err := provider.New(c); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// docs/screening.md shows the question as it is asked, and an answer that is understood.
func TestProvider_Documented(t *testing.T) {
	doc, err := os.ReadFile("../../../../docs/screening.md")
	if err != nil {
		t.Fatal(err)
	}
	const answer = `{"screened":[1,2],"hits":[{"id":2,"entry":"sdn-3"}]}`
	for _, line := range []string{wire, answer} {
		if !strings.Contains(string(doc), "```json\n"+line+"\n```") {
			t.Errorf("docs/screening.md does not have %s", line)
		}
	}
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) { says(w, answer) })
	if hits, err := c.Screen(t.Context(), subjects); err != nil || len(hits) != 1 || hits[0].Entry != "sdn-3" {
		t.Errorf("%v, %v", hits, err)
	}
}
