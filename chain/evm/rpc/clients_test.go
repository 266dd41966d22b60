package rpc

import (
	"errors"
	"testing"
)

// classes are what an answer to a send may mean, and whether the same bytes may
// be sent again.
var classes = map[error]bool{
	ErrAlreadyKnown: false, ErrNonceTooLow: false, ErrRefused: false,
	ErrUnderpriced: true, ErrInsufficientFunds: true, ErrWrongNetwork: true, ErrNode: true,
}

// wording is what one client says when it does not take a transaction.
type wording struct {
	means   error
	message string
}

// geth 1.17: core/txpool/errors.go, core/txpool/validation.go, core/error.go, internal/ethapi.
var gethSays = []wording{
	{ErrAlreadyKnown, "already known"},
	{ErrNonceTooLow, "nonce too low: next nonce 5, tx nonce 4"},
	{ErrUnderpriced, "replacement transaction underpriced"},
	{ErrUnderpriced, "transaction underpriced: gas tip cap 1, minimum needed 1000000"},
	{ErrUnderpriced, "transaction gas price below minimum: gas tip cap 1, minimum needed 2"},
	{ErrUnderpriced, "max fee per gas less than block base fee: address 0x01, maxFeePerGas: 1, baseFee: 7"},
	{ErrInsufficientFunds, "insufficient funds for gas * price + value: balance 0, tx cost 21000, overshot 21000"},
	{ErrRefused, "intrinsic gas too low: gas 20000, minimum needed 21000"},
	{ErrRefused, "insufficient gas for floor data gas cost: gas 21000, minimum needed 30000"},
	{ErrRefused, "exceeds block gas limit: tx gas 99999999, block gas limit 30000000"},
	{ErrRefused, "transaction gas limit too high (cap: 16777216, tx: 20000000)"},
	{ErrRefused, "invalid sender: invalid transaction v, r, s values"},
	{ErrRefused, "only replay-protected (EIP-155) transactions allowed over RPC"},
	{ErrRefused, "transaction type not supported: type 2 rejected, pool not yet in London"},
	{ErrRefused, "oversized data: transaction size 200000, limit 131072"},
	{ErrRefused, "max initcode size exceeded: code size 60000, limit 49152"},
	{ErrRefused, "max priority fee per gas higher than max fee per gas: tip 2, gasFeeCap 1"},
	{ErrRefused, "nonce has max value: address 0x01, nonce: 18446744073709551615"},
	{ErrRefused, "tx fee (21.00 ether) exceeds the configured cap (1.00 ether)"},
	{ErrRefused, "rlp: expected input list for types.LegacyTx"},
	{ErrWrongNetwork, "invalid chain id for signer: have 84532 want 1"},
	{ErrWrongNetwork, "invalid sender: invalid chain id for signer: have 84532 want 1"},
	{ErrNode, "txpool is full"},
	{ErrNode, "account limit exceeded: pooled 16 txs"},
	{ErrNode, "future transaction tries to replace pending"},
	{ErrNode, "nonce too high"},
	{ErrNode, "request timed out"},
}

// Erigon: txnprovider/txpool/txpoolcfg/txpoolcfg.go, and what its RPC daemon puts before it.
var erigonSays = []wording{
	{ErrAlreadyKnown, "ALREADY_EXISTS: already known"},
	{ErrAlreadyKnown, "existing tx with same hash"}, // until 2.60
	{ErrAlreadyKnown, "existing txn with same hash"},
	{ErrNonceTooLow, "INTERNAL_ERROR: nonce too low"},
	{ErrUnderpriced, "underpriced"},
	{ErrUnderpriced, "fee too low"},
	{ErrUnderpriced, "replacement transaction underpriced"},
	{ErrUnderpriced, "could not replace existing tx"},
	{ErrInsufficientFunds, "insufficient funds"},
	{ErrRefused, "IntrinsicGas"},
	{ErrRefused, "GasUintOverflow"},
	{ErrRefused, "RLPTooLong"},
	{ErrRefused, "invalid sender"},
	{ErrRefused, "oversized data"},
	{ErrRefused, "negative value"},
	{ErrRefused, "initcode too large"},
	{ErrRefused, "unsupported transaction type"},
	{ErrRefused, "gas limit is too high"},
	{ErrNode, "pending sub-pool is full"},
	{ErrNode, "baseFee sub-pool is full"},
	{ErrNode, "spammer"},
	{ErrNode, "replaced by transaction with higher tip"},
}

// Nethermind: Nethermind.TxPool/AcceptTxResult.cs in the names of its members
// (until 2025), since then TxPoolErrorMessages.cs and TxErrorMessages.cs.
var nethermindSays = []wording{
	{ErrAlreadyKnown, "AlreadyKnown"},
	{ErrAlreadyKnown, "already known"},
	{ErrNonceTooLow, "OldNonce, Current nonce: 5, nonce of rejected tx: 4"},
	{ErrNonceTooLow, "nonce too low, Current nonce: 5, nonce of rejected tx: 4"},
	{ErrUnderpriced, "FeeTooLow, MaxFeePerGas too low. MaxFeePerGas: 1, BaseFee: 7"},
	{ErrUnderpriced, "FeeTooLowToCompete"},
	{ErrUnderpriced, "ReplacementNotAllowed"},
	{ErrUnderpriced, "transaction underpriced"},
	{ErrUnderpriced, "replacement transaction underpriced"},
	{ErrInsufficientFunds, "InsufficientFunds, Balance is 0 less than sending value 1"},
	{ErrInsufficientFunds, "insufficient funds for gas * price + value, Balance is 0 less than sending value 1"},
	{ErrRefused, "GasLimitExceeded"},
	{ErrRefused, "gas limit reached"},
	{ErrRefused, "FailedToResolveSender"},
	{ErrRefused, "failed to recover sender"},
	{ErrRefused, "transaction cost overflow"},
	{ErrRefused, "transaction too large"},
	{ErrRefused, "sender not an eoa"},
	{ErrRefused, "unsupported transaction type"},
	{ErrRefused, "transaction invalid, intrinsic gas too low"},
	{ErrRefused, "Invalid, InvalidTxSignature: Signature is invalid."},
	{ErrRefused, "Invalid, InvalidMaxPriorityFeePerGas: Cannot be higher than maxFeePerGas."},
	{ErrRefused, "Invalid, TxGasLimitCapExceeded: Gas limit 20000000 exceeded cap of 16777216."},
	{ErrWrongNetwork, "Invalid, InvalidTxChainId: Expected 1, got 84532."},
	{ErrNode, "NonceGap"},
	{ErrNode, "nonce too high"},
	{ErrNode, "nonce too far in future"},
	{ErrNode, "node is syncing"},
}

// Besu: jsonrpc/internal/response/RpcErrorType.java.
var besuSays = []wording{
	{ErrAlreadyKnown, "Known transaction"},
	{ErrNonceTooLow, "Nonce too low"},
	{ErrUnderpriced, "Gas price below configured minimum gas price"},
	{ErrUnderpriced, "Gas price below current base fee"},
	{ErrUnderpriced, "Replacement transaction underpriced"},
	{ErrInsufficientFunds, "Upfront cost exceeds account balance"},
	{ErrRefused, "Intrinsic gas exceeds gas limit"},
	{ErrRefused, "Transaction gas limit exceeds block gas limit"},
	{ErrRefused, "Invalid signature"},
	{ErrRefused, "Invalid transaction type"},
	{ErrRefused, "Transaction fee cap exceeded"},
	{ErrRefused, "Max priority fee per gas exceeds max fee per gas"},
	{ErrWrongNetwork, "Wrong Chain ID in transaction signature"}, // until 23.4
	{ErrWrongNetwork, "Wrong chainId"},
	{ErrNode, "Nonce too high"},
	{ErrNode, "Transaction nonce is too distant from current sender nonce"},
	{ErrNode, "An invalid transaction with a lower nonce exists"},
	{ErrNode, "Initial sync is still in progress"},
	{ErrNode, "Transaction pool not enabled. (Either txpool explicitly disabled, or node not yet in sync)."},
}

// Reth: crates/rpc/rpc-eth-types/src/error/mod.rs, RpcPoolError and RpcInvalidTransactionError.
var rethSays = []wording{
	{ErrAlreadyKnown, "already known"},
	{ErrNonceTooLow, "nonce too low: next nonce 5, tx nonce 4"},
	{ErrUnderpriced, "transaction underpriced"},
	{ErrUnderpriced, "replacement transaction underpriced"},
	{ErrUnderpriced, "max fee per gas less than block base fee"},
	{ErrUnderpriced, "transaction priority fee below minimum required priority fee 5"},
	{ErrInsufficientFunds, "insufficient funds for gas * price + value: have 0 want 21000"},
	{ErrInsufficientFunds, "insufficient funds for transfer"},
	{ErrRefused, "intrinsic gas too low"},
	{ErrRefused, "intrinsic gas too high"},
	{ErrRefused, "gas limit too high"},
	{ErrRefused, "exceeds block gas limit"},
	{ErrRefused, "exceeds max transaction gas limit"},
	{ErrRefused, "gas uint64 overflow"},
	{ErrRefused, "invalid sender"},
	{ErrRefused, "invalid transaction signature"},
	{ErrRefused, "failed to decode signed transaction"},
	{ErrRefused, "sender is not an EOA"},
	{ErrRefused, "nonce has max value"},
	{ErrRefused, "transaction type not supported"},
	{ErrRefused, "oversized data: transaction size 200000, limit 131072"},
	{ErrRefused, "tx fee (2100000 wei) exceeds the configured cap (1 wei)"},
	{ErrRefused, "max priority fee per gas higher than max fee per gas"},
	{ErrWrongNetwork, "invalid chain ID"},
	{ErrNode, "txpool is full"},
	{ErrNode, "nonce too high"},
	{ErrNode, "address already reserved"},
}

// Parity and OpenEthereum: rpc/src/v1/helpers/errors.rs. Some networks still run them.
var paritySays = []wording{
	{ErrAlreadyKnown, "Transaction with the same hash was already imported."},
	{ErrNonceTooLow, "Transaction nonce is too low. Try incrementing the nonce."},
	{ErrUnderpriced, "Transaction gas price is too low. There is another transaction with same nonce in the queue."},
	{ErrInsufficientFunds,
		"Insufficient funds. The account you tried to send transaction from does not have enough funds."},
}

var nobodySays = []wording{
	{ErrRefused, "unknown transaction type"},
	{ErrNode, ""},
	{ErrNode, "limit exceeded"},
}

// The clients have words of their own for the same few meanings. What none of
// them is known to say is tried again.
func TestSendErrorClasses(t *testing.T) {
	for client, says := range map[string][]wording{
		"geth": gethSays, "Erigon": erigonSays, "Nethermind": nethermindSays, "Besu": besuSays, "Reth": rethSays,
		"Parity": paritySays, "none": nobodySays,
	} {
		for _, w := range says {
			node, c := setup(t)
			node.fail("eth_sendRawTransaction", w.message)
			raw, id := signedTx(t, baseSepolia)
			got, err := c.Send(t.Context(), raw)
			if !errors.Is(err, w.means) || got != id || Retryable(err) != classes[w.means] {
				t.Errorf("%s: %q: %v (retryable %v), want %v", client, w.message, err, Retryable(err), w.means)
			}
			for other := range classes {
				if other != w.means && errors.Is(err, other) {
					t.Errorf("%s: %q is also %v", client, w.message, other)
				}
			}
		}
	}
}
