package decide

import (
	"errors"

	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/stamp"
	"github.com/railkit/railkit/fault"
)

// What the journal of another program might hold.
var (
	errNoOrganization = errors.New("about an unknown organization")

	errNoAgent   = errors.New("about an unknown agent")
	errNoPrice   = errors.New("a price that is none")
	errNoDataFee = errors.New("a data fee that is none")

	errNoAmendment = errors.New("an amendment that does not add to what is sealed")
)

// StampRefused is refusal.ErrStamp with the reason for which a stamp or a passkey was refused.
func StampRefused(err error) *fault.Error {
	return refusal.ErrStamp.With("reason", stamp.Reason(err)).Because(err)
}

// NotRegistered is StampRefused of a registration: its message has the reason, too.
func NotRegistered(err error) *fault.Error {
	f := StampRefused(err)
	f.Message += ": " + stamp.Reason(err)
	return f
}

// ErrStranger refuses a passkey or a key that the sub-organization does not have, whether anybody else has it or not.
var ErrStranger = refusal.ErrStamp.With("reason", "the sub-organization has no such passkey or key")
