package policy

import (
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
)

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
