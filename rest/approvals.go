package rest

// ApprovedTransaction is where the transaction of an approval stands.
type ApprovedTransaction struct {
	TransactionID string      `json:"transactionId"`
	Status        string      `json:"status" enum:"awaiting_approval,pending,broadcast,confirmed,failed,cancelled,expired"`
	TxHash        string      `json:"txHash,omitempty"`
	Network       string      `json:"network"`
	From          string      `json:"from"`
	To            string      `json:"to"`
	Payee         *NamedPayee `json:"payee,omitempty" doc:"Whom to belongs to, in the enclave's words when it was prepared; of a transfer of a token the one who gets it"`
	TokenAddress  string      `json:"tokenAddress,omitempty"`
	Reason        string      `json:"reason,omitempty"`
}

// RejectRequest says why.
type RejectRequest struct {
	Reason string `json:"reason,omitempty" maxLength:"500"`
}
