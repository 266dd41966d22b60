package vote

import (
	"context"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/approval"
)

// rowsNow are the rows as they are now.
type rowsNow struct {
	Store
	a approval.Approval
}

func (r rowsNow) Approval(context.Context, string, string) (approval.Approval, error) {
	return r.a, nil
}

// Whoever has read an approval before somebody gave a reason to reject it, and asks the signer after that, is the first
// to write that it is rejected, and writes the reason too.
func TestSigning_RejectionReadBeforeItsReason(t *testing.T) {
	before := approval.Approval{
		WorkspaceID: "w", ID: "a", State: approval.Pending, ExpiresAt: time.Now().Add(time.Hour),
	}
	now := before
	now.Comment = "too much"
	s := New(Config{Store: rowsNow{a: now}, Clock: clock.System{}})
	x, err := s.afterOutcome(t.Context(), before, before.State, client.Outcome{State: wire.Cancelled})
	if err != nil || x.State != approval.Rejected || x.Comment != "too much" {
		t.Errorf("%+v, %v", x.Approval, err)
	}
}
