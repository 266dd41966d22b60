package rpc

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"github.com/railkit/railkit/chain/node"
)

// How a node answers beside what package node names.
var (
	ErrTransport = errors.New("the node did not answer")         // try again, nothing is known
	ErrNode      = errors.New("the node answered with an error") // try again or look at it
	ErrLyingNode = errors.New("the node's answer contradicts itself or us")
	ErrURL       = errors.New("not an http or https URL of a node")

	errAlreadyKnown   = errors.New("the node already has the transaction") // these very bytes: a success
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
	{node.ErrReverts, "execution reverted"},
	{node.ErrReverts, "vm execution error"},
	{node.ErrReverts, "gas required exceeds allowance"}, // no amount of gas is enough

	{node.ErrRefused, "unknown transaction"}, // before "known transaction"
	{errAlreadyKnown, "already known"},
	{errAlreadyKnown, "alreadyknown"},
	{errAlreadyKnown, "known transaction"},
	{errAlreadyKnown, "already imported"},
	{errAlreadyKnown, "existing tx with same hash"},
	{errAlreadyKnown, "existing txn with same hash"},

	{node.ErrNonceUsed, "nonce too low"},
	{node.ErrNonceUsed, "nonce is too low"},
	{node.ErrNonceUsed, "oldnonce"},

	{node.ErrUnderpriced, "underpriced"},
	{node.ErrUnderpriced, "could not replace existing tx"},
	{node.ErrUnderpriced, "less than block base fee"},
	{node.ErrUnderpriced, "fee cap less than base fee"},
	{node.ErrUnderpriced, "gas price below"},
	{node.ErrUnderpriced, "gas price is too low"},
	{node.ErrUnderpriced, "gas price too low"},
	{node.ErrUnderpriced, "fee too low"},
	{node.ErrUnderpriced, "feetoolow"},
	{node.ErrUnderpriced, "priority fee below"},
	{node.ErrUnderpriced, "replacementnotallowed"},

	// Send passes on nothing but what is for the network's chain: a node that
	// says otherwise is on another one, and the bytes stay good.
	{node.ErrWrongNetwork, "invalid chain id"},
	{node.ErrWrongNetwork, "wrong chain id"},
	{node.ErrWrongNetwork, "wrong chainid"},
	{node.ErrWrongNetwork, "invalidtxchainid"},

	{node.ErrRefused, "intrinsic gas"},
	{node.ErrRefused, "intrinsicgas"},
	{node.ErrRefused, "floor data gas"},
	{node.ErrRefused, "block gas limit"},
	{node.ErrRefused, "gaslimitexceeded"},
	{node.ErrRefused, "gas limit too high"},
	{node.ErrRefused, "gas limit is too high"},
	{node.ErrRefused, "gas limit overflow"},
	{node.ErrRefused, "gas uint64 overflow"},
	{node.ErrRefused, "gasuintoverflow"},
	{node.ErrRefused, "max transaction gas limit"},
	{node.ErrRefused, "gaslimitcapexceeded"},
	{node.ErrRefused, "gas limit reached"},
	{node.ErrRefused, "cost overflow"},
	{node.ErrRefused, "higher than max fee per gas"},
	{node.ErrRefused, "exceeds max fee per gas"},
	{node.ErrRefused, "invalidmaxpriorityfeepergas"},
	{node.ErrRefused, "fee cap exceeded"},
	{node.ErrRefused, "higher than 2^256"},
	{node.ErrRefused, "invalid sender"},
	{node.ErrRefused, "failedtoresolvesender"},
	{node.ErrRefused, "failed to recover sender"},
	{node.ErrRefused, "invalid signature"},
	{node.ErrRefused, "invalid transaction signature"},
	{node.ErrRefused, "invalidtxsignature"},
	{node.ErrRefused, "failed to decode signed transaction"},
	{node.ErrRefused, "invalid transaction v, r, s"},
	{node.ErrRefused, "only replay-protected"},
	{node.ErrRefused, "transaction type not supported"},
	{node.ErrRefused, "unsupported transaction type"},
	{node.ErrRefused, "invalid transaction type"},
	{node.ErrRefused, "oversized data"},
	{node.ErrRefused, "transaction too large"},
	{node.ErrRefused, "initcode size exceeded"},
	{node.ErrRefused, "initcode too large"},
	{node.ErrRefused, "negative value"},
	{node.ErrRefused, "nonce has max value"},
	{node.ErrRefused, "sender not an eoa"},
	{node.ErrRefused, "sender is not an eoa"},
	{node.ErrRefused, "exceeds the configured cap"},
	{node.ErrRefused, "rlp: "},
	{node.ErrRefused, "rlptoolong"},

	{node.ErrNoFunds, "insufficient funds"},
	{node.ErrNoFunds, "insufficientfunds"},
	{node.ErrNoFunds, "insufficient balance"},
	{node.ErrNoFunds, "exceeds account balance"},
}

// JSON-RPC codes that say more than the words do.
const (
	codeReverted       = 3
	codeInvalidRequest = -32600
	codeMethodNotFound = -32601
)

// classify keeps the node's words, cut short.
func classify(err error) error {
	var answer gethrpc.Error
	if !errors.As(err, &answer) {
		return fmt.Errorf("%w: %w", ErrTransport, presentable(err))
	}
	return &node.Refusal{Class: classOf(answer), Code: answer.ErrorCode(), Words: cut(answer.Error())}
}

func classOf(answer gethrpc.Error) error {
	switch answer.ErrorCode() {
	case codeReverted:
		return node.ErrReverts
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
