package payout_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/errtest"
	"github.com/railkit/railkit/internal/test/testenv"
	railkit "github.com/railkit/railkit/sdk/go"
)

func TestMain(m *testing.M) {
	testenv.Overlap()
	os.Exit(errtest.Run(func() int {
		return apptest.Keep(m, func(t testing.TB) apptest.Option { return apptest.WithPartner(t) })
	}, "kit/payout"))
}

func wantCode(t *testing.T, what string, a apptest.Answer, status int, code, message string) {
	t.Helper()
	if a.Status != status || a.Field("error") != code || !strings.Contains(a.Body, message) {
		t.Errorf("%s: %d %s, want %d %s %q", what, a.Status, a.Body, status, code, message)
	}
}

func wantError(t *testing.T, what string, err error, status int, code string) {
	t.Helper()
	var e *railkit.Error
	if !errors.As(err, &e) || e.Status != status || e.Code != code {
		t.Errorf("%s: %v, want %d %s", what, err, status, code)
	}
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
