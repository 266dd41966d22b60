// Package config is everything that a server can be told, in one struct: what a
// setting is called, what it means, what it is where nothing is said, and
// whether it is a secret. Flags, environment, help and document come from it.
package config

import (
	"net/netip"
	"time"

	"github.com/railkit/railkit/platform/ratelimit"
)

// Server is what railkit serve is told, and the commands beside it. A setting is
// the flag --NAME, or the variable RAILKIT_NAME with underscores. A secret has
// no flag, which other users of the machine would see (two keep theirs from
// older versions), and may be in a file that RAILKIT_NAME_FILE names.
type Server struct {
	Addr        string `name:"addr" default:"127.0.0.1:8080" doc:"address to listen on; port 0 takes a free one"`
	DataDir     string `name:"data" doc:"folder of the embedded database (SQLite); without it railkit-data in the sandbox, and none in production"`
	DatabaseURL string `name:"database-url" secret:"flag" doc:"PostgreSQL instead of the embedded database; production needs it, or a folder named by --data"`
	Environment string `name:"environment" default:"production" doc:"sandbox or production"`
	LogLevel    string `name:"log-level" default:"info" doc:"least serious lines of the log: debug, info, warn or error"`

	EnclaveSocket string `name:"enclave-socket" doc:"Unix socket of the signer"`
	EnclaveKey    string `name:"enclave-key" doc:"identity key of the signer, pinned: compressed P-256, hex"`

	// RPCURLs are nodes by network. Their URLs may hold a provider's key.
	RPCURLs map[string]string `name:"rpc" secret:"flag" doc:"node of a network as SLUG=URL; the flag may be repeated, the variable holds several with spaces between; solana takes a second one, and should have it in production"`

	// The watcher of what arrives on the chains.
	WatchEvery time.Duration    `name:"watch-every" default:"1s" doc:"how often each chain is looked at for what arrived"`
	WatchFrom  map[string]int64 `name:"watch-from" doc:"block of a network as SLUG=NUMBER from which to look again for what arrived, at each start; several with spaces between. without it a new network is read from about its newest block on"`

	PricesURL string `name:"prices-url" doc:"price signer, whose sheets are handed to the signer; without it no price is known, and what is bounded in USD is denied"`

	RPID           string `name:"rp-id" doc:"WebAuthn relying party id, as sealed in the signer"`
	CeremonyOrigin string `name:"ceremony-origin" doc:"origin of the page that asks for passkeys, as sealed in the signer; without it answers link to no page"`
	CeremonyAddr   string `name:"ceremony-addr" doc:"address to serve that page on, at the origin's port or behind its proxy; without it the page is not served here"`

	APIOrigin string `name:"api-origin" doc:"origin at which callers reach the API: an agent's HTTP signature (RFC 9421) is taken only for its host; without it for whatever host a request names"`

	// The door: who asks, and how often.
	RedisURL                 string           `name:"redis-url" secret:"only" doc:"Redis that several servers count rate limits in together: redis://, rediss:// (TLS) or unix://; without it each counts in its own memory"`
	RateLimitOutageStandard  ratelimit.Policy `name:"rate-limit-outage-standard" default:"open" doc:"what becomes of ordinary requests while Redis does not answer: open counts them in this server alone, closed refuses them"`
	RateLimitOutageFinancial ratelimit.Policy `name:"rate-limit-outage-financial" default:"closed" doc:"the same of requests that move money"`
	TrustedProxies           []netip.Prefix   `name:"trusted-proxies" doc:"networks (10.0.0.0/8, several with commas between) whose X-Forwarded-For is believed; without it nobody's is"`

	// The partner: who holds stablecoins for workspaces and pays out to banks.
	PartnerURL            string `name:"partner-url" doc:"payment partner that speaks Bridge's API: https://api.bridge.xyz, or the sandbox's; without it nothing is paid to banks"`
	PartnerKey            string `name:"partner-key" secret:"only" doc:"API key at the partner"`
	PartnerWebhookKeyFile string `name:"partner-webhook-key-file" doc:"file with the public key (PEM) that the partner signs notices with; without it none is believed and the partner is asked now and then"`
	PartnerNoticesKeep    string `name:"partner-notices-keep" doc:"how long the partner's notices are kept as they came, 24h at least; without it 9600h, 400 days"`

	// The team: who signs in, and by which mail they are invited.
	DashboardOrigin string `name:"dashboard-origin" doc:"origin of the dashboard, where members sign in with passkeys"`
	DashboardAddr   string `name:"dashboard-addr" doc:"address to serve the dashboard on, with the API below /v1, at its origin's port or behind its proxy; without it the dashboard is not served here"`
	SessionKeyFile  string `name:"session-key-file" doc:"file with the key that signs sessions"`
	SMTPURL         string `name:"smtp-url" secret:"only" doc:"mail server: smtps:// (TLS), smtp:// (STARTTLS, or no mail) or, in the sandbox, smtp+plaintext://"`
	MailFrom        string `name:"mail-from" doc:"sender of mails, as Name <name@example.com>"`

	// Payouts.
	VaultKeyFile  string `name:"vault-key-file" doc:"file with the keys that seal bank details and forms of businesses before they reach the database; production needs one"`
	PayoutCooling string `name:"payout-cooling" doc:"how long a new, changed or restored bank account is not paid, and a return address not used, unless a member confirms it; without it 24h, and 0s in the sandbox"`
	InviteOrigin  string `name:"invite-origin" doc:"origin at which recipients' browsers reach this server: invites lead to its page /invite; no other page of the platform may be there"`

	// Who must not be paid.
	ScreeningDeny string `name:"screening-deny" doc:"file with names and addresses that hold a payout or a refund for an operator; without it the sandbox has a small list, and production none"`
	ScreeningURL  string `name:"screening-url" doc:"provider that is asked about names and addresses before money leaves, in the form of docs/screening.md; while it does not answer the money waits"`
	ScreeningKey  string `name:"screening-key" secret:"only" doc:"key of the screening provider, 16 characters or more"`

	// What payouts cost.
	PayoutNetworkFee  string `name:"payout-network-fee" default:"50" doc:"network fee of each payout, in basis points of what leaves"`
	PayoutPlatformFee string `name:"payout-platform-fee" default:"25" doc:"platform fee of each payout, in basis points of what leaves"`
	PayoutRateBand    string `name:"payout-rate-band" default:"500" doc:"basis points that the partner's rate may be from its own middle, and what it converted at from what it told; 0 for any"`
	PayoutMost        string `name:"payout-most" default:"1000000" doc:"most that one quote may be for, in whole units of the stablecoin"`

	DepositNetworkFee  string           `name:"deposit-network-fee" default:"60" doc:"network fee of each deposit of fiat money, in basis points of what is deposited"`
	DepositPlatformFee string           `name:"deposit-platform-fee" default:"50" doc:"platform fee of each deposit of fiat money, in basis points of what is deposited"`
	DepositLeast       map[string]int64 `name:"deposit-least" doc:"least that a deposit may be, in whole units of its currency as CURRENCY=NUMBER, several with spaces between; without it usd=5 eur=5 mxn=100 brl=25 gbp=5"`
	DepositMost        map[string]int64 `name:"deposit-most" doc:"most that a deposit may be, in the same form; without it usd=1000000 eur=1000000 mxn=20000000 brl=5000000 gbp=1000000"`

	QuoteLife  string `name:"quote-life" default:"10m" doc:"how long a quote holds"`
	RateOldest string `name:"rate-oldest" default:"2m" doc:"how old the partner's rate may be; an older one makes no price"`

	// What agents' calls cost them.
	AgentCallPrice string `name:"agent-call-price" default:"0.0001" doc:"USD that each call of an agent that does work takes from its infra budget: a plain decimal of at most 9 places, 1 at most; 0 for nothing"`
	// Whom agents and webhooks may have the server ask.
	FetchPorts string `name:"fetch-ports" doc:"ports of the Internet beside 443 at which skills and webhook endpoints may be, several with spaces between"`
	FetchLocal string `name:"fetch-local" doc:"sandbox: places of this machine such as 127.0.0.1:9402 at which skills and webhook endpoints may be, also without TLS; several with spaces between"`
	// Who settles what skills cost.
	FacilitatorURL       string `name:"facilitator-url" doc:"facilitator of x402 that verifies and settles payments for skills; without it only free skills are called"`
	FacilitatorTokenFile string `name:"facilitator-token-file" doc:"file with the token that the facilitator asks its callers for; without it none is sent"`

	MetricsAddr string `name:"metrics-addr" doc:"address to serve /metrics on, for monitoring: whoever reaches it may read it; without it it is not served"`

	// The sandbox's own. Production refuses them.
	SandboxFile string `name:"sandbox-file" doc:"sandbox: workspace and keys to make at start"`
	DevnetURL   string `name:"devnet-url" doc:"sandbox: the local blockchain, for its faucet"`

	PartnerControlKey string `name:"partner-control-key" secret:"only" doc:"sandbox: key of the controls of the sandbox's partner"`
}

// others are variables that are no settings: what this project's programs and
// tests tell each other. A star stands for any end.
var others = []string{
	"RAILKIT_CHILD", "RAILKIT_NIGHTLY", "RAILKIT_SEED", "RAILKIT_SOAK", "RAILKIT_VECTORS",
	"RAILKIT_TEST_*", "RAILKIT_BENCH_*",
	"RAILKIT_API_URL", "RAILKIT_AGENT_ID", "RAILKIT_AGENT_SECRET", // of programs that agents are
}
