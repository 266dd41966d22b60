package quote

import (
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
)

func TestArrivalOf(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 23, 16, 30, 0, 0, time.UTC) // 11:30 in New York, three days before Thanksgiving
	for rail, want := range map[fiat.Rail]arrival{
		fiat.ACH:  {"by Wed 25 Nov", "2026-11-23T18:00:00.000Z", "2026-11-26T04:59:59.000Z"},
		fiat.Wire: {"by Mon 23 Nov", "2026-11-23T21:45:00.000Z", "2026-11-24T04:59:59.000Z"},
		fiat.SEPA: {
			"minutes by SEPA Instant, else by Thu 26 Nov", "2026-11-24T14:00:00.000Z", "2026-11-26T22:59:59.000Z",
		},
		fiat.SPEI:           {text: "minutes"},
		fiat.FasterPayments: {text: "minutes"},
		fiat.PIX:            {text: "seconds"},
	} {
		if got := arrivalOf(rail, at); got != want {
			t.Errorf("%s: %+v, want %+v", rail, got, want)
		}
	}
}
