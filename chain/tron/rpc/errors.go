package rpc

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/railkit/railkit/chain/node"
)

// errKnown says that the node has these very bytes already, in a block or not yet: a success.
var errKnown = errors.New("the node already has the transaction")

// codes are the answers of a broadcast. Those that are not here say nothing of the transaction, such as SERVER_BUSY.
var codes = map[string]error{
	"SIGERROR":                     node.ErrRefused,
	"TOO_BIG_TRANSACTION_ERROR":    node.ErrRefused,
	"DUP_TRANSACTION_ERROR":        errKnown,
	"TAPOS_ERROR":                  node.ErrBlockhash,
	"TRANSACTION_EXPIRATION_ERROR": node.ErrBlockhash,
	"BANDWITH_ERROR":               node.ErrNoFunds,
	"CONTRACT_VALIDATE_ERROR":      node.ErrReverts,
	"CONTRACT_EXE_ERROR":           node.ErrReverts,
}

// refusal is an answer that is no success. The balance of an account is told in words alone.
func refusal(code, words string) error {
	class, known := codes[code]
	switch {
	case !known:
		class = ErrNode
	case class == node.ErrReverts && strings.Contains(words, "balance is not sufficient"):
		class = node.ErrNoFunds
	}
	return &node.Refusal{Class: class, Words: short(strings.TrimSpace(code + " " + words))}
}

// plain is a text that a node writes in hex, or as it is.
func plain(text string) string {
	if raw, err := hex.DecodeString(text); err == nil && len(raw) > 0 {
		return string(raw)
	}
	return text
}

// results are those of a call that did nothing, in words.
var results = map[string]string{
	"OUT_OF_ENERGY": "the energy that it needs costs more than its limit, or than the wallet has",
	"OUT_OF_TIME":   "it took longer than a block allows",
	"REVERT":        "the contract refuses it",
	"DEFAULT":       "the contract was not called",
}

// sentence says why a call did nothing: by its result, and what the contract says of it.
func sentence(result string, returned []string) string {
	words, known := results[result]
	if !known {
		words = "the network says " + result
	}
	if why := reason(returned); why != "" {
		words += ": " + why
	}
	return words
}

// reason reads what a contract refuses with: the selector of Error(string), an offset, a length, and the text.
func reason(returned []string) string {
	const head = 4 + 32 + 32
	if len(returned) == 0 {
		return ""
	}
	raw, err := hex.DecodeString(returned[0])
	if err != nil || len(raw) < head || hex.EncodeToString(raw[:4]) != "08c379a0" {
		return ""
	}
	text, size := raw[head:], new(big.Int).SetBytes(raw[head-32:head])
	if !size.IsInt64() || size.Int64() > int64(len(text)) {
		return ""
	}
	return short(string(text[:size.Int64()]))
}

// isOutage says that another node may know better.
func isOutage(err error) bool {
	return errors.Is(err, ErrTransport) || errors.Is(err, ErrNode) || errors.Is(err, ErrLyingNode) ||
		errors.Is(err, node.ErrBlockhash) || errors.Is(err, node.ErrNoBlock)
}

func missing(what string) error { return fmt.Errorf("%w: %s is missing", ErrNode, what) }
