package policy

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
)

func contracts(all []wire.AllowedContract, networks []chain.Network) error {
	const field = "rules.allowedContracts"
	if err := size(field, all == nil, len(all)); err != nil {
		return err
	}
	for i, c := range all {
		at := fmt.Sprintf("%s[%d]", field, i)
		if why := slug(networks, c.Chain); why != "" {
			return fmt.Errorf("%s.chain %s", at, why)
		}
		if why := address(c.Address); why != "" {
			return fmt.Errorf("%s.address %s", at, why)
		}
		if err := required(at+".selectors", c.Selectors, selector); err != nil {
			return err
		}
		if slices.ContainsFunc(all[:i], func(b wire.AllowedContract) bool { return b.Chain == c.Chain && b.Address == c.Address }) {
			return fmt.Errorf("%s is there twice", at)
		}
	}
	return nil
}

func delegation(d *wire.Delegation, now time.Time) error {
	if d == nil {
		return nil
	}
	const field = "rules.delegation."
	if _, err := wire.ParseP256(d.PublicKey); d.PublicKey != "" && (err != nil || strings.ToLower(d.PublicKey) != d.PublicKey) {
		return errors.New(field + "publicKey is not a compressed P-256 key in lower-case hex")
	}
	expires, err := strconv.ParseInt(d.ExpiresAtMs, 10, 64)
	if err != nil || strconv.FormatInt(expires, 10) != d.ExpiresAtMs || expires > 1<<53 {
		return errors.New(field + "expiresAtMs is not decimal milliseconds")
	}
	if left := time.UnixMilli(expires).Sub(now); left <= 0 || left > maxDelegation {
		return errors.New(field + "expiresAtMs is not within 90 days from now")
	}
	return first(
		usd(field+"maxValueUsd", d.MaxValueUSD), usd(field+"dailyUsd", d.DailyUSD),
		required(field+"allowedDestinations", d.AllowedDestinations, address),
	)
}
