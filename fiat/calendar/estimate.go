package calendar

import (
	"time"

	"github.com/railkit/railkit/fiat"
)

// atAnyHour says how long a rail takes that pays at any hour. SEPA does if the recipient's bank takes instant payments.
var atAnyHour = map[fiat.Rail]string{
	fiat.SPEI: "minutes", fiat.FasterPayments: "minutes", fiat.PIX: "seconds",
	fiat.SEPA: "minutes by SEPA Instant, else ",
}

// Estimate says in words, such as "minutes" or "by Wed 25 Nov", when a payment is there that is begun at an instant. If
// it is begun before cutOff, it is there before latest. Both are zero on a rail that never closes.
func Estimate(rail fiat.Rail, at time.Time) (words string, cutOff, latest time.Time) {
	cutOff, ok := CutOff(rail, at)
	if !ok {
		return atAnyHour[rail], time.Time{}, time.Time{}
	}
	_, latest, _ = Arrival(rail, at)
	return atAnyHour[rail] + "by " + latest.Format("Mon 2 Jan"), cutOff, latest
}
