package railkit

import (
	"fmt"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/rest"
)

// SmallestUnits is an amount of a token in its smallest unit, such as millionths of a USDC: see package rest. Amounts
// in whole tokens are strings.
type SmallestUnits = rest.SmallestUnits

// usdcDecimals are those of USDC on every network.
const usdcDecimals = 6

// USDC is an amount of whole USDC, such as "0.01", in its smallest unit.
func USDC(whole string) (SmallestUnits, error) {
	n, err := chain.ParseUnits(whole, usdcDecimals)
	if err != nil {
		return "", fmt.Errorf("railkit: an amount of USDC must be a text such as \"0.01\", with at most 6 decimals: %w", err)
	}
	return SmallestUnits(n.String()), nil
}
