package edge

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

var ownProxies = Proxies{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:1::/48")}

func TestClientAddress(t *testing.T) {
	long := strings.Repeat("10.0.0.1, ", 5000) + "10.0.0.1"
	for _, c := range []struct {
		name, peer string
		forwarded  []string
		want       string
	}{
		{"nothing is said", "10.0.0.9:1", nil, "10.0.0.9"},
		{"a stranger says something", "203.0.113.5:1", []string{"198.51.100.1"}, "203.0.113.5"},
		{"one proxy", "10.0.0.9:1", []string{"198.51.100.1"}, "198.51.100.1"},
		{"what the caller wrote before", "10.0.0.9:1", []string{"127.0.0.1, 198.51.100.1"}, "198.51.100.1"},
		{
			"pretending to come through a proxy", "10.0.0.9:1", []string{"127.0.0.1, 10.0.0.8, 198.51.100.1"},
			"198.51.100.1",
		},
		{"two proxies", "10.0.0.9:1", []string{"127.0.0.1, 198.51.100.1, 10.0.0.8"}, "198.51.100.1"},
		{"two headers", "10.0.0.9:1", []string{"127.0.0.1", "198.51.100.1,10.0.0.8"}, "198.51.100.1"},
		{"proxies only", "10.0.0.9:1", []string{"10.0.0.7, 10.0.0.8"}, "10.0.0.7"},
		{"malformed at the end", "10.0.0.9:1", []string{"198.51.100.1, unknown"}, "10.0.0.9"},
		{"malformed behind a proxy", "10.0.0.9:1", []string{"198.51.100.1, , 10.0.0.8"}, "10.0.0.8"},
		{"malformed where the caller wrote", "10.0.0.9:1", []string{"<script>, 198.51.100.1"}, "198.51.100.1"},
		{"empty", "10.0.0.9:1", []string{""}, "10.0.0.9"},
		{"a comma", "10.0.0.9:1", []string{","}, "10.0.0.9"},
		{"a comma first", "10.0.0.9:1", []string{",198.51.100.1"}, "198.51.100.1"},
		{"a comma first, of a proxy", "10.0.0.9:1", []string{",10.0.0.8"}, "10.0.0.8"},
		{"with a port", "10.0.0.9:1", []string{"198.51.100.1:5678"}, "198.51.100.1"},
		{"IPv6", "[2001:db8:1::5]:1", []string{"2001:db8:2::1"}, "2001:db8:2::1"},
		{"IPv6 with a port", "[2001:db8:1::5]:1", []string{"[2001:db8:2::1]:99"}, "2001:db8:2::1"},
		{"a mapped peer", "[::ffff:10.0.0.9]:1", []string{"::ffff:198.51.100.1"}, "198.51.100.1"},
		{"a zone", "10.0.0.9:1", []string{"fe80::1%x"}, "10.0.0.9"},
		{"no address at all", "@", []string{"198.51.100.1"}, "@"},
		{"very long", "10.0.0.9:1", []string{long}, "10.0.0.1"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr, r.Header = c.peer, http.Header{"X-Forwarded-For": c.forwarded}
		if got := ownProxies.client(r); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		none := Proxies(nil).client(r)
		r.Header = nil
		if want := ownProxies.client(r); none != want {
			t.Errorf("%s: without the setting %s, want %s", c.name, none, want)
		}
	}
}

func FuzzClientAddress(f *testing.F) {
	for _, seed := range []string{"", ",", "198.51.100.1, 10.0.0.8", "[2001:db8:2::1]:99", "fe80::1%x,10.0.0.1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = "10.0.0.9:1"
		r.Header["X-Forwarded-For"] = []string{text}
		got, ok := parseHop(ownProxies.client(r))
		// Whatever stands before it, what the last own proxy saw is the answer.
		r.Header["X-Forwarded-For"] = []string{text, "198.51.100.1", "10.0.0.8"}
		if !ok || !got.IsValid() || ownProxies.client(r) != "198.51.100.1" {
			t.Errorf("%q: %v, %s", text, got, ownProxies.client(r))
		}
	})
}
