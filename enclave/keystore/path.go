package keystore

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	hardened = 1 << 31
	maxDepth = 10
)

// ParsePath reads a derivation path such as m/44'/60'/0'/0/0, in this form only:
// one spelling per path, so that two accounts never are one key. On ed25519 every
// step must be hardened, as SLIP-10 has no other.
func ParsePath(curve, path string) ([]uint32, error) {
	if curve != Secp256k1 && curve != Ed25519 {
		return nil, ErrCurve
	}
	rest, ok := strings.CutPrefix(path, "m/")
	if !ok {
		return nil, fmt.Errorf("%w: it must begin with m/", ErrPath)
	}
	parts := strings.SplitN(rest, "/", maxDepth+1)
	if len(parts) > maxDepth {
		return nil, fmt.Errorf("%w: it has more than %d steps", ErrPath, maxDepth)
	}
	steps := make([]uint32, len(parts))
	for i, part := range parts {
		step, err := parseStep(part)
		if err != nil {
			return nil, err
		}
		if curve == Ed25519 && step < hardened {
			return nil, fmt.Errorf("%w: on ed25519 every step must be hardened", ErrPath)
		}
		steps[i] = step
	}
	return steps, nil
}

// parseStep reads 0 to 2147483647 without leading zeros, and ' for hardened.
func parseStep(part string) (uint32, error) {
	digits, isHardened := strings.CutSuffix(part, "'")
	n, err := strconv.ParseUint(digits, 10, 31)
	if err != nil || strconv.FormatUint(n, 10) != digits {
		return 0, fmt.Errorf(
			"%w: each step is a number below 2147483648, without leading zeros, and ' where hardened", ErrPath,
		)
	}
	if isHardened {
		return uint32(n) + hardened, nil
	}
	return uint32(n), nil
}
