package rpc

import (
	"encoding/json"
	"math/big"

	"github.com/ethereum/go-ethereum/common/hexutil"
)

// quantity and number are JSON-RPC's numbers, read strictly: go-ethereum's own
// types take an empty text for zero, and a balance or a nonce of zero is not
// what a node says with it.
type (
	quantity uint64
	number   struct{ big.Int } // at most 256 bits
)

// UnmarshalJSON reads "0x10".
func (q *quantity) UnmarshalJSON(raw []byte) error {
	text, err := unquote(raw)
	if err != nil {
		return err
	}
	n, err := hexutil.DecodeUint64(text)
	*q = quantity(n)
	return err
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
