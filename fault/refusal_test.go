package fault_test

import (
	"errors"
	"testing"

	"github.com/railkit/railkit/fault"
)

var (
	errDecided = fault.DefineRefusal(fault.Unavailable, "test_decided", "No", "A test")
	errOutage  = fault.Define(fault.Unavailable, "test_outage", "Nobody answers", "A test")
)

// Also what came over a socket, as a copy that knows the code alone, is the refusal that it was.
func TestRefusal(t *testing.T) {
	for e, want := range map[*fault.Error]bool{
		errDecided:                                      true,
		errDecided.Because(errors.New("why")):           true,
		{Kind: fault.Unavailable, Code: "test_decided"}: true,
		errOutage:         false,
		fault.ErrNotFound: true,
		fault.ErrInternal: false,
		{Kind: fault.Upstream, Code: "of nobody"}: false,
	} {
		if e.Refusal() != want {
			t.Errorf("%s is a refusal: %t", e.Code, !want)
		}
	}
}
