package quote

import (
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/calendar"
)

// arrival is when the recipient's bank has the money. On a rail that never closes only the text says so.
type arrival struct {
	text                string // such as "minutes" or "by Wed 25 Nov"
	cutOffAt, arrivesBy string // for a payout that the partner is asked for before the first
}

// arrivalOf estimates the arrival of a payout that the partner is asked for at an instant.
func arrivalOf(rail fiat.Rail, at time.Time) arrival {
	words, cutOff, latest := calendar.Estimate(rail, at)
	a := arrival{text: words}
	if !cutOff.IsZero() {
		a.cutOffAt, a.arrivesBy = clock.ISO(cutOff), clock.ISO(latest)
	}
	return a
}
