package store_test

import (
	"net/url"
	"testing"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/pgtest"
	"github.com/railkit/railkit/store"
)

// grants are those of docs/trust.md: what the server needs, and no more of the
// audit record than to add to it.
var grants = []string{
	"CREATE ROLE railkit_server LOGIN",
	"GRANT USAGE ON SCHEMA public TO railkit_server",
	"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO railkit_server",
	"GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO railkit_server",
	"REVOKE UPDATE, DELETE ON audit FROM railkit_server",
	"REVOKE DELETE ON audit_heads FROM railkit_server",
}

// A server that owns nothing works, and can neither change what was recorded nor
// drop what keeps it from that.
func TestPostgres_AuditRole(t *testing.T) {
	address := pgtest.New(t)
	owner := openServer(t, address, clock.System{})
	alter(t, owner, grants...)
	t.Cleanup(func() { alter(t, owner, "DROP OWNED BY railkit_server", "DROP ROLE railkit_server") })
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.User("railkit_server")
	server := openServer(t, u.String(), clock.System{})
	if err := server.ProbeAudit(t.Context()); err != nil {
		t.Error(err)
	}
	if err := server.Signing().Work(t.Context(), "ws-1", newTransaction("tx-1")); err != nil {
		t.Error(err)
	}
	for _, statement := range []string{
		"UPDATE audit SET action = ''", "DELETE FROM audit", "TRUNCATE audit", "DELETE FROM audit_heads",
		"TRUNCATE audit_heads",
		"DROP TRIGGER audit_keeps_rows ON audit", "ALTER TABLE audit DISABLE TRIGGER ALL",
		"DROP FUNCTION audit_refuse CASCADE",
		"SET session_replication_role = replica",
	} {
		if _, err := server.Writer().ExecContext(t.Context(), statement); err == nil {
			t.Errorf("%s: done", statement)
		}
	}
	alter(t, owner, "DROP TRIGGER audit_keeps_rows ON audit")
	if err := server.ProbeAudit(t.Context()); err != nil {
		t.Errorf("what the role may not do, no trigger has to refuse: %v", err)
	}
	alter(t, owner, "REVOKE INSERT ON audit FROM railkit_server")
	if err := server.ProbeAudit(t.Context()); err == nil {
		t.Error("a role that cannot write the record was let through")
	}
}

func alter(t *testing.T, s *store.Store, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := s.Writer().Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}
