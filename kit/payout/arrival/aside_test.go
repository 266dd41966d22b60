package arrival

import (
	"testing"
	"time"

	"github.com/railkit/railkit/platform/watch"
)

// A stranger who sends a lamport again and again writes one line an hour. What is much more has a line of its own, and
// so has what comes to another address.
func TestPayout_AsidesAreToldOnceAnHour(t *testing.T) {
	var a asides
	now := time.Unix(1_800_000_000, 0)
	dust := watch.Transfer{OwnerID: "a", Chain: "solana", Amount: "1"}
	much, elsewhere := dust, dust
	much.Amount, elsewhere.OwnerID = "1000000000", "b"
	lines := 0
	for range 1000 {
		for _, one := range []watch.Transfer{dust, much, elsewhere} {
			if _, tells := a.tells(one, now); tells {
				lines++
			}
		}
		now = now.Add(time.Second)
	}
	if lines != 3 {
		t.Errorf("%d lines", lines)
	}
	now = now.Add(sayAgain)
	if left, tells := a.tells(dust, now); !tells || left != 999 {
		t.Errorf("an hour later: %v, %d left out", tells, left)
	}
}
