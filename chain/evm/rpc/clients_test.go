package rpc

import (
	"errors"
	"testing"

	"github.com/railkit/railkit/chain/node"
)

// classes are what an answer to a send may mean; nil is a success.
var classes = []error{
	nil, node.ErrNonceUsed, node.ErrRefused, node.ErrUnderpriced, node.ErrNoFunds, node.ErrWrongNetwork, ErrNode,
}

// wording is what one client says when it does not take a transaction.
type wording struct {
	means   error
	message string
}

// geth 1.17: core/txpool/errors.go, core/txpool/validation.go, core/error.go, internal/ethapi.
var gethSays = []wording{
	{nil, "already known"},
	{node.ErrNonceUsed, "nonce too low: next nonce 5, tx nonce 4"},
	{node.ErrUnderpriced, "replacement transaction underpriced"},
	{node.ErrUnderpriced, "transaction underpriced: gas tip cap 1, minimum needed 1000000"},
	{node.ErrUnderpriced, "transaction gas price below minimum: gas tip cap 1, minimum needed 2"},
	{node.ErrUnderpriced, "max fee per gas less than block base fee: address 0x01, maxFeePerGas: 1, baseFee: 7"},
	{node.ErrNoFunds, "insufficient funds for gas * price + value: balance 0, tx cost 21000, overshot 21000"},
	{node.ErrRefused, "intrinsic gas too low: gas 20000, minimum needed 21000"},
	{node.ErrRefused, "insufficient gas for floor data gas cost: gas 21000, minimum needed 30000"},
	{node.ErrRefused, "exceeds block gas limit: tx gas 99999999, block gas limit 30000000"},
	{node.ErrRefused, "transaction gas limit too high (cap: 16777216, tx: 20000000)"},
	{node.ErrRefused, "invalid sender: invalid transaction v, r, s values"},
	{node.ErrRefused, "only replay-protected (EIP-155) transactions allowed over RPC"},
	{node.ErrRefused, "transaction type not supported: type 2 rejected, pool not yet in London"},
	{node.ErrRefused, "oversized data: transaction size 200000, limit 131072"},
	{node.ErrRefused, "max initcode size exceeded: code size 60000, limit 49152"},
	{node.ErrRefused, "max priority fee per gas higher than max fee per gas: tip 2, gasFeeCap 1"},
	{node.ErrRefused, "nonce has max value: address 0x01, nonce: 18446744073709551615"},
	{node.ErrRefused, "tx fee (21.00 ether) exceeds the configured cap (1.00 ether)"},
	{node.ErrRefused, "rlp: expected input list for types.LegacyTx"},
	{node.ErrWrongNetwork, "invalid chain id for signer: have 84532 want 1"},
	{node.ErrWrongNetwork, "invalid sender: invalid chain id for signer: have 84532 want 1"},
	{ErrNode, "txpool is full"},
	{ErrNode, "account limit exceeded: pooled 16 txs"},
	{ErrNode, "future transaction tries to replace pending"},
	{ErrNode, "nonce too high"},
	{ErrNode, "request timed out"},
}

// Erigon: txnprovider/txpool/txpoolcfg/txpoolcfg.go, and what its RPC daemon puts before it.
var erigonSays = []wording{
	{nil, "ALREADY_EXISTS: already known"},
	{nil, "existing tx with same hash"}, // until 2.60
	{nil, "existing txn with same hash"},
	{node.ErrNonceUsed, "INTERNAL_ERROR: nonce too low"},
	{node.ErrUnderpriced, "underpriced"},
	{node.ErrUnderpriced, "fee too low"},
	{node.ErrUnderpriced, "replacement transaction underpriced"},
	{node.ErrUnderpriced, "could not replace existing tx"},
	{node.ErrNoFunds, "insufficient funds"},
	{node.ErrRefused, "IntrinsicGas"},
	{node.ErrRefused, "GasUintOverflow"},
	{node.ErrRefused, "RLPTooLong"},
	{node.ErrRefused, "invalid sender"},
	{node.ErrRefused, "oversized data"},
	{node.ErrRefused, "negative value"},
	{node.ErrRefused, "initcode too large"},
	{node.ErrRefused, "unsupported transaction type"},
	{node.ErrRefused, "gas limit is too high"},
	{ErrNode, "pending sub-pool is full"},
	{ErrNode, "baseFee sub-pool is full"},
	{ErrNode, "spammer"},
	{ErrNode, "replaced by transaction with higher tip"},
}

// Nethermind: Nethermind.TxPool/AcceptTxResult.cs in the names of its members
// (until 2025), since then TxPoolErrorMessages.cs and TxErrorMessages.cs.
var nethermindSays = []wording{
	{nil, "AlreadyKnown"},
	{nil, "already known"},
	{node.ErrNonceUsed, "OldNonce, Current nonce: 5, nonce of rejected tx: 4"},
	{node.ErrNonceUsed, "nonce too low, Current nonce: 5, nonce of rejected tx: 4"},
	{node.ErrUnderpriced, "FeeTooLow, MaxFeePerGas too low. MaxFeePerGas: 1, BaseFee: 7"},
	{node.ErrUnderpriced, "FeeTooLowToCompete"},
	{node.ErrUnderpriced, "ReplacementNotAllowed"},
	{node.ErrUnderpriced, "transaction underpriced"},
	{node.ErrUnderpriced, "replacement transaction underpriced"},
	{node.ErrNoFunds, "InsufficientFunds, Balance is 0 less than sending value 1"},
	{node.ErrNoFunds, "insufficient funds for gas * price + value, Balance is 0 less than sending value 1"},
	{node.ErrRefused, "GasLimitExceeded"},
	{node.ErrRefused, "gas limit reached"},
	{node.ErrRefused, "FailedToResolveSender"},
	{node.ErrRefused, "failed to recover sender"},
	{node.ErrRefused, "transaction cost overflow"},
	{node.ErrRefused, "transaction too large"},
	{node.ErrRefused, "sender not an eoa"},
	{node.ErrRefused, "unsupported transaction type"},
	{node.ErrRefused, "transaction invalid, intrinsic gas too low"},
	{node.ErrRefused, "Invalid, InvalidTxSignature: Signature is invalid."},
	{node.ErrRefused, "Invalid, InvalidMaxPriorityFeePerGas: Cannot be higher than maxFeePerGas."},
	{node.ErrRefused, "Invalid, TxGasLimitCapExceeded: Gas limit 20000000 exceeded cap of 16777216."},
	{node.ErrWrongNetwork, "Invalid, InvalidTxChainId: Expected 1, got 84532."},
	{ErrNode, "NonceGap"},
	{ErrNode, "nonce too high"},
	{ErrNode, "nonce too far in future"},
	{ErrNode, "node is syncing"},
}

// Besu: jsonrpc/internal/response/RpcErrorType.java.
var besuSays = []wording{
	{nil, "Known transaction"},
	{node.ErrNonceUsed, "Nonce too low"},
	{node.ErrUnderpriced, "Gas price below configured minimum gas price"},
	{node.ErrUnderpriced, "Gas price below current base fee"},
	{node.ErrUnderpriced, "Replacement transaction underpriced"},
	{node.ErrNoFunds, "Upfront cost exceeds account balance"},
	{node.ErrRefused, "Intrinsic gas exceeds gas limit"},
	{node.ErrRefused, "Transaction gas limit exceeds block gas limit"},
	{node.ErrRefused, "Invalid signature"},
	{node.ErrRefused, "Invalid transaction type"},
	{node.ErrRefused, "Transaction fee cap exceeded"},
	{node.ErrRefused, "Max priority fee per gas exceeds max fee per gas"},
	{node.ErrWrongNetwork, "Wrong Chain ID in transaction signature"}, // until 23.4
	{node.ErrWrongNetwork, "Wrong chainId"},
	{ErrNode, "Nonce too high"},
	{ErrNode, "Transaction nonce is too distant from current sender nonce"},
	{ErrNode, "An invalid transaction with a lower nonce exists"},
	{ErrNode, "Initial sync is still in progress"},
	{ErrNode, "Transaction pool not enabled. (Either txpool explicitly disabled, or node not yet in sync)."},
}

// Reth: crates/rpc/rpc-eth-types/src/error/mod.rs, RpcPoolError and RpcInvalidTransactionError.
var rethSays = []wording{
	{nil, "already known"},
	{node.ErrNonceUsed, "nonce too low: next nonce 5, tx nonce 4"},
	{node.ErrUnderpriced, "transaction underpriced"},
	{node.ErrUnderpriced, "replacement transaction underpriced"},
	{node.ErrUnderpriced, "max fee per gas less than block base fee"},
	{node.ErrUnderpriced, "transaction priority fee below minimum required priority fee 5"},
	{node.ErrNoFunds, "insufficient funds for gas * price + value: have 0 want 21000"},
	{node.ErrNoFunds, "insufficient funds for transfer"},
	{node.ErrRefused, "intrinsic gas too low"},
	{node.ErrRefused, "intrinsic gas too high"},
	{node.ErrRefused, "gas limit too high"},
	{node.ErrRefused, "exceeds block gas limit"},
	{node.ErrRefused, "exceeds max transaction gas limit"},
	{node.ErrRefused, "gas uint64 overflow"},
	{node.ErrRefused, "invalid sender"},
	{node.ErrRefused, "invalid transaction signature"},
	{node.ErrRefused, "failed to decode signed transaction"},
	{node.ErrRefused, "sender is not an EOA"},
	{node.ErrRefused, "nonce has max value"},
	{node.ErrRefused, "transaction type not supported"},
	{node.ErrRefused, "oversized data: transaction size 200000, limit 131072"},
	{node.ErrRefused, "tx fee (2100000 wei) exceeds the configured cap (1 wei)"},
	{node.ErrRefused, "max priority fee per gas higher than max fee per gas"},
	{node.ErrWrongNetwork, "invalid chain ID"},
	{ErrNode, "txpool is full"},
	{ErrNode, "nonce too high"},
	{ErrNode, "address already reserved"},
}

// Parity and OpenEthereum: rpc/src/v1/helpers/errors.rs. Some networks still run them.
var paritySays = []wording{
	{nil, "Transaction with the same hash was already imported."},
	{node.ErrNonceUsed, "Transaction nonce is too low. Try incrementing the nonce."},
	{node.ErrUnderpriced, "Transaction gas price is too low. There is another transaction with same nonce in the queue."},
	{node.ErrNoFunds,
		"Insufficient funds. The account you tried to send transaction from does not have enough funds."},
}

var nobodySays = []wording{
	{node.ErrRefused, "unknown transaction type"},
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
			fake, c := setup(t)
			fake.fail("eth_sendRawTransaction", w.message)
			raw, _ := signedTx(t, baseSepolia)
			err := c.Send(t.Context(), raw)
			for _, class := range classes {
				if errors.Is(err, class) != (class == w.means) {
					t.Errorf("%s: %q: %v, want %v", client, w.message, err, w.means)
				}
			}
		}
	}
}
