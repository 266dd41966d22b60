package demo

import "testing"

// A reason of the partner's is one word; the statement has it as a person writes it.
func TestDemo_ReasonsAreWords(t *testing.T) {
	for reason, want := range map[string]string{
		"returned_by_the_senders_bank": "returned by the sender's bank", "under_minimum": "under minimum",
	} {
		if got := inWords(reason); got != want {
			t.Errorf("%s: %q, want %q", reason, got, want)
		}
	}
}
