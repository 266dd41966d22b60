package sandbox

import (
	"slices"
	"strings"

	"github.com/railkit/railkit/money"
)

// fate is what becomes of a payment because of its amount or its receiver's name.
type fate string

const (
	failedFate   fate = "failed"   // the rail refuses it
	returnedFate fate = "returned" // it arrives and comes back
	heldFate     fate = "held"     // it waits in review
	delayedFate  fate = "delayed"  // it takes a minute longer
)

var magicCents = map[int64]fate{1: failedFate, 2: returnedFate, 3: heldFate, 4: delayedFate}

// fateOf looks at the cents of a gross amount; what has parts of cents is not magic.
func fateOf(gross money.Amount) fate {
	cent := int64(1)
	for range gross.Currency.Places() - 2 {
		cent *= 10
	}
	if gross.Minor%cent != 0 {
		return ""
	}
	return magicCents[gross.Minor/cent%100]
}

// hasWord looks for a word of its own in the owner's name.
func (a account) hasWord(word string) bool { return slices.Contains(strings.Fields(a.OwnerName), word) }

func (a account) fate() fate {
	switch {
	case a.hasWord("AsyncFailed"):
		return failedFate
	case a.hasWord("Returned"):
		return returnedFate
	}
	return ""
}
