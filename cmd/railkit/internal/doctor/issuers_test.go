package doctor

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/job/queue"
	"github.com/railkit/railkit/platform/issuer"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/store"
	"github.com/railkit/railkit/store/sqlite"
)

// The doctor fails where a token's issuer changed, and says what the operator types.
func TestPlatform_DoctorOfIssuers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "railkit.db")
	jobs, err := queue.SQLite()
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.OpenSQLite(t.Context(), path, jobs, clock.System{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	read, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = read.Close() })
	usdc := issuer.Issuer{
		Token: issuer.Token{Network: "solana", Address: "4zMM", Symbol: "USDC"}, Kept: "mint authority: circle",
		KeptAt: time.Now(), Seen: "mint authority: circle", SeenAt: time.Now(),
	}
	finds := func(want, words string, write func(context.Context, issuer.Tx) error) {
		t.Helper()
		if err := record.Do(t.Context(), s.Issuers(), issuer.Platform, write); err != nil {
			t.Fatal(err)
		}
		found := checkIssuers(t.Context(), read.Reader)
		if len(found) != 1 || found[0].verdict != want || !strings.Contains(found[0].detail, words) {
			t.Errorf("%+v, not %q", found, words)
		}
	}
	if found := checkIssuers(t.Context(), read.Reader); found != nil {
		t.Errorf("before the first: %+v", found)
	}
	finds(fine, "1 tokens have the issuers", func(ctx context.Context, tx issuer.Tx) error {
		return tx.KeepIssuer(ctx, usdc)
	})
	finds(failure, "mint authority was circle, is none; nothing of it is paid or credited: find out why, then "+
		"railkit admin token accept --network solana --token 4zMM --hash sha256:",
		func(ctx context.Context, tx issuer.Tx) error {
			return tx.SeeIssuer(ctx, usdc, "mint authority: none", time.Now())
		})
}
