package calendar

import "time"

// bankingDays tells whether banks work on a date. A date is its midnight in UTC.
type bankingDays func(date time.Time) bool

// after is the n-th banking day after a date; the date itself for 0.
func (open bankingDays) after(date time.Time, n int) time.Time {
	for ; n > 0; n-- {
		date = date.AddDate(0, 0, 1)
		for !open(date) {
			date = date.AddDate(0, 0, 1)
		}
	}
	return date
}

// dateOf is the date that a calendar in a zone shows at an instant.
func dateOf(at time.Time, zone *time.Location) time.Time {
	y, m, d := at.In(zone).Date()
	return date(y, m, d)
}

func date(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }

func weekend(date time.Time) bool {
	return date.Weekday() == time.Saturday || date.Weekday() == time.Sunday
}

// federalReserve tells whether the Federal Reserve Banks, and so ACH and Fedwire, work on a date. A holiday on a Sunday
// is kept on the Monday after it; one on a Saturday is not moved, and the Friday before it is a banking day:
// https://www.federalreserve.gov/aboutthefed/k8.htm, whose lists are in testdata.
func federalReserve(date time.Time) bool {
	if weekend(date) {
		return false
	}
	if date.Weekday() == time.Monday && federalHoliday(date.AddDate(0, 0, -1)) {
		return false
	}
	return !federalHoliday(date)
}

// federalHoliday tells whether a date is a holiday itself, on whatever weekday.
func federalHoliday(date time.Time) bool {
	_, m, d := date.Date()
	nth := (d-1)/7 + 1 // 3 on the third Monday, Tuesday ... of a month
	switch date.Weekday() {
	case time.Monday:
		switch {
		case nth == 3 && (m == time.January || m == time.February), // Martin Luther King Jr., Washington
			m == time.May && d > 24,         // the last one: Memorial Day
			nth == 1 && m == time.September, // Labor Day
			nth == 2 && m == time.October:   // Columbus Day
			return true
		}
	case time.Thursday:
		if nth == 4 && m == time.November { // Thanksgiving Day
			return true
		}
	}
	return isOneOf(m, d, [][2]int{{1, 1}, {6, 19}, {7, 4}, {11, 11}, {12, 25}})
}

// target tells whether TARGET, by which banks settle euros, works on a date. No holiday is moved:
// https://www.ecb.europa.eu/press/pr/date/2000/html/pr001214_4.en.html, the rule from 2002 until further notice.
func target(date time.Time) bool {
	y, m, d := date.Date()
	sunday := easter(y)
	switch {
	case weekend(date), date.Equal(sunday.AddDate(0, 0, -2)), date.Equal(sunday.AddDate(0, 0, 1)):
		return false
	}
	return !isOneOf(m, d, [][2]int{{1, 1}, {5, 1}, {12, 25}, {12, 26}})
}

func federalReserveAndTARGET(date time.Time) bool { return federalReserve(date) && target(date) }

func isOneOf(m time.Month, d int, fixed [][2]int) bool {
	for _, f := range fixed {
		if int(m) == f[0] && d == f[1] {
			return true
		}
	}
	return false
}

// easter is Easter Sunday of a year in the Gregorian calendar, by the rule of Meeus, Jones and Butcher.
func easter(year int) time.Time {
	moon, century, rest := year%19, year/100, year%100
	epact := (19*moon + century - century/4 - (century-(century+8)/25+1)/3 + 15) % 30
	weekday := (32 + 2*(century%4) + 2*(rest/4) - epact - rest%4) % 7
	late := (moon + 11*epact + 22*weekday) / 451
	days := epact + weekday - 7*late + 114
	return date(year, time.Month(days/31), days%31+1)
}
