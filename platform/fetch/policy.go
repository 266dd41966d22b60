package fetch

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// LongestURL is how long an address may be.
const LongestURL = 2048

// What can be wrong with an address, in the words that follow the name of the field that has it.
var (
	errCharacters = errors.New("must be plain ASCII without spaces, backslashes and control characters; " +
		"write a name with other letters in its xn-- form")
	errForm     = errors.New("must be an absolute address such as https://shop.example.com/data")
	errLength   = fmt.Errorf("must be at most %d characters", LongestURL)
	errScheme   = errors.New("must begin with https://")
	errUser     = errors.New("must not have a user or password")
	errFragment = errors.New("must not have a fragment (#)")
	errHost     = errors.New("must have a public IP address or host name, in small letters: shop.example.com")
	errLocal    = errors.New("must not be a place of this machine, but where the server allows it by " +
		"--fetch-local HOST:PORT; railkit dev has that flag too")
	errPort = errors.New("must have no port but 443, or one that the operator allows")
)

// Policy says which addresses may be asked. The zero policy allows https at port 443 of public hosts.
type Policy struct {
	ports   []string
	local   []string
	sandbox bool
}

// NewPolicy reads what an operator allows beyond https at port 443: ports of public hosts, and places of this machine
// such as 127.0.0.1:9402, which may be asked by http too. The latter are for a sandbox only.
func NewPolicy(ports, local []string) (Policy, error) {
	for _, p := range ports {
		if n, err := strconv.ParseUint(p, 10, 16); err != nil || n == 0 || p[0] == '0' {
			return Policy{}, errors.New("must be port numbers from 1 to 65535")
		}
	}
	for _, at := range local {
		host, port, err := net.SplitHostPort(at)
		ip, notIP := netip.ParseAddr(host)
		n, noPort := strconv.ParseUint(port, 10, 16)
		if err != nil || noPort != nil || n == 0 || host != "localhost" && (notIP != nil || !ip.IsLoopback()) {
			return Policy{}, errors.New("must be places of this machine such as 127.0.0.1:9402")
		}
	}
	return Policy{ports: slices.Clone(ports), local: slices.Clone(local)}, nil
}

// InSandbox is the policy with refusals that name the setting by which a sandbox asks places of this machine.
func (p Policy) InSandbox() Policy {
	p.sandbox = true
	return p
}

// Check reads an address, and refuses one that is not to be asked whatever its name leads to. Where the name leads is
// looked at when it is asked: it may be another place each time.
func (p Policy) Check(address string) (*url.URL, error) {
	if len(address) > LongestURL {
		return nil, errLength
	}
	for i := range len(address) {
		if c := address[i]; c <= ' ' || c >= 0x7f || c == '\\' {
			return nil, errCharacters
		}
	}
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Opaque != "" || u.Host == "":
		return nil, errForm
	case u.User != nil:
		return nil, errUser
	case strings.Contains(address, "#"):
		return nil, errFragment
	case p.lets(u):
		return u, nil
	case p.sandbox && isLocal(u.Hostname()):
		return nil, errLocal
	case u.Scheme != "https":
		return nil, errScheme
	case !isPublicHost(u.Hostname()):
		return nil, errHost
	case strings.HasSuffix(u.Host, ":") || u.Port() != "" && u.Port() != "443" && !slices.Contains(p.ports, u.Port()):
		return nil, errPort
	}
	return u, nil
}

func isLocal(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// lets tells whether an address is of one of the places of this machine, which are written with their ports. An
// address may leave out the one that its scheme has anyway.
func (p Policy) lets(u *url.URL) bool {
	stock, ok := map[string]string{"http": ":80", "https": ":443"}[u.Scheme]
	at := u.Host
	if u.Port() == "" && !strings.HasSuffix(at, ":") {
		at += stock
	}
	return ok && slices.Contains(p.local, at)
}

var hostName = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$`)

// inside are the endings of names that mean something in one network only. Whether such a name is known would tell a
// stranger which machines that network has.
var inside = []string{
	".localhost", ".local", ".localdomain", ".internal", ".intranet", ".private", ".lan", ".corp", ".home", ".arpa",
	".onion",
}

// isPublicHost tells whether a host may be one of the Internet. Some programs read 2130706433, 0x7f.1 or 127.1 as an
// IPv4 address and others as a name: here four decimal numbers are an address, and every name ends in a word.
func isPublicHost(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return IsPublic(ip)
	}
	return len(host) <= 253 && hostName.MatchString(host) &&
		!slices.ContainsFunc(inside, func(end string) bool { return strings.HasSuffix(host, end) })
}
