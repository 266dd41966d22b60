package policy

import (
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
)

// Every spelling by which a URL could seem to be of an allowed host, and reach another one.
func TestAgents_HostAllowlistIsNotBypassed(t *testing.T) {
	l := wire.AgentLimits{AllowedHosts: []string{
		"shop.example", "api.shop.example:8443", "xn--shp-tna.example", "localhost:4021", "127.0.0.1:4021",
	}}
	for url, good := range map[string]bool{
		"https://shop.example": true, "https://shop.example/": true, "https://shop.example/a/b?c=d&e=%2F": true,
		"https://shop.example?a=b": true, "https://shop.example:443/a": true,
		"https://api.shop.example:8443/a": true, "https://xn--shp-tna.example/": true,
		"http://localhost:4021/a": true, "http://127.0.0.1:4021/a": true, "https://localhost:4021/": true,
		"https://shop.example//evil.example/": true, // its path

		"":             false,
		"shop.example": false, "//shop.example/": false, "https:shop.example": false, "https:/shop.example/": false,
		"https:///shop.example/": false, "http://shop.example/": false, "http://shop.example:443/": false,
		"HTTPS://shop.example/": false, "ftp://shop.example/": false, "javascript://shop.example/": false,
		"data:https://shop.example/": false, " https://shop.example/": false, "https://shop.example/ ": false,

		"https://a.shop.example/": false, "https://example/": false, "https://api.shop.example/": false,
		"https://shop.example.evil.com/": false, "https://evilshop.example/": false, "https://shop.exampl/": false,
		"https://evil.com/shop.example": false, "https://evil.com/?https://shop.example/": false,
		"https://evil.com?shop.example": false,

		"https://shop.example./": false, "https://.shop.example/": false, "https://shop..example/": false,
		"https://SHOP.example/": false, "https://Shop.Example/": false,

		"https://shop.example@evil.com/": false, "https://shop.example:443@evil.com/": false,
		"https://user@shop.example/": false, "https://user:pass@shop.example/": false, "https://@shop.example/": false,
		"https://evil.com@shop.example/": false, "https://shop.example%40evil.com/": false,

		"https://shop.example:80/": false, "https://shop.example:8443/": false, "https://shop.example:/": false,
		"https://shop.example:0443/": false, "https://shop.example:443:443/": false,
		"https://shop.example:+443/":    false,
		"https://api.shop.example:443/": false, "https://shop.example:99999/": false,
		"https://shop.example:443a/": false,

		"https://ѕhop.example/": false, "https://shop\u3002example/": false,
		"https://shop.example\u2024evil.com/": false,
		"https://shóp.example/":               false, "https://shop.example\u200b/": false,
		"https://shop.example/\u202e":  false,
		"https://xn--hop-qlc.example/": false, "https://ｓhop.example/": false, "https://shop.example\xff/": false,

		"https://shop%2eexample/": false, "https://%73hop.example/": false, "https://shop.example%00.evil.com/": false,
		"https://shop.example%2f@evil.com/": false,

		`https://shop.example\@evil.com/`: false, `https:\\shop.example/`: false,
		`https://evil.com\shop.example/`: false,
		`https://shop.example/\evil`:     false,

		"https://shop.example\t/": false, "https://shop\t.example/": false, "https://shop.example\n.evil.com/": false,
		"https://shop.example/\r\nHost: evil.com": false, "ht\ntps://shop.example/": false,
		"https://shop.example/\x00": false,
		"https://shop.example/\x7f": false,

		"https://shop.example/#x": false, "https://evil.com#shop.example/": false,
		"https://evil.com#@shop.example/": false,
		"https://shop.example#@evil.com/": false,

		"https://[::1]:4021/": false, "http://[::1]:4021/": false, "https://[::ffff:127.0.0.1]:4021/": false,
		"https://[shop.example]/": false, "https://[::1%25shop.example]/": false, "https://::1/": false,

		"http://2130706433:4021/": false, "http://0x7f000001:4021/": false, "http://0177.0.0.1:4021/": false,
		"http://127.1:4021/": false, "http://127.0.0.1/": false, "http://127.0.0.1:4022/": false,
		"http://127.0.0.2:4021/": false,
		"http://localhost/":      false, "http://localhost:40210/": false, "http://localhost.:4021/": false,
		"http://localhost.evil.com:4021/": false, "https://3232235777/": false,

		"https://shop.example/" + strings.Repeat("x", longestURL): false,
	} {
		if err := AllowsURL(l, url); (err == nil) != good {
			t.Errorf("%q: %v", url, err)
		}
	}
	if AllowsURL(wire.AgentLimits{}, "https://shop.example/") == nil || AllowsURL(wire.AgentLimits{}, "") == nil {
		t.Error("without a list a URL is allowed")
	}
}

// A list has each host in its one spelling, and the signer's own machine only in the sandbox.
func TestAgents_HostAllowlistIsValidated(t *testing.T) {
	for host, good := range map[string]struct{ sandbox, production bool }{
		"shop.example": {true, true}, "shop.example:8443": {true, true}, "a-b.c1.example": {true, true},
		"xn--shp-tna.example": {true, true}, "1.example": {true, true}, "0x1.example": {true, true},
		"localhost:4021": {true, false}, "127.0.0.1:80": {true, false},
		"localhost": {}, "127.0.0.1": {}, "localhost:443": {}, "": {}, ":80": {}, "example": {}, "*.shop.example": {},
		"*":            {},
		"SHOP.example": {}, "shop.example.": {}, ".shop.example": {}, "shop..example": {}, "shop.example:443": {},
		"shop.example:": {}, "shop.example:0": {}, "shop.example:080": {}, "shop.example:65536": {},
		"shop.example:+80":   {},
		"shop.example:80:80": {}, "user@shop.example": {}, "https://shop.example": {}, "shop.example/": {},
		"shop.example?": {},
		"shóp.example":  {}, "ѕhop.example": {}, "shop example": {}, "-shop.example": {}, "shop-.example": {},
		"a_b.example": {},
		"10.0.0.1":    {}, "10.0.0.1:80": {}, "127.1": {}, "127.0.0.2:80": {}, "0x7f.1": {}, "127.0.0.0x1": {},
		"a.1":        {},
		"2130706433": {}, "::1": {}, "[::1]": {}, "[::1]:80": {}, "169.254.169.254:80": {}, "shop.example\n": {},
		strings.Repeat("a", 64) + ".example": {}, strings.Repeat("a.", 124) + "example": {},
	} {
		for env, want := range map[chain.Environment]bool{
			chain.Sandbox: good.sandbox, chain.Production: good.production,
		} {
			l := limitsWith(func(l *wire.AgentLimits) { l.AllowedHosts = []string{host} })
			if err := ValidateAgent(l, env, chain.Networks(env)); (err == nil) != want {
				t.Errorf("%q in %s: %v", host, env, err)
			}
		}
	}
	for name, all := range map[string][]string{
		"none": {}, "twice": {"shop.example", "shop.example"},
		"101": strings.Split(strings.Repeat("a.example ", 101), " ")[:101],
	} {
		l := limitsWith(func(l *wire.AgentLimits) { l.AllowedHosts = all })
		if ValidateAgent(l, chain.Sandbox, chain.Networks(chain.Sandbox)) == nil {
			t.Errorf("%s: no refusal", name)
		}
	}
}
