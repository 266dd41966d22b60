package rest

// BankAccountRequest is a bank account to register. The currency decides which numbers it
// needs; spaces and dashes in them are ignored.
type BankAccountRequest struct {
	Currency        string                `json:"currency,omitempty" maxLength:"3" doc:"usd, eur, mxn, brl or gbp; may be left out where the numbers tell it"`
	Country         string                `json:"country,omitempty" maxLength:"3" doc:"ISO 3166; default is where accounts of the currency are, or what the IBAN says"`
	Rail            string                `json:"rail,omitempty" enum:"ach,wire,spei,sepa,faster_payments,pix" doc:"Default is the currency's: ach, spei, sepa, faster_payments or pix"`
	BankName        string                `json:"bankName,omitempty" maxLength:"200"`
	AccountNumber   string                `json:"accountNumber,omitempty" maxLength:"64" doc:"Account number, of usd and gbp"`
	RoutingNumber   string                `json:"routingNumber,omitempty" maxLength:"64" doc:"ABA routing number, of usd: 9 digits"`
	AccountType     string                `json:"accountType,omitempty" maxLength:"64" doc:"usd: checking or savings"`
	SortCode        string                `json:"sortCode,omitempty" maxLength:"64" doc:"Sort code, of gbp: 6 digits"`
	CLABE           string                `json:"clabe,omitempty" maxLength:"64" doc:"CLABE, of mxn: 18 digits"`
	LegalName       string                `json:"legalName,omitempty" maxLength:"200" doc:"mxn: as the bank has it; default is the recipient's name"`
	RFC             string                `json:"rfc,omitempty" maxLength:"64" doc:"RFC, the tax number of the holder, of mxn"`
	IBAN            string                `json:"iban,omitempty" maxLength:"64" doc:"IBAN, of eur"`
	BIC             string                `json:"bic,omitempty" maxLength:"64" doc:"BIC of the bank, of eur"`
	PixKey          string                `json:"pixKey,omitempty" maxLength:"100" doc:"brl: CPF, CNPJ, +55 and a phone, e-mail address or random key"`
	BRCode          string                `json:"brCode,omitempty" maxLength:"512" doc:"brl: the text of a Pix QR code, or a key, instead of pixKey"`
	TaxID           string                `json:"taxId,omitempty" maxLength:"64" doc:"brl: CPF or CNPJ of the holder"`
	Address         *PostalAddressRequest `json:"address,omitempty" doc:"Of the holder, as the bank has it; default is the recipient's"`
	IdempotencySalt string                `json:"idempotencySalt,omitempty" maxLength:"100" doc:"A UUID for each attempt: the same number with the same salt answers with the account that was made"`
}

// BankAccountChange has the fields to change. Those that cannot be changed are read only
// to refuse them by name.
type BankAccountChange struct {
	RoutingNumber     *string               `json:"routing_number,omitempty" maxLength:"64"`
	CheckingOrSavings *string               `json:"checking_or_savings,omitempty" maxLength:"64"`
	Address           *PostalAddressRequest `json:"address,omitempty"`
	IsActive          *bool                 `json:"is_active,omitempty" doc:"false: to the archive; true: back"`

	AccountNumber any `json:"account_number,omitempty" doc:"Cannot be changed"`
	CLABE         any `json:"clabe,omitempty" doc:"Cannot be changed"`
	IBAN          any `json:"iban,omitempty" doc:"Cannot be changed"`
	BIC           any `json:"bic,omitempty" doc:"Cannot be changed"`
	SortCode      any `json:"sort_code,omitempty" doc:"Cannot be changed"`
	PixKey        any `json:"pix_key,omitempty" doc:"Cannot be changed"`
	BRCode        any `json:"br_code,omitempty" doc:"Cannot be changed"`
	TaxID         any `json:"tax_id,omitempty" doc:"Cannot be changed"`
	LegalName     any `json:"legal_name,omitempty" doc:"Cannot be changed"`
	RFC           any `json:"rfc,omitempty" doc:"Cannot be changed"`
	BankName      any `json:"bank_name,omitempty" doc:"Cannot be changed"`
	Currency      any `json:"currency,omitempty" doc:"Cannot be changed"`
	Country       any `json:"country,omitempty" doc:"Cannot be changed"`
	Rail          any `json:"rail,omitempty" doc:"Cannot be changed"`
}

// BankAccountConfirm names the version of the account that the member saw. The kit checks
// that it is set, so that a caller who is no member gets that error first.
type BankAccountConfirm struct {
	UpdatedAt string `json:"updatedAt,omitempty" format:"date-time" doc:"Required: the account's, as the member saw it; where it has changed since then the answer is 409"`
}

// BankAccount is a bank account of a recipient. Of its number only the end is shown.
type BankAccount struct {
	ID            string         `json:"id" format:"uuid"`
	RecipientID   string         `json:"recipientId" format:"uuid"`
	Currency      string         `json:"currency" enum:"usd,eur,mxn,brl,gbp"`
	Rail          string         `json:"rail" enum:"ach,wire,spei,sepa,faster_payments,pix"`
	Country       string         `json:"country"`
	BankName      string         `json:"bankName,omitempty"`
	LastFour      string         `json:"lastFour" doc:"The end of the account number, CLABE, IBAN or Pix key"`
	RoutingNumber string         `json:"routingNumber,omitempty"`
	AccountType   string         `json:"accountType,omitempty" enum:"checking,savings"`
	SortCode      string         `json:"sortCode,omitempty"`
	BIC           string         `json:"bic,omitempty"`
	LegalName     string         `json:"legalName,omitempty"`
	Address       *PostalAddress `json:"address,omitempty"`
	Status        string         `json:"status" enum:"pending,active,rejected,closed" doc:"Of its registration with the payment partner"`
	Reason        string         `json:"reason,omitempty" doc:"Why the account was rejected"`
	IsActive      bool           `json:"isActive" doc:"false: archived"`
	PayableAt     string         `json:"payableAt" format:"date-time" doc:"Nothing is paid to it before, unless a member confirms it"`
	FrozenAt      string         `json:"frozenAt,omitempty" format:"date-time" doc:"Nothing is paid to it until a member unfreezes it; absent where it is not frozen"`
	CreatedAt     string         `json:"createdAt" format:"date-time"`
	UpdatedAt     string         `json:"updatedAt" format:"date-time"`
}

// AccountFrozen is the answer to the page that freezes an account.
type AccountFrozen struct {
	AccountID string `json:"accountId" format:"uuid"`
	Frozen    bool   `json:"frozen" doc:"false where a member unfroze it since"`
}

// Alert is a change of a bank account as the page of a mail's link shows it.
type Alert struct {
	AccountID     string `json:"accountId" format:"uuid"`
	RecipientName string `json:"recipientName"`
	Currency      string `json:"currency" enum:"usd,eur,mxn,brl,gbp"`
	LastFour      string `json:"lastFour"`
	Change        string `json:"change" enum:"added,changed,archived,restored,confirmed,unfrozen,return_address,return_confirmed"`
	Detail        string `json:"detail,omitempty" doc:"Which fields, or the new return address"`
	By            string `json:"by" doc:"Who made the change"`
	RemoteIP      string `json:"remoteIp,omitempty" doc:"IP address that the change came from"`
	At            string `json:"at" format:"date-time"`
	Frozen        bool   `json:"frozen" doc:"Nothing is paid to the account now"`
	Used          bool   `json:"used" doc:"The link has frozen this account, and does so once"`
}

// AlertOpened is the answer to the page of an alert mail's link.
type AlertOpened struct {
	BusinessName string  `json:"businessName"`
	ExpiresAt    string  `json:"expiresAt" format:"date-time"`
	Changes      []Alert `json:"changes" doc:"Newest first"`
}
