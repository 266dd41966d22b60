package x402

// The words by which shops and facilitators say why a payment was refused. They are the field's own, so that
// programs of others understand them.
const (
	ReasonInsufficientFunds     = "insufficient_funds"
	ReasonInvalidNetwork        = "invalid_network"
	ReasonInvalidScheme         = "invalid_scheme"
	ReasonInvalidPayload        = "invalid_payload"
	ReasonInvalidRequirements   = "invalid_payment_requirements"
	ReasonInvalidVersion        = "invalid_x402_version"
	ReasonUnsupportedScheme     = "unsupported_scheme"
	ReasonInvalidTransaction    = "invalid_transaction_state"
	ReasonUnexpectedVerifyError = "unexpected_verify_error"
	ReasonUnexpectedSettleError = "unexpected_settle_error"
	ReasonSettlementPending     = "settlement_pending"
	ReasonDuplicateSettlement   = "duplicate_settlement"
)

// Of an EVM token's transfer by EIP-3009.
const (
	ReasonSignature          = "invalid_exact_evm_signature"
	ReasonRecipient          = "invalid_exact_evm_recipient_mismatch"
	ReasonNetwork            = "invalid_exact_evm_network_mismatch"
	ReasonValidBefore        = "invalid_exact_evm_payload_authorization_valid_before"
	ReasonValidAfter         = "invalid_exact_evm_payload_authorization_valid_after"
	ReasonValue              = "invalid_exact_evm_payload_authorization_value_mismatch"
	ReasonNonceUsed          = "invalid_exact_evm_nonce_already_used"
	ReasonBalance            = "invalid_exact_evm_insufficient_balance"
	ReasonNotSupported       = "invalid_exact_evm_eip3009_not_supported"
	ReasonMissingDomain      = "invalid_exact_evm_missing_eip712_domain"
	ReasonTokenName          = "invalid_exact_evm_token_name_mismatch"
	ReasonTokenVersion       = "invalid_exact_evm_token_version_mismatch"
	ReasonSimulation         = "invalid_exact_evm_transaction_simulation_failed"
	ReasonTransactionFailed  = "invalid_exact_evm_transaction_failed"
	ReasonTransferEvent      = "invalid_exact_evm_transfer_event_mismatch"
	ReasonUndeployedWallet   = "invalid_exact_evm_payload_undeployed_smart_wallet"
	ReasonAssetNotDeployed   = "asset_not_deployed_contract"
	ReasonUnsupportedPayload = "unsupported_payload_type"
)

// Of a transfer by Permit2, of either scheme.
const (
	ReasonPermit2Spender    = "invalid_permit2_spender"
	ReasonPermit2Recipient  = "invalid_permit2_recipient_mismatch"
	ReasonPermit2Signature  = "invalid_permit2_signature"
	ReasonPermit2Deadline   = "permit2_deadline_expired"
	ReasonPermit2NotYet     = "permit2_not_yet_valid"
	ReasonPermit2Amount     = "permit2_amount_mismatch"
	ReasonPermit2Token      = "permit2_token_mismatch"
	ReasonPermit2Allowance  = "permit2_allowance_required"
	ReasonPermit2Simulation = "permit2_simulation_failed"
	ReasonPermit2Balance    = "permit2_insufficient_balance"
	ReasonPermit2Proxy      = "permit2_proxy_not_deployed"
	ReasonPermit2Nonce      = "permit2_invalid_nonce"
)

// Of the scheme upto.
const (
	ReasonUptoScheme      = "invalid_upto_evm_scheme"
	ReasonUptoNetwork     = "invalid_upto_evm_network_mismatch"
	ReasonUptoExceeds     = "invalid_upto_evm_payload_settlement_exceeds_amount"
	ReasonUptoFacilitator = "upto_facilitator_mismatch"
	ReasonUptoTransaction = "invalid_upto_evm_transaction_failed"
)
