package fetch

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func policy(t testing.TB, ports, local []string) Policy {
	t.Helper()
	p, err := NewPolicy(ports, local)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// What an address says is judged before anybody is asked.
func TestAgents_FetchPolicy(t *testing.T) {
	p := policy(t, []string{"8443"}, []string{
		"127.0.0.1:9402", "localhost:9402", "[::1]:9402", "localhost:80",
	})
	for _, good := range []string{
		"https://shop.example.com", "https://shop.example.com/a?b=%20c", "https://shop.example.com:443/",
		"https://shop.example.com:8443/", "https://93.184.216.34/", "https://[2606:2800:220:1:248:1893:25c8:1946]/",
		"https://xn--80ak6aa92e.com/", "HTTPS://shop.example.com/",
		"http://127.0.0.1:9402/x", "https://localhost:9402/", "http://[::1]:9402/",
		"http://localhost/", "http://localhost:80/",
	} {
		if _, err := p.Check(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for address, want := range map[string]error{
		"":                                                 errForm,
		"shop.example.com":                                 errForm,
		"//shop.example.com/":                              errScheme,
		"https:shop.example.com":                           errForm,
		"https:///x":                                       errForm,
		"http://shop.example.com/":                         errScheme,
		"ftp://shop.example.com/":                          errScheme,
		"file:///etc/passwd":                               errForm,
		"gopher://127.0.0.1:9402/":                         errScheme,
		"https://user@shop.example.com/":                   errUser,
		"https://user:pw@127.0.0.1:9402/":                  errUser,
		"https://@shop.example.com/":                       errUser,
		"https://shop.example.com/#x":                      errFragment,
		"https://shop.example.com\\@x.com":                 errCharacters,
		"https://shop.example.com/\r\nX:y":                 errCharacters,
		"https://shop.example.com/ x":                      errCharacters,
		"https://shop.example.com/\x7f":                    errCharacters,
		"https://shоp.example.com/":                        errCharacters, // a Cyrillic о
		"https://shop。example.com/":                        errCharacters, // an ideographic full stop
		"https://ⓢhop.example.com/":                        errCharacters,
		"https://shop.example.com./":                       errHost,
		"https://shop..example.com/":                       errHost,
		"https://SHOP.example.com/":                        errHost,
		"https://localhost/":                               errHost,
		"https://intranet/":                                errHost,
		"https://db.internal/":                             errHost,
		"https://printer.local/":                           errHost,
		"https://a.localhost/":                             errHost,
		"https://2130706433/":                              errHost,
		"https://0x7f000001/":                              errHost,
		"https://0x7f.1/":                                  errHost,
		"https://0177.0.0.1/":                              errHost,
		"https://127.1/":                                   errHost,
		"https://127.0.0.1/":                               errHost,
		"https://127.0.0.1:443/":                           errHost,
		"https://127.0.0.1.nip/":                           nil,
		"https://169.254.169.254/latest":                   errHost,
		"https://[::1]/":                                   errHost,
		"https://[::ffff:127.0.0.1]/":                      errHost,
		"https://[::ffff:93.184.216.34]/":                  errHost,
		"https://[64:ff9b::7f00:1]/":                       errHost,
		"https://[2002:7f00:1::]/":                         errHost,
		"https://[fe80::1%25eth0]/":                        errHost,
		"https://[2606:2800::1%25eth0]/":                   errHost,
		"https://shop_1.example.com/":                      errHost,
		"https://%73hop.example.com/":                      errForm,
		"https://shop.example.com:/":                       errPort,
		"https://shop.example.com:22/":                     errPort,
		"https://shop.example.com:0443/":                   errPort,
		"https://shop.example.com:9402/":                   errPort,
		"http://127.0.0.1:9403/":                           errScheme,
		"https://127.0.0.1:9403/":                          errHost,
		"http://127.0.0.2:9402/":                           errScheme,
		"https://x.com/" + strings.Repeat("a", LongestURL): errLength,
		"https://" + strings.Repeat("a.", 130) + "com/":    errHost,
	} {
		if _, err := p.Check(address); err != want {
			t.Errorf("%s: %v, want %v", address, err, want)
		}
	}
	for _, address := range []string{"http://127.0.0.1:9403/", "https://localhost/", "http://[::1]:1/x"} {
		if _, err := p.InSandbox().Check(address); err != errLocal {
			t.Errorf("in the sandbox %s is refused with %v", address, err)
		}
	}
	if _, err := (Policy{}).Check("http://127.0.0.1:9402/"); err != errScheme {
		t.Errorf("without a sandbox: %v", err)
	}
}

func TestAgents_FetchSettings(t *testing.T) {
	for _, wrong := range [][2]string{
		{"0", ""}, {"65536", ""}, {"08443", ""}, {"https", ""}, {"-1", ""}, {"", "example.com:80"}, {"", "10.0.0.1:80"},
		{"", "127.0.0.1"}, {"", "127.0.0.1:0"}, {"", "127.0.0.1:http"}, {"", "::1:80"}, {"", "127.1:80"},
	} {
		ports, local := strings.Fields(wrong[0]), strings.Fields(wrong[1])
		if _, err := NewPolicy(ports, local); err == nil {
			t.Errorf("%q are allowed", wrong)
		}
	}
}

// Of every network that is not the Internet's an address from its middle, and its first and last.
func TestAgents_FetchAddresses(t *testing.T) {
	for _, text := range []string{
		"0.0.0.0", "0.1.2.3", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.100.100.200", "100.127.255.255",
		"127.0.0.1", "127.255.255.255", "168.63.129.16", "169.254.0.0", "169.254.169.254", "172.16.0.0",
		"172.31.255.255", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.0.0", "192.168.255.255", "198.18.0.0",
		"198.19.255.255", "198.51.100.7", "203.0.113.7", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
		"::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:93.184.216.34", "::ffff:0:7f00:1", "64:ff9b::a9fe:a9fe",
		"64:ff9b:1::a00:1", "100::1", "2001::1", "2001:0:53aa:64c::1", "2001:10::1", "2001:20::1", "2001:db8::1",
		"2002::", "2002:a9fe:a9fe::1", "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0",
		"2606:2800::1%eth0", "fec0::1", "ff02::1",
	} {
		if IsPublic(netip.MustParseAddr(text)) {
			t.Errorf("%s counts as public", text)
		}
	}
	for _, text := range []string{
		"1.1.1.1", "9.255.255.255", "11.0.0.0", "93.184.216.34", "100.63.255.255", "100.128.0.0", "172.15.255.255",
		"172.32.0.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
		"2001:200::1", "2003::1", "2606:4700:4700::1111", "2a00:1450::1",
	} {
		if !IsPublic(netip.MustParseAddr(text)) {
			t.Errorf("%s does not count as public", text)
		}
	}
	if IsPublic(netip.Addr{}) {
		t.Error("no address counts as public")
	}
}

// Whatever is let through is https to a host with a name, or is one of the places that the operator named.
func FuzzPolicy(f *testing.F) {
	for _, seed := range []string{
		"https://shop.example.com/a", "https://127.0.0.1:9402/", "http://127.0.0.1:9402/", "https://2130706433/",
		"https://user@x.com/", "https://x.com\\@y.com/", "https://[::ffff:1.2.3.4]/", "https://0x7f.1/", "//x.com",
		"https://x.com:8443/#", "https://xn--a.com", "https://%31%32%37.0.0.1", "https://x.com%2e", "https:/x.com",
	} {
		f.Add(seed)
	}
	local := []string{"127.0.0.1:9402"}
	p := policy(f, []string{"8443"}, local)
	f.Fuzz(func(t *testing.T, address string) {
		u, err := p.Check(address)
		if err != nil {
			return
		}
		again, err := url.Parse(u.String())
		if err != nil || again.Host != u.Host || again.Scheme != u.Scheme {
			t.Fatalf("%q is read in two ways", address)
		}
		if slices.Contains(local, u.Host) {
			return
		}
		host := u.Hostname()
		ip, notIP := netip.ParseAddr(host)
		labels := strings.Split(host, ".")
		last := labels[len(labels)-1]
		word := len(last) > 0 && last[0] >= 'a' && last[0] <= 'z' && len(labels) > 1
		if u.Scheme != "https" || u.User != nil || u.Fragment != "" || host != strings.ToLower(host) ||
			!slices.Contains([]string{"", "443", "8443"}, u.Port()) ||
			notIP == nil && !IsPublic(ip) || notIP != nil && !word {
			t.Fatalf("%q is let through", address)
		}
	})
}
