package calendar

import (
	"os"
	"strings"
	"testing"
	"time"
)

// For the tests of the package from outside.
var (
	FederalReserve = federalReserve
	TARGET         = target
)

// Date is the date that an instant shows in its own zone.
func Date(at time.Time) time.Time { return dateOf(at, at.Location()) }

// The rule gives exactly the days that the Federal Reserve has published.
func TestFederalReserve_PublishedDays(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/federal_reserve.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var published []string
	for line := range strings.Lines(string(raw)) {
		if !strings.HasPrefix(line, "#") {
			published = append(published, strings.TrimSpace(line))
		}
	}
	wantClosed(t, federalReserve, 2025, 2030, published)
}

// Easter is as the calendars of the churches have it.
func TestTARGET_Days(t *testing.T) {
	t.Parallel()
	wantClosed(t, target, 2025, 2028, []string{
		"2025-01-01", "2025-04-18", "2025-04-21", "2025-05-01", "2025-12-25", "2025-12-26",
		"2026-01-01", "2026-04-03", "2026-04-06", "2026-05-01", "2026-12-25",
		"2027-01-01", "2027-03-26", "2027-03-29",
		"2028-04-14", "2028-04-17", "2028-05-01", "2028-12-25", "2028-12-26",
	})
}

func TestEaster(t *testing.T) {
	t.Parallel()
	for _, want := range []string{
		"1818-03-22", "1943-04-25", "2000-04-23", "2008-03-23", "2024-03-31", "2025-04-20", "2026-04-05", "2027-03-28",
		"2028-04-16", "2029-04-01", "2030-04-21", "2038-04-25", "2049-04-18", "2076-04-19",
	} {
		day, err := time.Parse(time.DateOnly, want)
		if err != nil {
			t.Fatal(err)
		}
		if got := easter(day.Year()); !got.Equal(day) {
			t.Errorf("Easter is %s, want %s", got.Format(time.DateOnly), want)
		}
	}
}

// wantClosed checks the weekdays on which banks are closed.
func wantClosed(t *testing.T, open bankingDays, from, to int, want []string) {
	t.Helper()
	var got []string
	for d := date(from, time.January, 1); d.Year() <= to; d = d.AddDate(0, 0, 1) {
		switch {
		case !weekend(d) && !open(d):
			got = append(got, d.Format(time.DateOnly))
		case weekend(d) && open(d):
			t.Errorf("banks work on %s, %s", d.Weekday(), d.Format(time.DateOnly))
		}
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("closed on\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
