package chain

// The testnets, under the slugs of their mainnets. USDC has the addresses that
// Circle gave it there, so that unmodified tools work. Tether has no testnet
// token: USDT's addresses are ours, the last 20 bytes of
// keccak256("railkit sandbox USDT <chain id>"), and have code on our devnet only.
//
// Confirmations are 1, because the devnet mines nothing without a transaction.
// No explorer shows the devnet, so none is named.
var sandbox = []Network{
	{
		Slug: "ethereum", Name: "Ethereum Sepolia", Kind: EVM, ChainID: 11155111, Native: eth, Confirmations: 1,
		Tokens: []Token{usdc("0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238", "USDC")},
	},
	{
		Slug: "base", Name: "Base Sepolia", Kind: EVM, ChainID: 84532, Native: eth, DataFee: true, Confirmations: 1,
		Tokens: []Token{usdc("0x036CbD53842c5426634e7929541eC2318f3dCF7e", "USDC")},
	},
	{
		Slug: "polygon", Name: "Polygon Amoy", Kind: EVM, ChainID: 80002, Native: pol, Confirmations: 1,
		Tokens: []Token{
			usdc("0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582", "USDC"),
			usdt("0x502465eB63Af51B4d81021d5F9982E1AAD6eEfC6", "USDT"),
		},
	},
	{
		Slug: "arbitrum", Name: "Arbitrum Sepolia", Kind: EVM, ChainID: 421614, Native: eth, Confirmations: 1,
		Tokens: []Token{
			usdc("0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d", "USD Coin"),
			usdt("0x39f9F06AEF7ADA89AAE50986BdB67E8494f235F9", "USDT"),
		},
	},
	{
		Slug: "optimism", Name: "OP Sepolia", Kind: EVM, ChainID: 11155420, Native: eth, DataFee: true,
		Confirmations: 1, Tokens: []Token{usdc("0x5fd84259d66Cd46123540766Be93DFE6D43130D7", "USDC")},
	},
	{
		Slug: "avalanche_c_chain", Name: "Avalanche Fuji", Kind: EVM, ChainID: 43113, Native: avax, Confirmations: 1,
		Tokens: []Token{usdc("0x5425890298aed601595a70AB815c96711a31Bc65", "USD Coin")},
	},
}
