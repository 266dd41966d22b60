package rest

// Order is one payment, over all rails and directions.
type Order struct {
	ID        string   `json:"id" format:"uuid"`
	Reference string   `json:"reference"`
	Type      string   `json:"type" enum:"off_ramp,on_ramp,global_payment"`
	Origin    string   `json:"origin" doc:"What opened it: withdraw_address (a deposit) or quote"`
	Status    string   `json:"status" enum:"awaiting,funds_received,in_review,payment_submitted,completed,canceled,expired,returned,error"`
	Labels    []string `json:"labels" doc:"under, over, late, repriced, off_rate"`
	Version   int64    `json:"version" doc:"One more with each event"`
	Size      string   `json:"size" doc:"The family of the rail: ach_wire, spei, sepa, pix or faster_payments"`
	Pair      string   `json:"pair" doc:"USDC/MXN"`

	RecipientID          string `json:"recipientId"`
	RecipientName        string `json:"recipientName"`
	BeneficiaryAccountID string `json:"beneficiaryAccountId"`
	WithdrawAddressID    string `json:"withdrawAddressId"`
	QuoteID              string `json:"quoteId,omitempty"`

	Source         OrderSource      `json:"source"`
	Destination    OrderDestination `json:"destination"`
	ExpectedAmount string           `json:"expectedAmount,omitempty" doc:"What the quote is for, in the source's currency"`
	Rate           string           `json:"rate,omitempty"`
	Fees           []OrderFee       `json:"fees"`
	NetAmount      string           `json:"netAmount,omitempty" doc:"What the bank gets"`

	References   OrderReferences `json:"references"`
	ReviewReason string          `json:"reviewReason,omitempty" doc:"Why it waits in review"`
	DelayReason  string          `json:"delayReason,omitempty" doc:"What the payment waits for, where the partner says so"`
	Failure      *OrderFailure   `json:"failure,omitempty"`
	Refund       *Refund         `json:"refund,omitempty"`
	ExpiresAt    string          `json:"expiresAt,omitempty" format:"date-time"`
	CreatedAt    string          `json:"createdAt" format:"date-time"`
	UpdatedAt    string          `json:"updatedAt" format:"date-time"`
	CompletedAt  string          `json:"completedAt,omitempty" format:"date-time"`
}

// OrderSource is where the money of an order comes from.
type OrderSource struct {
	Amount   string `json:"amount,omitempty" doc:"What arrived, or is awaited"`
	Currency string `json:"currency"`
	Chain    string `json:"chain"`
	Address  string `json:"address" doc:"The withdrawal address"`
	From     string `json:"from,omitempty" doc:"Who sent it"`
}

// OrderDestination is where it goes.
type OrderDestination struct {
	Amount       string `json:"amount,omitempty"`
	Currency     string `json:"currency"`
	Rail         string `json:"rail"`
	AccountLast4 string `json:"accountLast4,omitempty"`
}

// OrderFee is one fee of an order.
type OrderFee struct {
	Kind     string `json:"kind" enum:"network,platform"`
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
}

// OrderReferences are what others call an order.
type OrderReferences struct {
	DepositTxHash     string `json:"depositTxHash,omitempty"`
	PartnerTransferID string `json:"partnerTransferId,omitempty"`
	TrackingKey       string `json:"trackingKey,omitempty" doc:"SPEI"`
	TraceNumber       string `json:"traceNumber,omitempty" doc:"ACH, SEPA, Faster Payments, PIX"`
	IMAD              string `json:"imad,omitempty" doc:"Wire"`
	Refund            string `json:"refund,omitempty"`
	RefundTxHash      string `json:"refundTxHash,omitempty"`
}

// OrderFailure is why money did not arrive.
type OrderFailure struct {
	Code       string `json:"code"`
	Message    string `json:"message"`
	ReturnCode string `json:"returnCode,omitempty" doc:"The rail's"`
}

// Refund is a payment back to the return address.
type Refund struct {
	ID        string `json:"id"`
	Reference string `json:"reference"`
	Status    string `json:"status" enum:"pending,submitted,completed,failed"`
	Amount    string `json:"amount"`
	Currency  string `json:"currency"`
	Chain     string `json:"chain"`
	Address   string `json:"address,omitempty"`
	TxHash    string `json:"txHash,omitempty"`
	Reason    string `json:"reason,omitempty" doc:"Why it failed"`
}

// Ended says that nothing moves by itself any more. What is returned has ended
// with its refund. What is completed can still be sent back, days later.
func (o Order) Ended() bool {
	switch o.Status {
	case "completed", "canceled", "expired", "error":
		return true
	case "returned":
		return o.Refund.Ended()
	}
	return false
}

// Ended says that the money is back, or that it could not be sent.
func (r *Refund) Ended() bool {
	return r != nil && (r.Status == "completed" || r.Status == "failed")
}
