package rest

// NetworkFee is what the server proposes. What counts is the MaxTotalFee of the preview.
type NetworkFee struct {
	GasLimit             string `json:"gasLimit" doc:"On Solana: units of compute; on Tron: the fee_limit, in sun"`
	MaxFeePerGas         string `json:"maxFeePerGas,omitempty" doc:"Absent where no gas is paid for, as on Solana"`
	MaxPriorityFeePerGas string `json:"maxPriorityFeePerGas,omitempty" doc:"As maxFeePerGas"`
	MaxRent              string `json:"maxRent,omitempty" doc:"On Solana: the most, in lamports, that an account of the payee's for the token may cost; absent where it is there"`
	MaxTotalFee          string `json:"maxTotalFee" doc:"Stamped: the enclave never pays more for gas. On base, optimism and tron the chain takes a data fee beside it, which the signed preview shows as dataFee"`
}

// OnChain is how a network knows a signed transaction.
type OnChain struct {
	Nonce      *uint64 `json:"nonce,omitempty" doc:"Absent where transactions have none, as on Solana"`
	LastHeight int64   `json:"lastHeight,omitempty" doc:"On Solana: no block above this height takes it"`
	EndsAt     *string `json:"endsAt,omitempty" format:"date-time" doc:"On Tron: no block takes it from then on"`
	TxHash     string  `json:"txHash,omitempty"`
}

// RawTransactionRequest is a transaction that was signed elsewhere.
type RawTransactionRequest struct {
	SignedTransaction string `json:"signedTransaction" minLength:"2" maxLength:"262146" doc:"Hex of the signed transaction"`
	ChainID           uint64 `json:"chainId,omitempty" doc:"Must be that of the transaction, where it is given"`
	Network           string `json:"network,omitempty" doc:"Slug; must be that of the transaction, where it is given"`
}

// RawBroadcast is a raw transaction on its way. The server keeps nothing of it.
type RawBroadcast struct {
	TxHash        string `json:"txHash"`
	Status        string `json:"status" enum:"broadcast"`
	Network       string `json:"network"`
	BroadcastedAt string `json:"broadcastedAt" format:"date-time"`
}

// AgentPaymentRequest is what an agent asks to be paid. The signer reads these very bytes, as the agent signed them.
type AgentPaymentRequest struct {
	ActionType  string        `json:"action_type" enum:"payment,transfer" doc:"Both mean the same"`
	Amount      SmallestUnits `json:"amount" minLength:"1" maxLength:"20" doc:"Whole number of the token's smallest unit: 10000 are 0.01 USDC"`
	Destination string        `json:"destination" minLength:"1" maxLength:"64" doc:"Address"`
	TokenMint   string        `json:"token_mint" minLength:"1" maxLength:"64" doc:"USDC, or its contract on the network"`
	Cluster     string        `json:"cluster" minLength:"1" maxLength:"32" doc:"Slug of the network"`
}

// SwapQuote is a price, without the envelope.
type SwapQuote struct {
	AmountOut        string   `json:"amountOut" doc:"Smallest unit, at the price of now"`
	MinimumAmountOut string   `json:"minimumAmountOut" doc:"Smallest unit, less the slippage"`
	Protocol         string   `json:"protocol"`
	ChainID          uint64   `json:"chainId"`
	Route            []string `json:"route" doc:"Symbols, from what is sold to what is bought"`
	PriceImpactBps   int      `json:"priceImpactBps" doc:"Hundredths of a percent by which the trade moves the price"`
	EstimatedGas     string   `json:"estimatedGas" doc:"About what such a trade takes. The fee is known when it is prepared"`
}

// SwapTrade is the trade of a prepared swap.
type SwapTrade struct {
	Protocol         string   `json:"protocol"`
	Router           string   `json:"router"`
	FromToken        string   `json:"fromToken" doc:"Address, or native"`
	ToToken          string   `json:"toToken" doc:"Address, or native"`
	AmountIn         string   `json:"amountIn" doc:"Smallest unit"`
	AmountOut        string   `json:"amountOut" doc:"Smallest unit, at the price of now"`
	MinimumAmountOut string   `json:"minimumAmountOut" doc:"Smallest unit. Of the step swap it is in what is stamped, and the chain holds the trade to it"`
	Route            []string `json:"route" doc:"Symbols, from what is sold to what is bought"`
	PriceImpactBps   int      `json:"priceImpactBps" doc:"Hundredths of a percent by which the trade moves the price"`
	Deadline         string   `json:"deadline" format:"date-time" doc:"The chain refuses the trade after it"`
}

// Broadcast is where a transaction stands on its way into the chain.
type Broadcast struct {
	TransactionID string  `json:"transactionId"`
	TxHash        string  `json:"txHash"`
	Status        string  `json:"status" enum:"pending,broadcast,confirmed,failed"`
	Network       string  `json:"network"`
	BroadcastedAt *string `json:"broadcastedAt" format:"date-time"`
	ConfirmedAt   *string `json:"confirmedAt" format:"date-time"`
	BlockNumber   *int64  `json:"blockNumber"`
	Confirmations int64   `json:"confirmations"`
	Reason        string  `json:"reason,omitempty" doc:"blockhash_expired: on Solana, no block took it in time, by the word of every node"`

	Stuck      bool   `json:"stuck,omitempty" doc:"It pays less than the network asks, and waits until that changes or it is replaced"`
	ReplacedBy string `json:"replacedBy,omitempty" doc:"The transaction that was signed for its nonce since; of the two one is mined"`

	WaitsFor []string `json:"waitsFor,omitempty" doc:"Transactions of the address with lower nonces that are not on the chain, the nearest 20: until each is sent, this one cannot be mined"`
}
