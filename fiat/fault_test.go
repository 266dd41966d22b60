package fiat

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/railkit/railkit/fault"
)

// What a caller of our API is told of a partner that fails.
func TestPayout_PartnerFailures(t *testing.T) {
	for _, tc := range []struct {
		err    error
		code   string
		status int
		wait   time.Duration
	}{
		{fmt.Errorf("x: %w", ErrAnswer), "partner_failed", 502, 0},
		{ErrKeyReused, "partner_failed", 502, 0},
		{ErrNotFound, "partner_failed", 502, 0},
		{errors.New("a bug"), "partner_failed", 502, 0},
		{fmt.Errorf("x: %w", ErrUnavailable), "partner_unavailable", 503, retry},
		{ErrInsufficient, "partner_unavailable", 503, retry},
		{&Busy{}, "partner_unavailable", 503, retry},
		{fmt.Errorf("x: %w", &Busy{After: 7 * time.Second}), "partner_unavailable", 503, 7 * time.Second},
		{&Refusal{Code: "invalid_account_number", Message: "of 4242", Field: "clabe"}, "partner_refused", 422, 0},
		{fault.Field("a", "b"), "validation_failed", 400, 0},
	} {
		w := httptest.NewRecorder()
		answer(w, Fault(tc.err))
		if want := fmt.Sprint(tc.code, " ", int(tc.wait.Seconds())); w.Code != tc.status || w.Body.String() != want {
			t.Errorf("%v: %d %s, want %s", tc.err, w.Code, w.Body, want)
		}
	}
	f, _ := fault.As(Fault(&Refusal{Code: "invalid_account_number", Message: "of 4242", Field: "clabe"}))
	if f.Details["reason"] != "invalid_account_number" || f.Details["field"] != "clabe" ||
		f.Message != ErrNotTaken.Message {
		t.Errorf("%+v", f)
	}
	if Fault(nil) != nil {
		t.Error("nothing is no fault")
	}
}

// answer is the little of an edge that shows what a caller meets.
func answer(w http.ResponseWriter, err error) {
	f, ok := fault.As(err)
	if !ok {
		f = fault.ErrInternal
	}
	w.WriteHeader(f.Kind.Status())
	fmt.Fprint(w, f.Code, " ", int(f.RetryAfter.Seconds()))
}
