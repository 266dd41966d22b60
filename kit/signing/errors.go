package signing

import "github.com/railkit/railkit/fault"

// What the kit answers besides the enclave's own refusals.
var (
	ErrPasskeyFirst = fault.Define(fault.Unprocessable, "passkey_required", "Register a passkey first",
		"The workspace has no sub-organization yet that could own a wallet")
	ErrSubOrganizationNeeded = fault.Define(fault.Invalid, "sub_organization_required", "Validation failed: subOrganizationId is required",
		"The workspace has several sub-organizations, and the call names none of them")
	ErrStampedBody = fault.Define(fault.Unprocessable, "stamped_body_differs", "Passkey signature invalid",
		"The stamped body is not the one that was prepared")
	ErrCustodyExternal = fault.Define(fault.Unprocessable, "custody_external", "signedActivity cannot sign this transaction; send signedTransaction",
		"signWith of the transaction is an address of no wallet: the enclave has no key for it")
	ErrCustodyEnclave = fault.Define(fault.Unprocessable, "custody_enclave", "signedTransaction is not accepted for a wallet's transaction; send signedActivity",
		"signWith of the transaction is an address of a wallet: only the enclave signs, under a stamp")
	ErrSignedBytes = fault.Define(fault.Unprocessable, "signed_transaction_invalid", "signedTransaction is not a canonical signed transaction with a chain id",
		"The bytes are not hex, not a legacy, EIP-2930 or EIP-1559 transaction in its one encoding, or their signature is not low-s or not replay-protected")
	ErrSignedOther = fault.Define(fault.Unprocessable, "signed_transaction_differs", "signedTransaction is another transaction than was prepared",
		"What was signed differs from unsignedTransaction in its type or a field; sign those bytes, or prepare again")
	ErrSigner = fault.Define(fault.Unprocessable, "signer_differs", "signedTransaction is not signed by the key of signWith",
		"The signature is another account's, or over other bytes")
	ErrNotAwaiting = fault.Define(fault.Conflict, "not_awaiting_signature", "Transaction is no longer awaiting signature",
		"It was signed, cancelled or has expired")
	ErrTransactionCancelled = fault.Define(fault.Conflict, "transaction_cancelled", "Transaction was cancelled",
		"A cancelled transaction can never be signed")
	ErrTransactionExpired = fault.Define(fault.Conflict, "transaction_expired", "Transaction has expired; prepare it again",
		"A prepared transaction lives 15 minutes")
	ErrRequestExpired = fault.Define(fault.Conflict, "request_expired", "The prepared request has expired; prepare it again",
		"A prepared request lives 15 minutes, one that waits for votes 30; it has ended, or was rejected")
	ErrPolicyDenied = fault.Define(fault.Unprocessable, "policy_denied", "Policy denied: %s",
		"A rule of the wallet refuses what was to be signed; the details name it, and the wallet's denials keep it")
	ErrVoteUnstamped = fault.Define(fault.Forbidden, "passkey_stamp_required", "A passkey has to stamp an approval",
		"An approval without a stamp counts for nothing; prepare it with ?prepare=true and send signedActivity")
	ErrApprovalResolved = fault.Define(fault.Conflict, "approval_resolved", "The approval is decided: %s",
		"It was approved and executed, rejected, or has expired; a vote or a rejection now changes nothing")
	ErrNotSigned = fault.Define(fault.Conflict, "not_signed", "Transaction is not signed",
		"Only a signed transaction can be broadcast")
	ErrNotFailed = fault.Define(fault.Conflict, "not_failed", "Only a failed broadcast can be retried",
		"The transaction is on its way or confirmed")
	ErrReverted = fault.Define(fault.Conflict, "reverted_on_chain", "The transaction was mined and reverted; prepare a new one",
		"Its nonce is used: the same bytes can never be mined again")
	ErrNotReplaceable = fault.Define(fault.Conflict, "not_replaceable", "Transaction cannot be replaced: %s",
		"It is not signed, is mined, or its key is outside")
	ErrReplaced = fault.Define(fault.Conflict, "transaction_replaced", "Transaction was replaced by %s; go on with that one",
		"Another transaction was signed for its nonce: only the newest is sent, and can be replaced")
	ErrNotAccepted = fault.Define(fault.Unprocessable, "not_accepted", "The network does not accept the transaction",
		"The node refuses the raw bytes for good, or another transaction used their nonce")
	ErrCeremonyUnknown = fault.Define(fault.NotFound, "ceremony_unknown", "This link is not known; ask for a new one",
		"The token of the passkey page's link is none, or its link ended more than a day ago")
	ErrCeremonyOver = fault.Define(fault.Gone, "ceremony_over", "This link can no longer be used: %s",
		"What the link of the passkey page stood for was finished, cancelled or has expired")
	ErrInsufficientBalance = fault.Define(fault.Unprocessable, "insufficient_balance", "Insufficient balance",
		"The address does not hold the amount, or not the fee of the network on top of it, gas and data")
	ErrWouldFail = fault.Define(fault.Unprocessable, "would_fail", "The transaction would fail on chain",
		"The node says that the call reverts; nothing was signed")
	ErrGas = fault.Define(fault.Unprocessable, "gas_limit_too_low", "The gas limit is too low for this transaction",
		"The node needs more gas than the body allows; prepare it again with a higher gasLimit")
	ErrNoNode = fault.Define(fault.Unavailable, "no_node", "No node is configured for this network",
		"The operator runs no node for the network")
	ErrNode = fault.Define(fault.Upstream, "node_unreachable", "The network's node does not answer",
		"The node is down or slow; nothing was signed; retry with back-off")
	ErrNodeRefused = fault.Define(fault.Upstream, "node_refused", "The network's node refuses the transaction",
		"The signed transaction stays as it is; broadcast it again later")
)
