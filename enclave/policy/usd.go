package policy

import (
	"errors"
	"math"
	"math/big"

	"github.com/railkit/railkit/chain"
)

const (
	usdPlaces = 6
	maxUSD    = 1_000_000_000_000_000_000 // millionths: a million millions of USD
)

// unlimited is more than every limit that ParseUSD reads.
const unlimited = math.MaxInt64

var errUSD = errors.New("is not a plain decimal of USD with at most 6 places")

// ParseUSD reads a plain decimal of USD into millionths.
func ParseUSD(text string) (int64, error) {
	n, err := chain.ParseUnits(text, usdPlaces)
	if err != nil || n.Cmp(big.NewInt(maxUSD)) > 0 {
		return 0, errUSD
	}
	return n.Int64(), nil
}

// FormatUSD writes millionths as ParseUSD reads them.
func FormatUSD(micro int64) string {
	if micro == unlimited {
		return "unlimited"
	}
	return chain.FormatUnits(big.NewInt(micro), usdPlaces)
}

// Cost is what a signing may cost at most, in millionths of a USD, rounded up.
type Cost struct {
	Micro    int64  // math.MaxInt64 is all that there is
	Unknown  string // why it cannot be told; then Micro counts what can
	Slippage Slippage
}

// Over reports whether the cost is more than an amount, as far as anybody can tell.
func (c Cost) Over(usd string) bool {
	limit, err := ParseUSD(usd)
	return err != nil || c.Unknown != "" || c.Micro > limit
}

// String is the cost in USD, empty where it cannot be told or has no end.
func (c Cost) String() string {
	if c.Unknown != "" || c.Micro == unlimited {
		return ""
	}
	return FormatUSD(c.Micro)
}

// Add is the sum, or the highest number there is.
func Add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
