package rest

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
