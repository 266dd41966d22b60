package rest

// LiquidationAddressRequest asks for the withdrawal address of a bank account.
type LiquidationAddressRequest struct {
	BeneficiaryID        string `json:"beneficiaryId" minLength:"1" maxLength:"64"`
	BeneficiaryAccountID string `json:"beneficiaryAccountId" minLength:"1" maxLength:"64"`
	Chain                string `json:"chain" enum:"base,polygon,arbitrum,solana"`
	Currency             string `json:"currency" enum:"usdc,usdt"`
}

// WithdrawAddressRequest asks for a withdrawal address.
type WithdrawAddressRequest struct {
	BeneficiaryID        string `json:"beneficiaryId,omitempty" maxLength:"64" doc:"May be left out: a bank account is of one recipient"`
	BeneficiaryAccountID string `json:"beneficiaryAccountId" minLength:"1" maxLength:"64"`
	WalletID             string `json:"walletId,omitempty" maxLength:"64" doc:"Its address on the chain is where refunds go, once it has waited as long as a new bank account does; the answer's pendingReturn has it until then. Without one they cannot be sent. Where the withdrawal address is there already with another wallet, or with none, the answer is 409. The answer's payee is for the book of payees of the wallet's sub-organization"`
	PayeeName            string `json:"payeeName,omitempty" minLength:"1" maxLength:"100" doc:"What the address is to be called in the book of payees; only with walletId. The default names owner, bank, number, stablecoin and network"`
	Chain                string `json:"chain,omitempty" enum:"base,polygon,arbitrum,solana" default:"base"`
	Currency             string `json:"currency,omitempty" enum:"usdc,usdt" default:"usdc"`
}

// LiquidationAddress is a withdrawal address in few words.
type LiquidationAddress struct {
	ID       string `json:"id" format:"uuid"`
	Address  string `json:"address"`
	Chain    string `json:"chain"`
	Currency string `json:"currency"`
}

// WithdrawAddress is where stablecoins arrive that go to a bank account.
type WithdrawAddress struct {
	ID                     string  `json:"id" format:"uuid"`
	Reference              string  `json:"reference"`
	IntegratorID           string  `json:"integratorId"`
	BeneficiaryID          string  `json:"beneficiaryId"`
	BeneficiaryAccountID   string  `json:"beneficiaryAccountId"`
	Chain                  string  `json:"chain"`
	Currency               string  `json:"currency"`
	Address                string  `json:"address" doc:"Empty while the partner is being asked for it"`
	WalletID               string  `json:"walletId,omitempty"`
	ReturnAddress          string  `json:"returnAddress,omitempty" doc:"Where refunds go; without it they stay at the withdrawal address"`
	PendingReturn          *Return `json:"pendingReturn,omitempty" doc:"Where refunds will go, the first place or another, once it has waited or a member has confirmed it"`
	DestinationCurrency    string  `json:"destinationCurrency"`
	DestinationPaymentRail string  `json:"destinationPaymentRail"`
	LiquidationAddressID   string  `json:"liquidationAddressId,omitempty" doc:"The partner's"`
	Status                 string  `json:"status" enum:"provisioning,active"`
	CreatedAt              string  `json:"createdAt" format:"date-time"`
	UpdatedAt              string  `json:"updatedAt" format:"date-time"`

	Payee *WithdrawPayee `json:"payee,omitempty" doc:"The address in the book of payees of the wallet that refunds go to, by the server's word. In an answer without it the address has no wallet, or is not in the book: POST /v1/signing/payees adds it"`
}

// WithdrawPayee is a withdrawal address as a payee: a name that a passkey binds to the address and to the bank account
// behind it.
type WithdrawPayee struct {
	Status   string            `json:"status" enum:"prepared,in_book,unavailable" doc:"prepared: one stamp adds it; in_book: it has been added; unavailable: it could not be prepared, for the reason that is told. The withdrawal address can be used in each case"`
	ID       string            `json:"id,omitempty" doc:"Of in_book: the payee's"`
	Name     string            `json:"name,omitempty" doc:"Of in_book the payee's, of prepared the one that it will have"`
	Prepared *PreparedActivity `json:"prepared,omitempty" doc:"What POST /v1/signing/payees?prepare=true answers. Where nobody stamps it in time, this call prepares it anew"`
	Code     string            `json:"code,omitempty" doc:"Of unavailable: the error's code, as POST /v1/signing/payees would answer it"`
	Reason   string            `json:"reason,omitempty" doc:"Of unavailable, in words"`
}

// Return is another place for refunds, which counts from EffectiveAt on.
type Return struct {
	WalletID      string `json:"walletId"`
	ReturnAddress string `json:"returnAddress" doc:"Where refunds will go"`
	EffectiveAt   string `json:"effectiveAt" format:"date-time" doc:"Until then they go to the old one, or stay at the withdrawal address where there was none, unless a member confirms the new one"`
}

// ReturnRequest asks for another place for refunds.
type ReturnRequest struct {
	WalletID string `json:"walletId" minLength:"1" maxLength:"64" doc:"Its address on the chain is where refunds will go"`
}

// ReturnConfirm says which change a member looked at. Who is no member is told that
// first, and so it is checked in the code that it is given.
type ReturnConfirm struct {
	ReturnAddress string `json:"returnAddress,omitempty" maxLength:"64" doc:"Required: that of the change, as the member saw it; where another one waits the answer is 409"`
}

// VirtualAccountRequest asks for the account number that pays a bank account.
type VirtualAccountRequest struct {
	BeneficiaryID        string `json:"beneficiaryId" minLength:"1" maxLength:"64"`
	BeneficiaryAccountID string `json:"beneficiaryAccountId" minLength:"1" maxLength:"64"`
}

// VirtualAccount is where to send MXN that become stablecoins.
type VirtualAccount struct {
	ID            string `json:"id" format:"uuid"`
	CLABE         string `json:"clabe" doc:"18 digits: where to send MXN by SPEI"`
	Currency      string `json:"currency" enum:"MXN"`
	BeneficiaryID string `json:"beneficiaryId"`
}

// Drain is what arrived at a withdrawal address, and what became of it.
type Drain struct {
	ID                    string            `json:"id" format:"uuid"`
	WithdrawAddressID     string            `json:"withdrawAddressId"`
	OrderID               string            `json:"orderId,omitempty"`
	OrderReference        string            `json:"orderReference,omitempty"`
	PartnerTransferID     string            `json:"partnerTransferId,omitempty"`
	State                 string            `json:"state" enum:"pending,completed,failed"`
	Status                string            `json:"status" enum:"detected,funds_received,in_review,payment_submitted,payment_processed,returned,refunded,canceled,error"`
	Reason                string            `json:"reason,omitempty" enum:"dust,wrong_token,wrong_chain,out_of_range,dropped" doc:"Of a canceled one: why it is not paid out"`
	Amount                string            `json:"amount"`
	Currency              string            `json:"currency"`
	Chain                 string            `json:"chain"`
	DepositTxHash         string            `json:"depositTxHash"`
	LogIndex              int64             `json:"logIndex"`
	BlockNumber           int64             `json:"blockNumber"`
	Confirmations         int64             `json:"confirmations"`
	RequiredConfirmations int64             `json:"requiredConfirmations"`
	FromAddress           string            `json:"fromAddress"`
	ExchangeRate          string            `json:"exchangeRate,omitempty"`
	Fees                  []DrainFee        `json:"fees,omitempty"`
	Destination           *DrainDestination `json:"destination,omitempty"`
	Failure               *PaymentFailure   `json:"failure,omitempty"`
	OccurredAt            string            `json:"occurredAt" format:"date-time"`
	CreatedAt             string            `json:"createdAt" format:"date-time"`
	UpdatedAt             string            `json:"updatedAt" format:"date-time"`
}

// DrainFee is a part of the amount that is not paid out.
type DrainFee struct {
	Kind     string `json:"kind" enum:"network,platform"`
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
}

// DrainDestination is where the money goes.
type DrainDestination struct {
	Rail            string `json:"rail"`
	Currency        string `json:"currency"`
	Amount          string `json:"amount,omitempty"`
	BankAccountID   string `json:"bankAccountId"`
	AccountLastFour string `json:"accountLast4"`
	TrackingKey     string `json:"trackingKey,omitempty"`
	TraceNumber     string `json:"traceNumber,omitempty"`
	IMAD            string `json:"imad,omitempty"`
}

// PaymentFailure is why money did not arrive.
type PaymentFailure struct {
	Code       string `json:"code"`
	Message    string `json:"message"`
	ReturnCode string `json:"returnCode,omitempty"` // the rail's
}
