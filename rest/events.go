package rest

import "encoding/json"

// Event is one change in a workspace. Its data is as its type says: the document's webhooks list the types.
type Event struct {
	ID         string          `json:"id" format:"uuid" doc:"The same in each attempt to deliver it"`
	Sequence   int64           `json:"sequence" doc:"Its number in the workspace, without gaps: the order of the commits"`
	Type       string          `json:"type" doc:"As order.completed: the kind of object, and what became of it"`
	APIVersion string          `json:"apiVersion" enum:"v1"`
	Timestamp  string          `json:"timestamp" format:"date-time"`
	Object     EventObject     `json:"object"`
	Data       json.RawMessage `json:"data" doc:"The object as the change left it, or the part of it that one waits for"`
}

// EventObject is what an event is about.
type EventObject struct {
	Type string `json:"type" doc:"As order"`
	ID   string `json:"id"`
}

// EventWallet is a new wallet.
type EventWallet struct {
	Name              string `json:"name"`
	SubOrganizationID string `json:"subOrganizationId"`
}

// EventAddress is a new address of a wallet.
type EventAddress struct {
	WalletID string `json:"walletId"`
	Address  string `json:"address"`
	Chain    string `json:"chain"`
}

// EventTransfer is a transfer to a wallet.
type EventTransfer struct {
	Status      string `json:"status" enum:"seen,final,dropped"`
	WalletID    string `json:"walletId"`
	Chain       string `json:"chain"`
	TxHash      string `json:"txHash"`
	From        string `json:"from"`
	To          string `json:"to"`
	Amount      string `json:"amount"`
	TokenSymbol string `json:"tokenSymbol"`
}

// EventTransaction is a transaction as a change left it.
type EventTransaction struct {
	Status            string `json:"status" enum:"awaiting_signature,awaiting_approval,pending,broadcast,confirmed,failed,cancelled,expired"`
	SubOrganizationID string `json:"subOrganizationId"`
	WalletID          string `json:"walletId"`
	AgentID           string `json:"agentId,omitempty" doc:"Whose payment it is"`
	Chain             string `json:"chain"`
	From              string `json:"from"`
	To                string `json:"to"`
	Amount            string `json:"amount"`
	TokenSymbol       string `json:"tokenSymbol"`
	TxHash            string `json:"txHash,omitempty"`
	Reason            string `json:"reason,omitempty"`
	ReplacedBy        string `json:"replacedBy,omitempty" doc:"Id of the transaction that took its nonce"`
}

// EventApproval is what waits for votes, or did.
type EventApproval struct {
	Status            string `json:"status" enum:"pending,approved,rejected,expired"`
	Kind              string `json:"kind" doc:"Of what waits"`
	Subject           string `json:"subject" doc:"Id of the transaction or request that waits"`
	SubOrganizationID string `json:"subOrganizationId"`
	WalletID          string `json:"walletId,omitempty"`
	Votes             int    `json:"votes" doc:"Cast so far"`
	Required          int    `json:"required"`
	ExpiresAt         string `json:"expiresAt" format:"date-time"`
}

// EventDenial is what a rule refused.
type EventDenial struct {
	Rule              string `json:"rule"`
	PolicyID          string `json:"policyId,omitempty"`
	SubOrganizationID string `json:"subOrganizationId"`
	WalletID          string `json:"walletId,omitempty"`
	TransactionID     string `json:"transactionId,omitempty"`
	Field             string `json:"field,omitempty"`
	Observed          string `json:"observed,omitempty"`
	Limit             string `json:"limit,omitempty"`
}

// EventCeremony is a link of the passkey page that its holder declined. The object's id is that of the transaction, the
// approval or the prepared activity that the link was for.
type EventCeremony struct {
	Kind   string `json:"kind" doc:"What the link was for, such as transaction or approval"`
	Reason string `json:"reason,omitempty" doc:"In the words of whoever had the link; nobody has verified them"`
}

// EventSubOrganization is a new sub-organization.
type EventSubOrganization struct {
	Name string `json:"name"`
}

// EventPasskey is a passkey that stamps for a sub-organization, or did.
type EventPasskey struct {
	SubOrganizationID string `json:"subOrganizationId,omitempty"`
	Label             string `json:"label,omitempty"`
}

// EventRecovery is a recovery as a change left it.
type EventRecovery struct {
	Status            string `json:"status" enum:"requested,pending,completed,cancelled,expired"`
	SubOrganizationID string `json:"subOrganizationId"`
	ReadyAt           string `json:"readyAt,omitempty" format:"date-time" doc:"When the delay ends"`
}

// EventPolicy is a policy that changed.
type EventPolicy struct {
	SubOrganizationID string `json:"subOrganizationId,omitempty"`
	WalletID          string `json:"walletId,omitempty"`
	Name              string `json:"name,omitempty"`
}

// EventApprovalConfig says whose thresholds changed: the object is the sub-organization.
type EventApprovalConfig struct {
	SubOrganizationID string `json:"subOrganizationId"`
}

// EventPayee is an entry of the book of addresses.
type EventPayee struct {
	SubOrganizationID string `json:"subOrganizationId"`
	Name              string `json:"name"`
	Chain             string `json:"chain"`
	Address           string `json:"address"`
}

// EventAgent is an agent that changed.
type EventAgent struct {
	SubOrganizationID string `json:"subOrganizationId"`
	WalletID          string `json:"walletId,omitempty"`
	Name              string `json:"name,omitempty"`
	Status            string `json:"status,omitempty" enum:"active,draining,suspended,killed" doc:"Of agent.status_changed: what it became"`
}

// EventRefusal says why an agent's payment was refused.
type EventRefusal struct {
	Code     string `json:"code" doc:"Of the error that the agent got"`
	Amount   string `json:"amount,omitempty"`
	Network  string `json:"network,omitempty"`
	To       string `json:"to,omitempty"`
	Resource string `json:"resource,omitempty" doc:"URL of what was to be bought by x402"`
}

// EventKillSwitch says whose kill switch was turned: the object is the sub-organization.
type EventKillSwitch struct {
	SubOrganizationID string `json:"subOrganizationId"`
	On                bool   `json:"on" doc:"All agents of the sub-organization are stopped"`
}

// EventX402Payment is a payment by x402 as a change left it.
type EventX402Payment struct {
	Status   string `json:"status" enum:"prepared,signed,settled,unused,void"`
	AgentID  string `json:"agentId"`
	Resource string `json:"resource"`
	Network  string `json:"network"`
	PayTo    string `json:"payTo"`
	Amount   string `json:"amount" doc:"Of USDC"`
	TxHash   string `json:"txHash,omitempty"`
	Delivery string `json:"delivery,omitempty" doc:"What came of what was bought"`
	Reason   string `json:"reason,omitempty"`
}

// EventRecipient is a recipient that changed.
type EventRecipient struct {
	Status string `json:"status"`
	Name   string `json:"name"`
}

// EventBankAccount is a bank account that changed.
type EventBankAccount struct {
	RecipientID  string `json:"recipientId"`
	Registration string `json:"registration" doc:"Whether the partner has taken it"`
	IsActive     bool   `json:"isActive" doc:"It is not archived"`
	IsFrozen     bool   `json:"isFrozen"`
	Currency     string `json:"currency"`
	Rail         string `json:"rail"`
	BankName     string `json:"bankName"`
	LastFour     string `json:"lastFour"`
	PayableAt    string `json:"payableAt,omitempty" format:"date-time" doc:"Nothing is paid to it before"`
	Reason       string `json:"reason,omitempty"`
}

// EventWithdrawAddress is a withdrawal address that changed.
type EventWithdrawAddress struct {
	Status        string `json:"status" enum:"provisioning,active"`
	RecipientID   string `json:"recipientId"`
	BankAccountID string `json:"bankAccountId"`
	Chain         string `json:"chain"`
	Currency      string `json:"currency"`
	Address       string `json:"address,omitempty"`
	ReturnAddress string `json:"returnAddress,omitempty" doc:"Where refunds go"`
}

// EventVirtualAccount is a recipient's account number, without the number.
type EventVirtualAccount struct {
	Status      string `json:"status" enum:"provisioning,active"`
	RecipientID string `json:"recipientId"`
	Currency    string `json:"currency"`
}

// EventDepositAccount is a deposit account, without its number.
type EventDepositAccount struct {
	Status        string `json:"status" enum:"provisioning,active"`
	IsDeactivated bool   `json:"isDeactivated"`
	Reference     string `json:"reference"`
	WalletID      string `json:"walletId"`
	Source        string `json:"source" doc:"Currency that arrives"`
	Destination   string `json:"destination" doc:"Currency that the wallet gets"`
	Chain         string `json:"chain"`
}

// EventDeposit is what happened at a deposit account.
type EventDeposit struct {
	Type       string `json:"type"`
	DepositID  string `json:"depositId,omitempty" doc:"The partner's id of the bank transfer"`
	Amount     string `json:"amount,omitempty"`
	Currency   string `json:"currency,omitempty"`
	OccurredAt string `json:"occurredAt,omitempty" format:"date-time"`
}

// EventQuote is a new quote.
type EventQuote struct {
	RecipientID   string `json:"recipientId"`
	BankAccountID string `json:"bankAccountId"`
	Amount        string `json:"amount"`
	Currency      string `json:"currency"`
	NetAmount     string `json:"netAmount"`
	NetCurrency   string `json:"netCurrency"`
	Rate          string `json:"rate"`
	ExpiresAt     string `json:"expiresAt" format:"date-time"`
}

// EventOrder is an order as a step of its timeline left it.
type EventOrder struct {
	Step  EventStep `json:"step"`
	Order Order     `json:"order"`
}

// EventStep is the step.
type EventStep struct {
	Sequence   int64  `json:"sequence" doc:"The version of the order that it made"`
	Kind       string `json:"kind" doc:"As deposit.confirmed"`
	Previous   string `json:"previousStatus,omitempty"`
	OccurredAt string `json:"occurredAt,omitempty" format:"date-time" doc:"By the clock of who told it"`
}

// EventDrain is what came to a withdrawal address.
type EventDrain struct {
	Status            string `json:"status" enum:"seen,final,dropped"`
	WithdrawAddressID string `json:"withdrawAddressId"`
	OrderID           string `json:"orderId,omitempty"`
	Chain             string `json:"chain"`
	Currency          string `json:"currency"`
	Amount            string `json:"amount"`
	TxHash            string `json:"txHash"`
	Confirmations     int64  `json:"confirmations"`
	Required          int64  `json:"requiredConfirmations"`
	Reason            string `json:"reason,omitempty" doc:"Why it is set aside"`
}

// EventBatch is a batch that changed.
type EventBatch struct {
	Status    string `json:"status" enum:"ready,invalid,executed,canceled"`
	RowCount  int    `json:"rowCount"`
	WrongRows int    `json:"wrongRows"`
}

// EventWorkspace is a workspace that changed.
type EventWorkspace struct {
	Name      string   `json:"name"`
	KYBStatus string   `json:"kybStatus"`
	KYBReason string   `json:"kybReason,omitempty"`
	Modules   []string `json:"modules"`
}

// EventAPIKey is an API key, without the key.
type EventAPIKey struct {
	Name     string   `json:"name"`
	LastFour string   `json:"lastFour"`
	Scopes   []string `json:"scopes"`
}

// EventInvitation is an invitation, without its token.
type EventInvitation struct {
	Status string `json:"status" enum:"pending,accepted,revoked"`
	Role   string `json:"role,omitempty"`
}

// EventMember is a member that changed.
type EventMember struct {
	Email string `json:"email,omitempty"`
	Role  string `json:"role,omitempty"`
}

// EventList is some events.
type EventList struct {
	Events  []Event `json:"events"`
	After   int64   `json:"after" doc:"Give it as after to go on"`
	HasMore bool    `json:"hasMore" doc:"There may be more already"`
}

// WebhookEndpointRequest is an endpoint to be.
type WebhookEndpointRequest struct {
	URL         string   `json:"url" minLength:"1" maxLength:"2048" doc:"Where events are sent by POST: an address of the Internet that begins with https://"`
	Description string   `json:"description,omitempty" maxLength:"1000" doc:"For people: what the endpoint is for"`
	Types       []string `json:"types,omitempty" maxItems:"50" doc:"Types of events that are sent, such as order.completed, or order.* for all about orders; without it, all types"`
}

// WebhookEndpointUpdate has what is to change of an endpoint.
type WebhookEndpointUpdate struct {
	URL         *string  `json:"url,omitempty" minLength:"1" maxLength:"2048" doc:"The new address; the endpoint is disabled until it answers a ping there"`
	Description *string  `json:"description,omitempty" maxLength:"1000" doc:"For people: what the endpoint is for"`
	Types       []string `json:"types,omitzero" maxItems:"50" doc:"Types of events that are sent from now on; [] means all types"`
}

// WebhookEndpoint is where a workspace has its events sent.
type WebhookEndpoint struct {
	ID              string        `json:"id" format:"uuid"`
	URL             string        `json:"url"`
	Description     string        `json:"description"`
	Types           []string      `json:"types" doc:"Types of events that are sent; empty: all types"`
	Status          string        `json:"status" enum:"disabled,active,deleted" doc:"Events are sent while it is active; a ping that is answered activates it"`
	Reason          string        `json:"reason,omitempty" doc:"Why it is disabled: not_pinged, disabled (by a caller) or gone (it answered 410)"`
	Sequence        int64         `json:"sequence" doc:"Number of the last event that was looked at for this endpoint"`
	FailingSince    *string       `json:"failingSince" format:"date-time" doc:"When the failures began that have not ended yet; null: the last answer was good"`
	PausedUntil     *string       `json:"pausedUntil" format:"date-time" doc:"After failures, nothing is sent before this instant; null: not paused"`
	OldSecretEndsAt *string       `json:"oldSecretEndsAt" format:"date-time" doc:"Until when the secret before the last rotation signs too; null: only the newest secret signs"`
	Replay          *WebhookRange `json:"replay" doc:"Events of a replay that are still to be looked at; null: no replay is running"`
	CreatedAt       string        `json:"createdAt" format:"date-time"`
	UpdatedAt       string        `json:"updatedAt" format:"date-time"`
}

// WebhookRange is a range of events by their numbers.
type WebhookRange struct {
	After int64 `json:"after" doc:"The range begins behind the event with this number"`
	UpTo  int64 `json:"upTo" doc:"Number of the last event of the range"`
}

// WebhookEndpointCreated is an endpoint with its secret, which is shown once.
type WebhookEndpointCreated struct {
	WebhookEndpoint
	Secret string `json:"secret" doc:"The key of the signatures, whsec_ and base64; no other answer has it"`
}

// WebhookRotation says how a secret is replaced.
type WebhookRotation struct {
	OldSecretHours *int `json:"oldSecretHours,omitempty" minimum:"0" maximum:"168" doc:"For how many hours the secret until now signs too: 24 unless given, 0 to end it at once"`
}

// WebhookAttempt is one try to deliver an event.
type WebhookAttempt struct {
	At         string `json:"at" format:"date-time"`
	DurationMS int64  `json:"durationMs" doc:"Milliseconds until the answer, or until it was given up"`
	HTTPStatus int    `json:"httpStatus,omitempty" doc:"Status of the answer; absent where there was none"`
	Reason     string `json:"reason,omitempty" doc:"Why the attempt failed: http_status, or a code such as remote_timeout; absent where it succeeded"`
	Answer     string `json:"answer,omitempty" doc:"The first KiB of the answer's body"`
}

// WebhookPing is what came of a ping.
type WebhookPing struct {
	Attempt  WebhookAttempt  `json:"attempt"`
	Endpoint WebhookEndpoint `json:"endpoint"`
}

// WebhookDelivery is an event on its way to an endpoint, or what came of it.
type WebhookDelivery struct {
	EventID       string          `json:"eventId" format:"uuid" doc:"Id of the event, which is the webhook-id of each attempt"`
	Sequence      int64           `json:"sequence" doc:"Number of the event in the workspace"`
	Type          string          `json:"type" doc:"Type of the event, such as order.completed"`
	Object        EventObject     `json:"object"`
	Status        string          `json:"status" enum:"waiting,pending,delivered,failed,canceled" doc:"waiting: an earlier event about the same object is not answered yet; pending: it is tried"`
	Reason        string          `json:"reason,omitempty" doc:"Why it failed or was canceled: exhausted, expired, event_removed, not_readable or endpoint_deleted"`
	LastAttempt   *WebhookAttempt `json:"lastAttempt" doc:"null: nothing was sent yet"`
	NextAttemptAt *string         `json:"nextAttemptAt" format:"date-time" doc:"When it is tried next; null: not while it has this status"`
	CreatedAt     string          `json:"createdAt" format:"date-time"`
	EndedAt       *string         `json:"endedAt" format:"date-time" doc:"When it was delivered or given up"`
}

// WebhookDeliveryDetail is a delivery with what was sent and what was answered.
type WebhookDeliveryDetail struct {
	WebhookDelivery
	Body     json.RawMessage  `json:"body,omitempty" doc:"What is sent, to the byte; absent where the event is no longer kept"`
	Attempts []WebhookAttempt `json:"attempts" doc:"The last 20 attempts, oldest first"`
}

// WebhookReplay is a range of events to be sent again.
type WebhookReplay struct {
	After            int64  `json:"after" minimum:"0" doc:"sequence of the last event that is not sent again"`
	UpTo             *int64 `json:"upTo,omitempty" minimum:"1" doc:"sequence of the last event that is sent again; without it, the last one that was looked at"`
	IncludeDelivered bool   `json:"includeDelivered,omitempty" doc:"Sends also events that the endpoint has answered with 2xx"`
}

// EventPing is the data of a ping: nothing.
type EventPing struct{}
