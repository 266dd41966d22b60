package rest

// Order is one payment, over all rails and directions.
type Order struct {
	ID        string   `json:"id" format:"uuid"`
	Reference string   `json:"reference"`
	Type      string   `json:"type" enum:"off_ramp,on_ramp,global_payment"`
	Origin    string   `json:"origin" doc:"What opened it: withdraw_address, deposit_account or virtual_account (a deposit), or quote"`
	Status    string   `json:"status" enum:"awaiting,funds_received,in_review,payment_submitted,completed,canceled,expired,returned,error"`
	Labels    []string `json:"labels" doc:"under, over, late, repriced, off_rate, off_fee, other_sender, paid_twice, recalled"`
	Version   int64    `json:"version" doc:"One more with each event"`
	Size      string   `json:"size" doc:"The family of the rail: ach_wire, spei, sepa, pix or faster_payments"`
	Pair      string   `json:"pair" doc:"USDC/MXN"`

	WalletID             string `json:"walletId,omitempty" doc:"Of an on-ramp: the wallet that gets the stablecoin"`
	DepositAccountID     string `json:"depositAccountId,omitempty" doc:"Of an on-ramp: where the fiat arrived"`
	RecipientID          string `json:"recipientId"`
	RecipientName        string `json:"recipientName"`
	BeneficiaryAccountID string `json:"beneficiaryAccountId"`
	WithdrawAddressID    string `json:"withdrawAddressId"`
	QuoteID              string `json:"quoteId,omitempty"`

	PayIn          *PayIn           `json:"payIn,omitempty" doc:"The bank transfer of an on-ramp or a global payment"`
	Source         OrderSource      `json:"source"`
	Destination    OrderDestination `json:"destination"`
	ExpectedAmount string           `json:"expectedAmount,omitempty" doc:"What the quote is for, in the source's currency"`
	Rate           string           `json:"rate,omitempty"`
	Fees           []OrderFee       `json:"fees"`
	NetAmount      string           `json:"netAmount,omitempty" doc:"What the bank gets, or the wallet of an on-ramp"`

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
	Chain    string `json:"chain,omitempty" doc:"Slug of the network that the stablecoin moves on, such as polygon"`
	Address  string `json:"address,omitempty" doc:"The withdrawal address"`
	Rail     string `json:"rail,omitempty" doc:"How the money of the bank moves: ach, wire, spei, sepa, faster_payments or pix"`
	From     string `json:"from,omitempty" doc:"Who sent it: an address, or the name of a bank account's owner"`
}

// OrderDestination is where it goes.
type OrderDestination struct {
	Amount       string `json:"amount,omitempty"`
	Currency     string `json:"currency"`
	Rail         string `json:"rail,omitempty" doc:"How the money of the bank moves: ach, wire, spei, sepa, faster_payments or pix"`
	AccountLast4 string `json:"accountLast4,omitempty"`
	Chain        string `json:"chain,omitempty" doc:"Slug of the network that the stablecoin moves on, such as polygon"`
	Address      string `json:"address,omitempty" doc:"The wallet's address"`
}

// PayIn is a bank transfer that came to an account number of ours, and the stablecoin that the partner sent for it.
type PayIn struct {
	Status           string `json:"status" enum:"scheduled,received,held,submitted,settled,returning,returned,failed,writtenoff"`
	PartnerDepositID string `json:"partnerDepositId"`
	Amount           string `json:"amount" doc:"What the depositor sent, before fees"`
	Currency         string `json:"currency"`
	Rail             string `json:"rail"`
	Sender           string `json:"sender,omitempty" doc:"The owner of the bank account that it came from"`
	Trace            string `json:"trace,omitempty" doc:"The rail's own reference"`
	Reason           string `json:"reason,omitempty" doc:"Why the partner holds or returns it"`

	SettlementAmount      string `json:"settlementAmount,omitempty" doc:"Stablecoin that the partner says it sent"`
	SettlementTxHash      string `json:"settlementTxHash,omitempty" doc:"May change until the transaction is mined"`
	SettlementFinal       bool   `json:"settlementFinal" doc:"The stablecoin is final at the address"`
	Confirmations         int    `json:"confirmations,omitempty"`
	RequiredConfirmations int    `json:"requiredConfirmations,omitempty"`
	ReturnedAmount        string `json:"returnedAmount,omitempty" doc:"Fiat that went back to the depositor"`
	Receivable            string `json:"receivable,omitempty" doc:"Fiat that the bank took back after the stablecoin was sent"`
}

// OrderFee is one fee of an order.
type OrderFee struct {
	Kind     string `json:"kind" enum:"deposit,network,platform" doc:"deposit: of the bank transfer that pays for the order"`
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
}

// OrderReferences are what others call an order.
type OrderReferences struct {
	DepositTxHash     string `json:"depositTxHash,omitempty"`
	PartnerTransferID string `json:"partnerTransferId,omitempty"`
	TrackingKey       string `json:"trackingKey,omitempty" doc:"Clave de rastreo of a SPEI payment"`
	TraceNumber       string `json:"traceNumber,omitempty" doc:"ACH, SEPA, Faster Payments, PIX"`
	IMAD              string `json:"imad,omitempty" doc:"IMAD of a Fedwire payment"`
	Refund            string `json:"refund,omitempty"`
	RefundTxHash      string `json:"refundTxHash,omitempty"`
}

// OrderFailure is why money did not arrive.
type OrderFailure struct {
	Code       string `json:"code"`
	Message    string `json:"message"`
	ReturnCode string `json:"returnCode,omitempty" doc:"Code with which the rail returned it, such as R03 of ACH"`
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
		return o.Refund.Ended() || o.Refund == nil && o.PayIn != nil && o.PayIn.Status == "returned"
	}
	return false
}

// Ended says that the money is back, or that it could not be sent.
func (r *Refund) Ended() bool {
	return r != nil && (r.Status == "completed" || r.Status == "failed")
}

// OrderDetail is one order with all that is known of it.
type OrderDetail struct {
	Order
	Deposit     *Deposit             `json:"deposit,omitempty"`
	Rates       *QuotedRates         `json:"rates,omitempty" doc:"The rates that the quote promised"`
	Explanation *OrderAmounts        `json:"explanation,omitempty" doc:"Where the money goes, to the smallest unit; once the price is known"`
	Timeline    []OrderTimelineEntry `json:"timeline" doc:"Oldest first"`
}

// Deposit is the transfer on chain that pays for an order.
type Deposit struct {
	TxHash                string `json:"txHash"`
	From                  string `json:"from"`
	Amount                string `json:"amount"`
	Currency              string `json:"currency"`
	Chain                 string `json:"chain"`
	BlockNumber           uint64 `json:"blockNumber"`
	Confirmations         int    `json:"confirmations"`
	RequiredConfirmations int    `json:"requiredConfirmations"`
	Final                 bool   `json:"final"`
}

// QuotedRates are what the partner's desk asked when a quote was made.
type QuotedRates struct {
	Midmarket   string `json:"midmarket"`
	Sell        string `json:"sell"`
	SpreadBps   int64  `json:"spreadBps" doc:"Basis points that the partner keeps of the middle rate"`
	FetchedAt   string `json:"fetchedAt" format:"date-time"`
	PublishedAt string `json:"publishedAt" format:"date-time" doc:"By the partner's clock"`
}

// OrderAmounts divides the amount of an order: Gross = Network + Platform +
// Converted + Residue + Drift, and Converted at Rate is Net.
type OrderAmounts struct {
	Deposit     *OrderDeposit `json:"deposit,omitempty" doc:"Of an order that a bank transfer pays for: how it became gross"`
	Gross       string        `json:"gross"`
	Network     string        `json:"network"`
	Platform    string        `json:"platform"`
	Converted   string        `json:"converted"`
	Residue     string        `json:"residue" doc:"Too little for the smallest unit of what was bought"`
	Drift       string        `json:"drift" doc:"What the rate moved between a quote and its payout; above zero is the platform's gain"`
	Currency    string        `json:"currency" doc:"Currency of the amounts beside it, but for net"`
	Rate        string        `json:"rate"`
	Net         string        `json:"net"`
	NetCurrency string        `json:"netCurrency"`
	Text        string        `json:"text" doc:"The same for people"`
}

// OrderDeposit divides the bank transfer that pays for an order: Amount = Fee + Converted, and Converted became the
// gross amount.
type OrderDeposit struct {
	Amount    string `json:"amount" doc:"What the depositor sent"`
	Fee       string `json:"fee" doc:"What was taken of it: 33.00 of 3000.00 MXN. Until it has come, by the quote"`
	Converted string `json:"converted"`
	Currency  string `json:"currency" doc:"Currency of these amounts"`
}

// OrderTimelineEntry is something that happened to an order.
type OrderTimelineEntry struct {
	Seq        int64             `json:"seq"`
	Type       string            `json:"type" doc:"deposit.confirmed, fiat.submitted and so on: docs/states.md"`
	Status     string            `json:"status" doc:"Of the order, after it"`
	At         string            `json:"at" format:"date-time" doc:"When it was recorded"`
	OccurredAt string            `json:"occurredAt" format:"date-time" doc:"By the clock of its source"`
	Source     string            `json:"source" enum:"system,partner,chain,user,operator"`
	Detail     map[string]string `json:"detail,omitempty"`
}
