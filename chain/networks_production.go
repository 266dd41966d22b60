package chain

// The mainnets. USDC is listed where Circle issues it. USDT is listed where
// Tether issues it (ethereum, avalanche_c_chain) and where Tether's long-standing
// token became USDT0 at its old address, backed one to one by USDT that is locked
// on Ethereum (polygon, arbitrum). Base has none, and Optimism's two (a bridged
// one and a later USDT0 elsewhere) are left out, because money sent to the wrong
// one of two is lost.
var production = []Network{
	{
		Slug: "ethereum", Name: "Ethereum", Kind: EVM, ChainID: 1, Native: eth,
		// Two epochs of 32 slots: what is that deep is finalized unless a third
		// of the stake is slashed.
		Confirmations: 64,
		Tokens: []Token{
			usdc("0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", "USD Coin"),
			usdt("0xdAC17F958D2ee523a2206206994597C13D831ec7", ""),
			wrapped(eth, "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"),
		},
		Explorer: "https://etherscan.io/tx/%s",
	},
	{
		Slug: "base", Name: "Base", Kind: EVM, ChainID: 8453, Native: eth, DataFee: true,
		// Two minutes of 2 s blocks. The one sequencer orders alone; what it can
		// take back is what it has not yet posted to Ethereum.
		Confirmations: 60,
		Tokens:        []Token{usdc("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "USD Coin"), wrapped(eth, opWETH)},
		Explorer:      "https://basescan.org/tx/%s",
	},
	{
		Slug: "polygon", Name: "Polygon PoS", Kind: EVM, ChainID: 137, Native: pol,
		// About four minutes. Milestones make blocks final within seconds, but the
		// chain has seen reorgs of over a hundred blocks when they stalled.
		Confirmations: 128,
		Tokens: []Token{
			usdc("0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", "USD Coin"),
			// No EIP-712 domain: none could be checked against the chain's own separator.
			usdt("0xc2132D05D31c914a87C6611C10748AEb04B58e8F", ""),
			wrapped(pol, "0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270"),
		},
		Explorer: "https://polygonscan.com/tx/%s",
	},
	{
		Slug: "arbitrum", Name: "Arbitrum One", Kind: EVM, ChainID: 42161, Native: eth,
		// Two minutes of 0.25 s blocks; the same reasoning as on Base.
		Confirmations: 480,
		Tokens: []Token{
			usdc("0xaf88d065e77c8cC2239327C5EDb3A432268e5831", "USD Coin"),
			usdt("0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9", "USD₮0"),
			wrapped(eth, "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1"),
		},
		Explorer: "https://arbiscan.io/tx/%s",
	},
	{
		Slug: "optimism", Name: "OP Mainnet", Kind: EVM, ChainID: 10, Native: eth, DataFee: true,
		// As Base, on the same software.
		Confirmations: 60,
		Tokens:        []Token{usdc("0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85", "USD Coin"), wrapped(eth, opWETH)},
		Explorer:      "https://optimistic.etherscan.io/tx/%s",
	},
	{
		Slug: "avalanche_c_chain", Name: "Avalanche C-Chain", Kind: EVM, ChainID: 43114, Native: avax,
		// An accepted block is final. One more guards against a node that shows
		// a block before it is accepted.
		Confirmations: 2,
		Tokens: []Token{
			usdc("0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E", "USD Coin"),
			usdt("0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7", "TetherToken"),
			wrapped(avax, "0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7"),
		},
		Explorer: "https://snowtrace.io/tx/%s",
	},
	solanaMainnet, tronMainnet,
}
