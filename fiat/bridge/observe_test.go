package bridge

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/requestid"
)

// Who observes is told of each call under the caller's context, and of nothing that it carried.
func TestPayout_BridgeIsObserved(t *testing.T) {
	status := http.StatusOK
	f := newFake(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{"id":"cust_1","status":"active"}`))
	})
	var errs []error
	f.Client.tell = func(ctx context.Context, method string, took time.Duration, err error) {
		if requestid.Of(ctx) != "r1" || method != http.MethodGet || took <= 0 {
			t.Errorf("told of %s, %v, for the request %q", method, took, requestid.Of(ctx))
		}
		errs = append(errs, err)
	}
	ctx := requestid.With(t.Context(), "r1")
	for _, status = range []int{http.StatusOK, http.StatusBadGateway} {
		_, _ = f.Customer(ctx, "cust_1")
	}
	if len(errs) != 2 || errs[0] != nil || !errors.Is(errs[1], fiat.ErrUnavailable) ||
		strings.Contains(errs[1].Error(), "cust_1") {
		t.Errorf("told %v", errs)
	}
}
