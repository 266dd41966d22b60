package calendar_test

import (
	"go/build"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/calendar"
)

// Each row is a payout and, by the clocks of New York and Frankfurt, when it is there.
var arrivals = []struct {
	name             string
	rail             fiat.Rail
	sentAt           string // UTC
	earliest, latest string // UTC
	cutOff           string // UTC; "" for none
}{
	{"ACH in the morning", fiat.ACH,
		"2026-11-16T15:00:00Z", "2026-11-17T13:30:00Z", "2026-11-19T04:59:59Z", "2026-11-16T18:00:00Z"},
	{"ACH a second before the cut-off", fiat.ACH,
		"2026-11-16T17:59:59Z", "2026-11-17T13:30:00Z", "2026-11-19T04:59:59Z", "2026-11-16T18:00:00Z"},
	{"ACH at the cut-off", fiat.ACH,
		"2026-11-16T18:00:00Z", "2026-11-18T13:30:00Z", "2026-11-20T04:59:59Z", "2026-11-17T18:00:00Z"},
	{"ACH on a Saturday", fiat.ACH,
		"2026-11-14T15:00:00Z", "2026-11-17T13:30:00Z", "2026-11-19T04:59:59Z", "2026-11-16T18:00:00Z"},
	{"ACH on Friday evening in New York, Saturday in UTC", fiat.ACH,
		"2026-11-14T01:00:00Z", "2026-11-17T13:30:00Z", "2026-11-19T04:59:59Z", "2026-11-16T18:00:00Z"},
	{"ACH over Thanksgiving", fiat.ACH,
		"2026-11-25T15:00:00Z", "2026-11-27T13:30:00Z", "2026-12-01T04:59:59Z", "2026-11-25T18:00:00Z"},
	{"ACH on Thanksgiving", fiat.ACH,
		"2026-11-26T15:00:00Z", "2026-11-30T13:30:00Z", "2026-12-02T04:59:59Z", "2026-11-27T18:00:00Z"},
	{"ACH over the end of a year", fiat.ACH,
		"2026-12-31T19:00:00Z", "2027-01-05T13:30:00Z", "2027-01-07T04:59:59Z", "2027-01-04T18:00:00Z"},
	{"ACH before 4 July on a Saturday, which does not move", fiat.ACH,
		"2026-07-03T12:00:00Z", "2026-07-06T12:30:00Z", "2026-07-08T03:59:59Z", "2026-07-03T17:00:00Z"},
	{"ACH before 4 July on a Sunday, which moves to Monday", fiat.ACH,
		"2027-07-02T12:00:00Z", "2027-07-06T12:30:00Z", "2027-07-08T03:59:59Z", "2027-07-02T17:00:00Z"},
	{"ACH from standard to summer time", fiat.ACH,
		"2026-03-06T18:00:00Z", "2026-03-10T12:30:00Z", "2026-03-12T03:59:59Z", "2026-03-09T17:00:00Z"},
	{"ACH from summer to standard time", fiat.ACH,
		"2026-10-30T17:00:00Z", "2026-11-03T13:30:00Z", "2026-11-05T04:59:59Z", "2026-11-02T18:00:00Z"},
	{"wire before the cut-off", fiat.Wire,
		"2026-11-16T21:44:59Z", "2026-11-16T21:44:59Z", "2026-11-17T04:59:59Z", "2026-11-16T21:45:00Z"},
	{"wire at the cut-off", fiat.Wire,
		"2026-11-16T21:45:00Z", "2026-11-17T05:00:00Z", "2026-11-18T04:59:59Z", "2026-11-17T21:45:00Z"},
	{"wire on New Year's Day", fiat.Wire,
		"2027-01-01T15:00:00Z", "2027-01-04T05:00:00Z", "2027-01-05T04:59:59Z", "2027-01-04T21:45:00Z"},
	{"wire on the Sunday on which clocks change", fiat.Wire,
		"2026-03-08T12:00:00Z", "2026-03-09T04:00:00Z", "2026-03-10T03:59:59Z", "2026-03-09T20:45:00Z"},
	{"SEPA before the cut-off", fiat.SEPA,
		"2026-11-16T13:59:59Z", "2026-11-16T13:59:59Z", "2026-11-18T22:59:59Z", "2026-11-16T14:00:00Z"},
	{"SEPA over Easter, sent on Thursday", fiat.SEPA,
		"2026-04-02T10:00:00Z", "2026-04-02T10:00:00Z", "2026-04-08T21:59:59Z", "2026-04-02T13:00:00Z"},
	{"SEPA on Good Friday, when banks in New York work", fiat.SEPA,
		"2026-04-03T10:00:00Z", "2026-04-03T10:00:00Z", "2026-04-09T21:59:59Z", "2026-04-07T13:00:00Z"},
	{"SEPA on 1 May", fiat.SEPA,
		"2026-05-01T10:00:00Z", "2026-05-01T10:00:00Z", "2026-05-06T21:59:59Z", "2026-05-04T13:00:00Z"},
	{"SEPA on Thanksgiving, when only Europe's banks work", fiat.SEPA,
		"2026-11-26T10:00:00Z", "2026-11-26T10:00:00Z", "2026-12-01T22:59:59Z", "2026-11-27T14:00:00Z"},
	{"SEPA over Christmas", fiat.SEPA,
		"2025-12-24T15:00:00Z", "2025-12-24T15:00:00Z", "2025-12-31T22:59:59Z", "2025-12-29T14:00:00Z"},
	{"SEPA while only New York has summer time", fiat.SEPA,
		"2026-03-26T13:00:00Z", "2026-03-26T13:00:00Z", "2026-03-31T21:59:59Z", "2026-03-27T13:00:00Z"},
	{"SPEI at Christmas", fiat.SPEI, "2026-12-25T05:00:00Z", "2026-12-25T05:00:00Z", "2026-12-25T05:00:30Z", ""},
	{"PIX on a Sunday", fiat.PIX, "2026-11-15T05:00:00Z", "2026-11-15T05:00:00Z", "2026-11-15T05:00:10Z", ""},
	{"Faster Payments at New Year", fiat.FasterPayments,
		"2026-12-31T23:59:59Z", "2026-12-31T23:59:59Z", "2027-01-01T00:29:59Z", ""},
}

func TestArrival(t *testing.T) {
	t.Parallel()
	for _, c := range arrivals {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			sentAt, err := time.Parse(time.RFC3339, c.sentAt)
			if err != nil {
				t.Fatal(err)
			}
			earliest, latest, ok := calendar.Arrival(c.rail, sentAt)
			if utc(earliest) != c.earliest || utc(latest) != c.latest || !ok {
				t.Errorf("%s to %s, %v; want %s to %s", utc(earliest), utc(latest), ok, c.earliest, c.latest)
			}
			next, ok := calendar.CutOff(c.rail, sentAt)
			if ok != (c.cutOff != "") || ok && utc(next) != c.cutOff {
				t.Errorf("cut-off %s, %v; want %s", utc(next), ok, c.cutOff)
			}
		})
	}
}

func utc(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func TestUnknownRail(t *testing.T) {
	t.Parallel()
	if earliest, latest, ok := calendar.Arrival("pigeon", time.Now()); ok {
		t.Errorf("a pigeon is there from %s to %s", earliest, latest)
	}
	if at, ok := calendar.CutOff("pigeon", time.Now()); ok {
		t.Errorf("a pigeon's cut-off is %s", at)
	}
}

var rails = []fiat.Rail{fiat.ACH, fiat.Wire, fiat.SEPA, fiat.SPEI, fiat.FasterPayments, fiat.PIX}

// Whenever it is sent, a payout arrives after that, in order, on a day on which banks work.
func TestArrival_Properties(t *testing.T) {
	t.Parallel()
	from := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	rapid.Check(t, func(t *rapid.T) {
		rail := rapid.SampledFrom(rails).Draw(t, "rail")
		sentAt := time.Unix(from+rapid.Int64Range(0, 30*366*86400).Draw(t, "second"), 0)
		later := sentAt.Add(time.Duration(rapid.Int64Range(0, 7*86400).Draw(t, "wait")) * time.Second)
		earliest, latest, ok := calendar.Arrival(rail, sentAt)
		if !ok || earliest.Before(sentAt) || latest.Before(earliest) {
			t.Fatalf("sent %s: %s to %s, %v", sentAt, earliest, latest, ok)
		}
		if e, l, _ := calendar.Arrival(rail, later); e.Before(earliest) || l.Before(latest) {
			t.Fatalf("sent %s: %s to %s; but sent %s: %s to %s", sentAt, earliest, latest, later, e, l)
		}
		checkCutOff(t, rail, sentAt, latest)
		checkBankingDays(t, rail, sentAt, earliest, latest)
	})
}

// Until the cut-off a payout is there by the same instant, and at the cut-off by a later one.
func checkCutOff(t *rapid.T, rail fiat.Rail, sentAt, latest time.Time) {
	next, ok := calendar.CutOff(rail, sentAt)
	if !ok {
		return
	}
	if !next.After(sentAt) {
		t.Fatalf("sent %s: the next cut-off is %s", sentAt, next)
	}
	if _, just, _ := calendar.Arrival(rail, next.Add(-time.Nanosecond)); !just.Equal(latest) {
		t.Fatalf("sent %s: there by %s; but by %s just before the cut-off", sentAt, latest, just)
	}
	if _, late, _ := calendar.Arrival(rail, next); !late.After(latest) {
		t.Fatalf("sent %s: there by %s; and by %s at the cut-off", sentAt, latest, late)
	}
}

func checkBankingDays(t *rapid.T, rail fiat.Rail, sentAt, earliest, latest time.Time) {
	if _, batches := calendar.CutOff(rail, sentAt); !batches {
		return
	}
	open := calendar.FederalReserve
	if rail == fiat.SEPA {
		open = calendar.TARGET
	} else if e := earliest.In(latest.Location()); !open(calendar.Date(e)) {
		t.Fatalf("sent %s: there from %s, when banks are closed", sentAt, e)
	}
	if !open(calendar.Date(latest)) || latest.Format(time.TimeOnly) != "23:59:59" {
		t.Fatalf("sent %s: there by %s", sentAt, latest)
	}
}

// The program needs no tables of time zones on its machine.
func TestZonesAreInTheProgram(t *testing.T) {
	t.Parallel()
	p, err := build.ImportDir(".", 0)
	if err != nil || !slices.Contains(p.Imports, "time/tzdata") {
		t.Errorf("%v: no time/tzdata in %s", err, p.Imports)
	}
}
