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

// The fates of deposits, besides heldFate, delayedFate and returnedFate: the sender's bank takes it back when its
// coins are gone.
const (
	bouncedFate fate = "bounced" // the sender's bank takes it back before it is converted
	strayFate   fate = "stray"   // the coins go to another address
	shortFate   fate = "short"   // a tenth less is sent than is told
	doubleFate  fate = "double"  // the coins are sent twice, and told once
	stuckFate   fate = "stuck"   // they are never sent
	liarFate    fate = "liar"    // the events tell another hash
)

var depositCents = map[int64]fate{
	1: bouncedFate, 2: returnedFate, 3: heldFate, 4: delayedFate, 5: strayFate, 6: shortFate, 7: doubleFate,
	8: stuckFate, 9: liarFate,
}

// depositWords are looked for in the sender's name.
var depositWords = map[string]fate{
	"Bounced": bouncedFate, "Recalled": returnedFate, "Held": heldFate, "Late": delayedFate, "Stray": strayFate,
	"Short": shortFate, "Twice": doubleFate, "Never": stuckFate, "WrongHash": liarFate,
}

// depositFate looks at the sender's name, and then at the cents.
func depositFate(a money.Amount, sender string) fate {
	for _, word := range strings.Fields(sender) {
		if f, magic := depositWords[word]; magic {
			return f
		}
	}
	return depositCents[a.Minor%100]
}

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
