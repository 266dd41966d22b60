package doctor

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/store"
	"github.com/railkit/railkit/store/postgres"
	"github.com/railkit/railkit/store/sqlite"
)

// checkDatabase looks at the database that the server would open.
func checkDatabase(ctx context.Context, t target) []finding {
	if t.DatabaseURL != "" {
		return checkPostgres(ctx, t)
	}
	if t.DataDir == "" {
		return nil // that no database is named is told of the settings
	}
	path := filepath.Join(t.DataDir, "railkit.db")
	if _, err := os.Stat(path); err != nil {
		return []finding{{warning, "database", "there is none yet: the server makes it as it starts"}}
	}
	db, err := sqlite.Open(ctx, path)
	if err != nil {
		return []finding{{failure, "database", cli.OneLine(err)}}
	}
	defer db.Close()
	var result string
	if err := db.Reader.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&result); err != nil {
		return []finding{{failure, "database", cli.OneLine(err)}}
	}
	if result != "ok" {
		return []finding{{failure, "database", "the file is damaged: " + strings.ReplaceAll(result, "\n", " ")}}
	}
	all := []finding{{fine, "database", "SQLite: it opens and its pages are whole"}, checkTables(ctx, db.Reader)}
	return append(append(all, checkIssuers(ctx, db.Reader)...), checkOperator(ctx, t, db.Reader)...)
}

// checkTables compares the tables to those that this program works with.
func checkTables(ctx context.Context, db *sql.DB) finding {
	version, err := cli.CheckTables(ctx, db)
	if err != nil {
		return finding{failure, "tables", cli.OneLine(err)}
	}
	return finding{fine, "tables", fmt.Sprintf("they are of version %d, as this program's", version)}
}

// checkOperator looks whether anybody can run a production installation. The
// sandbox's keys come with its file.
func checkOperator(ctx context.Context, t target, db *sql.DB) []finding {
	if t.Environment != string(chain.Production) {
		return nil
	}
	n, err := store.OperatorKeys(ctx, db, t.Environment, time.Now())
	switch {
	case err != nil:
		return nil // there are no tables, which their own line says
	case n == 0:
		return []finding{{warning, "operator",
			"no key may make workspaces yet: make the first one with railkit admin key create, see docs/operations.md"}}
	}
	return []finding{{fine, "operator", fmt.Sprintf("%d keys may act across workspaces", n)}}
}

// oldestPostgres is the oldest version that its makers still mend.
const oldestPostgres = 140000

// server is what a PostgreSQL database says of itself, as a connection of the
// API server sees it.
type server struct {
	version                    int
	encoding, collation        string
	isolation, zone            string
	fsync, commit, pages       string
	standby, readOnly, mayMake bool
	superuser, rewrites        bool
	owns                       string // a table, or the schema of the tables
}

func checkPostgres(ctx context.Context, t target) []finding {
	db, err := postgres.Open(ctx, t.DatabaseURL)
	if err != nil {
		return []finding{{failure, "database",
			cli.OneLine(err) + ": look at RAILKIT_DATABASE_URL, and whether the server runs"}}
	}
	defer db.Close()
	s, err := askPostgres(ctx, db.Pool)
	if err != nil {
		return []finding{{failure, "database", cli.OneLine(err)}}
	}
	all := []finding{s.checkVersion()}
	all = append(all, s.checkWrites()...)
	all = append(all, s.checkRole(t.Environment))
	all = append(all, s.checkText()...)
	all = append(all, s.checkSettings(), s.checkDurable())
	all = append(all, checkTables(ctx, db.Pool), checkRights(ctx, db.Pool))
	return append(append(all, checkIssuers(ctx, db.Pool)...), checkOperator(ctx, t, db.Pool)...)
}

// owned is what the role owns, itself or as a member of another role: who owns a table may give itself each right on
// it, and who owns the schema may drop it. rewrites is whether it may do more with the audit record than read and add.
const (
	owned = `COALESCE((SELECT 'the schema ' || nspname FROM pg_namespace
			WHERE nspname = current_schema() AND pg_has_role(nspowner, 'MEMBER')),
		(SELECT 'the table ' || MIN(relname) FROM pg_class
			WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND pg_has_role(relowner, 'MEMBER')),
		'')`
	rewrites = `COALESCE(has_table_privilege(to_regclass('audit'), 'UPDATE, DELETE, TRUNCATE, TRIGGER'), false)`
)

func askPostgres(ctx context.Context, db *sql.DB) (s server, err error) {
	err = db.QueryRowContext(ctx, `SELECT current_setting('server_version_num')::int,
		pg_encoding_to_char(encoding), datcollate,
		current_setting('transaction_isolation'), current_setting('TimeZone'),
		current_setting('fsync'), current_setting('synchronous_commit'), current_setting('full_page_writes'),
		pg_is_in_recovery(), current_setting('transaction_read_only')::bool,
		COALESCE(has_schema_privilege(current_schema(), 'CREATE'), false),
		(SELECT rolsuper FROM pg_roles WHERE rolname = current_user), `+owned+`, `+rewrites+`
		FROM pg_database WHERE datname = current_database()`).Scan(&s.version, &s.encoding, &s.collation,
		&s.isolation, &s.zone, &s.fsync, &s.commit, &s.pages, &s.standby, &s.readOnly, &s.mayMake,
		&s.superuser, &s.owns, &s.rewrites)
	if err != nil {
		return s, errors.Join(errors.New("it does not tell what it is"), err)
	}
	return s, nil
}

func (s server) checkVersion() finding {
	text := fmt.Sprintf("PostgreSQL %d.%d answers", s.version/10000, s.version%10000)
	if s.version < oldestPostgres {
		return finding{
			failure, "database", fmt.Sprintf("%s: it is too old, use %d or newer", text, oldestPostgres/10000),
		}
	}
	return finding{fine, "database", text}
}

func (s server) checkWrites() []finding {
	switch {
	case s.standby:
		return []finding{{failure, "database",
			"it is a standby, which takes no writes: name the primary in RAILKIT_DATABASE_URL"}}
	case s.readOnly:
		return []finding{{failure, "database",
			"it is read-only for this user: set default_transaction_read_only = off"}}
	case s.mayMake:
		return []finding{{note, "database",
			"this role may make tables, which only the owner's does in docs/operations.md: REVOKE CREATE ON SCHEMA"}}
	}
	return []finding{{fine, "database",
		"this role may not make tables, as it should be: railkit migrate runs as their owner"}}
}

// checkRole refuses a role that can rewrite what is kept so that nobody rewrites it. The sandbox has one role for all.
func (s server) checkRole(environment string) finding {
	const what = ": run the server as a role that only works with them, and railkit migrate as their owner, " +
		"see docs/operations.md, PostgreSQL: two roles"
	verdict := failure
	if environment != string(chain.Production) {
		verdict = note
	}
	switch {
	case s.superuser:
		return finding{verdict, "role", "this role is a superuser, which may rewrite the audit record" + what}
	case s.owns != "":
		return finding{verdict, "role", "this role owns " + s.owns + ", or is a member of the role that does, " +
			"and so may rewrite the audit record" + what}
	case s.rewrites:
		return finding{verdict, "role", "this role may rewrite the audit record: " +
			"REVOKE UPDATE, DELETE, TRUNCATE, TRIGGER ON audit, see docs/operations.md, PostgreSQL: two roles"}
	}
	return finding{fine, "role", "this role owns no table, and only reads and adds to the audit record"}
}

// checkRights names the first table that the server's role may not work with: of
// the audit record it needs no more than to add to it.
func checkRights(ctx context.Context, db *sql.DB) finding {
	var table string
	err := db.QueryRowContext(ctx, `SELECT COALESCE(MIN(relname), '') FROM pg_class
		WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND NOT (has_table_privilege(oid, 'SELECT')
			AND (relname = 'goose_db_version' OR has_table_privilege(oid, 'INSERT'))
			AND (relname IN ('goose_db_version', 'audit') OR has_table_privilege(oid, 'UPDATE'))
			AND (relname IN ('goose_db_version', 'audit', 'audit_heads') OR has_table_privilege(oid, 'DELETE')))`).
		Scan(&table)
	switch {
	case err != nil:
		return finding{failure, "rights", cli.OneLine(err)}
	case table != "":
		return finding{failure, "rights",
			fmt.Sprintf("this role may not work with the table %s: give it the GRANTs of docs/operations.md", table)}
	}
	return finding{fine, "rights", "this role may work with all tables"}
}

func (s server) checkText() []finding {
	var all []finding
	if s.encoding != "UTF8" {
		all = append(all, finding{
			failure, "encoding", fmt.Sprintf("it is %s: make the database with ENCODING 'UTF8'", s.encoding),
		})
	}
	if plain := strings.ToUpper(s.collation); plain != "C" && plain != "POSIX" && !strings.HasPrefix(plain, "C.") {
		all = append(all, finding{note, "collation", fmt.Sprintf(
			"text is sorted as in %s: lists sorted by name come in another order than with SQLite, or with C",
			s.collation)})
	}
	return all
}

// checkSettings looks whether what each connection asks for is in force: a pooler
// between may take it away.
func (s server) checkSettings() finding {
	if s.isolation != "read committed" || s.zone != "UTC" {
		return finding{failure, "settings", fmt.Sprintf(
			"a connection has isolation %q and time zone %q: let the pooler pass the startup parameters on",
			s.isolation, s.zone)}
	}
	return finding{fine, "settings", "connections have the isolation and the time zone that they ask for"}
}

func (s server) checkDurable() finding {
	var off []string
	for _, setting := range [][2]string{
		{"fsync", s.fsync}, {"full_page_writes", s.pages}, {"synchronous_commit", s.commit},
	} {
		if setting[1] == "off" {
			off = append(off, setting[0]+" = on")
		}
	}
	if len(off) > 0 {
		return finding{
			warning, "durability", "a crash of the machine can lose what was answered: set " + strings.Join(off, ", "),
		}
	}
	return finding{fine, "durability", "what is committed is on disk"}
}
