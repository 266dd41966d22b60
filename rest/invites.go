package rest

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
