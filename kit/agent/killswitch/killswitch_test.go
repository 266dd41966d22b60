package killswitch

import (
	"testing"

	"github.com/railkit/railkit/enclave/decide"
)

// A caller cannot tell, and need not, which of the two switches is on.
func TestAgents_OneErrorOfBothSwitches(t *testing.T) {
	signers := decide.ErrKillSwitch
	if errOn.Kind != signers.Kind || errOn.Code != signers.Code || errOn.Message != signers.Message {
		t.Errorf("%+v is not the signer's %+v", errOn, signers)
	}
}
