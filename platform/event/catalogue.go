package event

import "github.com/railkit/railkit/rest"

// Definition is one type as the interface documents it.
type Definition struct {
	Type Type
	Data any // a value of the type of Event.Data
	Says string
}

// The types of what the signing kit writes.
const (
	WalletCreated       Type = "wallet.created"
	AddressCreated      Type = "address.created"
	TransferSeen        Type = "transfer.seen"
	TransferFinal       Type = "transfer.final"
	TransferDropped     Type = "transfer.dropped"
	TransactionCreated  Type = "transaction.created"
	TransactionHeld     Type = "transaction.awaiting_approval"
	TransactionSigned   Type = "transaction.pending"
	TransactionSent     Type = "transaction.broadcast"
	TransactionDone     Type = "transaction.confirmed"
	TransactionFailed   Type = "transaction.failed"
	TransactionCanceled Type = "transaction.cancelled"
	TransactionExpired  Type = "transaction.expired"
	TransactionReplaced Type = "transaction.replaced"
	TransactionDeleted  Type = "transaction.deleted"
	ApprovalCreated     Type = "approval.created"
	ApprovalVoted       Type = "approval.pending"
	ApprovalApproved    Type = "approval.approved"
	ApprovalRejected    Type = "approval.rejected"
	ApprovalExpired     Type = "approval.expired"
	DenialCreated       Type = "denial.created"
	CeremonyDeclined    Type = "ceremony.declined"
	OwnerCreated        Type = "sub_organization.created"
	PasskeyAdded        Type = "passkey.added"
	PasskeyRenamed      Type = "passkey.renamed"
	PasskeyRemoved      Type = "passkey.removed"
	RecoveryRequested   Type = "recovery.requested"
	RecoveryPending     Type = "recovery.pending"
	RecoveryCompleted   Type = "recovery.completed"
	RecoveryCancelled   Type = "recovery.cancelled"
	RecoveryExpired     Type = "recovery.expired"
	PolicyChanged       Type = "policy.changed"
	PolicyDeleted       Type = "policy.deleted"
	ConfigChanged       Type = "approval_config.changed"
	PayeeAdded          Type = "payee.added"
	PayeeRemoved        Type = "payee.removed"
)

// Those of the agent kit.
const (
	AgentCreated    Type = "agent.created"
	AgentActivated  Type = "agent.activated"
	AgentLimits     Type = "agent.limits_changed"
	AgentStatus     Type = "agent.status_changed"
	AgentRotated    Type = "agent.secret_rotated"
	AgentDeleted    Type = "agent.deleted"
	AgentRefused    Type = "agent.refused"
	KillSwitchMoved Type = "kill_switch.changed"
	X402Prepared    Type = "x402_payment.prepared"
	X402Signed      Type = "x402_payment.signed"
	X402Answered    Type = "x402_payment.answered"
	X402Settled     Type = "x402_payment.settled"
	X402Unused      Type = "x402_payment.unused"
	X402Void        Type = "x402_payment.void"
	X402Deleted     Type = "x402_payment.deleted"
)

// Those of the payout kit.
const (
	RecipientCreated        Type = "recipient.created"
	RecipientUpdated        Type = "recipient.updated"
	BankAccountCreated      Type = "bank_account.created"
	BankAccountUpdated      Type = "bank_account.updated"
	BankAccountDeleted      Type = "bank_account.deleted"
	WithdrawAddressCreated  Type = "withdraw_address.created"
	WithdrawAddressActive   Type = "withdraw_address.active"
	WithdrawAddressUpdated  Type = "withdraw_address.updated"
	VirtualAccountCreated   Type = "virtual_account.created"
	VirtualAccountActive    Type = "virtual_account.active"
	DepositAccountCreated   Type = "deposit_account.created"
	DepositAccountActive    Type = "deposit_account.active"
	DepositAccountUpdated   Type = "deposit_account.updated"
	DepositAccountDeleted   Type = "deposit_account.deleted"
	DepositAccountHappening Type = "deposit_account.event"
	QuoteCreated            Type = "quote.created"
	OrderCreated            Type = "order.created"
	OrderUpdated            Type = "order.updated"
	OrderAwaiting           Type = "order.awaiting"
	OrderFunded             Type = "order.funds_received"
	OrderInReview           Type = "order.in_review"
	OrderSubmitted          Type = "order.payment_submitted"
	OrderCompleted          Type = "order.completed"
	OrderCanceled           Type = "order.canceled"
	OrderExpired            Type = "order.expired"
	OrderReturned           Type = "order.returned"
	OrderFailed             Type = "order.error"
	DrainCreated            Type = "drain.created"
	DrainUpdated            Type = "drain.updated"
	BatchCreated            Type = "batch.created"
	BatchExecuted           Type = "batch.executed"
	BatchCanceled           Type = "batch.canceled"
)

// Those of the platform.
const (
	WorkspaceUpdated   Type = "workspace.updated"
	APIKeyCreated      Type = "api_key.created"
	APIKeyRevoked      Type = "api_key.revoked"
	InvitationCreated  Type = "invitation.created"
	InvitationAccepted Type = "invitation.accepted"
	InvitationRevoked  Type = "invitation.revoked"
	MemberJoined       Type = "member.joined"
	MemberRoleChanged  Type = "member.role_changed"
	MemberRemoved      Type = "member.removed"
	MemberPasskeyAdded Type = "member.passkey_added"
)

// Catalogue lists all types.
var Catalogue = []Definition{
	{WalletCreated, rest.EventWallet{}, "A wallet was created"},
	{AddressCreated, rest.EventAddress{}, "A wallet has another address"},
	{TransferSeen, rest.EventTransfer{}, "A transfer to a wallet is in a block that a reorg may still remove"},
	{TransferFinal, rest.EventTransfer{}, "A transfer to a wallet is as deep as its network wants"},
	{TransferDropped, rest.EventTransfer{}, "A transfer to a wallet was removed by a reorg"},
	{TransactionCreated, rest.EventTransaction{}, "A transaction was prepared, and awaits its signature"},
	{TransactionHeld, rest.EventTransaction{}, "A transaction is stamped, and awaits votes"},
	{TransactionSigned, rest.EventTransaction{}, "A transaction is signed, and no node has taken it yet"},
	{TransactionSent, rest.EventTransaction{}, "A node took a transaction"},
	{TransactionDone, rest.EventTransaction{}, "A transaction is as deep in its chain as its network wants"},
	{TransactionFailed, rest.EventTransaction{}, "A transaction was refused, or failed on its chain"},
	{TransactionCanceled, rest.EventTransaction{}, "A transaction was cancelled"},
	{TransactionExpired, rest.EventTransaction{}, "A transaction was not stamped or approved in time"},
	{TransactionReplaced, rest.EventTransaction{}, "Another transaction took the nonce of a signed one"},
	{TransactionDeleted, rest.EventTransaction{}, "An agent's payment was refused before it was signed, and is gone"},
	{ApprovalCreated, rest.EventApproval{}, "Something waits for votes"},
	{ApprovalVoted, rest.EventApproval{}, "A vote was cast, and more are needed"},
	{ApprovalApproved, rest.EventApproval{}, "There were enough votes"},
	{ApprovalRejected, rest.EventApproval{}, "A vote rejected it"},
	{ApprovalExpired, rest.EventApproval{}, "There were not enough votes in time"},
	{DenialCreated, rest.EventDenial{}, "A rule refused a transaction or a message"},
	{CeremonyDeclined, rest.EventCeremony{}, "Whoever had a link of the passkey page declined what it was for"},
	{OwnerCreated, rest.EventSubOrganization{}, "A sub-organization was created"},
	{PasskeyAdded, rest.EventPasskey{}, "A sub-organization has another passkey"},
	{PasskeyRenamed, rest.EventPasskey{}, "A passkey has another label"},
	{PasskeyRemoved, rest.EventPasskey{}, "A passkey stamps nothing any more"},
	{RecoveryRequested, rest.EventRecovery{}, "Somebody asked for a recovery, and was mailed half of it"},
	{RecoveryPending, rest.EventRecovery{}, "A recovery's new passkey waits out the delay: now it can be cancelled"},
	{RecoveryCompleted, rest.EventRecovery{}, "A recovery's new passkey has replaced the others"},
	{RecoveryCancelled, rest.EventRecovery{}, "A recovery was cancelled"},
	{RecoveryExpired, rest.EventRecovery{}, "A recovery was not carried on in time"},
	{PolicyChanged, rest.EventPolicy{}, "A policy was created, changed or renamed"},
	{PolicyDeleted, rest.EventPolicy{}, "A policy was deleted"},
	{ConfigChanged, rest.EventApprovalConfig{}, "The thresholds of approvals were changed"},
	{PayeeAdded, rest.EventPayee{}, "A payee was added to the book of addresses"},
	{PayeeRemoved, rest.EventPayee{}, "A payee was removed from the book of addresses"},

	{AgentCreated, rest.EventAgent{}, "An agent was created"},
	{AgentActivated, rest.EventAgent{}, "An agent was activated"},
	{AgentLimits, rest.EventAgent{}, "An agent has other limits"},
	{AgentStatus, rest.EventAgent{}, "An agent was paused, resumed or killed"},
	{AgentRotated, rest.EventAgent{}, "An agent has another secret"},
	{AgentDeleted, rest.EventAgent{}, "An agent was deleted"},
	{AgentRefused, rest.EventRefusal{}, "A payment of an agent was refused"},
	{KillSwitchMoved, rest.EventKillSwitch{}, "A sub-organization's kill switch of agents was turned"},
	{X402Prepared, rest.EventX402Payment{}, "An agent is about to pay by x402"},
	{X402Signed, rest.EventX402Payment{}, "A payment by x402 is signed: whoever has the signature can take the money"},
	{X402Answered, rest.EventX402Payment{}, "The seller answered to a payment by x402"},
	{X402Settled, rest.EventX402Payment{}, "The money of a payment by x402 moved"},
	{X402Unused, rest.EventX402Payment{}, "The money of a payment by x402 did not move, and can no more"},
	{X402Void, rest.EventX402Payment{}, "Something else used up the nonce of a payment by x402"},
	{X402Deleted, rest.EventX402Payment{}, "A payment by x402 was refused before it was signed, and is gone"},

	{RecipientCreated, rest.EventRecipient{}, "A recipient was created"},
	{RecipientUpdated, rest.EventRecipient{}, "A recipient was changed or archived"},
	{BankAccountCreated, rest.EventBankAccount{}, "A bank account was added"},
	{BankAccountUpdated, rest.EventBankAccount{}, "A bank account changed, or the partner answered"},
	{BankAccountDeleted, rest.EventBankAccount{}, "A bank account was deleted"},
	{WithdrawAddressCreated, rest.EventWithdrawAddress{}, "A withdrawal address was asked for"},
	{WithdrawAddressActive, rest.EventWithdrawAddress{}, "A withdrawal address can be paid to"},
	{WithdrawAddressUpdated, rest.EventWithdrawAddress{}, "Refunds of a withdrawal address go or will go elsewhere"},
	{VirtualAccountCreated, rest.EventVirtualAccount{}, "An account number was asked for"},
	{VirtualAccountActive, rest.EventVirtualAccount{}, "An account number can be paid to"},
	{DepositAccountCreated, rest.EventDepositAccount{}, "A deposit account was asked for"},
	{DepositAccountActive, rest.EventDepositAccount{}, "A deposit account can be paid to"},
	{DepositAccountUpdated, rest.EventDepositAccount{}, "A deposit account was switched off or on"},
	{DepositAccountDeleted, rest.EventDepositAccount{}, "The partner refused to make a deposit account"},
	{DepositAccountHappening, rest.EventDeposit{}, "Something happened at a deposit account, such as a bank transfer"},
	{QuoteCreated, rest.EventQuote{}, "A quote was made"},
	{OrderCreated, rest.EventOrder{}, "An order began"},
	{OrderUpdated, rest.EventOrder{}, "A step of an order's timeline that changes no status"},
	{OrderAwaiting, rest.EventOrder{}, "An order waits again for its deposit"},
	{OrderFunded, rest.EventOrder{}, "An order has its money"},
	{OrderInReview, rest.EventOrder{}, "An order is held"},
	{OrderSubmitted, rest.EventOrder{}, "The payment of an order is on its way to the bank"},
	{OrderCompleted, rest.EventOrder{}, "The bank, or the wallet, has the money of an order"},
	{OrderCanceled, rest.EventOrder{}, "An order was canceled"},
	{OrderExpired, rest.EventOrder{}, "No deposit came for an order in time"},
	{OrderReturned, rest.EventOrder{}, "The payment of an order came back, or its deposit is given back"},
	{OrderFailed, rest.EventOrder{}, "An order needs an operator"},
	{DrainCreated, rest.EventDrain{}, "Stablecoin came to a withdrawal address"},
	{DrainUpdated, rest.EventDrain{}, "What came to a withdrawal address is deeper, final, dropped or set aside"},
	{BatchCreated, rest.EventBatch{}, "A batch was previewed"},
	{BatchExecuted, rest.EventBatch{}, "A batch was executed"},
	{BatchCanceled, rest.EventBatch{}, "A batch was canceled"},

	{WorkspaceUpdated, rest.EventWorkspace{},
		"Settings of a workspace changed (its name, kits, limits or KYB status), or the form about its business"},
	{APIKeyCreated, rest.EventAPIKey{}, "An API key was made"},
	{APIKeyRevoked, rest.EventAPIKey{}, "An API key was revoked"},
	{InvitationCreated, rest.EventInvitation{}, "Somebody was invited to the workspace"},
	{InvitationAccepted, rest.EventInvitation{}, "An invitation was accepted"},
	{InvitationRevoked, rest.EventInvitation{}, "An invitation was revoked"},
	{MemberJoined, rest.EventMember{}, "The workspace has another member"},
	{MemberRoleChanged, rest.EventMember{}, "A member has another role"},
	{MemberRemoved, rest.EventMember{}, "A member was removed"},
	{MemberPasskeyAdded, rest.EventMember{}, "A member has another passkey that logs it in"},
}

// Audited are types of what leaves an entry in the record and no row: their events are written with the entry.
var Audited = map[string]Type{
	"agent.payment.refuse": AgentRefused,
	"agent.x402.refuse":    AgentRefused,
}
