package depositaccount

import (
	"errors"

	"github.com/railkit/railkit/fault"
)

// The API's errors about deposit accounts.
var (
	ErrUnproved = fault.Define(fault.Conflict, "address_unproved",
		"The signer has not proved that it made this address for the wallet",
		"The database names another address, key or wallet than the signer's proof does: somebody changed a row. No account number is given out that leads there; tell the operator, whose log names the address")
	ErrOtherPlace = fault.Define(fault.Conflict, "deposit_account_differs",
		"The deposit account of the wallet and these currencies is there, and its coins go elsewhere",
		"A wallet has one deposit account for each pair of source and destination currency: it is on another chain than the request names, or at another address of the wallet. Leave `chain` out, or use another wallet")
)

// ErrNotMade tells the operator that an account cannot be switched yet.
var ErrNotMade = errors.New("the payment partner has not created the deposit account yet")
