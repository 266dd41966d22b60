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

// Of a transaction on Solana.
const (
	ReasonSVMNoFeePayer    = "invalid_exact_svm_payload_missing_fee_payer"
	ReasonSVMNotManaged    = "invalid_exact_svm_fee_payer_not_managed_by_facilitator"
	ReasonSVMFeePayer      = "invalid_exact_svm_fee_payer_mismatch"
	ReasonSVMNetwork       = "invalid_exact_svm_network_mismatch"
	ReasonSVMUndecoded     = "invalid_exact_svm_payload_transaction_could_not_be_decoded"
	ReasonSVMSignature     = "invalid_exact_svm_payload_signature_invalid"
	ReasonSVMSigners       = "invalid_exact_svm_payload_excessive_signers"
	ReasonSVMLength        = "invalid_exact_svm_payload_transaction_instructions_length"
	ReasonSVMLimit         = "invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction"
	ReasonSVMLimitHigh     = "invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction_too_high"
	ReasonSVMPrice         = "invalid_exact_svm_payload_transaction_instructions_compute_price_instruction"
	ReasonSVMPriceHigh     = "invalid_exact_svm_payload_transaction_instructions_compute_price_instruction_too_high"
	ReasonSVMNoTransfer    = "invalid_exact_svm_payload_no_transfer_instruction"
	ReasonSVMOwnFunds      = "invalid_exact_svm_payload_transaction_fee_payer_transferring_funds"
	ReasonSVMMint          = "invalid_exact_svm_payload_mint_mismatch"
	ReasonSVMRecipient     = "invalid_exact_svm_payload_recipient_mismatch"
	ReasonSVMAmount        = "invalid_exact_svm_payload_amount_mismatch"
	ReasonSVMFourth        = "invalid_exact_svm_payload_unknown_fourth_instruction"
	ReasonSVMFifth         = "invalid_exact_svm_payload_unknown_fifth_instruction"
	ReasonSVMSixth         = "invalid_exact_svm_payload_unknown_sixth_instruction"
	ReasonSVMSeventh       = "invalid_exact_svm_payload_unknown_seventh_instruction"
	ReasonSVMMemoCount     = "invalid_exact_svm_payload_memo_count"
	ReasonSVMMemo          = "invalid_exact_svm_payload_memo_mismatch"
	ReasonSVMSimulation    = "invalid_exact_svm_transaction_simulation_failed"
	ReasonSVMFailed        = "invalid_exact_svm_transaction_failed"
	ReasonSVMIsolated      = "invalid_exact_svm_smart_wallet_fee_payer_not_isolated"
	ReasonSVMTables        = "invalid_exact_svm_smart_wallet_alt_resolution_not_available"
	ReasonSVMProgram       = "invalid_exact_svm_smart_wallet_program_not_allowed"
	ReasonSVMWrappedUnits  = "invalid_exact_svm_smart_wallet_compute_units_too_high"
	ReasonSVMWrappedPrice  = "invalid_exact_svm_smart_wallet_priority_fee_too_high"
	ReasonSVMWrappedBudget = "invalid_exact_svm_smart_wallet_unsupported_compute_budget_instruction"
	ReasonSVMWrappedFails  = "invalid_exact_svm_smart_wallet_simulation_failed"
	ReasonSVMNone          = "invalid_exact_svm_smart_wallet_no_transfer_in_simulation"
	ReasonSVMOther         = "invalid_exact_svm_smart_wallet_transfer_mismatch"
	ReasonSVMSeveral       = "invalid_exact_svm_smart_wallet_multiple_matching_transfers"
	ReasonSVMNotConfirmed  = "post_settlement_transfer_not_confirmed"
)
