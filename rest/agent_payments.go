package rest

// AgentPaymentRequest is what an agent asks to be paid. The signer reads these very bytes, as the agent signed them.
type AgentPaymentRequest struct {
	ActionType  string `json:"action_type" enum:"payment,transfer" doc:"Both mean the same"`
	Amount      string `json:"amount" minLength:"1" maxLength:"20" doc:"Whole number of the token's smallest unit: 10000 are 0.01 USDC"`
	Destination string `json:"destination" minLength:"1" maxLength:"64" doc:"Address"`
	TokenMint   string `json:"token_mint" minLength:"1" maxLength:"64" doc:"USDC, or its contract on the network"`
	Cluster     string `json:"cluster" minLength:"1" maxLength:"32" doc:"Slug of the network"`
}
