package node

import (
	"fmt"
	"math/big"
	"strings"
)

// maxWhole is how many digits an amount may have before the point: a trillion
// units, more than any sandbox needs and far from what overflows.
const maxWhole = 12

var errBadAmount = paramError("amount must be positive decimal text, of an asset's precision at most")

// parseAmount reads decimal text in units of an asset ("25.5") exactly.
func parseAmount(text string, decimals int) (*big.Int, error) {
	whole, part, pointed := strings.Cut(text, ".")
	if len(whole) < 1 || len(whole) > maxWhole || len(part) > decimals || pointed && part == "" {
		return nil, errBadAmount
	}
	digits := whole + part + strings.Repeat("0", decimals-len(part))
	if strings.Trim(digits, "0123456789") != "" {
		return nil, errBadAmount
	}
	units, ok := new(big.Int).SetString(digits, 10)
	if !ok || units.Sign() == 0 {
		return nil, errBadAmount
	}
	return units, nil
}

// paramError is the caller's mistake, in JSON-RPC's code for it.
type paramError string

func (e paramError) Error() string { return string(e) }

// ErrorCode is JSON-RPC's "invalid params".
func (paramError) ErrorCode() int { return -32602 }

var errCount = paramError(fmt.Sprintf("the number of blocks must be between 1 and %d", maxMine))
