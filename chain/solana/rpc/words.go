package rpc

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/railkit/railkit/chain/solana"
)

var (
	errKnown = errors.New("the node already has the transaction") // these very bytes: a success
)

// whole are the errors of a transaction as a whole, in words.
var whole = map[string]string{
	"AccountNotFound":                    "the account that pays the fee has nothing",
	"AlreadyProcessed":                   "the transaction is in a block already",
	"BlockhashNotFound":                  "the blockhash is too old, or the node does not know it yet",
	"InsufficientFundsForFee":            "the account that pays has not enough SOL for the fee",
	"InvalidAccountForFee":               "the account that should pay the fee belongs to a program",
	"MaxLoadedAccountsDataSizeExceeded":  "the accounts are larger than the transaction lets be loaded",
	"InvalidLoadedAccountsDataSizeLimit": "the transaction lets no bytes of accounts be loaded",
	"ProgramAccountNotFound":             "a program that the transaction calls does not exist",
	"SanitizeFailure":                    "the transaction contradicts itself",
	"SignatureFailure":                   "a signature is missing or wrong",
	"UnsupportedVersion":                 "the network does not take transactions of this version",
	"WouldExceedMaxBlockCostLimit":       "the block is full",
	"DuplicateInstruction":               "the transaction sets a limit of its budget twice",
	"InsufficientFundsForRent":           "an account would be left with some SOL and less than the minimum",
}

// custom are the errors that mean something to one program only, by its numbers.
var custom = map[solana.Address]map[uint32]string{
	solana.SystemProgram: {
		0: "the account exists already", 1: "the account that pays has not enough SOL",
		2: "an account cannot be of this owner", 3: "an account cannot be so large",
		5: "the address is not that of its seed", 6: "the durable nonce has not advanced",
		7: "the durable nonce is another one",
	},
	solana.TokenProgram: {
		0: "a token account would be left with less SOL than the minimum", 1: "the token account has not enough tokens",
		2: "the mint is none", 3: "the token account is of another mint", 4: "who signs is not the owner",
		5: "the mint's supply is fixed", 6: "the account is in use",
		11: "the account cannot be closed: it still has tokens",
		13: "the account is in a state in which this cannot be done", 14: "the amount is too large",
		16: "the mint cannot freeze accounts", 17: "the token account is frozen", 18: "the mint has other decimals",
	},
	solana.AssociatedProgram: {0: "the associated account belongs to somebody else than its owner"},
}

// common are the errors of instructions that mean the same in all programs.
var common = map[string]string{
	"ComputationalBudgetExceeded": "it needs more compute units than the transaction allows",
	"IncorrectProgramId":          "an account belongs to another program than is needed",
	"InsufficientFunds":           "an account has not enough SOL",
	"InvalidAccountData":          "an account is not what is needed: there is none, or another kind",
	"InvalidAccountOwner":         "an account belongs to another program than is needed",
	"InvalidSeeds":                "the token account is not the one of this owner and mint",
	"MissingRequiredSignature":    "a signature is missing",
	"UninitializedAccount":        "an account is not there",
	"IllegalOwner":                "the token account belongs to somebody else",
}

// Sentence says why a transaction fails, of the error as nodes write it. The message, where it is known, tells whose
// number an error is.
func Sentence(failure json.RawMessage, m *solana.Message) string {
	name, beside := nameOf(failure)
	if name == "InstructionError" {
		return instruction(beside, m)
	}
	if words, known := whole[name]; known {
		return words
	}
	if name == "" {
		return "the node does not say why"
	}
	return "the network says " + name
}

func instruction(beside json.RawMessage, m *solana.Message) string {
	var pair []json.RawMessage
	var place int
	if json.Unmarshal(beside, &pair) != nil || len(pair) != 2 || json.Unmarshal(pair[0], &place) != nil {
		return "an instruction fails, and the node does not say why"
	}
	where := fmt.Sprintf("instruction %d fails: ", place+1)
	name, value := nameOf(pair[1])
	if name != "Custom" {
		if words, known := common[name]; known {
			return where + words
		}
		return where + "the network says " + name
	}
	var number uint32
	if json.Unmarshal(value, &number) != nil {
		return where + "the program does not say why"
	}
	if m != nil && place >= 0 && place < len(m.Instructions) {
		if c := m.Instructions[place]; int(c.Program) < len(m.Keys) {
			if words, known := custom[m.Keys[c.Program]][number]; known {
				return where + words
			}
		}
	}
	return where + fmt.Sprintf("the program's error %d", number)
}
