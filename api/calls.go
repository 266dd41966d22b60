package api

import (
	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
)

// Call is an operation that is about a network.
type Call struct {
	Operation string // "POST /v1/transactions/prepare"
	Not       Not
}

// Not says why a call does nothing on the networks of a family. On those of the others it works.
type Not map[chain.Kind]string

// Why a call does nothing on some families.
var (
	noExchange  = onlyEVM("no exchange is listed there")
	noPool      = onlyEVM("no lending pool is listed there")
	noCarrier   = onlyEVM("nobody is known who carries a payment across between it and others")
	noRewards   = onlyEVM("what a widget has brought is proven by transactions of EVM networks")
	noRewinding = onlyEVM("what is final there never goes back")
	noTokens    = Not{chain.Tron: "neither USDC nor an exchange is listed there"}
	noPayouts   = Not{chain.Tron: "nothing is paid to a bank or from one there"}
	noAgents    = Not{chain.Tron: "no USDC is listed there, with which agents pay"}
)

// onlyEVM gives every other family the reason, also one that is added.
func onlyEVM(why string) Not {
	all := Not{}
	for _, f := range families.All() {
		if f.Kind() != chain.EVM {
			all[f.Kind()] = why
		}
	}
	return all
}

// Calls are all operations that name a network or what is on one. A test holds the list against the document, and tries
// those that do nothing on a family there. docs/networks.md is made from it.
var Calls = []Call{
	{"POST /v1/signing/wallets/prepare", nil},
	{"POST /v1/signing/wallets/accounts/prepare", nil},
	{"POST /v1/transactions/prepare", nil},
	{"POST /v1/transactions/confirm", nil},
	{"POST /v1/transactions/sign", nil},
	{"POST /v1/transactions/broadcast/raw", nil},
	{"POST /v1/signing/messages/sign", nil},
	{"GET /v1/balance/token", nil},
	{"GET /v1/balance/activity", nil},
	{"GET /v1/signing/payees", nil},
	{"POST /v1/signing/payees", nil},
	{"GET /v1/action/tokens/{chain}/{protocol}", noTokens},
	{"GET /v1/action/rewards/get-token-list", noTokens},
	{"GET /v1/action/blocks/recent/{chain}", nil},
	{"POST /v1/action/builders/transfer-native", nil},
	{"POST /v1/sandbox/faucet", nil},
	{"POST /v1/sandbox/mine", nil},
	{"POST /v1/sandbox/reorg", noRewinding},
	{"POST /v1/sandbox/simulate-deposit", nil},
	{"POST /v1/payout/offramp/withdraw-addresses", noPayouts},
	{"POST /v1/payout/accounts/setup/liquidation-address", noPayouts},
	{"POST /v1/payout/offramp/quote", noPayouts},
	{"POST /v1/payout/accounts/quote", noPayouts},
	{"POST /v1/payout/accounts/execute", noPayouts},
	{"POST /v1/payout/onramp/quote", noPayouts},
	{"POST /v1/payout/onramp/deposit-accounts", noPayouts},
	{"POST /v1/agents/prepare", noAgents},
	{"POST /v1/agents/{id}/fund/prepare", noAgents},
	{"POST /v1/agents/{id}/sign-transaction", noAgents},
	{"GET /v1/agents/{id}/wallet-balance", noAgents},
	{"POST /v1/agents/{id}/x402-pay", noAgents},
	{"POST /v1/action/skills", noAgents},
	{"PATCH /v1/action/skills/{id}", noAgents},
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
