package rest

// SimulatedDepositRequest sends test tokens to a withdrawal address, or to any address of
// a chain. Sandbox only.
type SimulatedDepositRequest struct {
	WithdrawAddressID string `json:"withdrawAddressId,omitempty" maxLength:"64" doc:"In place of chain, address and currency"`
	Chain             string `json:"chain,omitempty" doc:"Network slug: base"`
	Address           string `json:"address,omitempty" doc:"Where the tokens go"`
	Amount            string `json:"amount" maxLength:"40" doc:"Decimal: 100.00"`
	Currency          string `json:"currency,omitempty" enum:"usdc,usdt" default:"usdc"`
}

// SimulatedDeposit is one that was mined.
type SimulatedDeposit struct {
	TxHash string `json:"txHash"`
	SimulatedDepositRequest
}

// SimulatedBankDepositRequest has a depositor's bank pay an account number of the workspace. Sandbox only.
type SimulatedBankDepositRequest struct {
	DepositAccountID string `json:"depositAccountId,omitempty" maxLength:"64" doc:"One of this, virtualAccountId and number"`
	VirtualAccountID string `json:"virtualAccountId,omitempty" maxLength:"64" doc:"Of setup/virtual-account"`
	Number           string `json:"number,omitempty" maxLength:"1000" doc:"CLABE, IBAN, account number or PIX code"`
	Amount           string `json:"amount" maxLength:"40" doc:"Decimal, in the account's currency: 5000.00. Some cents have something go wrong"`
	SenderName       string `json:"senderName,omitempty" maxLength:"35" doc:"The owner of the bank account that pays"`
}

// SimulatedBankDeposit is a bank transfer that the sandbox's partner has, or on ACH expects. Its order comes when the
// partner has told of it, and is found by the partnerDepositId and by the trace.
type SimulatedBankDeposit struct {
	PartnerDepositID string `json:"partnerDepositId"`
	Currency         string `json:"currency"`
	Rail             string `json:"rail"`
	Trace            string `json:"trace" doc:"The rail's own reference"`
	SimulatedBankDepositRequest
}

// SandboxFailure is why a bank does not take a payment. Empty, it is a closed account.
type SandboxFailure struct {
	Code   string `json:"code,omitempty" maxLength:"10" doc:"One of the rail's, such as 03 (SPEI) or R02 (ACH); without it, that of a closed account"`
	Reason string `json:"reason,omitempty" maxLength:"100" doc:"In words; without it, those of the code"`
}

// SandboxDelay is how much later something happens.
type SandboxDelay struct {
	Seconds int64 `json:"seconds" minimum:"1" maximum:"31536000"`
}

// SandboxOrder names what was steered. The order itself moves when the partner
// has told of it.
type SandboxOrder struct {
	OrderID           string `json:"orderId" format:"uuid"`
	Reference         string `json:"reference"`
	PartnerTransferID string `json:"partnerTransferId,omitempty" doc:"The payment that was steered"`
	PartnerDepositID  string `json:"partnerDepositId,omitempty" doc:"Or the bank transfer that came in"`
}

// SandboxTime is how far the partner's time goes.
type SandboxTime struct {
	Seconds int64 `json:"seconds" minimum:"1" maximum:"31536000"`
}

// SandboxBlocks is how many blocks are made.
type SandboxBlocks struct {
	Chain  string `json:"chain" doc:"Network slug: base"`
	Blocks int    `json:"blocks,omitempty" minimum:"1" maximum:"20" default:"1"`
}

// SandboxReorg is a reorganization of a chain.
type SandboxReorg struct {
	Chain string `json:"chain" doc:"Network slug: base"`
	Depth int    `json:"depth" minimum:"1" maximum:"20" doc:"How many of the newest blocks are replaced"`
	Drop  bool   `json:"drop,omitempty" doc:"Their transactions are forgotten, and not mined again"`
}

// FaucetRequest asks the sandbox for test money.
type FaucetRequest struct {
	Chain   string `json:"chain" doc:"Network slug"`
	Address string `json:"address"`
	Asset   string `json:"asset" doc:"native, or the symbol of a listed token: USDC"`
	Amount  string `json:"amount" maxLength:"40" doc:"Decimal, in units of the asset: 100.00"`
}

// FaucetPayment is test money that was sent.
type FaucetPayment struct {
	TxHash string `json:"txHash"`
	FaucetRequest
}
