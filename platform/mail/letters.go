package mail

import "time"

// Letter is a mail's content. The file of its name in each folder of letters has its words.
type Letter interface{ file() string }

// Invitation invites a member.
type Invitation struct {
	Role  Word
	Until time.Time
	Link  Link
}

// AccountInvite asks a recipient for a bank account.
type AccountInvite struct {
	Business Name
	Until    time.Time
	Link     Link
}

// AccountAlert tells of changed bank accounts.
type AccountAlert struct {
	Business Name
	Changes  []AccountChange
	More     int // that are not listed
	Until    time.Time
	Link     Link // empty: there is no page that can freeze them
}

// AccountChange is one of them.
type AccountChange struct {
	Recipient Name
	Currency  Word
	LastFour  Word
	Change    Word // of package alert
	Detail    Word
	At        time.Time
	Invite    bool    // it was made with the recipient's invite
	Member    Address // who made it; empty: none that is a member
	Actor     Word    // the id of who made it
	RemoteIP  Word
}

// RecoveryLink has half of what a recovery takes.
type RecoveryLink struct {
	Until  time.Time
	Link   Link // empty: there is no page for it
	Bundle Link
}

// Recovery says how far a recovery is. It has no link, so that a forged mail with one looks unlike it.
type Recovery struct {
	Status                    Word // pending, completed or cancelled
	Email                     Address
	EmailOnly                 bool
	ReadyAt                   time.Time
	SubOrganization, Recovery Word
}

// PasskeySynced says that a passkey can leave its device.
type PasskeySynced struct {
	Credential      Word
	Email           Address
	At              time.Time
	SubOrganization Word
}

// Payee says that a payee was added to a book of addresses or removed from it.
type Payee struct {
	Removed                bool
	Name                   Name
	Contract               bool
	BankAccount            *PayeeBankAccount // where the payee is a withdrawal address
	Chain, Address         Word
	At                     time.Time
	SubOrganization, Payee Word
}

// PayeeBankAccount is who a withdrawal address pays.
type PayeeBankAccount struct {
	LastFour    Word
	Owner, Bank Name
	Currency    Word
}

// Requests is what has happened, and what waits for the reader, since the last such mail.
type Requests struct {
	Business Name
	Expiring []Request // soon, and nothing is decided
	Waiting  []Request // for the reader's vote
	Decided  []Request // the reader's own
	Agents   []AgentChange
	More     int // that are not listed
	Link     Link
}

// Request is one that waits for votes, or did.
type Request struct {
	ID              Word
	Activity        Word // of package wire
	Amount, Asset   Word // of a transaction
	Chain, To       Word
	CostUSD         Word
	Wallet          Name
	By              Address // who asked for it; empty: an API key or an agent
	Votes, Required int
	Status          Word // approved, rejected or expired, of one that is decided
	Comment         Name // of who rejected it, or why it was not executed
	ExpiresAt       time.Time
	Link            Link // empty: the reader has no login
}

// AgentChange is an agent with other limits.
type AgentChange struct {
	Agent Name
	ID    Word
	At    time.Time
	Link  Link
}

// Security is what a thief would do, told to those whose money it is.
type Security struct {
	Business Name
	Facts    []SecurityFact
	More     int
}

// SecurityFact is one of them.
type SecurityFact struct {
	Kind            Word // passkey, login_passkey, agent_killed or kill_switch
	Name            Name // of the passkey or the agent
	Email           Address
	On              bool // of a kill switch
	At              time.Time
	ID              Word
	SubOrganization Word
	Link            Link
}

// ReturnOrigin says that the passkey page may lead back to an origin. It has no link, so that a phishing mail cannot
// imitate it.
type ReturnOrigin struct {
	Origin   Word
	At       time.Time
	By       Word // id of the member
	OriginID Word
}

// WebhookEndpoint says that somebody changed where events are sent. It has no link either.
type WebhookEndpoint struct {
	Change   Word // created, moved, secret_rotated or gone
	URL      Word
	Endpoint Word
	At       time.Time
	By       Word // api_key, session, or empty: the server itself
	ByID     Word
	RemoteIP Word
	More     int // changes of endpoints since the last mail, beside this one
}

// KYBDecision says what became of the check of a business.
type KYBDecision struct {
	Business Name
	State    Word // approved, rejected or more_information
	Reason   Name // of who decided
	Link     Link
}

func (Invitation) file() string    { return "invitation" }
func (AccountInvite) file() string { return "account_invite" }
func (AccountAlert) file() string  { return "account_alert" }
func (RecoveryLink) file() string  { return "recovery_link" }
func (Recovery) file() string      { return "recovery" }
func (PasskeySynced) file() string { return "passkey_synced" }
func (Payee) file() string         { return "payee" }
func (Requests) file() string      { return "requests" }
func (Security) file() string      { return "security" }

func (ReturnOrigin) file() string    { return "return_origin" }
func (WebhookEndpoint) file() string { return "webhook_endpoint" }
func (KYBDecision) file() string     { return "kyb_decision" }
