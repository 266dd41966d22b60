package rest

// PolicyRules are what a policy asks of each signing of its wallet. What is absent does not restrict. The signer reads
// and enforces them; the server only changes their spelling, such as that of addresses. Amounts are numbers of USD,
// digit by digit.
type PolicyRules struct {
	MaxValueUSD         Number            `json:"maxValueUsd,omitzero" minimum:"0" maximum:"1000000000000" doc:"Of one transaction, its highest fee included"`
	DailyUSD            Number            `json:"dailyUsd,omitzero" minimum:"0" maximum:"1000000000000" doc:"Of a UTC day, over everything that the wallet signs"`
	MonthlyUSD          Number            `json:"monthlyUsd,omitzero" minimum:"0" maximum:"1000000000000" doc:"Of a UTC calendar month, likewise"`
	AllowedDestinations []string          `json:"allowedDestinations,omitempty" minItems:"1" maxItems:"100" doc:"Who may get something, or be allowed to take it; absent: anybody"`
	AllowedChains       []string          `json:"allowedChains,omitempty" minItems:"1" maxItems:"100" doc:"Slugs of the networks on which the wallet may sign, such as base"`
	AllowedTokens       []string          `json:"allowedTokens,omitempty" minItems:"1" maxItems:"100" doc:"Symbols of listed tokens and coins, or addresses of contracts"`
	AllowedContracts    []AllowedContract `json:"allowedContracts,omitempty" minItems:"1" maxItems:"100" doc:"Calls that pass although nobody understands them"`
	AllowRawDigests     bool              `json:"allowRawDigests,omitzero" doc:"Lets the wallet sign what cannot be read; cannot stand beside a limit"`
	PayeesOnly          bool              `json:"payeesOnly,omitzero" doc:"Who gets something, may take it, or is called, is in the book of payees on that network"`
	PayeeCoolingHours   int               `json:"payeeCoolingHours,omitzero" minimum:"1" maximum:"720" doc:"With payeesOnly: how long a payee is in the book before it is paid"`
	MaxSlippagePercent  Number            `json:"maxSlippagePercent,omitzero" minimum:"0" maximum:"50" doc:"By how many percent less than it sells a swap may bring back at least, in signed prices. At most 2 places"`
	Delegation          *Delegation       `json:"delegation,omitempty" doc:"Lets the wallet sign without a passkey, within these bounds"`
}

// AllowedContract names functions of a contract.
type AllowedContract struct {
	Chain     string   `json:"chain" minLength:"1" maxLength:"32"`
	Address   string   `json:"address" minLength:"1" maxLength:"64"`
	Selectors []string `json:"selectors" minItems:"1" maxItems:"100" doc:"0x and 8 hex digits"`
}

// Delegation bounds what is signed without a passkey.
type Delegation struct {
	_                   struct{} `nullable:"true"`
	PublicKey           string   `json:"publicKey,omitempty" minLength:"66" maxLength:"66" doc:"P-256, compressed hex: only requests under its X-Stamp. Needed unless anyRequest is true"`
	AnyRequest          bool     `json:"anyRequest,omitempty" doc:"In the place of publicKey: any request of the server can use the delegation, so that whoever runs the server, or takes it over, signs within its limits"`
	ExpiresAt           string   `json:"expiresAt" format:"date-time" doc:"At most 90 days ahead"`
	MaxValiditySeconds  int      `json:"maxValiditySeconds,omitempty" minimum:"1" maximum:"86400" doc:"How long typed data that is signed under the delegation may be valid, from now; never beyond expiresAt. Absent: 14400, which is 4 hours"`
	MaxValueUSD         Number   `json:"maxValueUsd" minimum:"0" maximum:"1000000000000"`
	DailyUSD            Number   `json:"dailyUsd" minimum:"0" maximum:"1000000000000"`
	AllowedDestinations []string `json:"allowedDestinations,omitempty" minItems:"1" maxItems:"100" doc:"Needed unless payeesOnly or settlementsOnly is true"`
	SettlementsOnly     bool     `json:"settlementsOnly,omitempty" doc:"Covers only transfers that their owners signed for anybody to hand in (EIP-3009, x402's proxies of Permit2), to whomever they signed them"`
	PayeesOnly          bool     `json:"payeesOnly,omitempty" doc:"Destinations are in the book of payees, also those that are added to it later"`
	PayeeCoolingHours   int      `json:"payeeCoolingHours,omitempty" minimum:"1" maximum:"720" doc:"With payeesOnly: how long a payee is in the book before it is paid"`
}

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

// FinalizedHeight is how high the newest final block of a network is.
type FinalizedHeight struct {
	Network string `json:"network"`
	Height  int64  `json:"height"`
}

// OutstandingTransaction is a signed transaction.
type OutstandingTransaction struct {
	TransactionID string  `json:"transactionId,omitempty" doc:"Absent where the server has lost the row"`
	Status        string  `json:"status,omitempty"`
	Network       string  `json:"network"`
	From          string  `json:"from"`
	Nonce         *uint64 `json:"nonce,omitempty" doc:"Absent where transactions have none, as on Solana"`
	LastHeight    *int64  `json:"lastHeight,omitempty" doc:"In its place: no block above this height takes it; absent where one always may"`
	EndsAt        *string `json:"endsAt,omitempty" format:"date-time" doc:"In its place, on Tron: no block takes it from then on. What has ended is not listed"`
	Standing      bool    `json:"standing,omitempty" doc:"It lets somebody move a token for as long as the allowance stands, also once it is in a block"`
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

// PayeeBankAccount is the bank account behind a withdrawal address, as its owner stamped it.
type PayeeBankAccount struct {
	Owner    string `json:"owner" minLength:"1" maxLength:"100"`
	Bank     string `json:"bank" minLength:"1" maxLength:"100"`
	LastFour string `json:"lastFour" pattern:"^[!-~]{1,4}$" patternDescription:"the end of the account number, IBAN or Pix key, at most 4 characters"`
	Currency string `json:"currency" pattern:"^[A-Za-z]{3}$" patternDescription:"a currency of ISO 4217, such as MXN"`
}

// Resemblance is an address that another one begins and ends like.
type Resemblance struct {
	Name    string `json:"name,omitempty" doc:"Of the payee or own wallet; absent where the wallet has only paid the address before"`
	Address string `json:"address"`
}

// NamedPayee is whom an address beside it belongs to, by a book of payees.
type NamedPayee struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}
