package vote

import (
	"testing"

	"github.com/railkit/railkit/enclave/refusal"
)

// Whoever refuses a call without a stamp, the signer or the server, a caller meets one error.
func TestSigning_UnstampedIsTheSigners(t *testing.T) {
	signers := refusal.ErrUnstamped
	if errUnstamped.Kind != signers.Kind || errUnstamped.Code != signers.Code ||
		errUnstamped.Message != signers.Message {
		t.Errorf("%+v is not the signer's %+v", errUnstamped, signers)
	}
}
