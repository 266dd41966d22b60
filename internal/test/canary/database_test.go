package canary_test

import (
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	_ "modernc.org/sqlite"             // the driver "sqlite"
)

// database is a connection of the test's own to what the server has stored.
func (p *platform) database() *sql.DB {
	p.t.Helper()
	driver, source := "sqlite", "file:"+filepath.Join(p.serverDir, "railkit.db")+"?_pragma=busy_timeout(5000)"
	if p.databaseURL != "" {
		driver, source = "pgx", p.databaseURL
	}
	db, err := sql.Open(driver, source)
	p.must(err)
	return db
}

// execute runs a statement beside the server.
func (p *platform) execute(statement string) {
	p.t.Helper()
	db := p.database()
	defer db.Close()
	_, err := db.ExecContext(p.t.Context(), statement)
	p.must(err)
}

// admin runs a statement in another database of the same server.
func (p *platform) admin(statement string) {
	p.t.Helper()
	u, err := url.Parse(p.databaseURL)
	p.must(err)
	u.Path = "/postgres"
	db, err := sql.Open("pgx", u.String())
	p.must(err)
	defer db.Close()
	_, err = db.ExecContext(p.t.Context(), statement)
	p.must(err)
}

// databaseName is the name of the PostgreSQL database.
func (p *platform) databaseName() string {
	u, err := url.Parse(p.databaseURL)
	p.must(err)
	return u.Path[1:]
}

// inDatabase looks at every column of every row. A file alone would not do: it
// breaks what is long into pages.
func (p *platform) inDatabase() []string {
	p.t.Helper()
	db := p.database()
	defer db.Close()
	list := "SELECT name FROM sqlite_master WHERE type = 'table'"
	if p.databaseURL != "" {
		list = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
	}
	tables := p.rows(db, list)
	if len(tables) < 10 {
		p.t.Fatalf("only %d tables", len(tables))
	}
	var found []string
	for _, table := range tables {
		for _, row := range p.rows(db, fmt.Sprintf(`SELECT * FROM "%s"`, table[0])) {
			for _, cell := range row {
				found = append(found, p.cage.Find("a row of "+string(table[0]), cell)...)
			}
		}
	}
	return found
}

// rows reads all cells as they are stored.
func (p *platform) rows(db *sql.DB, query string) (all [][][]byte) {
	p.t.Helper()
	rows, err := db.QueryContext(p.t.Context(), query)
	p.must(err)
	defer rows.Close()
	columns, err := rows.Columns()
	p.must(err)
	for rows.Next() {
		cells, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range cells {
			into[i] = &cells[i]
		}
		p.must(rows.Scan(into...))
		row := make([][]byte, len(cells))
		for i, cell := range cells {
			if b, ok := cell.([]byte); ok {
				row[i] = b
				continue
			}
			row[i] = fmt.Append(nil, cell)
		}
		all = append(all, row)
	}
	p.must(rows.Err())
	return all
}
