package rpc

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"

	"github.com/ethereum/go-ethereum/common/hexutil"
)

var errOutOfRange = errors.New("a number out of range")

// quantity and number are JSON-RPC's numbers, read strictly: go-ethereum's own
// types take an empty text for zero, and a balance or a nonce of zero is not
// what a node says with it.
type (
	quantity uint64            // at most 63 bits: what is counted with it is subtracted too
	number   struct{ big.Int } // at most 256 bits
)

// UnmarshalJSON reads "0x10".
func (q *quantity) UnmarshalJSON(raw []byte) error {
	text, err := unquote(raw)
	if err != nil {
		return err
	}
	n, err := hexutil.DecodeUint64(text)
	if err != nil {
		return err
	}
	if n > math.MaxInt64 {
		return errOutOfRange
	}
	*q = quantity(n)
	return nil
}

// UnmarshalJSON reads "0x10".
func (n *number) UnmarshalJSON(raw []byte) error {
	text, err := unquote(raw)
	if err != nil {
		return err
	}
	read, err := hexutil.DecodeBig(text)
	if err != nil {
		return err
	}
	n.Set(read)
	return nil
}

func unquote(raw []byte) (text string, err error) {
	err = json.Unmarshal(raw, &text)
	return text, err
}
