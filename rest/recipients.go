package rest

// RecipientOrder is an order in the list of its recipient, in the words of that list.
type RecipientOrder struct {
	ID                  string  `json:"id" format:"uuid"`
	Reference           string  `json:"reference"`
	Status              string  `json:"status" enum:"pending,processing,completed,failed"`
	SourceAmount        *string `json:"source_amount"`
	SourceCurrency      string  `json:"source_currency"`
	DestinationAmount   *string `json:"destination_amount"`
	DestinationCurrency string  `json:"destination_currency"`
	CreatedAt           string  `json:"created_at" format:"date-time"`
	CompletedAt         *string `json:"completed_at" format:"date-time"`
	FailureReason       *string `json:"failure_reason"`
}

// RecipientRequest is a recipient to create.
type RecipientRequest struct {
	Name      string               `json:"name" minLength:"1" maxLength:"200"`
	Email     string               `json:"email,omitempty" format:"email" maxLength:"254"`
	OwnerType string               `json:"ownerType" enum:"individual,business"`
	Address   PostalAddressRequest `json:"address"`
	IsSelf    bool                 `json:"isSelf,omitempty" doc:"The bank accounts are the workspace's own"`
}

// PostalAddressRequest is a postal address.
type PostalAddressRequest struct {
	Street     string `json:"street" minLength:"1" maxLength:"200"`
	City       string `json:"city" minLength:"1" maxLength:"100"`
	State      string `json:"state,omitempty" maxLength:"100"`
	PostalCode string `json:"postalCode,omitempty" maxLength:"20"`
	Country    string `json:"country" doc:"ISO 3166: MX; three letters are taken too"`
}

// RecipientChange has the fields to change.
type RecipientChange struct {
	Name  *string `json:"name,omitempty" minLength:"1" maxLength:"200"`
	Email *string `json:"email,omitempty" format:"email" maxLength:"254"`
}

// RecipientStatusRequest archives a recipient or brings it back.
type RecipientStatusRequest struct {
	Status        string `json:"status" enum:"active,archived"`
	PendingReason string `json:"pendingReason,omitempty" maxLength:"200" doc:"With active: what the recipient still waits for, such as missing_bank"`
}

// Recipient is a person or company that is paid.
type Recipient struct {
	ID            string        `json:"id" format:"uuid"`
	Name          string        `json:"name"`
	Email         string        `json:"email,omitempty"`
	OwnerType     string        `json:"ownerType" enum:"individual,business"`
	Address       PostalAddress `json:"address"`
	Status        string        `json:"status" enum:"active,archived"`
	PendingReason string        `json:"pendingReason,omitempty"`
	IsSelf        bool          `json:"isSelf"`
	CreatedAt     string        `json:"createdAt" format:"date-time"`
	UpdatedAt     string        `json:"updatedAt" format:"date-time"`
}

// PostalAddress is the address of a person or company.
type PostalAddress struct {
	Street     string `json:"street"`
	City       string `json:"city"`
	State      string `json:"state,omitempty"`
	PostalCode string `json:"postalCode,omitempty"`
	Country    string `json:"country" doc:"ISO 3166, two letters"`
}

// RecipientWithAccounts is a recipient and where it is paid.
type RecipientWithAccounts struct {
	Recipient
	Accounts []BankAccount     `json:"accounts"`
	Summary  RecipientPayments `json:"summary" doc:"What the recipient was paid so far"`
}

// RecipientPayments is what left for completed payments in this year, by UTC.
type RecipientPayments struct {
	Total      string  `json:"total_ytd" doc:"What left for payments that are completed, since the year began in UTC"`
	Payments   int     `json:"payment_count_ytd"`
	LastAt     *string `json:"last_paid_at" format:"date-time"`
	LastAmount *string `json:"last_paid_amount"`
	Currency   string  `json:"currency" enum:"USD" doc:"Of both amounts: a unit of stablecoin is a dollar"`
}

// RecipientInviteRequest has the e-mail address that a new invite is mailed to, if any.
type RecipientInviteRequest struct {
	Email string `json:"email,omitempty" format:"email" maxLength:"254" doc:"The link is mailed there"`
}

// RecipientInvite is a link by which a recipient enters its bank account itself. It is
// for the recipient alone: whoever has it can enter the account.
type RecipientInvite struct {
	InviteURL string `json:"inviteUrl" format:"uri" doc:"For the recipient alone: whoever has it can enter the account. The token is behind the #, which browsers send to no server"`
	Token     string `json:"token"`
	ExpiresAt string `json:"expiresAt" format:"date-time"`

	Email      string `json:"email,omitempty" doc:"To whom it is mailed"`
	MailStatus string `json:"mailStatus,omitempty" enum:"queued,sent,failed"`
}

// InviteOpened is the answer to the page of an invite's link.
type InviteOpened struct {
	BusinessName      string   `json:"businessName" doc:"Who wants to pay"`
	RecipientName     string   `json:"recipientName"`
	Currencies        []string `json:"currencies" doc:"Those that an account may be in"`
	SuggestedCurrency string   `json:"suggestedCurrency" doc:"That of the recipient's country"`
	ExpiresAt         string   `json:"expiresAt" format:"date-time"`
}

// InviteAccount is the entered account as its recipient sees it.
type InviteAccount struct {
	Status   string `json:"status" enum:"pending,active,rejected,closed" doc:"Of its registration with the payment partner"`
	Currency string `json:"currency" enum:"usd,eur,mxn,brl,gbp"`
	LastFour string `json:"lastFour"`
}
