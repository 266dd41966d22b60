package link

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/command"
)

// origins are the registered ones of a database.
type origins map[string]bool

func (o origins) InsertCeremony(context.Context, Ceremony) error { return nil }

func (o origins) ReturnOrigin(_ context.Context, workspaceID, id string) (Origin, error) {
	for origin, is := range o {
		if is && originID(workspaceID, origin) == id {
			return Origin{WorkspaceID: workspaceID, ID: id, Origin: origin}, nil
		}
	}
	return Origin{}, fault.Missing("Return origin")
}

type onlyOrigins struct {
	Store
	origins
}

func (o onlyOrigins) ReturnOrigin(ctx context.Context, workspaceID, id string) (Origin, error) {
	return o.origins.ReturnOrigin(ctx, workspaceID, id)
}

func linksOf(environment chain.Environment, o origins) *Links {
	return New(Deps{Store: onlyOrigins{nil, o}, Dashboard: "https://dash.example.com", Environment: environment})
}

// What a browser could read as another origin than Go does, or what only begins like a registered one, is no address to
// lead back to.
func TestReturn_Phishing(t *testing.T) {
	registered := origins{
		"https://app.example.com": true, "https://app.example.com:8443": true, "http://localhost:3000": true,
	}
	for address, want := range map[string]string{
		"https://app.example.com":                                "",
		"https://app.example.com/":                               "",
		"https://app.example.com/paid/7?a=b&c=%20d":              "",
		"https://app.example.com:8443/x":                         "",
		"https://dash.example.com/approvals":                     "",
		"http://localhost:3000/done":                             "",
		"https://app.example.com.evil.example/":                  "return_origin_unknown",
		"https://app.example.comevil.example/":                   "return_origin_unknown",
		"https://app-example.com/":                               "return_origin_unknown",
		"https://app.example.com:8444/":                          "return_origin_unknown",
		"https://app.example.com:80/":                            "return_origin_unknown",
		"http://localhost:3001/":                                 "return_origin_unknown",
		"http://localhost/":                                      "return_origin_unknown",
		"https://evil.example/https://app.example.com/":          "return_origin_unknown",
		"https://evil.example/?https://app.example.com":          "return_origin_unknown",
		"https://app.example.com@evil.example/":                  "validation_failed",
		"https://app.example.com:pass@evil.example/":             "validation_failed",
		"https://app.example.com%40evil.example/":                "validation_failed",
		`https://app.example.com\@evil.example/`:                 "validation_failed",
		`https://evil.example\.app.example.com/`:                 "validation_failed",
		`https:\\evil.example/`:                                  "validation_failed",
		"https:/app.example.com/":                                "validation_failed",
		"//app.example.com/":                                     "validation_failed",
		"https://":                                               "validation_failed",
		"https://app.example.com:443/":                           "validation_failed",
		"https://app.example.com:08443/":                         "validation_failed",
		"https://app.example.com:/":                              "validation_failed",
		"http://app.example.com/":                                "validation_failed",
		"javascript:alert(1)":                                    "validation_failed",
		"javascript://app.example.com/%0aalert(1)":               "validation_failed",
		"data:text/html,x":                                       "validation_failed",
		" https://app.example.com/":                              "validation_failed",
		"https://app.example.com/ x":                             "validation_failed",
		"https://app.example.com/\n":                             "validation_failed",
		"https://app.example.com/\t":                             "validation_failed",
		"https://App.example.com/":                               "validation_failed",
		"HTTPS://app.example.com/":                               "validation_failed",
		"https://app.example.com./":                              "validation_failed",
		"https://\u0430pp.example.com/":                          "validation_failed", // Cyrillic
		"https://app\u3002example.com/":                          "validation_failed", // a full stop to browsers
		"https://127.0.0.1/":                                     "validation_failed",
		"https://2130706433/":                                    "validation_failed",
		"https://[::1]/":                                         "validation_failed",
		"https://app.example.com/#token":                         "validation_failed",
		"https://app.example.com/%zz":                            "validation_failed",
		"https://app.example.com/?outcome=done":                  "validation_failed",
		"https://app.example.com/?x=1&state=theirs":              "validation_failed",
		"https://app.example.com/?a=b;outcome=done":              "validation_failed",
		"https://app.example.com/?%6futcome=done":                "validation_failed",
		"https://app.example.com/?" + strings.Repeat("a", 10):    "",
		"blob:https://app.example.com/0c8e1a52":                  "validation_failed",
		"https://app.example.com?x=1":                            "",
		"https://app.example.com/a/../b":                         "",
		"https://app.example.com/x@y:z":                          "",
		"https://localhost:3000/":                                "return_origin_unknown",
		"http://localhost.evil.example/":                         "validation_failed",
		"http://localhost:3000@evil.example/":                    "validation_failed",
		"https://xn--pp-example-9ng.com/":                        "return_origin_unknown",
		"https://app.example.com/\u202etxt":                      "validation_failed",
		"https://app.example.com|evil.example/":                  "validation_failed",
		"https://app.example.com<script>":                        "validation_failed",
		"https://app.example.com/\"><script>alert(1)</script>":   "validation_failed",
		"https://app.example.com/?next=https://evil.example/%2F": "",
	} {
		s := linksOf(chain.Sandbox, registered)
		err := s.check(t.Context(), registered, "w", command.Return{URL: address})
		got := ""
		if f, is := fault.As(err); is {
			got = f.Code
		} else if err != nil {
			t.Errorf("%q: %v", address, err)
		}
		if got != want {
			t.Errorf("%q: %q, want %q (%v)", address, got, want, err)
		}
	}
	in := linksOf(chain.Production, registered)
	if err := in.check(t.Context(), registered, "w", command.Return{URL: "http://localhost:3000/"}); err == nil {
		t.Error("production leads to http")
	}
}

// Whatever a caller's state is, it comes back as one parameter with this value, and what the address had stays.
func TestReturn_StateStaysInItsParameter(t *testing.T) {
	s := linksOf(chain.Sandbox, origins{"https://app.example.com": true})
	for _, address := range []string{
		"https://app.example.com", "https://app.example.com/", "https://app.example.com/p?",
		"https://app.example.com/p?a=1", "https://app.example.com/p?a=1&",
	} {
		for _, state := range []string{
			"", "7", "a&outcome=done", "#fragment", "?x", "%26outcome=done", "a;b", "\u202e\u0430", "+ +",
			"\r\nLocation: https://evil.example", "'\"><script>", "https://evil.example/",
		} {
			c := Ceremony{Kind: Transaction, Return: command.Return{URL: address, State: state}}
			origin, to, err := s.Back(t.Context(), c, "tx 1&", WasDeclined)
			if err != nil {
				t.Fatal(err)
			}
			u, err := url.Parse(to)
			if err != nil || origin != "https://app.example.com" || u.Scheme+"://"+u.Host != origin ||
				u.Fragment != "" {
				t.Fatalf("%q and %q lead to %q, %v", address, state, to, err)
			}
			q, err := url.ParseQuery(u.RawQuery)
			want := url.Values{"id": {"tx 1&"}, "kind": {"transaction"}, "outcome": {"declined"}}
			if state != "" {
				want["state"] = []string{state}
			}
			if strings.Contains(address, "a=1") {
				want["a"] = []string{"1"}
			}
			if err != nil || q.Encode() != want.Encode() {
				t.Errorf("%q and %q: %v, want %v (%v)", address, state, q, want, err)
			}
		}
	}
}

// An origin that was removed since the link was made is led to no more; that of the dashboard needs no row.
func TestReturn_RemovedOrigin(t *testing.T) {
	registered := origins{"https://app.example.com": true}
	s := linksOf(chain.Production, registered)
	back := func(address string) string {
		t.Helper()
		_, to, err := s.Back(t.Context(), Ceremony{Return: command.Return{URL: address}}, "1", Done)
		if err != nil {
			t.Fatal(err)
		}
		return to
	}
	if back("https://app.example.com/") == "" || back("https://dash.example.com/") == "" || back("") != "" {
		t.Error("what is registered is not led to, or what was not asked for is")
	}
	registered["https://app.example.com"] = false
	if to := back("https://app.example.com/"); to != "" {
		t.Errorf("it leads to %q", to)
	}
}

// A link that is written after the signer has acted is written without a way back, where its origin was removed since.
func TestReturn_OriginRemovedWhileTheSignerActed(t *testing.T) {
	known := origins{"https://app.example.com": true}
	s := linksOf(chain.Production, known)
	back := &command.Return{URL: "https://app.example.com/"}
	if got, err := s.StillReturn(t.Context(), known, "w", back); err != nil || got != back {
		t.Errorf("%v, %v", got, err)
	}
	delete(known, "https://app.example.com")
	if got, err := s.StillReturn(t.Context(), known, "w", back); err != nil || got != nil {
		t.Errorf("removed: %v, %v", got, err)
	}
}
