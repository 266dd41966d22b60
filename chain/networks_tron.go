package chain

var trx = Token{Symbol: "TRX", Decimals: 6}

// tronNile plays Tron's test network. USDT is ours, the last 20 bytes of keccak256("railkit sandbox USDT tron nile"),
// and has code on our chain only.
var tronNile = Network{
	Slug: "tron", Name: "Tron Nile", Kind: Tron, Cluster: "nile", Native: trx, DataFee: true, Confirmations: 1,
	Tokens: []Token{usdt("TDr6eSZVxMk1CxtrCwd6VvpLQFYCowKsDK", "")},
}

// tronMainnet lists no USDC: Circle issues none there any more.
var tronMainnet = Network{
	Slug: "tron", Name: "Tron", Kind: Tron, Cluster: "mainnet", Native: trx, DataFee: true,
	// A solidified block is final: who watches reads no other.
	Confirmations: 1,
	Tokens:        []Token{usdt("TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "")},
	Explorer:      "https://tronscan.org/#/transaction/%s",
}
