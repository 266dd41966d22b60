package rest

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
