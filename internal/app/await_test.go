package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A socket that is closed to the server for a moment, while the signer opens it, is waited for; one that stays closed
// is a mistake of the installation, and said soon.
func TestAwait_RightsThatCome(t *testing.T) {
	closed := fmt.Errorf("dial: %w", os.ErrPermission)
	for name, c := range map[string]struct {
		opens time.Duration // 0: never
		want  string
	}{
		"opened in time":   {time.Second, ""},
		"closed for good":  {0, "is not open to this user"},
		"opened too late":  {rightsPatience + 2*askEvery, "is not open to this user"},
		"opened just then": {rightsPatience - askEvery, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			a, began := &App{config: Config{Log: slog.New(slog.DiscardHandler)}}, time.Now()
			err := a.await(t.Context(), "the signer", "/run/s", func() error {
				if c.opens > 0 && time.Since(began) >= c.opens {
					return nil
				}
				return closed
			})
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s: %v after %s", name, err, time.Since(began))
			}
			if err != nil && (!errors.Is(err, os.ErrPermission) || time.Since(began) > rightsPatience+time.Second) {
				t.Errorf("%s: %v after %s", name, err, time.Since(began))
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		a := &App{config: Config{Log: slog.New(slog.DiscardHandler)}}
		if err := a.await(ctx, "the signer", "/run/s", func() error { return os.ErrNotExist }); err == nil ||
			!strings.Contains(err.Error(), "does not answer") {
			t.Error(err)
		}
	})
}
