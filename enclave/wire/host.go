package wire

import (
	"slices"
	"strconv"
	"strings"
)

// longestHost and longestLabel are the bounds of a name in the DNS (RFC 1035).
const (
	longestHost  = 253
	longestLabel = 63
)

// loopback are the hosts that an agent may pay without TLS, each with a port, and in the sandbox only.
var loopback = []string{"localhost", "127.0.0.1"}

// Loopback reports whether a host of AllowedHosts is of this machine.
func Loopback(host string) bool {
	name, _, _ := strings.Cut(host, ":")
	return slices.Contains(loopback, name)
}

// Place is the host of a URL without the port that its scheme has anyway, which makes no other place of it. Whoever
// compares hosts compares places.
func Place(scheme, host string) string {
	switch scheme {
	case "https":
		return strings.TrimSuffix(host, ":443")
	case "http":
		return strings.TrimSuffix(host, ":80")
	}
	return host
}

// ListedHost is a host as AllowedHosts spell it, of whoever wrote the port of https, which a list leaves out.
func ListedHost(host string) string { return Place("https", host) }

// listed is the place of a URL as AllowedHosts spell it. This machine is always listed with its port.
func listed(scheme, host string) string {
	if host = Place(scheme, host); scheme == "http" && !strings.Contains(host, ":") {
		host += ":80"
	}
	return host
}

// HostProblem says what is wrong with a host of AllowedHosts, "" of a good one. Each has one spelling, so that two
// texts are the same host only if they are the same text: nobody has to know what other letters, a dot at the end or
// the default port would make of it.
func HostProblem(host string, sandbox bool) string {
	name, port, hasPort := strings.Cut(host, ":")
	switch {
	case hasPort && !goodPort(port):
		return "has a port that is no number from 1 to 65535; 443 is never written"
	case slices.Contains(loopback, name):
		if !sandbox || !hasPort {
			return "is of the signer's own machine: only in the sandbox, and only with a port"
		}
		return ""
	case len(name) > longestHost || !strings.Contains(name, ".") || !goodLabels(strings.Split(name, ".")):
		return "is not a host name in lower case and punycode, like shop.example or shop.example:8443"
	}
	return ""
}

func goodPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n > 0 && n != 443 && strconv.FormatUint(n, 10) == text
}

// goodLabels wants the parts of a host name. A last one that is a number makes an IPv4 address of it, in whatever
// notation: 127.1 and 0x7f.1 are read as 127.0.0.1.
func goodLabels(all []string) bool {
	for _, label := range all {
		if label == "" || len(label) > longestLabel || label[0] == '-' || label[len(label)-1] == '-' ||
			strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return false
		}
	}
	last := all[len(all)-1]
	return strings.Trim(last, "0123456789") != "" && !strings.HasPrefix(last, "0x")
}
