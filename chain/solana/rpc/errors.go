package rpc

import (
	"encoding/json"
	"strings"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/solana/follow"
)

// Codes of JSON-RPC, as nodes of Solana have them.
const (
	codeCleanedUp    = -32001
	codeSimulation   = -32002
	codeSignature    = -32003
	codeNotAvailable = -32004
	codeSkipped      = -32007
	codeNoStorage    = -32009
	codeTooNew       = -32015
	codeParams       = -32602
)

type wireError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

// refusal is the error in the words of package node.
func (e *wireError) refusal() error {
	return &node.Refusal{Class: e.class(), Code: e.Code, Words: e.words()}
}

func (e *wireError) class() error {
	switch e.Code {
	case codeTooNew:
		return follow.ErrVersion
	case codeCleanedUp:
		return follow.ErrPruned
	case codeNotAvailable, codeSkipped, codeNoStorage:
		return node.ErrNoBlock
	case codeSimulation:
		return classOf(e.failure())
	case codeSignature:
		return node.ErrRefused
	case codeParams:
		if strings.Contains(e.Message, "deserialize") || strings.Contains(e.Message, "sanitize") {
			return node.ErrRefused
		}
	}
	return ErrNode
}

// failure is why the transaction fails, as the node writes it.
func (e *wireError) failure() json.RawMessage {
	var data struct{ Err json.RawMessage }
	if json.Unmarshal(e.Data, &data) != nil {
		return nil
	}
	return data.Err
}

// words are a sentence of ours where the node says why, and else its own, cut short.
func (e *wireError) words() string {
	if why := e.failure(); why != nil {
		return Sentence(why, nil)
	}
	const enough = 200
	if len(e.Message) > enough {
		return e.Message[:enough] + "…"
	}
	return e.Message
}

// classOf tells what may pass from what will not. A blockhash that the node does not know may be too new for it.
func classOf(failure json.RawMessage) error {
	switch name, _ := nameOf(failure); name {
	case "AlreadyProcessed":
		return errKnown
	case "InsufficientFundsForFee", "InsufficientFundsForRent", "AccountNotFound":
		return node.ErrNoFunds
	case "BlockhashNotFound":
		return node.ErrBlockhash
	case "SignatureFailure", "SanitizeFailure", "UnsupportedVersion":
		return node.ErrRefused
	}
	return ErrFails
}

// nameOf is the name of an error, and what is said beside it.
func nameOf(failure json.RawMessage) (name string, beside json.RawMessage) {
	if json.Unmarshal(failure, &name) == nil {
		return name, nil
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(failure, &object) != nil || len(object) != 1 {
		return "", nil
	}
	for name, beside = range object {
		return name, beside
	}
	return "", nil
}
