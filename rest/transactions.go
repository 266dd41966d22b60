package rest

// NetworkFee is what the server proposes. What counts is the MaxTotalFee of the preview.
type NetworkFee struct {
	GasLimit             string `json:"gasLimit"`
	MaxFeePerGas         string `json:"maxFeePerGas"`
	MaxPriorityFeePerGas string `json:"maxPriorityFeePerGas"`
	MaxTotalFee          string `json:"maxTotalFee" doc:"Stamped: the enclave never pays more for gas. On base and optimism the chain takes a data fee beside it, which the signed preview shows as dataFee"`
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
	ActionType  string `json:"action_type" enum:"payment,transfer" doc:"Both mean the same"`
	Amount      string `json:"amount" minLength:"1" maxLength:"20" doc:"Whole number of the token's smallest unit: 10000 are 0.01 USDC"`
	Destination string `json:"destination" minLength:"1" maxLength:"64" doc:"Address"`
	TokenMint   string `json:"token_mint" minLength:"1" maxLength:"64" doc:"USDC, or its contract on the network"`
	Cluster     string `json:"cluster" minLength:"1" maxLength:"32" doc:"Slug of the network"`
}
