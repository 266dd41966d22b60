package rest

// Payment is an order in the words of the payout accounts.
type Payment struct {
	Reference   string `json:"reference"`
	OrderID     string `json:"orderId" format:"uuid"`
	QuoteID     string `json:"quoteId,omitempty"`
	TransferID  string `json:"transferId,omitempty" doc:"The partner's"`
	Status      string `json:"status" enum:"pending,processing,completed,failed"`
	OrderStatus string `json:"orderStatus" doc:"The same as the order tells it"`

	Amount              string `json:"amount,omitempty" doc:"What leaves"`
	Currency            string `json:"currency"`
	NetAmount           string `json:"netAmount,omitempty" doc:"What the bank gets"`
	DestinationCurrency string `json:"destinationCurrency"`
	Fees                string `json:"fees,omitempty" doc:"In the source's currency"`
	Rate                string `json:"rate,omitempty"`

	BeneficiaryID        string `json:"beneficiaryId"`
	BeneficiaryName      string `json:"beneficiaryName"`
	BeneficiaryAccountID string `json:"beneficiaryAccountId"`
	AccountLast4         string `json:"accountLast4,omitempty"`
	Rail                 string `json:"rail"`

	DepositInstructions *DepositInstructions `json:"depositInstructions,omitempty" doc:"While it waits for a deposit"`
	FailureReason       string               `json:"failureReason,omitempty"`
	Refund              *Refund              `json:"refund,omitempty"`
	CreatedAt           string               `json:"createdAt" format:"date-time"`
	UpdatedAt           string               `json:"updatedAt" format:"date-time"`
	CompletedAt         string               `json:"completedAt,omitempty" format:"date-time"`
}

// DepositInstructions say what an order waits for: exactly this, before the end.
type DepositInstructions struct {
	Address   string `json:"address"`
	Chain     string `json:"chain"`
	Token     string `json:"token"`
	Amount    string `json:"amount"`
	ExpiresAt string `json:"expiresAt" format:"date-time"`
}

// ExecuteRequest accepts a quote by QuoteID and BeneficiaryID; or it names the bank
// account and both ends of a payment at the price of the moment, by the others.
type ExecuteRequest struct {
	QuoteID       string `json:"quoteId,omitempty" maxLength:"64" doc:"Required, unless both ends are named"`
	BeneficiaryID string `json:"beneficiaryId,omitempty" maxLength:"64" doc:"The quote's; without one it may be left out"`

	BeneficiaryAccountID string `json:"beneficiaryAccountId,omitempty" maxLength:"64" doc:"Without a quote: the bank account that is paid"`
	SourceAmount         string `json:"sourceAmount,omitempty" maxLength:"30" doc:"What leaves"`
	DestinationAmount    string `json:"destinationAmount,omitempty" maxLength:"30" doc:"Or what arrives"`
	SourceCurrency       string `json:"sourceCurrency,omitempty" maxLength:"4"`
	DestinationCurrency  string `json:"destinationCurrency,omitempty" maxLength:"4"`
	Chain                string `json:"chain,omitempty" maxLength:"32" doc:"Of the withdrawal address; where the account has several, or none yet, base"`
	Token                string `json:"token,omitempty" enum:"usdc,usdt" doc:"Same; usdc"`
}

// OnRampQuoteRequest asks what a deposit of fiat money gives in stablecoin, for nobody in
// particular. One of the two amounts is given.
type OnRampQuoteRequest struct {
	SourceAmount        string `json:"source_amount,omitempty" maxLength:"30" doc:"What is deposited; or destination_amount"`
	DestinationAmount   string `json:"destination_amount,omitempty" maxLength:"30" doc:"What arrives at the wallet"`
	SourceCurrency      string `json:"source_currency" enum:"usd,eur,mxn,brl,gbp"`
	DestinationCurrency string `json:"destination_currency" enum:"usdc,usdt"`
	SourcePaymentRail   string `json:"source_payment_rail,omitempty" enum:"ach,wire,spei,sepa,pix,faster_payments" doc:"By which the deposit is sent; the usual one of the currency where it is left out"`
	Chain               string `json:"chain,omitempty" maxLength:"32" doc:"Makes no difference to the price"`
	Country             string `json:"country,omitempty" maxLength:"3" doc:"Same"`
}

// OffRampQuoteRequest asks what stablecoin gives at a bank, for nobody in
// particular. One of the two amounts is given.
type OffRampQuoteRequest struct {
	SourceAmount           string `json:"source_amount,omitempty" maxLength:"30" doc:"What leaves; or destination_amount"`
	DestinationAmount      string `json:"destination_amount,omitempty" maxLength:"30" doc:"What arrives"`
	SourceCurrency         string `json:"source_currency" enum:"usdc,usdt"`
	DestinationCurrency    string `json:"destination_currency" enum:"usd,eur,mxn,brl,gbp"`
	DestinationPaymentRail string `json:"destination_payment_rail,omitempty" enum:"ach,wire,spei,sepa,pix,faster_payments" doc:"The usual one of the currency where it is left out"`
	Chain                  string `json:"chain,omitempty" maxLength:"32" doc:"Makes no difference to the price"`
	Country                string `json:"country,omitempty" maxLength:"3" doc:"Same"`
}

// AccountStatement is what the platform held for somebody in a period of whole days (UTC), and what moved it.
type AccountStatement struct {
	From       string             `json:"from" format:"date"`
	To         string             `json:"to" format:"date" doc:"The last day"`
	Balances   []StatementBalance `json:"balances" doc:"Of the whole period, for each currency that was ever held"`
	Days       []StatementDay     `json:"days,omitempty" doc:"Of a statement by days"`
	Lines      []StatementLine    `json:"lines" doc:"The first 1,000, oldest first; a CSV has all"`
	LinesTotal int                `json:"linesTotal" doc:"How many there are"`
}

// StatementBalance is a period in one currency: Opening + MoneyIn - MoneyOut - Fees = Closing.
type StatementBalance struct {
	Currency    string `json:"currency"`
	Opening     string `json:"opening"`
	MoneyIn     string `json:"moneyIn"`
	MoneyOut    string `json:"moneyOut" doc:"Without fees"`
	Fees        string `json:"fees"`
	ReturnedIn  string `json:"returnedIn" doc:"Payouts that came back; part of moneyIn"`
	ReturnedOut string `json:"returnedOut" doc:"Deposits that were sent back; part of moneyOut"`
	Closing     string `json:"closing" doc:"opening + moneyIn - moneyOut - fees, and the opening balance of the next period"`
}

// StatementDay is one day (UTC) of a statement.
type StatementDay struct {
	Date     string             `json:"date" format:"date"`
	Balances []StatementBalance `json:"balances"`
}

// StatementLine is what moved the balance.
type StatementLine struct {
	At        string `json:"at" format:"date-time"`
	Kind      string `json:"kind" enum:"deposit,conversion,payout,return,refund,reversal,other"`
	Reference string `json:"reference" doc:"The order's; empty of a deposit that became no order"`
	OrderID   string `json:"orderId"`
	Currency  string `json:"currency"`
	MoneyIn   string `json:"moneyIn"`
	MoneyOut  string `json:"moneyOut"`
	Fees      string `json:"fees"`
	Balance   string `json:"balance" doc:"After it"`
}
