package payout

import "github.com/railkit/railkit/fault"

// What the kit answers about recipients and bank accounts.
var (
	ErrNoPartner = fault.Define(fault.Unavailable, "no_payment_partner", "No payment partner is configured",
		"The operator has connected no partner, so that nothing can be paid to banks")
	ErrNoEmail = fault.Define(fault.Unprocessable, "workspace_email_missing", "The workspace has no e-mail address; set one first",
		"The payment partner wants one of each business: PATCH /v1/integrators/{integratorId}")
	ErrDuplicateAccount = fault.Define(fault.Conflict, "bank_account_exists", "The recipient has this bank account already",
		"An account with the same number is there, or in the archive: restore it, or give the idempotencySalt with which it was made")
	ErrRegistering = fault.Define(fault.Unavailable, "bank_account_registering", "The bank account is being registered or changed",
		"An earlier call about the bank account has no answer of the payment partner yet; repeat the request after Retry-After")
	ErrImmutableField = fault.Define(fault.Invalid, "immutable_field", "Validation failed: %s cannot be changed; add another bank account",
		"What names a bank account stays as it is once it is set")
	ErrLastAccount = fault.Define(fault.Invalid, "last_active_account", "The last active bank account cannot be archived",
		"`details.code` is `LAST_ACTIVE_ACCOUNT`: add or restore another one first, or archive the recipient")
	ErrAccountNotUsable = fault.Define(fault.Unprocessable, "bank_account_not_usable", "Bank account is not usable: %s",
		"Its registration with the payment partner is pending, was rejected or is closed; a pending one may be tried again later")
	ErrConfirmByMember = fault.Define(fault.Forbidden, "member_required", "Only a member can do this: log in to the dashboard with a passkey and call with that session",
		"An API key cannot shorten the wait before a new bank account is paid or refunds go elsewhere, nor unfreeze an account: who has stolen one could empty the workspace")
	ErrAccountChanged = fault.Define(fault.Conflict, "bank_account_changed", "The bank account has changed since you saw it",
		"`updatedAt` is not the account's any more: read it again and confirm what is there now")
	ErrLoginNotFresh = fault.Define(fault.Forbidden, "login_not_fresh", "Log in with your passkey again: the login must be at most 5 minutes old",
		"A bank account or a return address is confirmed with a session that began just now, not with one that was left open")
	ErrOtherReturn = fault.Define(fault.Conflict, "return_address_differs", "The withdrawal address is there, and its refunds do not go to this wallet",
		"`walletId` names another wallet than the one that refunds go to, or the address was made without one: change it with POST /v1/payout/offramp/withdraw-addresses/{id}/return-address, or leave `walletId` out")
	ErrFrozen = fault.Define(fault.Conflict, "bank_account_frozen", "The bank account is frozen",
		"A member froze the account that the withdrawal address leads to: where its refunds go cannot be changed until a member unfreezes it")
	ErrReturnPending = fault.Define(fault.Conflict, "return_address_changing", "Another change of the return address waits; cancel it first",
		"A change of where refunds go waits, and is to another wallet than the request names")
	ErrReturnChanged = fault.Define(fault.Conflict, "return_address_changed", "No such change of the return address waits",
		"The change was canceled, has taken effect, or is to another address than `returnAddress`: read the withdrawal address again")
)
