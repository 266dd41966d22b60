package calendar

import (
	"time"

	"github.com/railkit/railkit/fiat"
)

// timetable is when a rail takes payouts and delivers them.
type timetable struct {
	within time.Duration // how long a rail that never closes takes

	sends   bankingDays // nil: the rail never closes, and nothing below counts
	cutOff  hour        // in New York: the partner gives all its cut-offs in Eastern Time
	settles bankingDays // of the banks that are paid
	zone    *time.Location
	opens   hour // of a settlement day: no money comes earlier
	instant bool // some banks are paid within minutes on any day

	first, last int // settlement days after the day of sending
}

// timetables are those of all rails.
//
// The partner's pages, read on 2026-11-23: [cut-offs] has ACH, wire and SEPA Instant, its older form [cut-offs before]
// has SEPA Credit Transfers and SPEI, and [pounds] has Faster Payments. That Bridge sends PIX at any hour is on none of
// its pages that were found; PIX itself is open at all hours by the rules of Banco Central do Brasil.
//
//   - ACH: batches leave at 13:00, settle at 8:30 on the next banking day, and "typically land in 1-2 banking days".
//     Nacha has banks credit them by 9:00 of the settlement date ([Nacha]).
//   - Wire: until 16:45, within 2 hours after sending, and then at the speed of the recipient's bank: so until the end
//     of the day.
//   - SEPA: within 5 minutes as SEPA Instant, if the recipient's bank takes part and answers. Else as SEPA Credit
//     Transfer, until 9:00, in 1 to 2 banking days. The page does not say whose banking days; the partner sends here
//     only on those of New York and TARGET both. Banks have one day by law ([Bundesbank]); two are taken.
//   - SPEI: within 30 seconds, at all hours.
//   - Faster Payments: 5 minutes, up to 30 for large amounts. Above 1,000,000 GBP the partner takes Bacs instead, in 3
//     banking days, which is not counted here.
//   - PIX: within 10 seconds.
//
// For more than 500,000 USD the partner may take another hour on every rail, which is not counted.
//
// [cut-offs]: https://apidocs.bridge.xyz/platform/orchestration/more/cutoffs
// [cut-offs before]: https://apidocs.bridge.xyz/docs/cutoffs
// [pounds]: https://apidocs.bridge.xyz/get-started/guides/move-money/gbp_fps_integration_guide
// [Nacha]: https://www.nacha.org/rules/funds-availability-requirements-non-same-day-credit-entries
// [Bundesbank]: https://www.bundesbank.de/en/tasks/payment-systems/sepa/sepa-credit-transfer-626664
var timetables = map[fiat.Rail]timetable{
	fiat.ACH: {
		sends: federalReserve, cutOff: hour{13, 0},
		settles: federalReserve, zone: newYork, opens: hour{8, 30}, first: 1, last: 2,
	},
	fiat.Wire: {
		sends: federalReserve, cutOff: hour{16, 45},
		settles: federalReserve, zone: newYork,
	},
	fiat.SEPA: {
		sends: federalReserveAndTARGET, cutOff: hour{9, 0},
		settles: target, zone: frankfurt, instant: true, first: 1, last: 2,
	},
	fiat.SPEI:           {within: 30 * time.Second},
	fiat.FasterPayments: {within: 30 * time.Minute},
	fiat.PIX:            {within: 10 * time.Second},
}

var (
	newYork   = zone("America/New_York")
	frankfurt = zone("Europe/Berlin")
)

// zone is a time zone of the tables that the program carries.
func zone(name string) *time.Location {
	l, err := time.LoadLocation(name)
	if err != nil {
		panic(err) // the import of time/tzdata is gone
	}
	return l
}

// hour is a time on a clock.
type hour struct{ hour, minute int }

// on is the instant at which a clock in a zone shows the hour on a date.
func (h hour) on(date time.Time, zone *time.Location) time.Time {
	y, m, d := date.Date()
	return time.Date(y, m, d, h.hour, h.minute, 0, 0, zone)
}

func endOfDay(date time.Time, zone *time.Location) time.Time {
	return hour{}.on(date.AddDate(0, 0, 1), zone).Add(-time.Second)
}
