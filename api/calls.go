package api

// Call is an operation that is about a network.
type Call struct {
	Operation string // "POST /v1/transactions/prepare"
	Solana    string // why it does nothing on Solana; "": it works there
}

// Why a call does nothing on Solana.
const (
	noExchange  = "no exchange is listed there"
	noPool      = "no lending pool is listed there"
	noCarrier   = "nobody is known who carries a payment across between it and others"
	noRewards   = "what a widget has brought is proven by transactions of EVM networks"
	noRewinding = "what is final there never goes back"
)

// Calls are all operations that name a network or what is on one. A test holds the list against the document, and calls
// each of them on Solana. docs/networks.md is made from it.
var Calls = []Call{
	{"POST /v1/signing/wallets/prepare", ""},
	{"POST /v1/signing/wallets/accounts/prepare", ""},
	{"POST /v1/transactions/prepare", ""},
	{"POST /v1/transactions/confirm", ""},
	{"POST /v1/transactions/sign", ""},
	{"POST /v1/transactions/broadcast/raw", ""},
	{"POST /v1/signing/messages/sign", ""},
	{"GET /v1/balance/token", ""},
	{"GET /v1/balance/activity", ""},
	{"GET /v1/signing/payees", ""},
	{"POST /v1/signing/payees", ""},
	{"GET /v1/action/tokens/{chain}/{protocol}", ""},
	{"GET /v1/action/rewards/get-token-list", ""},
	{"GET /v1/action/blocks/recent/{chain}", ""},
	{"POST /v1/action/builders/transfer-native", ""},
	{"POST /v1/sandbox/faucet", ""},
	{"POST /v1/sandbox/mine", ""},
	{"POST /v1/sandbox/reorg", noRewinding},
	{"POST /v1/sandbox/simulate-deposit", ""},
	{"POST /v1/payout/offramp/withdraw-addresses", ""},
	{"POST /v1/payout/accounts/setup/liquidation-address", ""},
	{"POST /v1/payout/offramp/quote", ""},
	{"POST /v1/payout/accounts/quote", ""},
	{"POST /v1/payout/accounts/execute", ""},
	{"POST /v1/payout/onramp/quote", ""},
	{"POST /v1/payout/onramp/deposit-accounts", ""},
	{"POST /v1/agents/prepare", ""},
	{"POST /v1/agents/{id}/fund/prepare", ""},
	{"POST /v1/agents/{id}/sign-transaction", ""},
	{"GET /v1/agents/{id}/wallet-balance", ""},
	{"POST /v1/agents/{id}/x402-pay", ""},
	{"POST /v1/action/skills", ""},
	{"PATCH /v1/action/skills/{id}", ""},
	{"POST /v1/action/execute/swap/prepare", noExchange},
	{"GET /v1/action/execute/swap/quote", noExchange},
	{"POST /v1/action/builders/swap", noExchange},
	{"POST /v1/action/builders/crosschain-transfer", noCarrier},
	{"POST /v1/action/builders/crosschain-bridge", noCarrier},
	{"POST /v1/action/indexing/events", noRewards},
	{"GET /v1/defi/lending/markets", noPool},
	{"GET /v1/defi/lending/positions", noPool},
	{"GET /v1/defi/lending/my-avax-supply", noPool},
	{"POST /v1/defi/lending/supply", noPool},
	{"POST /v1/defi/lending/supply-avax", noPool},
	{"POST /v1/defi/lending/withdraw-avax", noPool},
	{"GET /v1/protocols/lending/markets", noPool},
	{"GET /v1/protocols/lending/positions", noPool},
	{"GET /v1/protocols/lending/my-avax-supply", noPool},
	{"POST /v1/protocols/lending/supply", noPool},
	{"POST /v1/protocols/lending/supply-avax", noPool},
	{"POST /v1/protocols/lending/withdraw-avax", noPool},
	{"POST /v1/protocols/lending/aave/execute/supply", noPool},
	{"POST /v1/protocols/lending/aave/execute/withdraw", noPool},
}
