package chain

var sol = Token{Symbol: "SOL", Decimals: 9}

// solanaDevnet has Circle's USDC of Solana's devnet. USDT is ours, the SHA-256 of "railkit sandbox USDT solana devnet",
// which is nobody's key. Its mints are of the classic Token program, as those of solanaMainnet.
var solanaDevnet = Network{
	Slug: "solana", Name: "Solana Devnet", Kind: Solana, Cluster: "devnet", Native: sol, Confirmations: 1,
	Tokens: []Token{
		mint("USDC", "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"),
		mint("USDT", "7wTgMzn2aMt3uf9BJyp7U4BPnUzd1nG12cmgwCK8VNeD"),
	},
}

var solanaMainnet = Network{
	Slug: "solana", Name: "Solana", Kind: Solana, Cluster: "mainnet", Native: sol,
	// A finalized block is final: who watches reads no other.
	Confirmations: 1,
	Tokens: []Token{
		mint("USDC", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"),
		mint("USDT", "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB"),
	},
	Explorer: "https://explorer.solana.com/tx/%s",
}

// mint is a token of 6 decimals on Solana.
func mint(symbol, address string) Token { return Token{Symbol: symbol, Address: address, Decimals: 6} }
