package fetch

import (
	"net"
	"net/netip"
	"slices"
	"syscall"
)

// closed are the IPv4 networks that are not the Internet's (IANA's registry of special-purpose addresses), and the one
// public address at which a cloud answers its own machines only.
var closed = prefixes(
	"0.0.0.0/8",        // this network, and no address at all
	"10.0.0.0/8",       // private
	"100.64.0.0/10",    // carriers' NAT; Alibaba's metadata
	"127.0.0.0/8",      // this machine
	"168.63.129.16/32", // Azure's host
	"169.254.0.0/16",   // link-local; the metadata of most clouds
	"172.16.0.0/12",    // private
	"192.0.0.0/24",     // protocols; Oracle's metadata
	"192.0.2.0/24",     // documentation
	"192.88.99.0/24",   // relays of 6to4
	"192.168.0.0/16",   // private
	"198.18.0.0/15",    // benchmarks
	"198.51.100.0/24",  // documentation
	"203.0.113.0/24",   // documentation
	"224.0.0.0/4",      // multicast
	"240.0.0.0/4",      // reserved, and broadcast
)

// Of IPv6 only global unicast is the Internet's. Outside of it are ::, ::1, IPv4-mapped addresses, NAT64 (64:ff9b::/96
// and 64:ff9b:1::/48), unique local, link-local, site-local and multicast ones.
var (
	global  = netip.MustParsePrefix("2000::/3")
	closed6 = prefixes(
		"2001::/23",     // protocols: Teredo, ORCHID
		"2001:db8::/32", // documentation
		"2002::/16",     // 6to4: an IPv4 address inside, which may be any
		"3fff::/20",     // documentation
	)
)

func prefixes(texts ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		all[i] = netip.MustParsePrefix(text)
	}
	return all
}

// IsPublic tells whether an address is one of the Internet.
func IsPublic(ip netip.Addr) bool {
	contains := func(p netip.Prefix) bool { return p.Contains(ip) }
	if ip.Is4() {
		return !slices.ContainsFunc(closed, contains)
	}
	return ip.Zone() == "" && global.Contains(ip) && !slices.ContainsFunc(closed6, contains)
}

// control looks at the address to which a connection is about to be made, after its name was resolved: there is no
// later answer of a name server that could lead elsewhere. A local place may be this machine and nothing else, and any
// other only be elsewhere in the Internet.
func control(local bool) func(network, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		switch {
		case err != nil:
			return ErrRefused.Because(err)
		case local && at.Addr().IsLoopback():
			return nil
		case local || !IsPublic(at.Addr()) || isOwn(at.Addr()):
			return ErrRefused
		}
		return nil
	}
}

// isOwn tells whether an address is one of this machine's: what listens there may be meant for its neighbours only.
// Where that cannot be found out, it is.
func isOwn(ip netip.Addr) bool {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return true
	}
	return slices.ContainsFunc(all, func(a net.Addr) bool {
		own, err := netip.ParsePrefix(a.String())
		return err != nil || own.Addr().WithZone("").Unmap() == ip.WithZone("").Unmap()
	})
}
