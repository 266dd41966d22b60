package wire

import (
	"errors"
	"net/url"
	"slices"
	"strings"
)

// longestURL is the bound of a URL that an agent pays.
const longestURL = 2048

// AllowsURL refuses a URL that an agent may not pay. Programs differ in how they read a strange URL, so only plain ones
// are good: the text between the scheme and the path has to be a host of AllowedHosts, letter by letter, but for the
// default port, which may be written or left out. Nothing is decoded, folded or looked up for that.
func (l AgentLimits) AllowsURL(raw string) error {
	if len(raw) > longestURL || strings.ContainsFunc(raw, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return errors.New("the URL is longer than 2048 bytes, or has a character that is no visible ASCII: " +
			"names of hosts are written in punycode")
	}
	if strings.ContainsAny(raw, `\#`) {
		return errors.New("the URL has a backslash or a fragment")
	}
	scheme, host, _ := strings.Cut(raw, "://")
	if end := strings.IndexAny(host, "/?"); end >= 0 {
		host = host[:end]
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != scheme || u.User != nil || u.Host != host {
		return errors.New("the URL is not of the form https://host/path")
	}
	host = listed(scheme, host)
	if scheme != "https" && (scheme != "http" || !Loopback(host)) {
		return errors.New("the URL is not https")
	}
	if !slices.Contains(l.AllowedHosts, host) {
		return errors.New("its host is none of allowedHosts")
	}
	return nil
}

// HostDenial says by which rule a URL was refused that AllowsURL refuses.
func (l AgentLimits) HostDenial(observed string) *Denial {
	return &Denial{
		Rule: "allowedHosts", Field: "url", Observed: observed, Limit: strings.Join(l.AllowedHosts, ", "),
	}
}
