package apptest_test

import (
	"fmt"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/redistest"
)

// What the server lacks, it names one after the other; the process lives all along.
func TestPlatform_ReadyzNamesTheCause(t *testing.T) {
	t.Parallel()
	redis := redistest.New(t)
	a := apptest.New(t, withRedis(redis.URL))
	wants := func(missing string) {
		t.Helper()
		status, message := 503, "Not ready: "+missing
		if missing == "" {
			status, message = 200, "Success"
		}
		var got apptest.Answer
		apptest.Eventually(t, fmt.Sprintf("missing is %q", missing), func() bool {
			got = a.Do("", "GET", "/readyz", "")
			return got.Status == status && got.Field("message") == message
		})
		if status == 503 && (got.Field("error") != "not_ready" || got.Header.Get("Retry-After") != "1") {
			t.Errorf("%s: %s", missing, got.Body)
		}
		if alive := a.Do("", "GET", "/healthz", ""); alive.Status != 200 {
			t.Errorf("missing %s, and dead: %d %s", missing, alive.Status, alive.Body)
		}
	}
	change := func(query string) {
		t.Helper()
		if _, err := a.Store.Writer().ExecContext(t.Context(), query); err != nil {
			t.Fatal(err)
		}
	}
	wants("")
	change("UPDATE goose_db_version SET version_id = version_id - 1000")
	wants("schema")
	// A later program's, which takes this one's place.
	change("UPDATE goose_db_version SET version_id = version_id + 2000")
	wants("")
	a.StopEnclave()
	wants("signer")
	redis.Kill()
	wants("signer, redis")
	if err := a.Store.Close(); err != nil {
		t.Fatal(err)
	}
	wants("database, signer, redis")
}
