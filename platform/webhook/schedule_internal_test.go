package webhook

import (
	"testing"
	"time"
)

// Every wait is within a tenth of what the schedule says, and the whole of it is over three days and no more than what
// gives a delivery up.
func TestPlatform_W2_Waits(t *testing.T) {
	for range 100 {
		whole := time.Duration(0)
		for i, want := range waits {
			is, again := nextTry(i+1, 0)
			if !again || is < want*9/10 || is > want*11/10 {
				t.Fatalf("after try %d: %v, %v", i+1, is, again)
			}
			whole += want * 11 / 10
		}
		if whole < 72*time.Hour || whole > pendingLife {
			t.Fatal(whole)
		}
	}
	if _, again := nextTry(len(waits)+1, time.Hour); again {
		t.Error("there is a try after the last")
	}
	if is, _ := nextTry(1, time.Hour); is != time.Hour {
		t.Error("Retry-After is not heard")
	}
}

// An endpoint that fails is paused for longer and longer, and never for so long that a new event waits for hours.
func TestPlatform_W8_Pause(t *testing.T) {
	for failures, want := range map[int]time.Duration{
		0: 0, troubled - 1: 0, troubled: firstPause, troubled + 1: 2 * firstPause, 100_000: mostPause,
	} {
		if is := pause(failures, 0); is < want*9/10 || is > want*11/10 {
			t.Errorf("after %d failures: %v", failures, is)
		}
	}
	if is := pause(1, 24*time.Hour); is != mostPause {
		t.Error(is)
	}
}
