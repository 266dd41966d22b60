// Generated from the networks of the package chain by go generate ./web/dashboard. Do not edit.
export type Network = {
	slug: string; name: string; kind: string; coin: string; decimals: number;
	tokens: { [address: string]: string };
};
export const networks: { sandbox: Network[]; production: Network[] } = {
	sandbox: [
		{
			slug: "ethereum", name: "Ethereum Sepolia", kind: "evm", coin: "ETH", decimals: 18,
			tokens: {
				"0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238": "USDC",
				"0xfFf9976782d46CC05630D1f6eBAb18b2324d6B14": "WETH",
			},
		},
		{
			slug: "base", name: "Base Sepolia", kind: "evm", coin: "ETH", decimals: 18,
			tokens: {
				"0x036CbD53842c5426634e7929541eC2318f3dCF7e": "USDC",
				"0x4200000000000000000000000000000000000006": "WETH",
			},
		},
		{
			slug: "polygon", name: "Polygon Amoy", kind: "evm", coin: "POL", decimals: 18,
			tokens: {
				"0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582": "USDC",
				"0x502465eB63Af51B4d81021d5F9982E1AAD6eEfC6": "USDT",
				"0x360ad4f9a9A8EFe9A8DCB5f461c4Cc1047E1Dcf9": "WPOL",
			},
		},
		{
			slug: "arbitrum", name: "Arbitrum Sepolia", kind: "evm", coin: "ETH", decimals: 18,
			tokens: {
				"0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d": "USDC",
				"0x39f9F06AEF7ADA89AAE50986BdB67E8494f235F9": "USDT",
				"0x980B62Da83eFf3D4576C647993b0c1D7faf17c73": "WETH",
			},
		},
		{
			slug: "optimism", name: "OP Sepolia", kind: "evm", coin: "ETH", decimals: 18,
			tokens: {
				"0x5fd84259d66Cd46123540766Be93DFE6D43130D7": "USDC",
				"0x4200000000000000000000000000000000000006": "WETH",
			},
		},
		{
			slug: "avalanche_c_chain", name: "Avalanche Fuji", kind: "evm", coin: "AVAX", decimals: 18,
			tokens: {
				"0x5425890298aed601595a70AB815c96711a31Bc65": "USDC",
				"0xd00ae08403B9bbb9124bB305C09058E32C39A48c": "WAVAX",
			},
		},
		{
			slug: "solana", name: "Solana Devnet", kind: "solana", coin: "SOL", decimals: 9,
			tokens: {
				"4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU": "USDC",
				"7wTgMzn2aMt3uf9BJyp7U4BPnUzd1nG12cmgwCK8VNeD": "USDT",
			},
		},
		{
			slug: "tron", name: "Tron Nile", kind: "tron", coin: "TRX", decimals: 6,
			tokens: {
				"TDr6eSZVxMk1CxtrCwd6VvpLQFYCowKsDK": "USDT",
			},
		},
	],
	production: [
		{
			slug: "ethereum", name: "Ethereum", kind: "evm", coin: "ETH", decimals: 18,
			tokens: {
				"0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48": "USDC",
				"0xdAC17F958D2ee523a2206206994597C13D831ec7": "USDT",
				"0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2": "WETH",
			},
		},
		{
			slug: "base", name: "Base", kind: "evm", coin: "ETH", decimals: 18,
			tokens: {
				"0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913": "USDC",
				"0x4200000000000000000000000000000000000006": "WETH",
			},
		},
		{
			slug: "polygon", name: "Polygon PoS", kind: "evm", coin: "POL", decimals: 18,
			tokens: {
				"0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359": "USDC",
				"0xc2132D05D31c914a87C6611C10748AEb04B58e8F": "USDT",
				"0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270": "WPOL",
			},
		},
		{
			slug: "arbitrum", name: "Arbitrum One", kind: "evm", coin: "ETH", decimals: 18,
			tokens: {
				"0xaf88d065e77c8cC2239327C5EDb3A432268e5831": "USDC",
				"0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9": "USDT",
				"0x82aF49447D8a07e3bd95BD0d56f35241523fBab1": "WETH",
			},
		},
		{
			slug: "optimism", name: "OP Mainnet", kind: "evm", coin: "ETH", decimals: 18,
			tokens: {
				"0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85": "USDC",
				"0x4200000000000000000000000000000000000006": "WETH",
			},
		},
		{
			slug: "avalanche_c_chain", name: "Avalanche C-Chain", kind: "evm", coin: "AVAX", decimals: 18,
			tokens: {
				"0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E": "USDC",
				"0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7": "USDT",
				"0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7": "WAVAX",
			},
		},
		{
			slug: "solana", name: "Solana", kind: "solana", coin: "SOL", decimals: 9,
			tokens: {
				"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v": "USDC",
				"Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB": "USDT",
			},
		},
		{
			slug: "tron", name: "Tron", kind: "tron", coin: "TRX", decimals: 6,
			tokens: {
				"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t": "USDT",
			},
		},
	],
};
