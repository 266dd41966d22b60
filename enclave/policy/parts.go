package policy

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
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
		network, _ := chain.WithSlug(networks, c.Chain)
		if why := address(c.Address); why != "" {
			return fmt.Errorf("%s.address %s", at, why)
		}
		if _, f, _ := families.ParseAddress(c.Address); f.Kind() != network.Kind {
			return fmt.Errorf("%s.address is not one of %s", at, network.Name)
		}
		if err := required(at+".selectors", c.Selectors, selector(network)); err != nil {
			return err
		}
		if slices.ContainsFunc(all[:i], func(b wire.AllowedContract) bool {
			return b.Chain == c.Chain && b.Address == c.Address
		}) {
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
	if err := authority(d); err != nil {
		return err
	}
	if n, err := strconv.ParseInt(d.MaxValiditySeconds, 10, 64); d.MaxValiditySeconds != "" &&
		(err != nil || strconv.FormatInt(n, 10) != d.MaxValiditySeconds || n < 1 ||
			n > int64(wire.MaxValidity.Seconds())) {
		return errors.New(field + "maxValiditySeconds is not a whole number of seconds from 1 to 86400")
	}
	expires, err := strconv.ParseInt(d.ExpiresAtMs, 10, 64)
	if err != nil || strconv.FormatInt(expires, 10) != d.ExpiresAtMs || expires > 1<<53 {
		return errors.New(field + "expiresAtMs is not decimal milliseconds")
	}
	if left := time.UnixMilli(expires).Sub(now); left <= 0 || left > maxDelegation {
		return errors.New(field + "expiresAtMs is not within 90 days from now")
	}
	destinations := required
	if d.SettlementsOnly && (d.PayeesOnly || d.AllowedDestinations != nil) {
		return errors.New(field + "settlementsOnly cannot stand beside allowedDestinations or payeesOnly: " +
			"the money goes to whom its owner signed it")
	}
	if d.PayeesOnly || d.SettlementsOnly {
		destinations = list // the book is the list, and may be narrowed by one
	}
	return first(
		usd(field+"maxValueUsd", d.MaxValueUSD), usd(field+"dailyUsd", d.DailyUSD),
		destinations(field+"allowedDestinations", d.AllowedDestinations, address),
		payees(field, d.PayeesOnly, d.PayeeCoolingHours),
	)
}

// authority is on whose requests a delegation signs: a key's, or any. An empty key
// is none: it would make the broadest delegation there is out of a missing value.
func authority(d *wire.Delegation) error {
	const field = "rules.delegation."
	if d.PublicKey == nil && !d.AnyRequest {
		return errors.New(field +
			"publicKey is missing; say anyRequest where any request of the server may use the delegation")
	}
	if d.PublicKey == nil {
		return nil
	}
	if d.AnyRequest {
		return errors.New(field + "anyRequest cannot stand beside publicKey")
	}
	if _, err := wire.ParseP256(*d.PublicKey); err != nil || strings.ToLower(*d.PublicKey) != *d.PublicKey {
		return errors.New(field + "publicKey is not a compressed P-256 key in lower-case hex")
	}
	return nil
}
