package chain

// The testnets, under the slugs of their mainnets. USDC has the addresses that
// Circle gave it there, so that unmodified tools work. Tether has no testnet
// token: USDT's addresses are ours, the last 20 bytes of
// keccak256("railkit sandbox USDT <chain id>"), and have code on our devnet only.
//
// The wrapped coins have the addresses that the testnets' exchanges use.
//
// Confirmations are 1, because the devnet mines nothing without a transaction.
// No explorer shows the devnet, so none is named.
var sandbox = []Network{
	{
		Slug: "ethereum", Name: "Ethereum Sepolia", Kind: EVM, ChainID: 11155111, Native: eth, Confirmations: 1,
		Tokens: []Token{
			usdc("0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238", "USDC"),
			wrapped(eth, "0xfFf9976782d46CC05630D1f6eBAb18b2324d6B14"),
		},
	},
	{
		Slug: "base", Name: "Base Sepolia", Kind: EVM, ChainID: 84532, Native: eth, DataFee: true, Confirmations: 1,
		Tokens: []Token{
			usdc("0x036CbD53842c5426634e7929541eC2318f3dCF7e", "USDC"), wrapped(eth, opWETH),
		},
	},
	{
		Slug: "polygon", Name: "Polygon Amoy", Kind: EVM, ChainID: 80002, Native: pol, Confirmations: 1,
		Tokens: []Token{
			usdc("0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582", "USDC"),
			usdt("0x502465eB63Af51B4d81021d5F9982E1AAD6eEfC6", "USDT"),
			wrapped(pol, "0x360ad4f9a9A8EFe9A8DCB5f461c4Cc1047E1Dcf9"),
		},
	},
	{
		Slug: "arbitrum", Name: "Arbitrum Sepolia", Kind: EVM, ChainID: 421614, Native: eth, Confirmations: 1,
		Tokens: []Token{
			usdc("0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d", "USD Coin"),
			usdt("0x39f9F06AEF7ADA89AAE50986BdB67E8494f235F9", "USDT"),
			wrapped(eth, "0x980B62Da83eFf3D4576C647993b0c1D7faf17c73"),
		},
	},
	{
		Slug: "optimism", Name: "OP Sepolia", Kind: EVM, ChainID: 11155420, Native: eth, DataFee: true,
		Confirmations: 1,
		Tokens:        []Token{usdc("0x5fd84259d66Cd46123540766Be93DFE6D43130D7", "USDC"), wrapped(eth, opWETH)},
	},
	{
		Slug: "avalanche_c_chain", Name: "Avalanche Fuji", Kind: EVM, ChainID: 43113, Native: avax, Confirmations: 1,
		Tokens: []Token{
			usdc("0x5425890298aed601595a70AB815c96711a31Bc65", "USD Coin"),
			wrapped(avax, "0xd00ae08403B9bbb9124bB305C09058E32C39A48c"),
		},
	},
	solanaDevnet, tronNile,
}
