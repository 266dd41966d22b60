package wire

import (
	"strings"
	"testing"
)

// Every spelling by which a URL could seem to be of an allowed host, and reach another one.
func TestAgents_HostAllowlistIsNotBypassed(t *testing.T) {
	l := AgentLimits{AllowedHosts: []string{
		"shop.example", "api.shop.example:8443", "xn--shp-tna.example", "localhost:4021", "127.0.0.1:4021",
		"localhost:80",
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
		"http://localhost/":      true, "http://localhost:80/a": true, "https://localhost/": false,
		"http://localhost:40210/": false, "http://localhost.:4021/": false,
		"http://localhost.evil.com:4021/": false, "https://3232235777/": false,

		"https://shop.example/" + strings.Repeat("x", longestURL): false,
	} {
		if err := l.AllowsURL(url); (err == nil) != good {
			t.Errorf("%q: %v", url, err)
		}
	}
	if (AgentLimits{}).AllowsURL("https://shop.example/") == nil || (AgentLimits{}).AllowsURL("") == nil {
		t.Error("without a list a URL is allowed")
	}
}
