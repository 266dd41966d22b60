package withdraw

import (
	"github.com/railkit/railkit/fault"
)

// The API's errors about return addresses.
var (
	ErrOtherReturn = fault.Define(fault.Conflict, "return_address_differs",
		"The withdrawal address is there, and its refunds do not go to this wallet",
		"`walletId` names another wallet than the one that refunds go to or that waits to be it, or the address was made without one: change it with POST /v1/payout/offramp/withdraw-addresses/{id}/return-address, or leave `walletId` out")
	ErrFrozen = fault.Define(fault.Conflict, "bank_account_frozen", "The bank account is frozen",
		"A member froze the account that the withdrawal address leads to: where its refunds go cannot be changed until a member unfreezes it")
	ErrReturnPending = fault.Define(fault.Conflict, "return_address_changing",
		"Another change of the return address waits; cancel it first",
		"A change of where refunds go waits, and is to another wallet than the request names")
	ErrReturnChanged = fault.Define(fault.Conflict, "return_address_changed",
		"No such change of the return address waits",
		"The change was canceled, has taken effect, or is to another address than `returnAddress`: read the withdrawal address again")
)
