package policy

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
)

// Bounds of the cooling of new payees. The signer's clock is exact to five minutes, so that less than an hour would
// promise too much.
const (
	leastCooling = 1
	mostCooling  = 720
)

// payees judges by the book who gets something, may take it, or is called in a way that nobody here understands.
func (k check) payees(e chain.Effect) *wire.Denial {
	if !k.PayeesOnly || k.x.revoked(e) {
		return nil
	}
	if contract := k.x.Called(e); contract != "" {
		if d := k.payee("contract", contract); d != nil || e.Kind == chain.UnknownCall {
			return d
		}
	}
	return k.payee(gets(e))
}

func (k check) payee(field, who string) *wire.Denial {
	p, known := k.x.inBook(who)
	switch {
	case !known:
		return &wire.Denial{Rule: PayeesOnly, Field: field, Observed: who, Limit: "the book of payees"}
	case p.For < cooling(k.PayeeCoolingHours):
		return &wire.Denial{
			Rule: PayeeCoolingHours, Field: field, Observed: who,
			Limit: k.PayeeCoolingHours + " hours after it was added to the book of payees",
		}
	}
	return nil
}

// inBook is what the book says of an address.
func (x Signing) inBook(address string) (InBook, bool) {
	if x.Payees == nil {
		return InBook{}, false
	}
	return x.Payees(address)
}

// pays reports whether an address has been a payee for so many hours.
func (x Signing) pays(address, hours string) bool {
	p, known := x.inBook(address)
	return known && p.For >= cooling(hours)
}

// cooling reads hours; "" is none.
func cooling(hours string) time.Duration {
	n, _ := strconv.Atoi(hours) // Validate refused everything else
	return time.Duration(n) * time.Hour
}

// payees checks the two fields of a policy or delegation.
func payees(at string, only bool, hours string) error {
	if hours == "" {
		return nil
	}
	if !only {
		return errors.New(at + "payeeCoolingHours stands only beside payeesOnly")
	}
	n, err := strconv.Atoi(hours)
	if err != nil || strconv.Itoa(n) != hours || n < leastCooling || n > mostCooling {
		return fmt.Errorf("%spayeeCoolingHours is not a whole number from %d to %d", at, leastCooling, mostCooling)
	}
	return nil
}
