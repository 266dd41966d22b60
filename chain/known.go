package chain

import "strings"

// Known says what an address is that has no use for a plain transfer: a contract whose code is known, which gives
// nothing back, or an address of which nobody has the key. Allowances for such a contract, and calls of it, are as good
// as for any other.
type Known struct {
	Kind KnownKind `json:"kind"`
	Name string    `json:"name"` // for people: "the router of uniswap"
}

// KnownKind is what such an address is for.
type KnownKind string

// The kinds.
const (
	KnownToken  KnownKind = "token"  // contract of a token, also of a wrapped coin
	KnownVenue  KnownKind = "venue"  // contract of one of Markets or LendingPools
	KnownTool   KnownKind = "tool"   // at one address on every chain, such as Permit2
	KnownSystem KnownKind = "system" // of the network itself, such as a precompile
	KnownNobody KnownKind = "nobody" // nobody has its key, and no code is there: the zero address
	KnownSender KnownKind = "sender" // who pays, himself
	KnownPayee  KnownKind = "payee"  // a contract, as the book of payees says
)

// Said is the address in a sentence: "0x8Ac2… is the router of uniswap, which gives nothing back of a plain transfer".
func (k Known) Said(address string) string { return address + " is " + k.Name + ", " + k.consequence() }

func (k Known) consequence() string {
	switch k.Kind {
	case KnownSender:
		return "who would pay a fee for nothing"
	case KnownNobody:
		return "and what it gets is lost"
	}
	return "which gives nothing back of a plain transfer"
}

// KnownAt says what an address is on a network, if anything is known of it. It is the one list behind rules, payees,
// agents, offers of x402 and warnings. Tokens are those that the network lists; of another token the contract is known
// only where it moves its own token, see Stranded.
func KnownAt(n Network, address string) (Known, bool) {
	if n.Kind == EVM {
		if k, found := knownEVM[strings.ToLower(address)]; found {
			return k, true
		}
	}
	if t, found := n.TokenByAddress(address); found && address != "" {
		return Known{KnownToken, "the contract of the token " + t.Symbol}, true
	}
	if name := deployedAt(n, address); name != "" {
		return Known{KnownVenue, name}, true
	}
	if n.Kind == EVM && reservedEVM(n, strings.ToLower(address)) {
		return Known{KnownSystem, "a contract of the network itself"}, true
	}
	return Known{}, false
}

// deployedAt names the contract of an exchange or a lending pool of the network.
func deployedAt(n Network, address string) string {
	is := func(c string) bool { return c != "" && strings.EqualFold(c, address) }
	for _, m := range markets {
		switch {
		case n.ChainID == 0 || m.ChainID != n.ChainID:
		case is(m.Router):
			return "the router of " + m.Protocol
		case is(m.Factory), is(m.Quoter):
			return "a contract of " + m.Protocol
		}
	}
	for _, p := range lendingPools {
		switch {
		case n.ChainID == 0 || p.ChainID != n.ChainID:
		case is(p.Pool):
			return "the lending pool of " + p.Protocol
		case is(p.Gateway):
			return "the gateway of " + p.Protocol
		case is(p.Oracle):
			return "the price oracle of " + p.Protocol
		}
	}
	return ""
}

// Stranded says at what a transfer would be stranded: its receiver is known, is the token's own contract, or is the
// sender. Two are none: what a call of the receiver itself takes (a swap, a supply, coin that is wrapped), and nothing
// of the coin to oneself, which voids another transaction.
//
//	10 USDC to the router, by USDC's transfer                  the router of uniswap
//	10 USDC to the router, by its swapExactTokensForTokens     not stranded
//	10 USDC to USDC's contract                                 the contract of the token USDC
func Stranded(n Network, e Effect) (Known, bool) {
	if e.Kind != Transfer || e.ByCall || e.To == "" { // without To it is coin for a contract that is created
		return Known{}, false
	}
	if k, found := KnownAt(n, e.To); found {
		return k, true
	}
	switch native := e.Asset == nativeAsset; {
	case e.To == e.From && (!native || e.Amount != "0"):
		return Known{KnownSender, "the sender"}, true
	case e.To == e.Asset && !native:
		return Known{KnownToken, "the contract of the token itself"}, true
	}
	return Known{}, false
}

// nativeAsset is how an effect names the network's own coin.
const nativeAsset = "native"

// knownEVM are addresses that are the same on every EVM chain, in lower case. Sources: Permit2 (Uniswap), Multicall3
// (mds1/multicall), the entry points of ERC-4337 (eth-infinitism), x402's proxies (x402-foundation), the deployers
// that EIP-1820, EIP-2470, Arachnid and pcaversaccio publish, the deposit contract of Ethereum's validators, and the
// system contracts of EIP-4788, EIP-2935, EIP-7002 and EIP-7251.
var knownEVM = map[string]Known{
	"0x000000000022d473030f116ddee9f6b43ac78ba3": {KnownTool, "Permit2"},
	"0x402085c248eea27d92e8b30b2c58ed07f9e20001": {KnownTool, "x402's proxy of Permit2 for exact amounts"},
	"0x4020a4f3b7b90cca423b9fabcc0ce57c6c240002": {KnownTool, "x402's proxy of Permit2 for amounts up to a limit"},
	"0xca11bde05977b3631167028862be2a173976ca11": {KnownTool, "Multicall3"},
	"0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789": {KnownTool, "the entry point 0.6 of ERC-4337"},
	"0x0000000071727de22e5e9d8baf0edac6f37da032": {KnownTool, "the entry point 0.7 of ERC-4337"},
	"0x4337084d9e255ff0702461cf8895ce9e3b5ff108": {KnownTool, "the entry point 0.8 of ERC-4337"},
	"0x4e59b44847b379578588920ca78fbf26c0b4956c": {KnownTool, "the deployment proxy of CREATE2"},
	"0xce0042b868300000d44a59004da54a005ffdcf9f": {KnownTool, "the singleton factory of EIP-2470"},
	"0xba5ed099633d3b313e4d5f7bdc1305d3c28ba5ed": {KnownTool, "the deployer CreateX"},
	"0x1820a4b7618bde71dce8cdc73aab6c95905fad24": {KnownTool, "the registry of EIP-1820"},
	"0x000f3df6d732807ef1319fb7b8bb8522d0beac02": {KnownSystem, "the contract of beacon roots (EIP-4788)"},
	"0x0000f90827f1c53a10cb7a02335b175320002935": {KnownSystem, "the contract of block hashes (EIP-2935)"},
	"0x00000961ef480eb55e80d19ad83579a64c007002": {KnownSystem, "the contract of withdrawal requests (EIP-7002)"},
	"0x0000bbddc7ce488642fb579f8b00f3a590007251": {KnownSystem, "the contract of consolidation requests (EIP-7251)"},
	"0x00000000219ab540356cbb839cbe05303d7705fa": {KnownSystem, "the deposit contract of Ethereum's validators"},
	"0xfffffffffffffffffffffffffffffffffffffffe": {KnownSystem, "the network's own caller of system contracts"},
	"0x0000000000000000000000000000000000000000": {KnownNobody, "the zero address"},
	"0x000000000000000000000000000000000000dead": {KnownNobody, "a burn address"},
	"0xdead000000000000000042069420694206942069": {KnownNobody, "a burn address"},
	"0xdeaddeaddeaddeaddeaddeaddeaddeaddeaddead": {KnownNobody, "a burn address"},
	"0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001": {KnownNobody, "the depositor of OP-stack chains, a burn address"},
	"0xffffffffffffffffffffffffffffffffffffffff": {KnownNobody, "a burn address"},
	// What some interfaces write for the coin where they want a token's address.
	"0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee": {KnownNobody, "a sign for the network's coin"},
}

// reservedEVM reports whether an address in lower case is in a range that a network keeps for contracts of its own: the
// precompiles of all (EIP-1352: the first 65,536 addresses, such as 0x…01 and Arbitrum's 0x…64), those of Avalanche
// (0x01… to 0x03… with nothing but a last byte), and what the OP stack deploys (0x42…0000 to 0x42…07ff).
func reservedEVM(n Network, address string) bool {
	digits, ok := strings.CutPrefix(address, "0x")
	if !ok || len(digits) != 40 {
		return false
	}
	const zeros = "000000000000000000000000000000000000" // 18 bytes
	first, last := digits[:2], digits[36:]
	switch {
	case digits[:36] == zeros:
		return true
	case digits[2:36] != zeros[2:]:
		return false
	case n.Native.Symbol == avax.Symbol:
		return "01" <= first && first <= "03" && last[:2] == "00"
	}
	return n.DataFee && first == "42" && last <= "07ff"
}
