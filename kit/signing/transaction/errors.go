package transaction

import (
	"github.com/railkit/railkit/fault"
)

// Errors of confirming and cancelling.
var (
	ErrCustodyExternal = fault.Define(fault.Unprocessable, "custody_external",
		"signedActivity cannot sign this transaction; send signedTransaction",
		"signWith of the transaction is an address of no wallet: the enclave has no key for it")
	ErrCustodyEnclave = fault.Define(fault.Unprocessable, "custody_enclave",
		"signedTransaction is not accepted for a wallet's transaction; send signedActivity",
		"signWith of the transaction is an address of a wallet: only the enclave signs, under a stamp")
	ErrSignedBytes = fault.Define(fault.Unprocessable, "signed_transaction_invalid",
		"signedTransaction is not a canonical signed transaction with a chain id",
		"The bytes are not hex, not a legacy, EIP-2930 or EIP-1559 transaction in its one encoding, or their signature is not low-s or not replay-protected")
	ErrSignedOther = fault.Define(fault.Unprocessable, "signed_transaction_differs",
		"signedTransaction is another transaction than was prepared",
		"What was signed differs from unsignedTransaction in its type or a field; sign those bytes, or prepare again")
	ErrSigner = fault.Define(fault.Unprocessable, "signer_differs",
		"signedTransaction is not signed by the key of signWith",
		"The signature is another account's, or over other bytes")
	ErrNotAwaiting = fault.Define(fault.Conflict, "not_awaiting_signature",
		"Transaction is no longer awaiting signature",
		"It was signed, cancelled or has expired")
	ErrCancelled = fault.Define(fault.Conflict, "transaction_cancelled", "Transaction was cancelled",
		"A cancelled transaction can never be signed")
	ErrExpired = fault.Define(fault.Conflict, "transaction_expired", "Transaction has expired; prepare it again",
		"A prepared transaction lives 15 minutes")
)
