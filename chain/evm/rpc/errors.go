package rpc

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// How a node answers, as far as it changes what to do next.
var (
	ErrTransport    = errors.New("the node did not answer")         // try again, nothing is known
	ErrNode         = errors.New("the node answered with an error") // try again or look at it
	ErrWrongNetwork = errors.New("the node is on another chain")
	ErrLyingNode    = errors.New("the node's answer contradicts itself or us")
	ErrURL          = errors.New("not an http or https URL of a node")

	// ErrAlreadyKnown is success: the node has these very bytes.
	ErrAlreadyKnown = errors.New("the node already has the transaction")
	// ErrNonceTooLow says that a transaction with this nonce was mined, perhaps
	// this very one: its receipt tells.
	ErrNonceTooLow       = errors.New("the nonce is already used")
	ErrUnderpriced       = errors.New("the fee is too low for the node")
	ErrInsufficientFunds = errors.New("the account cannot pay for the transaction")
	// ErrRefused is for good: these bytes will never be mined.
	ErrRefused = errors.New("the node refuses the transaction")
	// ErrReverted is what an estimate or a call gives where the contract refuses.
	ErrReverted = errors.New("the contract refuses the call")

	errAnswerTooLarge = errors.New("the node's answer is too large")
	errIndexing       = fmt.Errorf("%w: it is still indexing", ErrNode)
	errNoMethod       = fmt.Errorf("%w: it does not know the method", ErrNode)
)

// rule is one wording of the nodes and what it means.
type rule struct {
	class error
	text  string
}

// rules are tried in order. They hold the wording of geth, Erigon, Reth,
// Nethermind, Besu, Nitro and Parity in lower case. What matches none is ErrNode,
// which is tried again.
var rules = []rule{
	{errIndexing, "indexing is in progress"},
	{ErrReverted, "execution reverted"},
	{ErrReverted, "vm execution error"},
	{ErrReverted, "gas required exceeds allowance"}, // no amount of gas is enough

	{ErrRefused, "unknown transaction"}, // before "known transaction"
	{ErrAlreadyKnown, "already known"},
	{ErrAlreadyKnown, "alreadyknown"},
	{ErrAlreadyKnown, "known transaction"},
	{ErrAlreadyKnown, "already imported"},
	{ErrAlreadyKnown, "existing tx with same hash"},
	{ErrAlreadyKnown, "existing txn with same hash"},

	{ErrNonceTooLow, "nonce too low"},
	{ErrNonceTooLow, "nonce is too low"},
	{ErrNonceTooLow, "oldnonce"},

	{ErrUnderpriced, "underpriced"},
	{ErrUnderpriced, "could not replace existing tx"},
	{ErrUnderpriced, "less than block base fee"},
	{ErrUnderpriced, "fee cap less than base fee"},
	{ErrUnderpriced, "gas price below"},
	{ErrUnderpriced, "gas price is too low"},
	{ErrUnderpriced, "gas price too low"},
	{ErrUnderpriced, "fee too low"},
	{ErrUnderpriced, "feetoolow"},
	{ErrUnderpriced, "priority fee below"},
	{ErrUnderpriced, "replacementnotallowed"},

	// Send passes on nothing but what is for the network's chain: a node that
	// says otherwise is on another one, and the bytes stay good.
	{ErrWrongNetwork, "invalid chain id"},
	{ErrWrongNetwork, "wrong chain id"},
	{ErrWrongNetwork, "wrong chainid"},
	{ErrWrongNetwork, "invalidtxchainid"},

	{ErrRefused, "intrinsic gas"},
	{ErrRefused, "intrinsicgas"},
	{ErrRefused, "floor data gas"},
	{ErrRefused, "block gas limit"},
	{ErrRefused, "gaslimitexceeded"},
	{ErrRefused, "gas limit too high"},
	{ErrRefused, "gas limit is too high"},
	{ErrRefused, "gas limit overflow"},
	{ErrRefused, "gas uint64 overflow"},
	{ErrRefused, "gasuintoverflow"},
	{ErrRefused, "max transaction gas limit"},
	{ErrRefused, "gaslimitcapexceeded"},
	{ErrRefused, "gas limit reached"},
	{ErrRefused, "cost overflow"},
	{ErrRefused, "higher than max fee per gas"},
	{ErrRefused, "exceeds max fee per gas"},
	{ErrRefused, "invalidmaxpriorityfeepergas"},
	{ErrRefused, "fee cap exceeded"},
	{ErrRefused, "higher than 2^256"},
	{ErrRefused, "invalid sender"},
	{ErrRefused, "failedtoresolvesender"},
	{ErrRefused, "failed to recover sender"},
	{ErrRefused, "invalid signature"},
	{ErrRefused, "invalid transaction signature"},
	{ErrRefused, "invalidtxsignature"},
	{ErrRefused, "failed to decode signed transaction"},
	{ErrRefused, "invalid transaction v, r, s"},
	{ErrRefused, "only replay-protected"},
	{ErrRefused, "transaction type not supported"},
	{ErrRefused, "unsupported transaction type"},
	{ErrRefused, "invalid transaction type"},
	{ErrRefused, "oversized data"},
	{ErrRefused, "transaction too large"},
	{ErrRefused, "initcode size exceeded"},
	{ErrRefused, "initcode too large"},
	{ErrRefused, "negative value"},
	{ErrRefused, "nonce has max value"},
	{ErrRefused, "sender not an eoa"},
	{ErrRefused, "sender is not an eoa"},
	{ErrRefused, "exceeds the configured cap"},
	{ErrRefused, "rlp: "},
	{ErrRefused, "rlptoolong"},

	{ErrInsufficientFunds, "insufficient funds"},
	{ErrInsufficientFunds, "insufficientfunds"},
	{ErrInsufficientFunds, "insufficient balance"},
	{ErrInsufficientFunds, "exceeds account balance"},
}

// JSON-RPC codes that say more than the words do.
const (
	codeReverted       = 3
	codeInvalidRequest = -32600
	codeMethodNotFound = -32601
)

// classify keeps the node's words, cut short, for the log. They are the node's
// and go no further.
func classify(err error) error {
	var answer gethrpc.Error
	if !errors.As(err, &answer) {
		return fmt.Errorf("%w: %w", ErrTransport, presentable(err))
	}
	return fmt.Errorf("%w: %d %s", classOf(answer), answer.ErrorCode(), cut(answer.Error()))
}

func classOf(answer gethrpc.Error) error {
	switch answer.ErrorCode() {
	case codeReverted:
		return ErrReverted
	case codeMethodNotFound:
		return errNoMethod
	}
	message := strings.ToLower(answer.Error())
	for _, r := range rules {
		if strings.Contains(message, r.text) {
			return r.class
		}
	}
	return ErrNode
}

// presentable drops the URL, which may hold the provider's key, and an error
// page, which may hold anything.
func presentable(err error) error {
	if page := (gethrpc.HTTPError{}); errors.As(err, &page) {
		return fmt.Errorf("HTTP status %d", page.StatusCode)
	}
	if ue := (*url.Error)(nil); errors.As(err, &ue) {
		return ue.Err
	}
	return err
}

func cut(s string) string {
	const enough = 200
	if len(s) > enough {
		return s[:enough] + "…"
	}
	return s
}

// Retryable says that the same bytes may be sent again: the node is away, out of
// room, or does not want them at this price or balance now.
func Retryable(err error) bool {
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return false
	case errors.Is(err, ErrAlreadyKnown), errors.Is(err, ErrNonceTooLow), errors.Is(err, ErrRefused):
		return false
	}
	return true
}
