package facilitator

import (
	"errors"
	"testing"

	"github.com/railkit/railkit/chain/node"
	railkit "github.com/railkit/railkit/sdk/go"
)

// Only what nobody can have signed any more is said to be so. What the server says of a body leaves it alive, and has
// to be cancelled; what it says of its caller or of itself says nothing of the body.
func TestFacilitatorMeaningOfRefusals(t *testing.T) {
	for _, c := range []struct {
		status        int
		code          string
		dead, refused bool
	}{
		{422, "policy_denied", true, false}, {409, "activity_expired", true, false},
		{409, "activity_cancelled", true, false}, {409, "transaction_expired", true, false},
		{409, "transaction_cancelled", true, false},
		{422, "would_fail", false, true}, {422, "insufficient_balance", false, true}, {409, "nonce_taken", false, true},
		{409, "nonce_not_next", false, true}, {422, "stamped_body_differs", false, true},
		{404, "not_found", false, true},
		{422, "a_code_of_tomorrow", false, true},
		{401, "unauthorized", false, false}, {403, "insufficient_scope", false, false},
		{429, "rate_limited", false, false}, {409, "idempotency_key_in_flight", false, false},
		{500, "internal", false, false}, {502, "nonce_unknown", false, false},
		{503, "enclave_unavailable", false, false},
	} {
		err := meaning(&railkit.Error{Status: c.status, Code: c.code, Message: "…, which is 7."}, 4)
		if errors.Is(err, ErrNotSigned) != c.dead || errors.Is(err, ErrRefused) != c.refused {
			t.Errorf("%s: %v", c.code, err)
		}
		next, other := errors.AsType[NextNonce](err)
		want := map[string]NextNonce{"nonce_taken": 5, "nonce_not_next": 7}[c.code]
		if next != want || other != (want > 0) {
			t.Errorf("%s: the next nonce is %d", c.code, next)
		}
		if errors.Is(err, node.ErrReverts) != (c.code == "would_fail") {
			t.Errorf("%s: %v", c.code, err)
		}
	}
	queued := meaning(&railkit.QueuedError{ApprovalID: "a"}, 4)
	if !errors.Is(queued, ErrRefused) || errors.Is(queued, ErrNotSigned) {
		t.Error(queued)
	}
	lost := errors.New("connection reset")
	if err := meaning(lost, 4); !errors.Is(err, lost) || errors.Is(err, ErrRefused) || errors.Is(err, ErrNotSigned) {
		t.Error(err)
	}
}
