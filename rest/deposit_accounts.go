package rest

// DepositAccountRequest asks for a deposit account, in one of two forms. The first names the wallet; the answer is the
// deposit account without the envelope. The second names the wallet by its address; the answer is in the envelope.
type DepositAccountRequest struct {
	WalletID            string `json:"wallet_id,omitempty" maxLength:"64" doc:"Required in the first form: the wallet that gets the coins, by either of its ids"`
	SourceCurrency      string `json:"source_currency,omitempty" enum:"usd,eur,mxn,brl,gbp" doc:"Required in the first form: what depositors send"`
	DestinationCurrency string `json:"destination_currency,omitempty" enum:"usdc,usdt" doc:"What it becomes; usdc where it is left out"`
	Chain               string `json:"chain,omitempty" enum:"base,polygon,avalanche_c_chain,optimism,arbitrum,ethereum,solana" doc:"In both forms. Where it is left out: that of the deposit account that is there, else that of the wallet's first address"`

	Currency           string `json:"currency,omitempty" enum:"usd,eur,mxn,brl,gbp,USD,EUR,MXN,BRL,GBP" doc:"Second form, required: what depositors send"`
	Country            string `json:"country,omitempty" maxLength:"3" doc:"Second form: where depositors' banks are, as an ISO 3166 code; has to go with the currency"`
	Stablecoin         string `json:"stablecoin,omitempty" enum:"usdc,usdt,USDC,USDT" doc:"Second form: what it becomes; usdc where it is left out"`
	DestinationAddress string `json:"destinationAddress,omitempty" maxLength:"64" doc:"Second form, required: the address of a wallet of the workspace"`
}

// DepositAccount is an account number at the partner's bank. What arrives there becomes a stablecoin in a wallet.
type DepositAccount struct {
	ID                        string                     `json:"id" format:"uuid"`
	Reference                 string                     `json:"reference" doc:"ONR-YYYYMMDD-XXXX, for life. GET /v1/orders/{id} takes it"`
	IntegratorID              string                     `json:"integrator_id" format:"uuid"`
	WalletID                  string                     `json:"wallet_id" format:"uuid"`
	SourceCurrency            string                     `json:"source_currency" enum:"usd,eur,mxn,brl,gbp"`
	PartnerVirtualAccountID   string                     `json:"partner_virtual_account_id" doc:"Empty until the partner has made the account"`
	DestinationPaymentRail    string                     `json:"destination_payment_rail" doc:"The chain on which the coins go"`
	DestinationCurrency       string                     `json:"destination_currency" enum:"usdc,usdt"`
	DestinationAddress        string                     `json:"destination_address" doc:"The wallet's own address on the chain, which the signer made"`
	SourceDepositInstructions *SourceDepositInstructions `json:"source_deposit_instructions" doc:"Null until the partner has told them"`
	Limits                    DepositLimits              `json:"limits"`
	Status                    string                     `json:"status" enum:"active,deactivated"`
	CreatedAt                 string                     `json:"created_at" format:"date-time"`
	UpdatedAt                 string                     `json:"updated_at" format:"date-time"`
}

// DepositLimits are what is known of a deposit before it is sent.
type DepositLimits struct {
	MinimumAmount   string        `json:"minimum_amount" doc:"In the source currency"`
	MaximumAmount   string        `json:"maximum_amount"`
	TotalFeePercent string        `json:"total_fee_percent" doc:"Taken of each deposit, as a decimal such as 1.1. It is the account's own and does not change"`
	Rails           []DepositRail `json:"rails"`
}

// DepositRail is one way to send a deposit, and how long it takes from the moment of the answer.
type DepositRail struct {
	Rail             string  `json:"rail" enum:"ach,wire,spei,sepa,pix,faster_payments"`
	EstimatedArrival string  `json:"estimated_arrival" doc:"In words, such as minutes"`
	CutOffAt         *string `json:"cut_off_at" format:"date-time" doc:"What is sent before it arrives by arrives_by; null on a rail that never closes"`
	ArrivesBy        *string `json:"arrives_by" format:"date-time"`
}

// SourceDepositInstructions tell a depositor where to send money. Which numbers there are depends on the currency.
type SourceDepositInstructions struct {
	Currency          string   `json:"currency" enum:"usd,eur,mxn,brl,gbp"`
	PaymentRails      []string `json:"payment_rails" doc:"By which the money may be sent"`
	BankName          string   `json:"bank_name,omitempty"`
	BankAddress       string   `json:"bank_address,omitempty"`
	BeneficiaryName   string   `json:"bank_beneficiary_name,omitempty"`
	BankAccountNumber string   `json:"bank_account_number,omitempty" doc:"Account number of a usd account"`
	BankRoutingNumber string   `json:"bank_routing_number,omitempty" doc:"usd: the ABA routing number"`
	CLABE             string   `json:"clabe,omitempty" doc:"mxn: 18 digits"`
	IBAN              string   `json:"iban,omitempty" doc:"IBAN of a eur account"`
	BIC               string   `json:"bic,omitempty" doc:"BIC of the bank of a eur account"`
	SortCode          string   `json:"sort_code,omitempty" doc:"gbp: 6 digits"`
	AccountNumber     string   `json:"account_number,omitempty" doc:"gbp: 8 digits"`
	BRCode            string   `json:"br_code,omitempty" doc:"brl: the text of a PIX code"`
}

// DepositAccountNumber is the answer to the second form of the request.
type DepositAccountNumber struct {
	DepositAccount
	CLABE string `json:"clabe,omitempty" doc:"mxn: the account number. Other currencies have theirs in source_deposit_instructions only"`
}

// DepositEvent is what the partner said that happened to a deposit, or to the account.
type DepositEvent struct {
	ID               string  `json:"id" format:"uuid"`
	DepositAccountID string  `json:"deposit_account_id" format:"uuid"`
	PartnerDepositID *string `json:"partner_deposit_id" doc:"The same for all events of one deposit; null for those of the account"`
	Type             string  `json:"type" enum:"received,scheduled,submitted,processed,refunded,in_review,unknown"`
	RawType          string  `json:"raw_type" doc:"The partner's own word"`
	Status           *string `json:"status" enum:"pending,in_review,completed,refunded" doc:"What that makes of the deposit; null for events of the account and unknown ones"`
	Amount           *string `json:"amount" doc:"Of received and scheduled: what the depositor sent. Of submitted and processed: the coins"`
	Currency         *string `json:"currency"`
	OccurredAt       *string `json:"occurred_at" format:"date-time" doc:"By the partner's clock"`
}
