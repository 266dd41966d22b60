package rest

// Denial is what a rule refused to a wallet.
type Denial struct {
	ID            string `json:"id"`
	Layer         string `json:"layer" enum:"enclave,platform"`
	Rule          string `json:"rule" doc:"maxValueUsd, allowedDestinations, unknownCall, ..."`
	Severity      string `json:"severity" enum:"blocked,warn,critical"`
	Detail        string `json:"detail" doc:"In one line"`
	Field         string `json:"field" doc:"Of what was to be signed"`
	Observed      string `json:"observed"`
	Limit         string `json:"limit"`
	Payee         string `json:"payee,omitempty" doc:"Name of the payee whose address was observed, as the enclave said it"`
	PolicyID      string `json:"policyId,omitempty"`
	TransactionID string `json:"transactionId,omitempty"`
	WalletID      string `json:"walletId"`
	Timestamp     string `json:"timestamp" format:"date-time"`
}

// MinedNonce is the first nonce of an address that is not mined.
type MinedNonce struct {
	Network string `json:"network"`
	Address string `json:"address"`
	Nonce   uint64 `json:"nonce" doc:"The first that is not mined"`
}

// OutstandingTransaction is a signed transaction.
type OutstandingTransaction struct {
	TransactionID string  `json:"transactionId,omitempty" doc:"Absent where the server has lost the row"`
	Status        string  `json:"status,omitempty"`
	Network       string  `json:"network"`
	From          string  `json:"from"`
	Nonce         uint64  `json:"nonce"`
	TxHash        string  `json:"txHash"`
	AmountUSDC    string  `json:"amountUsdc" doc:"How much USDC leaves with it"`
	ReplacedBy    string  `json:"replacedBy,omitempty" doc:"The transaction that was signed for its nonce since; of the two one is mined"`
	Fingerprint   string  `json:"fingerprint" doc:"Of the body under which it was signed"`
	SignedAt      string  `json:"signedAt" format:"date-time"`
	Void          Voiding `json:"void"`
}

// Voiding is how something that is signed is made worthless.
type Voiding struct {
	How     string        `json:"how" doc:"In words"`
	Prepare []VoidRequest `json:"prepare" doc:"Bodies for POST /v1/transactions/prepare, ready to be sent and then stamped; empty where it takes another way, or there is nothing to be done"`
}

// VoidRequest is what makes something worthless: type void for Transactions.PrepareReplacement,
// type call for Transactions.Prepare.
type VoidRequest struct {
	Type     string `json:"type" enum:"void,call"`
	Replaces string `json:"replaces,omitempty"`
	SignWith string `json:"signWith,omitempty"`
	ChainID  uint64 `json:"chainId,omitempty"`
	To       string `json:"to,omitempty"`
	Data     string `json:"data,omitempty"`
}
