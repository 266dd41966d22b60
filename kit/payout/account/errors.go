package account

import (
	"github.com/railkit/railkit/fault"
)

// What the API answers about bank accounts.
var (
	ErrDuplicate = fault.Define(fault.Conflict, "bank_account_exists", "The recipient has this bank account already",
		"An account with the same number is there, or in the archive: restore it, or give the idempotencySalt with which it was made")
	ErrImmutable = fault.Define(fault.Invalid, "immutable_field",
		"Validation failed: %s cannot be changed; add another bank account",
		"What names a bank account stays as it is once it is set")
	ErrLast = fault.Define(fault.Invalid, "last_active_account", "The last active bank account cannot be archived",
		"`details.code` is `LAST_ACTIVE_ACCOUNT`: add or restore another one first, or archive the recipient")
	ErrNotUsable = fault.Define(fault.Unprocessable, "bank_account_not_usable", "Bank account is not usable: %s",
		"Its registration with the payment partner is pending, was rejected or is closed; a pending one may be tried again later")
	ErrConfirmByMember = fault.Define(fault.Forbidden, "member_required", "Only a member can do this: log in to the dashboard with a passkey and call with that session",
		"An API key cannot shorten the wait before a new bank account is paid or refunds go elsewhere, nor unfreeze an account: who has stolen one could empty the workspace")
	ErrChanged = fault.Define(fault.Conflict, "bank_account_changed", "The bank account has changed since you saw it",
		"`updatedAt` is not the account's any more: read it again and confirm what is there now")
	ErrNewMember = fault.Define(fault.Forbidden, "member_too_new",
		"You joined too short a time ago: another member can do this, or you as soon as you have been a member as long as an account waits",
		"A member who joined less than 24 hours (`--payout-cooling`) ago ends no wait and no freeze: who can invite members could else end each by an invitation")
)
