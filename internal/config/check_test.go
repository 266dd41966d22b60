package config

import (
	"strings"
	"testing"
)

// generator is a point of P-256.
const generator = "036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"

func TestPlatform_ConfigCheck(t *testing.T) {
	good := func() Server {
		return Server{
			Addr: "127.0.0.1:0", DataDir: "data", Environment: "sandbox", EnclaveKey: generator, RPID: "example.com",
			CeremonyOrigin: "https://stamp.example.com", CeremonyAddr: ":8081",
			DashboardOrigin: "https://dash.example.com", InviteOrigin: "https://pay.example.com",
			DevnetURL: "http://127.0.0.1:1", RedisURL: "unix:///run/redis.sock",
			SMTPURL: "smtp+plaintext://127.0.0.1:1025", MailFrom: "Railkit <a@example.com>",
			RPCURLs: map[string]string{"base": "https://node.example/v2/key"},
		}
	}
	if err := good().Check(); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		want   string
		change func(*Server)
	}{
		{"--environment (RAILKIT_ENVIRONMENT): must be sandbox or production",
			func(c *Server) { c.Environment = "mars" }},
		{"--log-level (RAILKIT_LOG_LEVEL): must be debug, info, warn or error",
			func(c *Server) { c.LogLevel = "hunter2" }},
		{"--addr (RAILKIT_ADDR): must be of the form", func(c *Server) { c.Addr = "8080" }},
		{"--ceremony-addr", func(c *Server) { c.CeremonyAddr = "127.0.0.1:" }},
		{"--metrics-addr (RAILKIT_METRICS_ADDR): must be of the form", func(c *Server) { c.MetricsAddr = "9090" }},
		{"--ceremony-addr (RAILKIT_CEREMONY_ADDR): needs --ceremony-origin", func(c *Server) { c.CeremonyOrigin = "" }},
		{"--enclave-key (RAILKIT_ENCLAVE_KEY): must be a compressed P-256 key",
			func(c *Server) { c.EnclaveKey = generator[:64] }},
		{"--enclave-key", func(c *Server) { c.EnclaveKey = "02" + strings.Repeat("ff", 32) }},
		{"--enclave-key", func(c *Server) { c.EnclaveKey = "rk_client_key_v1_x" }},
		{"--ceremony-origin (RAILKIT_CEREMONY_ORIGIN): must be an origin",
			func(c *Server) { c.CeremonyOrigin = "https://stamp.example.com/" }},
		{"must be an origin", func(c *Server) { c.CeremonyOrigin = "https://Stamp.example.com" }},
		{"must be an origin", func(c *Server) { c.CeremonyOrigin = "https://u@stamp.example.com" }},
		{"must be an origin", func(c *Server) { c.CeremonyOrigin = "stamp.example.com" }},
		{"must be an origin", func(c *Server) { c.CeremonyOrigin = "https://[hunter2" }},
		{"must begin with https://", func(c *Server) { c.CeremonyOrigin = "http://stamp.example.com" }},
		{"must begin with https://", func(c *Server) { c.DashboardOrigin = "ftp://localhost" }},
		{"must not name the port", func(c *Server) { c.DashboardOrigin = "https://dash.example.com:443" }},
		{"--rp-id (RAILKIT_RP_ID): no browser", func(c *Server) { c.RPID = "ample.com" }},
		{"--rp-id", func(c *Server) { c.RPID = "a.stamp.example.com" }},
		{"--rp-id (RAILKIT_RP_ID): no browser would use it at --dashboard-origin",
			func(c *Server) { c.DashboardOrigin = "http://localhost:3000" }},
		{"--dashboard-origin (RAILKIT_DASHBOARD_ORIGIN): is --ceremony-origin too",
			func(c *Server) { c.DashboardOrigin = c.CeremonyOrigin }},
		{"--invite-origin (RAILKIT_INVITE_ORIGIN): is --ceremony-origin or",
			func(c *Server) { c.InviteOrigin = c.CeremonyOrigin }},
		{"--invite-origin (RAILKIT_INVITE_ORIGIN): is --ceremony-origin or",
			func(c *Server) { c.InviteOrigin = c.DashboardOrigin }},
		{"--invite-origin (RAILKIT_INVITE_ORIGIN): must begin with https://",
			func(c *Server) { c.InviteOrigin = "http://127.0.0.2" }},
		{"--invite-origin (RAILKIT_INVITE_ORIGIN): must be an origin",
			func(c *Server) { c.InviteOrigin = "https://pay.example.com/invite" }},
		{"--api-origin (RAILKIT_API_ORIGIN): must be an origin",
			func(c *Server) { c.APIOrigin = "https://api.example.com/v1" }},
		{"--devnet-url (RAILKIT_DEVNET_URL): URL must begin with http:// or https://",
			func(c *Server) { c.DevnetURL = "127.0.0.1:1" }},
		{"--fetch-ports (RAILKIT_FETCH_PORTS): must be port numbers", func(c *Server) { c.FetchPorts = "8443 https" }},
		{"--fetch-local (RAILKIT_FETCH_LOCAL): must be places of this machine",
			func(c *Server) { c.FetchLocal = "127.0.0.1:1 10.0.0.1:80" }},
		{"--rpc (RAILKIT_RPC): a node's URL must begin", func(c *Server) { c.RPCURLs["base"] = "ws://hunter2" }},
		{"--rpc", func(c *Server) { c.RPCURLs["base"] = "https://[hunter2" }},
		{"--rpc", func(c *Server) { c.RPCURLs["base"] = "https://a ws://hunter2" }},
		{"--partner-url (RAILKIT_PARTNER_URL): URL must begin",
			func(c *Server) { c.PartnerURL, c.PartnerKey = "hunter2", "k" }},
		{"--partner-url (RAILKIT_PARTNER_URL): needs RAILKIT_PARTNER_KEY",
			func(c *Server) { c.PartnerURL = "https://hunter2" }},
		{"--partner-url (RAILKIT_PARTNER_URL): is missing", func(c *Server) { c.PartnerKey = "hunter2" }},
		{"--partner-url (RAILKIT_PARTNER_URL): is missing", func(c *Server) { c.PartnerWebhookKeyFile = "hunter2" }},
		{"--screening-url (RAILKIT_SCREENING_URL): URL must begin", func(c *Server) { c.ScreeningURL = "hunter2" }},
		{"--screening-url (RAILKIT_SCREENING_URL): needs RAILKIT_SCREENING_KEY",
			func(c *Server) { c.ScreeningURL = "https://hunter2" }},
		{"--screening-url (RAILKIT_SCREENING_URL): is missing", func(c *Server) { c.ScreeningKey = "hunter2" }},
		{"--facilitator-url (RAILKIT_FACILITATOR_URL): URL must begin",
			func(c *Server) { c.FacilitatorURL = "hunter2" }},
		{"--facilitator-url (RAILKIT_FACILITATOR_URL): is missing",
			func(c *Server) { c.FacilitatorTokenFile = "hunter2" }},
		{"--partner-notices-keep (RAILKIT_PARTNER_NOTICES_KEEP): must be a time of 24h",
			func(c *Server) { c.PartnerNoticesKeep = "hunter2" }},
		{"--partner-notices-keep (RAILKIT_PARTNER_NOTICES_KEEP): must be a time of 24h",
			func(c *Server) { c.PartnerNoticesKeep = "1h" }},
		{"RAILKIT_REDIS_URL: URL must begin with redis://", func(c *Server) { c.RedisURL = "http://hunter2" }},
		{"RAILKIT_SMTP_URL: URL must begin with smtps://", func(c *Server) { c.SMTPURL = "hunter2" }},
		{"RAILKIT_SMTP_URL: needs --mail-from", func(c *Server) { c.MailFrom = "" }},
		{"--mail-from (RAILKIT_MAIL_FROM): must be an address", func(c *Server) { c.MailFrom = "hunter2" }},
		{"--payout-cooling (RAILKIT_PAYOUT_COOLING): must be a time", func(c *Server) { c.PayoutCooling = "hunter2" }},
		{"--payout-cooling (RAILKIT_PAYOUT_COOLING): must be a time", func(c *Server) { c.PayoutCooling = "-1h" }},
		{"--payout-network-fee (RAILKIT_PAYOUT_NETWORK_FEE): must be basis points",
			func(c *Server) { c.PayoutNetworkFee = "hunter2" }},
		{"--payout-platform-fee (RAILKIT_PAYOUT_PLATFORM_FEE): must be basis points",
			func(c *Server) { c.PayoutPlatformFee = "2501" }},
		{"--payout-platform-fee", func(c *Server) { c.PayoutPlatformFee = "-1" }},
		{"--deposit-network-fee", func(c *Server) { c.DepositNetworkFee = "hunter2" }},
		{"--deposit-platform-fee", func(c *Server) { c.DepositPlatformFee = "2501" }},
		{"--deposit-least (RAILKIT_DEPOSIT_LEAST): must name usd",
			func(c *Server) { c.DepositLeast = map[string]int64{"usdc": 1} }},
		{"--deposit-most (RAILKIT_DEPOSIT_MOST): must name usd",
			func(c *Server) { c.DepositMost = map[string]int64{"usd": 1_000_000_001} }},
		{"--payout-most (RAILKIT_PAYOUT_MOST): must be a whole number", func(c *Server) { c.PayoutMost = "0" }},
		{"--quote-life (RAILKIT_QUOTE_LIFE): must be a time", func(c *Server) { c.QuoteLife = "0s" }},
		{"--rate-oldest (RAILKIT_RATE_OLDEST): must be a time", func(c *Server) { c.RateOldest = "721h" }},
		{"--agent-call-price (RAILKIT_AGENT_CALL_PRICE): must be a plain decimal",
			func(c *Server) { c.AgentCallPrice = "1e-4" }},
		{"--agent-call-price", func(c *Server) { c.AgentCallPrice = "1.000000001" }},
	} {
		c := good()
		tc.change(&c)
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), tc.want) ||
			strings.Contains(err.Error(), "hunter2") {
			t.Errorf("want %q: %v", tc.want, err)
		}
	}
}

func TestPlatform_ConfigProductionRefuses(t *testing.T) {
	good := func() Server {
		return Server{
			DatabaseURL: "postgres:///railkit", Environment: "production", RPID: "example.com",
			CeremonyOrigin: "https://stamp.example.com", DashboardOrigin: "https://dash.example.com",
			SessionKeyFile: "session.key", SMTPURL: "smtp://user:hunter2@mail.example.com", MailFrom: "a@example.com",
		}
	}
	if err := good().Check(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Server){
		"--database-url (RAILKIT_DATABASE_URL): names no PostgreSQL database, and --data": func(c *Server) {
			c.DatabaseURL = ""
		},
		"--sandbox-file (RAILKIT_SANDBOX_FILE): production refuses": func(c *Server) { c.SandboxFile = "sandbox.json" },
		"--devnet-url (RAILKIT_DEVNET_URL): production refuses": func(c *Server) {
			c.DevnetURL = "http://127.0.0.1:1"
		},
		"--dashboard-origin (RAILKIT_DASHBOARD_ORIGIN): production refuses": func(c *Server) {
			c.RPID, c.CeremonyOrigin, c.DashboardOrigin = "localhost", "", "http://localhost"
		},
		"--dashboard-origin (RAILKIT_DASHBOARD_ORIGIN): needs --session-key-file": func(c *Server) {
			c.SessionKeyFile = ""
		},
		"--partner-url (RAILKIT_PARTNER_URL): production refuses a partner": func(c *Server) {
			c.PartnerURL, c.PartnerKey = "http://hunter2", "hunter2"
		},
		"RAILKIT_PARTNER_CONTROL_KEY: production refuses the sandbox's partner": func(c *Server) {
			c.PartnerURL, c.PartnerKey, c.PartnerControlKey = "https://partner.example.com", "hunter2", "hunter2"
		},
		"--fetch-local (RAILKIT_FETCH_LOCAL): production refuses": func(c *Server) { c.FetchLocal = "127.0.0.1:1" },
		"--screening-url (RAILKIT_SCREENING_URL): production refuses": func(c *Server) {
			c.ScreeningURL, c.ScreeningKey = "http://hunter2", "hunter2"
		},
		"--facilitator-url (RAILKIT_FACILITATOR_URL): production refuses": func(c *Server) {
			c.APIOrigin, c.FacilitatorURL = "https://api.example.com", "http://hunter2"
		},
		"--facilitator-url (RAILKIT_FACILITATOR_URL): needs --api-origin": func(c *Server) {
			c.APIOrigin, c.FacilitatorURL = "", "http://127.0.0.1:8096"
		},
		"--invite-origin (RAILKIT_INVITE_ORIGIN): production refuses": func(c *Server) {
			c.InviteOrigin = "http://127.0.0.1:8080"
		},
		"RAILKIT_SMTP_URL: production refuses mail in plain text": func(c *Server) {
			c.SMTPURL = "smtp+plaintext://hunter2"
		},
		"--ceremony-origin (RAILKIT_CEREMONY_ORIGIN): production refuses": func(c *Server) {
			c.RPID, c.CeremonyOrigin, c.DashboardOrigin = "localhost", "http://localhost", ""
		},
	} {
		c := good()
		change(&c)
		if err := c.Check(); err == nil || !strings.HasPrefix(err.Error(), want) ||
			strings.Contains(err.Error(), "hunter2") {
			t.Errorf("want %q: %v", want, err)
		}
	}
}
