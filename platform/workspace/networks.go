package workspace

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/railkit/railkit/fault"
)

// mostNetworks is how long an allow-list may be: each call is held against all of it.
const mostNetworks = 50

// parseNetworks reads addresses and networks, in one spelling and each once.
func parseNetworks(list []string) ([]netip.Prefix, error) {
	if len(list) > mostNetworks {
		return nil, fault.Field("ipAllowlist", fmt.Sprintf("must have at most %d items", mostNetworks))
	}
	var networks []netip.Prefix
	for i, text := range list {
		n, wrong := parseNetwork(text)
		if wrong != "" {
			return nil, fault.Field(fmt.Sprintf("ipAllowlist[%d]", i), wrong)
		}
		if !slices.Contains(networks, n) {
			networks = append(networks, n)
		}
	}
	return networks, nil
}

func parseNetwork(text string) (n netip.Prefix, wrong string) {
	const form = "must be an IP address or a network as 192.0.2.0/24"
	if !strings.Contains(text, "/") {
		a, err := netip.ParseAddr(text)
		if err != nil || a.Zone() != "" {
			return n, form
		}
		a = a.Unmap()
		return netip.PrefixFrom(a, a.BitLen()), ""
	}
	n, err := netip.ParsePrefix(text)
	if err != nil {
		return n, form
	}
	if n.Masked() != n {
		return n, "must be a network: its address has bits beyond its length"
	}
	return unmapped(n), ""
}

// unmapped writes a network of IPv4 addresses in IPv6 as one of IPv4, as callers'
// addresses are.
func unmapped(n netip.Prefix) netip.Prefix {
	const head = 96
	if n.Addr().Is4In6() && n.Bits() >= head {
		return netip.PrefixFrom(n.Addr().Unmap(), n.Bits()-head)
	}
	return n
}
