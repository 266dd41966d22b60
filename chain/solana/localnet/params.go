package localnet

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"strings"

	"github.com/railkit/railkit/chain/solana"
)

// call is one question, and the node that is asked.
type call struct {
	node   string
	params []json.RawMessage
}

// options are those of all methods together.
type options struct {
	Commitment          string     `json:"commitment"`
	PreflightCommitment string     `json:"preflightCommitment"`
	Encoding            string     `json:"encoding"`
	MaxVersion          *int       `json:"maxSupportedTransactionVersion"`
	Details             string     `json:"transactionDetails"`
	Rewards             *bool      `json:"rewards"`
	SigVerify           bool       `json:"sigVerify"`
	ReplaceBlockhash    bool       `json:"replaceRecentBlockhash"`
	SkipPreflight       bool       `json:"skipPreflight"`
	SearchHistory       bool       `json:"searchTransactionHistory"`
	Limit               *int       `json:"limit"`
	Before              string     `json:"before"`
	Until               string     `json:"until"`
	MinContextSlot      int64      `json:"minContextSlot"`
	Slice               *dataSlice `json:"dataSlice"`
	Mint                string     `json:"mint"`
	ProgramID           string     `json:"programId"`
	Accounts            *struct {
		Encoding  string   `json:"encoding"`
		Addresses []string `json:"addresses"`
	} `json:"accounts"`
}

type dataSlice struct {
	Offset int `json:"offset"`
	Length int `json:"length"`
}

// need reads the parameter at a place.
func (q call) need(place int, to any) error {
	if place >= len(q.params) {
		return refuse(codeParams, "`params` should have at least %d argument(s)", place+1)
	}
	if err := json.Unmarshal(q.params[place], to); err != nil {
		return refuse(codeParams, "Invalid params: %s", err)
	}
	return nil
}

// options reads those at a place. Some methods took a word there, in older versions: an encoding.
func (q call) options(place int) (o options, err error) {
	if place >= len(q.params) || bytes.Equal(q.params[place], null) {
		return o, nil
	}
	if json.Unmarshal(q.params[place], &o.Encoding) == nil {
		return o, nil
	}
	o = options{}
	if err := json.Unmarshal(q.params[place], &o); err != nil {
		return o, refuse(codeParams, "Invalid params: %s", err)
	}
	return o, nil
}

func (q call) address(place int) (solana.Address, error) {
	var text string
	if err := q.need(place, &text); err != nil {
		return solana.Address{}, err
	}
	return address(text)
}

// addressed reads an address and the options behind it.
func (q call) addressed() (at solana.Address, o options, err error) {
	if at, err = q.address(0); err != nil {
		return at, o, err
	}
	o, err = q.options(1)
	return at, o, err
}

// listed reads a list of at most so many texts, and the options behind it.
func (q call) listed(most int) (texts []string, o options, err error) {
	if err = q.need(0, &texts); err != nil {
		return nil, o, err
	}
	if o, err = q.options(1); err == nil && len(texts) > most {
		err = refuse(codeParams, "Too many inputs provided; max %d", most)
	}
	return texts, o, err
}

func address(text string) (solana.Address, error) {
	a, err := solana.ParseAddress(text)
	if err != nil {
		return a, refuse(codeParams, "Invalid param: %s", err)
	}
	return a, nil
}

// signature and options are what the methods about a transaction take.
func (q call) signature(place int) (s solana.Signature, err error) {
	var text string
	if err := q.need(place, &text); err != nil {
		return s, err
	}
	if s, err = solana.ParseSignature(text); err != nil {
		return s, refuse(codeParams, "Invalid param: Invalid")
	}
	return s, nil
}

// transaction reads one in base64, or in base58 where no encoding is said.
func (q call) transaction(o options) (waiting, error) {
	var text string
	if err := q.need(0, &text); err != nil {
		return waiting{}, err
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if o.Encoding != "base64" {
		raw, err = fromBase58(text)
	}
	if err != nil {
		return waiting{}, refuse(codeParams, "invalid %s encoding", o.Encoding)
	}
	w, err := decode(raw)
	if err != nil {
		return waiting{}, refuse(codeParams, "failed to deserialize solana_transaction: %s", err)
	}
	return w, nil
}

const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// fromBase58 reads bytes of any length.
func fromBase58(text string) ([]byte, error) {
	if len(text) > 1700 { // more than any transaction that nodes take in this encoding
		return nil, errBytes
	}
	n := new(big.Int)
	for _, c := range text {
		digit := strings.IndexRune(base58, c)
		if digit < 0 {
			return nil, errBytes
		}
		n.Mul(n, big.NewInt(58)).Add(n, big.NewInt(int64(digit)))
	}
	zeros := len(text) - len(strings.TrimLeft(text, "1"))
	return append(make([]byte, zeros), n.Bytes()...), nil
}
