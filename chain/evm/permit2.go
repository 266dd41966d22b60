package evm

// permit2 is Uniswap's contract, at one address on every chain: who has approved
// a token to it grants allowances there.
var permit2 = mustParse("0x000000000022D473030F116dDEE9F6B43aC78BA3")
