package rest

// Payment is an order in the words of the payout accounts.
type Payment struct {
	Reference   string `json:"reference"`
	OrderID     string `json:"orderId" format:"uuid"`
	QuoteID     string `json:"quoteId,omitempty"`
	TransferID  string `json:"transferId,omitempty" doc:"The partner's"`
	Status      string `json:"status" enum:"pending,processing,completed,failed"`
	OrderStatus string `json:"orderStatus" doc:"The same as the order tells it"`

	Amount              string `json:"amount,omitempty" doc:"What leaves, or the bank transfer that pays"`
	Currency            string `json:"currency"`
	NetAmount           string `json:"netAmount,omitempty" doc:"What the bank gets"`
	DestinationCurrency string `json:"destinationCurrency"`
	Fees                string `json:"fees,omitempty" doc:"All fees, in currency"`
	Rate                string `json:"rate,omitempty" doc:"What one unit gives. Where a bank transfer pays: amount less fees, at this rate, is netAmount"`

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
	Address   string `json:"address,omitempty" doc:"Where the stablecoin goes"`
	Chain     string `json:"chain,omitempty"`
	Token     string `json:"token,omitempty"`
	CLABE     string `json:"clabe,omitempty" doc:"Or where the bank transfer goes"`
	Currency  string `json:"currency,omitempty" doc:"Of the bank transfer"`
	Amount    string `json:"amount"`
	ExpiresAt string `json:"expiresAt" format:"date-time"`
}

// ExecuteRequest accepts a quote by QuoteID and BeneficiaryID; or it names the bank
// account and both ends of a payment at the price of the moment, by the others.
type ExecuteRequest struct {
	QuoteID       string `json:"quoteId,omitempty" maxLength:"64" doc:"Required, unless both ends are named"`
	BeneficiaryID string `json:"beneficiaryId,omitempty" maxLength:"64" doc:"The quote's; without one it may be left out"`

	BeneficiaryAccountID string `json:"beneficiaryAccountId,omitempty" maxLength:"64" doc:"Without a quote: the bank account that is paid"`
	SourceAmount         string `json:"sourceAmount,omitempty" maxLength:"30" doc:"How much stablecoin leaves, such as 100.00; or destinationAmount"`
	DestinationAmount    string `json:"destinationAmount,omitempty" maxLength:"30" doc:"How much arrives at the bank, such as 1800.00; or sourceAmount"`
	SourceCurrency       string `json:"sourceCurrency,omitempty" maxLength:"4"`
	DestinationCurrency  string `json:"destinationCurrency,omitempty" maxLength:"4"`
	Chain                string `json:"chain,omitempty" maxLength:"32" doc:"Of the withdrawal address; where the account has several, or none yet, base"`
	Token                string `json:"token,omitempty" enum:"usdc,usdt" doc:"Stablecoin of the withdrawal address; where the account has several, or none yet, usdc"`
}

// OnRampQuoteRequest asks what a deposit of fiat money gives in stablecoin, for nobody in
// particular. One of the two amounts is given.
type OnRampQuoteRequest struct {
	SourceAmount        string `json:"source_amount,omitempty" maxLength:"30" doc:"What is deposited; or destination_amount"`
	DestinationAmount   string `json:"destination_amount,omitempty" maxLength:"30" doc:"What arrives at the wallet"`
	SourceCurrency      string `json:"source_currency" enum:"usd,eur,mxn,brl,gbp"`
	DestinationCurrency string `json:"destination_currency" enum:"usdc,usdt"`
	SourcePaymentRail   string `json:"source_payment_rail,omitempty" enum:"ach,wire,spei,sepa,pix,faster_payments" doc:"By which the deposit is sent; the usual one of the currency where it is left out"`
	Chain               string `json:"chain,omitempty" maxLength:"32" doc:"Where the coins arrive: refused as a deposit account there would be. It makes no difference to the price: an account that the coins need there is at the cost of the partner"`
	Country             string `json:"country,omitempty" maxLength:"3" doc:"Country of the bank account; makes no difference to the price"`
}

// OffRampQuoteRequest asks what stablecoin gives at a bank, for nobody in
// particular. One of the two amounts is given.
type OffRampQuoteRequest struct {
	SourceAmount           string `json:"source_amount,omitempty" maxLength:"30" doc:"What leaves; or destination_amount"`
	DestinationAmount      string `json:"destination_amount,omitempty" maxLength:"30" doc:"How much arrives at the bank, such as 1800.00"`
	SourceCurrency         string `json:"source_currency" enum:"usdc,usdt"`
	DestinationCurrency    string `json:"destination_currency" enum:"usd,eur,mxn,brl,gbp"`
	DestinationPaymentRail string `json:"destination_payment_rail,omitempty" enum:"ach,wire,spei,sepa,pix,faster_payments" doc:"The usual one of the currency where it is left out"`
	Chain                  string `json:"chain,omitempty" maxLength:"32" doc:"Where the stablecoin comes from: refused as a withdrawal address there would be. It makes no difference to the price"`
	Country                string `json:"country,omitempty" maxLength:"3" doc:"Country of the bank account; makes no difference to the price"`
}

// Reconciliation is what the last check of a workspace's books found: orders against the ledger, and the ledger against
// itself.
type Reconciliation struct {
	CheckedAt   *string      `json:"checkedAt" format:"date-time" doc:"null: this server has not checked yet"`
	Total       int          `json:"total" doc:"How many differences there were; 0 is how it should be"`
	Differences []Difference `json:"differences" doc:"The first 100"`
}

// Difference is a value that two records do not agree on.
type Difference struct {
	Check string `json:"check" doc:"What was compared"`
	About string `json:"about" doc:"An account of the ledger, a transaction or an order"`
	Want  string `json:"want"`
	Got   string `json:"got"`
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
	MoneyOut    string `json:"moneyOut" doc:"Sum of what left, without fees"`
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
	Balance   string `json:"balance" doc:"Balance after this entry"`
}

// BatchRequest asks for the preview of many payments.
type BatchRequest struct {
	Rows []BatchPayment `json:"rows" minItems:"1" maxItems:"1000"`
}

// BatchPayment is one row of a request. All fields are texts, so that a wrong one is told with the other wrong rows.
type BatchPayment struct {
	Reference            string `json:"reference,omitempty" maxLength:"200" text:"any" doc:"The caller's own, at most 64 characters, no other row's"`
	BeneficiaryID        string `json:"beneficiaryId,omitempty" maxLength:"200" text:"any" doc:"The recipient; needed"`
	BeneficiaryAccountID string `json:"beneficiaryAccountId,omitempty" maxLength:"200" text:"any" doc:"Needed where the recipient has several active bank accounts"`
	Amount               string `json:"amount,omitempty" maxLength:"200" text:"any" doc:"Needed; a decimal with a point"`
	Currency             string `json:"currency,omitempty" maxLength:"200" text:"any" doc:"Needed. USDC, USDT, or USD where the account is not in USD: the amount leaves. The account's own currency: the amount arrives"`
	Chain                string `json:"chain,omitempty" maxLength:"200" text:"any" doc:"Of the withdrawal address; where the account has several, base, or else it is needed"`
	Token                string `json:"token,omitempty" maxLength:"200" text:"any" doc:"usdc or usdt; where the account has addresses for both, usdc"`

	Line int `json:"-"` // of a CSV, counted from 1; the server sets it
}

// BatchExecuteRequest is what a caller says of a batch that is executed.
type BatchExecuteRequest struct {
	PayAgain bool `json:"payAgain,omitempty" doc:"True: the rows that the preview marks as paid before (warnings with the codes reference_paid and paid_before) are meant to be paid again. Without it a batch with such rows is 422 batch_paid_before"`
}

// Batch is many payments that are made together or not at all.
type Batch struct {
	ID         string `json:"id" format:"uuid"`
	Status     string `json:"status" enum:"ready,invalid,executed,canceled,expired"`
	Executable bool   `json:"executable" doc:"ready: no row is wrong, and the prices hold"`
	RowCount   int    `json:"rowCount"`
	WrongRows  int    `json:"wrongRows" doc:"Rows with an error"`

	RowsPaidBefore int `json:"rowsPaidBefore" doc:"Rows that were paid before, by their reference or by recipient and amount: they have a warning, and executing them takes payAgain"`

	Sources      []BatchSum `json:"sources" doc:"What leaves, by stablecoin. Wrong rows are not counted, here and below"`
	Destinations []BatchSum `json:"destinations" doc:"What banks get, by currency"`
	CreatedAt    string     `json:"createdAt" format:"date-time"`
	ExpiresAt    string     `json:"expiresAt" format:"date-time" doc:"Until then it can be executed and the deposits can come at these prices"`
	ExecutedAt   string     `json:"executedAt,omitempty" format:"date-time"`
	CanceledAt   string     `json:"canceledAt,omitempty" format:"date-time"`
}

// BatchSum is the sum of the rows of one currency.
type BatchSum struct {
	Currency string `json:"currency"`
	Rows     int    `json:"rows"`
	Amount   string `json:"amount" doc:"Of a source: with the fees"`
	Fees     string `json:"fees,omitempty" doc:"Of a source: the part of the amount that is fees"`
}

// BatchDetail is a batch with its rows.
type BatchDetail struct {
	Batch
	Errors    []BatchIssue   `json:"errors" doc:"Of all rows, not only of those below"`
	Warnings  []BatchIssue   `json:"warnings" doc:"Of all rows. Only rows that were paid before (reference_paid, paid_before) keep a batch from being executed without payAgain"`
	Addresses []BatchAddress `json:"addresses" doc:"Where deposits have to go, with the sums. What lies there already pays rows first and is not counted"`
	Funding   string         `json:"funding,omitempty" doc:"For people: how the deposits have to be sent"`
	Rows      []BatchRow     `json:"rows" doc:"All rows; of GET one page of them"`
}

// BatchIssue is what is wrong with a row, or worth a second look.
type BatchIssue struct {
	Row       int    `json:"row" doc:"Counted from 1"`
	Line      int    `json:"line,omitempty" doc:"Of the CSV, counted from 1"`
	Reference string `json:"reference,omitempty" doc:"Reference that the row of the batch names for itself"`
	Field     string `json:"field"`
	Code      string `json:"code"`
	Message   string `json:"message"`
}

// BatchAddress is a withdrawal address that rows are to be funded at.
type BatchAddress struct {
	WithdrawAddressID string `json:"withdrawAddressId"`
	Address           string `json:"address"`
	Chain             string `json:"chain"`
	Token             string `json:"token"`
	Amount            string `json:"amount" doc:"The sum of its rows"`
	Transfers         int    `json:"transfers" doc:"How many deposits it takes: one for each row, of exactly the row's amount. One deposit of the sum is not divided among them"`
}

// BatchRow is a row with its price, and once it is executed its order.
type BatchRow struct {
	Row                  int    `json:"row" doc:"Counted from 1"`
	Line                 int    `json:"line,omitempty" doc:"Of the CSV, counted from 1"`
	Reference            string `json:"reference,omitempty" doc:"The caller's own"`
	BeneficiaryID        string `json:"beneficiaryId"`
	BeneficiaryName      string `json:"beneficiaryName,omitempty"`
	BeneficiaryAccountID string `json:"beneficiaryAccountId,omitempty"`
	AccountLast4         string `json:"accountLast4,omitempty"`
	Amount               string `json:"amount" doc:"As it was asked for, like the currency"`
	Currency             string `json:"currency"`

	SourceAmount        string `json:"sourceAmount,omitempty" doc:"What leaves. A wrong row has no price"`
	SourceCurrency      string `json:"sourceCurrency,omitempty"`
	Fees                string `json:"fees,omitempty" doc:"In the source's currency, part of sourceAmount"`
	Rate                string `json:"rate,omitempty"`
	NetAmount           string `json:"netAmount,omitempty" doc:"What the bank gets"`
	DestinationCurrency string `json:"destinationCurrency,omitempty"`
	Rail                string `json:"rail,omitempty"`
	Chain               string `json:"chain,omitempty"`
	Token               string `json:"token,omitempty"`
	WithdrawAddressID   string `json:"withdrawAddressId,omitempty"`

	OrderID             string               `json:"orderId,omitempty" doc:"Once it is executed, like the rest"`
	OrderReference      string               `json:"orderReference,omitempty"`
	OrderStatus         string               `json:"orderStatus,omitempty"`
	DepositInstructions *DepositInstructions `json:"depositInstructions,omitempty" doc:"While the order waits for a deposit"`
}

// QuoteRequest asks for the price of a payout. The currency of Amount decides whether the source or the destination
// amount is fixed; in the two-currency form the field's name does.
type QuoteRequest struct {
	BeneficiaryID string `json:"beneficiaryId" minLength:"1" maxLength:"64" doc:"The recipient"`
	Amount        Number `json:"amount,omitzero" exclusiveMinimum:"0"`
	Currency      string `json:"currency,omitempty" maxLength:"4" doc:"USDC, USDT, or USD where the account is not in USD: the amount leaves. The account's own currency: the amount arrives. MXN where the account is in another currency: a bank transfer of the amount to the recipient's CLABE pays"`

	BeneficiaryAccountID string `json:"beneficiaryAccountId,omitempty" maxLength:"64" doc:"Needed where the recipient has several active bank accounts"`
	Chain                string `json:"chain,omitempty" maxLength:"32" doc:"Of the withdrawal address; where the account has several, base, or else it is needed"`
	Token                string `json:"token,omitempty" enum:"usdc,usdt" doc:"Of the withdrawal address; where the account has both, usdc"`

	SourceAmount        string `json:"sourceAmount,omitempty" maxLength:"30" doc:"The two-currency form: what leaves"`
	DestinationAmount   string `json:"destinationAmount,omitempty" maxLength:"30" doc:"How much arrives at the bank, such as 1800.00; or sourceAmount"`
	SourceCurrency      string `json:"sourceCurrency,omitempty" maxLength:"4"`
	DestinationCurrency string `json:"destinationCurrency,omitempty" maxLength:"4"`
}

// Quote is a quote as the API shows it. Amount and currency are those of the
// request; where a bank transfer pays, they are the bank transfer's.
type Quote struct {
	QuoteID   string `json:"quoteId" format:"uuid"`
	Amount    Number `json:"amount"`
	Currency  string `json:"currency"`
	Rate      Number `json:"rate" doc:"What one unit of the source gives. Of a bank transfer: amount less fees, at this rate, is netAmount"`
	Fees      Number `json:"fees" doc:"In the source's currency; of a bank transfer all fees, in its currency"`
	NetAmount Number `json:"netAmount" doc:"What the bank gets, in its currency"`
	ExpiresAt string `json:"expiresAt" format:"date-time"`

	SourceAmount         Number       `json:"sourceAmount" doc:"What leaves the withdrawal address: fees and what is converted"`
	SourceCurrency       string       `json:"sourceCurrency"`
	DestinationCurrency  string       `json:"destinationCurrency"`
	FeeBreakdown         FeeBreakdown `json:"feeBreakdown"`
	MidmarketRate        Number       `json:"midmarketRate"`
	SpreadBps            int64        `json:"spreadBps" doc:"Basis points that the partner keeps of the middle rate; they are inside of rate"`
	RateFetchedAt        string       `json:"rateFetchedAt" format:"date-time"`
	BeneficiaryID        string       `json:"beneficiaryId"`
	BeneficiaryAccountID string       `json:"beneficiaryAccountId"`
	Rail                 string       `json:"rail"`
	EstimatedArrival     string       `json:"estimatedArrival" doc:"For people: minutes, or by Wed 25 Nov, a banking day of the recipient's country. It counts from when the deposit is final"`
	CutOffAt             string       `json:"cutOffAt,omitempty" format:"date-time" doc:"Not on rails that never close. What the partner is asked to pay before it arrives by arrivesBy; the server asks seconds after the deposit is final"`
	ArrivesBy            string       `json:"arrivesBy,omitempty" format:"date-time" doc:"The end of the banking day on which the bank has the money at the latest; an estimate"`
	WithdrawAddressID    string       `json:"withdrawAddressId"`
	WithdrawAddress      string       `json:"withdrawAddress" doc:"Where the stablecoin has to be, or to go"`
	Chain                string       `json:"chain"`
	Token                string       `json:"token"`
	Limits               AmountLimits `json:"limits"`
	Funding              *Funding     `json:"funding,omitempty" doc:"Of a payment that a bank transfer pays for. Its price is an estimate: nothing is held while the transfer is on its way"`
}

// FeeBreakdown divides the source amount: the sum of its parts is the whole.
type FeeBreakdown struct {
	Network   Number `json:"network"`
	Platform  Number `json:"platform"`
	Converted Number `json:"converted"`
	Residue   Number `json:"residue" doc:"Too little for the smallest unit of what is bought"`
}

// AmountLimits is what one payout may be, in the source's currency.
type AmountLimits struct {
	Minimum Number `json:"minimum"`
	Maximum Number `json:"maximum"`
}

// Funding says how a bank transfer pays for a payment.
type Funding struct {
	Amount           Number `json:"amount" doc:"What the depositor sends"`
	Currency         string `json:"currency"`
	Fees             Number `json:"fees" doc:"Of the deposit, in its currency"`
	StablecoinAmount Number `json:"stablecoinAmount" doc:"What the rest becomes at the withdrawal address; fees and netAmount are of this amount"`
}

// Estimate is what prices that cannot be executed have in common in both directions.
type Estimate struct {
	SourceAmount        string `json:"source_amount"`
	SourceCurrency      string `json:"source_currency"`
	DestinationAmount   string `json:"destination_amount"`
	DestinationCurrency string `json:"destination_currency"`
	MinimumAmount       string `json:"minimum_amount" doc:"The least that source_amount may be"`
	MaximumAmount       string `json:"maximum_amount" doc:"The largest amount of one payment"`
	MidmarketRate       string `json:"midmarket_rate"`
	SellRate            string `json:"sell_rate" doc:"The partner's own fee is inside"`
	DisplayRate         string `json:"display_rate" doc:"For people: 1 USDC ≈ 18.41 MXN"`
	NetworkFeePercent   Number `json:"network_fee_percent"`
	NetworkFeeAmount    string `json:"network_fee_amount"`
	ServiceFeePercent   Number `json:"service_fee_percent"`
	ServiceFeeAmount    string `json:"service_fee_amount"`
	TotalFeePercent     Number `json:"total_fee_percent"`
	TotalFeeAmount      string `json:"total_fee_amount"`
	EstimatedArrival    string `json:"estimated_arrival"`
	CutOffAt            string `json:"cut_off_at,omitempty" format:"date-time" doc:"Not on rails that never close"`
	ArrivesBy           string `json:"arrives_by,omitempty" format:"date-time" doc:"At the latest, of what is paid before cut_off_at; an estimate"`
}

// OffRampQuote is the price of a payout that cannot be executed.
type OffRampQuote struct {
	Estimate
	DestinationPaymentRail string `json:"destination_payment_rail"`
}

// OnRampQuote is what a deposit of fiat money would give at the moment.
type OnRampQuote struct {
	Estimate
	ConvertedAmount     string `json:"converted_amount" doc:"What is sold of the deposit: source_amount less total_fee_amount"`
	BeyondAmount        string `json:"beyond_amount" doc:"What the deposit gives in addition to a destination_amount that was asked for, since the smallest unit of the source currency buys more than that of the stablecoin. It is delivered too"`
	SourcePaymentRail   string `json:"source_payment_rail"`
	DeveloperFeePercent Number `json:"developer_fee_percent" deprecated:"true" doc:"Is service_fee_percent"`
	DeveloperFeeAmount  string `json:"developer_fee_amount" deprecated:"true" doc:"Is service_fee_amount"`
}
