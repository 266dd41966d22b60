package config

import (
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/child"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/fetch"
)

// Check refuses what could never work, and in production what must not. It asks
// nobody; an error names the setting, not its value.
func (c Server) Check() error {
	if c.Environment != string(chain.Sandbox) && c.Environment != string(chain.Production) {
		return wrong("environment", "must be sandbox or production")
	}
	for _, check := range []func() error{c.CheckDatabase, c.checkForms, c.checkTogether, c.checkProduction} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func wrong(name, text string) error { return fmt.Errorf("%s: %s", Called(name), text) }

// CheckDatabase refuses to guess where the data is.
func (c Server) CheckDatabase() error {
	if c.DatabaseURL == "" && c.DataDir == "" {
		return wrong("database-url", "names no PostgreSQL database, and "+Called("data")+
			" no folder for the embedded one: production needs one of the two")
	}
	return nil
}

// checkForms looks at each setting by itself.
func (c Server) checkForms() error {
	for _, field := range []struct {
		name, text string
		check      func(string) error
	}{
		{"log-level", c.LogLevel, logLevel},
		{"addr", c.Addr, listenAddress}, {"ceremony-addr", c.CeremonyAddr, listenAddress},
		{"metrics-addr", c.MetricsAddr, listenAddress}, {"dashboard-addr", c.DashboardAddr, listenAddress},
		{"enclave-key", c.EnclaveKey, identityKey},
		{"ceremony-origin", c.CeremonyOrigin, origin}, {"dashboard-origin", c.DashboardOrigin, origin},
		{"api-origin", c.APIOrigin, inviteOrigin},
		{"invite-origin", c.InviteOrigin, inviteOrigin}, {"devnet-url", c.DevnetURL, schemes("http", "https")},
		{"prices-url", c.PricesURL, schemes("http", "https")}, {"partner-url", c.PartnerURL, schemes("http", "https")},
		{"screening-url", c.ScreeningURL, schemes("http", "https")},
		{"facilitator-url", c.FacilitatorURL, schemes("http", "https")},
		{"redis-url", c.RedisURL, schemes("redis", "rediss", "unix")},
		{"smtp-url", c.SMTPURL, schemes("smtps", "smtp", plaintextSMTP)}, {"mail-from", c.MailFrom, mailAddress},
		{"payout-cooling", c.PayoutCooling, duration}, {"partner-notices-keep", c.PartnerNoticesKeep, days},
		{"payout-network-fee", c.PayoutNetworkFee, basisPoints},
		{"payout-platform-fee", c.PayoutPlatformFee, basisPoints}, {"payout-rate-band", c.PayoutRateBand, basisPoints},
		{"deposit-network-fee", c.DepositNetworkFee, basisPoints},
		{"deposit-platform-fee", c.DepositPlatformFee, basisPoints},
		{"payout-most", c.PayoutMost, wholeUnits}, {"quote-life", c.QuoteLife, lifetime},
		{"rate-oldest", c.RateOldest, lifetime}, {"agent-call-price", c.AgentCallPrice, callPrice},
	} {
		if field.text == "" {
			continue
		}
		if err := field.check(field.text); err != nil {
			return wrong(field.name, err.Error())
		}
	}
	if _, err := fetch.NewPolicy(strings.Fields(c.FetchPorts), nil); err != nil {
		return wrong("fetch-ports", err.Error())
	}
	if _, err := fetch.NewPolicy(nil, strings.Fields(c.FetchLocal)); err != nil {
		return wrong("fetch-local", err.Error())
	}
	if err := deposits(c.DepositLeast); err != nil {
		return wrong("deposit-least", err.Error())
	}
	if err := deposits(c.DepositMost); err != nil {
		return wrong("deposit-most", err.Error())
	}
	for _, nodes := range c.RPCURLs {
		for _, node := range strings.Fields(nodes) {
			if err := schemes("http", "https")(node); err != nil {
				return wrong("rpc", "a node's "+err.Error())
			}
		}
	}
	return nil
}

// checkTogether looks at settings that need each other.
func (c Server) checkTogether() error {
	switch {
	case c.CeremonyAddr != "" && c.CeremonyOrigin == "":
		return wrong("ceremony-addr", "needs --ceremony-origin: the page answers to its own origin only")
	case c.RPID != "" && c.CeremonyOrigin != "" && !fits(c.RPID, c.CeremonyOrigin):
		return wrong("rp-id",
			"no browser would use it at --ceremony-origin: it must be that origin's host, or a domain above it")
	case c.RPID != "" && c.DashboardOrigin != "" && !fits(c.RPID, c.DashboardOrigin):
		return wrong("rp-id",
			"no browser would use it at --dashboard-origin: it must be that origin's host, or a domain above it")
	case c.DashboardOrigin != "" && c.DashboardOrigin == c.CeremonyOrigin:
		return wrong("dashboard-origin",
			"is --ceremony-origin too: a login there could be turned into a stamp; give the dashboard another one")
	case c.DashboardAddr != "" && c.DashboardOrigin == "" && c.Environment != string(chain.Sandbox):
		return wrong("dashboard-addr", "needs --dashboard-origin: members log in at that origin only")
	case c.PartnerURL != "" && c.PartnerKey == "":
		return wrong("partner-url", "needs "+Called("partner-key"))
	case c.PartnerURL == "" && c.PartnerKey+c.PartnerWebhookKeyFile+c.PartnerControlKey != "":
		return wrong("partner-url", "is missing: there is a key for it")
	case c.ScreeningURL != "" && c.ScreeningKey == "":
		return wrong("screening-url", "needs "+Called("screening-key"))
	case c.ScreeningURL == "" && c.ScreeningKey != "":
		return wrong("screening-url", "is missing: there is a key for it")
	case c.FacilitatorURL == "" && c.FacilitatorTokenFile != "":
		return wrong("facilitator-url", "is missing: there is a token for it")
	case c.InviteOrigin != "" && (c.InviteOrigin == c.CeremonyOrigin || c.InviteOrigin == c.DashboardOrigin):
		return wrong("invite-origin",
			"is --ceremony-origin or --dashboard-origin too: "+
				"a page for strangers must be none that passkeys are used on; give it another one")
	case c.SMTPURL != "" && c.MailFrom == "":
		return wrong("smtp-url", "needs --mail-from")
	}
	return nil
}

// checkProduction refuses what is the sandbox's. What comes to it later, its
// partner and its price key, is refused here too.
func (c Server) checkProduction() error {
	if c.Environment != string(chain.Production) {
		return nil
	}
	switch {
	case c.SandboxFile != "":
		return wrong("sandbox-file", "production refuses the sandbox's keys")
	case c.DevnetURL != "":
		return wrong("devnet-url", "production refuses the devnet and its faucet")
	case strings.HasPrefix(c.CeremonyOrigin, "http:"):
		return wrong("ceremony-origin", "production refuses an origin without TLS")
	case strings.HasPrefix(c.DashboardOrigin, "http:"):
		return wrong("dashboard-origin", "production refuses an origin without TLS")
	case c.DashboardOrigin != "" && c.SessionKeyFile == "":
		return wrong("dashboard-origin", "needs --session-key-file in production: sessions are signed with that key")
	case c.FetchLocal != "":
		return wrong("fetch-local", "production refuses it: strangers could have the server ask its own machine")
	case c.PartnerControlKey != "":
		return wrong("partner-control-key", "production refuses the sandbox's partner")
	case strings.HasPrefix(c.PartnerURL, "http:"):
		return wrong("partner-url", "production refuses a partner without TLS")
	case strings.HasPrefix(c.ScreeningURL, "http:"):
		return wrong("screening-url", "production refuses a provider without TLS")
	case strings.HasPrefix(c.FacilitatorURL, "http:") && !loopback(c.FacilitatorURL):
		return wrong("facilitator-url", "production refuses a facilitator of another machine without TLS: "+
			"whoever is between could say that skills were paid for")
	case c.FacilitatorURL != "" && c.APIOrigin == "":
		return wrong("facilitator-url", "needs --api-origin in production: what a skill costs is offered at that address")
	case strings.HasPrefix(c.APIOrigin, "http:"):
		return wrong("api-origin", "production refuses an origin without TLS")
	case strings.HasPrefix(c.InviteOrigin, "http:"):
		return wrong("invite-origin", "production refuses an origin without TLS")
	case strings.HasPrefix(c.SMTPURL, plaintextSMTP+":"):
		return wrong("smtp-url", "production refuses mail in plain text: use smtps:// or smtp://")
	}
	return nil
}

// loopback tells whether a URL is of this machine.
func loopback(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// plaintextSMTP is the scheme of a mail server that is spoken to without TLS.
const plaintextSMTP = "smtp+plaintext"

func listenAddress(text string) error {
	if _, port, err := net.SplitHostPort(text); err != nil || port == "" {
		return errors.New("must be of the form 127.0.0.1:8080")
	}
	return nil
}

func logLevel(text string) error {
	_, err := child.ParseLevel(text)
	return err
}

func identityKey(text string) error {
	if _, err := wire.ParseP256(text); err != nil {
		return errors.New("must be a compressed P-256 key in hex, as the signer's operator named it")
	}
	return nil
}

// origin takes what a browser would say: https, or http of this machine, and
// nothing behind the host.
func origin(text string) error { return originOf(text, "localhost") }

// inviteOrigin, and that of the API, may have this machine's address too: no passkey is used there.
func inviteOrigin(text string) error { return originOf(text, "localhost", "127.0.0.1") }

func originOf(text string, here ...string) error {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || text != u.Scheme+"://"+u.Host || u.Host != strings.ToLower(u.Host) {
		return errors.New(
			"must be an origin such as https://stamp.example.com, in lower case and with nothing behind it",
		)
	}
	switch {
	case u.Scheme != "https" && (u.Scheme != "http" || !slices.Contains(here, u.Hostname())):
		return errors.New("must begin with https://, or be http://" + strings.Join(here, " or http://"))
	case u.Scheme == "https" && u.Port() == "443", u.Scheme == "http" && u.Port() == "80":
		return errors.New("must not name the port that browsers leave out")
	}
	return nil
}

// fits tells whether browsers use an RP id at an origin.
func fits(rpID, origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && (u.Hostname() == rpID || strings.HasSuffix(u.Hostname(), "."+rpID))
}

func schemes(known ...string) func(string) error {
	return func(text string) error {
		u, err := url.Parse(text)
		if err != nil || !slices.Contains(known, u.Scheme) || u.Host == "" && u.Scheme != "unix" {
			return errors.New("URL must begin with " + strings.Join(known, ":// or ") + ":// and a host")
		}
		return nil
	}
}

// days is a time that is long enough for somebody to look.
func days(text string) error {
	if d, err := time.ParseDuration(text); err != nil || d < 24*time.Hour {
		return errors.New("must be a time of 24h or more, such as 9600h")
	}
	return nil
}

func duration(text string) error {
	if d, err := time.ParseDuration(text); err != nil || d < 0 {
		return errors.New("must be a time such as 24h or 90m")
	}
	return nil
}

func mailAddress(text string) error {
	if _, err := mail.ParseAddress(text); err != nil {
		return errors.New("must be an address such as Railkit <no-reply@example.com>")
	}
	return nil
}

// basisPoints takes at most a quarter each, so that two fees are half at most.
func basisPoints(text string) error {
	if n, err := strconv.ParseInt(text, 10, 64); err != nil || n < 0 || n > 2500 {
		return errors.New("must be basis points, from 0 to 2500")
	}
	return nil
}

// deposits takes limits in whole units by the names of currencies.
func deposits(units map[string]int64) error {
	for name, n := range units {
		if !slices.Contains(money.Fiat, money.Currency(name)) || n < 1 || n > 1_000_000_000 {
			return errors.New("must name usd, eur, mxn, brl or gbp, with a whole number from 1 to 1000000000")
		}
	}
	return nil
}

// callPrice takes at most a dollar: more is a mistake in the unit, and empties budgets within hours.
func callPrice(text string) error {
	n, err := chain.ParseUnits(text, 9)
	if err != nil || n.Cmp(big.NewInt(1_000_000_000)) > 0 {
		return errors.New("must be a plain decimal of USD with at most 9 places, from 0 to 1")
	}
	return nil
}

func wholeUnits(text string) error {
	if n, err := strconv.ParseInt(text, 10, 64); err != nil || n < 1 || n > 1_000_000_000 {
		return errors.New("must be a whole number from 1 to 1000000000")
	}
	return nil
}

func lifetime(text string) error {
	if d, err := time.ParseDuration(text); err != nil || d <= 0 || d > 30*24*time.Hour {
		return errors.New("must be a time such as 10m, of 720h at most")
	}
	return nil
}
