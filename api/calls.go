package api

// Call is an operation that is about a network.
type Call struct {
	Operation string // "POST /v1/transactions/prepare"
	Solana    string // why it does nothing on Solana; "": it works there
}

// Why a call does nothing on Solana.
const (
	noPayouts   = "payouts and deposits go over EVM networks only"
	noX402      = "agents buy by x402 on EVM networks only"
	noSkills    = "skills are paid on EVM networks only"
	noExchange  = "no exchange is listed there"
	noPool      = "no lending pool is listed there"
	noMiniApps  = "widgets and rewards are about calls of contracts of EVM networks"
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
	{"POST /v1/sandbox/faucet", ""},
	{"POST /v1/sandbox/mine", ""},
	{"POST /v1/sandbox/reorg", noRewinding},
	{"POST /v1/sandbox/simulate-deposit", noPayouts},
	{"POST /v1/payout/offramp/withdraw-addresses", noPayouts},
	{"POST /v1/payout/accounts/setup/liquidation-address", noPayouts},
	{"POST /v1/payout/offramp/quote", noPayouts},
	{"POST /v1/payout/accounts/quote", noPayouts},
	{"POST /v1/payout/accounts/execute", noPayouts},
	{"POST /v1/payout/onramp/quote", noPayouts},
	{"POST /v1/payout/onramp/deposit-accounts", noPayouts},
	{"POST /v1/agents/prepare", ""},
	{"POST /v1/agents/{id}/fund/prepare", ""},
	{"POST /v1/agents/{id}/sign-transaction", ""},
	{"GET /v1/agents/{id}/wallet-balance", ""},
	{"POST /v1/agents/{id}/x402-pay", noX402},
	{"POST /v1/action/skills", noSkills},
	{"PATCH /v1/action/skills/{id}", noSkills},
	{"POST /v1/action/execute/swap/prepare", noExchange},
	{"GET /v1/action/execute/swap/quote", noExchange},
	{"POST /v1/action/builders/transfer-native", noMiniApps},
	{"POST /v1/action/indexing/events", noMiniApps},
	{"GET /v1/action/rewards/get-token-list", noMiniApps},
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
