// Package chain is what the server and the enclave both know of blockchains:
// networks as data, and what a transaction does, told in one neutral form. It
// and its sub-packages (but rpc and devnet) are pure: bytes in, bytes out.
package chain

// Kind is a family of networks that share addresses and transaction formats.
type Kind string

// The families.
const (
	EVM    Kind = "evm"
	Solana Kind = "solana"
	Tron   Kind = "tron"
)

// Environment is sandbox or production. Nothing of one works in the other.
type Environment string

// The environments.
const (
	Sandbox    Environment = "sandbox"
	Production Environment = "production"
)

// Network is one blockchain, as the API names it.
type Network struct {
	Slug          string  `json:"slug"` // as in the spec: "base"
	Name          string  `json:"name"` // of what is really behind it: "Base Sepolia"
	Kind          Kind    `json:"kind"`
	ChainID       uint64  `json:"chainId"`       // EVM; 0 elsewhere
	Cluster       string  `json:"cluster"`       // Solana, Tron; "" on EVM
	Confirmations int     `json:"confirmations"` // blocks on top, its own included, until final for us
	Native        Token   `json:"native"`
	Tokens        []Token `json:"tokens"`
	Explorer      string  `json:"explorer"` // of one transaction, with %s for its hash; "" where there is none
	// DataFee says that the network takes a fee for the bytes of a transaction, beside gas by price and without a
	// maximum that the sender could name: the L1 data fee of OP-stack chains.
	DataFee bool `json:"dataFee,omitempty"`
}

// LongestSymbol is the length of the longest symbol of a token. Longer text in a list of tokens is meant as an address:
// no family has shorter ones, and an amendment cannot list a longer symbol.
const LongestSymbol = 16

// Token is a native coin (no address) or a token contract.
type Token struct {
	Symbol        string `json:"symbol"`
	Address       string `json:"address"`
	Decimals      int    `json:"decimals"`
	DomainName    string `json:"domainName"`    // EIP-712, for EIP-2612 and EIP-3009
	DomainVersion string `json:"domainVersion"` // EIP-712
	// Wraps is the coin that the contract keeps one for one, and whose price the token therefore has: ETH for WETH.
	Wraps string `json:"wraps,omitempty"`
}

// EffectKind says what a transaction does to somebody's assets.
type EffectKind string

// The effects that are understood. What is not is an UnknownCall or an
// UnknownMessage, and whoever rules over it has to treat it as unlimited exposure,
// as any kind that he does not know.
const (
	Transfer EffectKind = "transfer" // To gets Amount of Asset
	// The wallet itself, as To, gets at least Amount of Asset from Contract, in exchange for what other effects name
	Receive EffectKind = "receive"
	Approve EffectKind = "approve" // Spender may take Amount of Asset
	// Spender may take all there is of Asset; Amount is the highest number
	ApproveAll     EffectKind = "approve_all"
	Deploy         EffectKind = "deploy"          // a contract is created
	UnknownCall    EffectKind = "unknown_call"    // calldata nobody here understands
	UnknownMessage EffectKind = "unknown_message" // signed data that some contract may take as consent to anything
)

// Effect is one thing that a transaction or a message does, one for each asset,
// receiver and spender that its bytes name. From is whose it is, which inside of
// a call through a contract is that contract.
//
// An effect of a call is certain only where Symbol is set: a listed asset, moved
// by its own contract or by one whose code is known. Any other contract may do
// anything with the call, whatever its function is named; who rules over it has
// to know Contract and Selector, and where there is no Selector to refuse.
type Effect struct {
	Kind     EffectKind `json:"kind"`
	Asset    string     `json:"asset"`              // "native" or the token's contract address
	Symbol   string     `json:"symbol,omitempty"`   // only of a token that the network lists
	Decimals int        `json:"decimals,omitempty"` // only of a token that the network lists
	From     string     `json:"from"`
	To       string     `json:"to,omitempty"`
	Spender  string     `json:"spender,omitempty"`
	Amount   string     `json:"amount"` // smallest unit, decimal
	// Decimal: of an NFT, or of what may be one (the call is the same, Amount is then the same number).
	TokenID  string `json:"tokenId,omitempty"`
	Display  string `json:"display,omitempty"`  // "25.5 USDC", only of a listed token
	Contract string `json:"contract,omitempty"` // called contract, or the one that a message is for
	// Selector is the first four bytes of a call that is not certain, hex. Without
	// one nothing can allow the call: it is of a function that is understood, but
	// not written as encoders write it, not understood with these arguments, or
	// nested too deep; or there is no call, but a message.
	Selector string `json:"selector,omitempty"`
	// Via is, of a swap in two steps, the symbol of the listed token between what is sold and what is bought.
	Via string `json:"via,omitempty"`
	// Ends is, of a swap, the last second since 1970 at which the chain takes it.
	Ends int64 `json:"ends,omitempty"`
	// HandedIn marks a transfer that its owner signed for anybody to hand in. Whoever does so moves nothing of his own.
	HandedIn bool `json:"-"`
	// ByCall marks a transfer to the called contract that belongs to a call of it: the tokens sold in a swap, what is
	// supplied to a pool, coin to be wrapped, and coin that goes along with a call which nobody here understands.
	ByCall bool `json:"-"`
	// Rent marks a transfer of the network's coin that is the price of an account for the receiver's tokens.
	Rent bool `json:"-"`
}
