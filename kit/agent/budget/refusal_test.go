package budget

import (
	"testing"

	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/fault"
)

// Whoever refuses, the signer or the server, a caller meets one error.
func TestAgents_RefusalsAreTheSigners(t *testing.T) {
	for ours, signers := range map[*fault.Error]*fault.Error{
		errExhausted: decide.ErrAgentBudget, errPending: decide.ErrAgentPending,
		errSwitch: decide.ErrKillSwitch, errInactive: decide.ErrAgentInactive,
	} {
		if ours.Kind != signers.Kind || ours.Code != signers.Code || ours.Message != signers.Message {
			t.Errorf("%+v is not the signer's %+v", ours, signers)
		}
	}
}
