package rest

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
