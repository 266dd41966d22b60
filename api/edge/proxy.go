package edge

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Proxies are the networks of reverse proxies that are this platform's own. What
// X-Forwarded-For says counts only as far as they wrote it.
type Proxies []netip.Prefix

// client is the address that a request came from. Each proxy adds to the end of
// X-Forwarded-For whom it heard it from, so the list is walked from its end: past
// the own proxies to the first address that is none of them. Before that anybody
// may have written anything. What is no address ends the walk where it was.
func (p Proxies) client(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	at, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	at = at.Unmap()
	list := strings.Join(r.Header.Values("X-Forwarded-For"), ",")
	for list != "" && p.has(at) {
		last := strings.LastIndexByte(list, ',')
		before, ok := parseHop(list[last+1:])
		if !ok {
			break
		}
		at, list = before, list[:max(0, last)]
	}
	return at.String()
}

func (p Proxies) has(a netip.Addr) bool {
	return slices.ContainsFunc(p, func(n netip.Prefix) bool { return n.Contains(a) })
}

// parseHop reads one entry. Some proxies write the port along.
func parseHop(text string) (netip.Addr, bool) {
	text = strings.TrimSpace(text)
	a, err := netip.ParseAddr(text)
	if err != nil {
		var withPort netip.AddrPort
		withPort, err = netip.ParseAddrPort(text)
		a = withPort.Addr()
	}
	return a.Unmap(), err == nil && a.Zone() == ""
}
