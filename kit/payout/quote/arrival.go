package quote

import (
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/calendar"
)

// atAnyHour says how long a rail takes that pays at any hour. SEPA does if the recipient's bank takes instant payments.
var atAnyHour = map[fiat.Rail]string{
	fiat.SPEI: "minutes", fiat.FasterPayments: "minutes", fiat.PIX: "seconds",
	fiat.SEPA: "minutes by SEPA Instant, else ",
}

// arrival is when the recipient's bank has the money. On a rail that never closes only the text says so.
type arrival struct {
	text                string // such as "minutes" or "by Wed 25 Nov"
	cutOffAt, arrivesBy string // for a payout that the partner is asked for before the first
}

// arrivalOf estimates the arrival of a payout that the partner is asked for at an instant.
func arrivalOf(rail fiat.Rail, at time.Time) arrival {
	cutOff, ok := calendar.CutOff(rail, at)
	if !ok {
		return arrival{text: atAnyHour[rail]}
	}
	_, latest, _ := calendar.Arrival(rail, at)
	return arrival{
		text:     atAnyHour[rail] + "by " + latest.Format("Mon 2 Jan"),
		cutOffAt: clock.ISO(cutOff), arrivesBy: clock.ISO(latest),
	}
}
