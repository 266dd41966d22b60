package walk_test

import (
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
)

// listener hears which of the store's queries a server runs: PostgreSQL writes
// them to its log. What takes the same queries takes the same time, which a
// measurement on a busy machine could not show.
type listener struct {
	t    *testing.T
	log  *os.File
	mine []string // names of the store's queries
}

// heard makes the server's connections ones whose statements are written down.
func heard(c *apptest.Config) { c.DatabaseURL += "&log_statement=all" }

var queryName = regexp.MustCompile(`-- name: (\w+) :`)

func newListener(t *testing.T, a *apptest.App) *listener {
	t.Helper()
	database, err := url.Parse(a.Config().DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	l := &listener{t: t}
	if l.log, err = os.Open(filepath.Join(database.Query().Get("host"), "log")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.log.Close() })
	files, err := filepath.Glob("../../../store/queries/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files of queries, %v", len(files), err)
	}
	for _, file := range files {
		if base := filepath.Base(file); base == "watch.sql" || base == "notices.sql" {
			continue // of jobs, which run all the time; no call's answer depends on them
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range queryName.FindAllStringSubmatch(string(text), -1) {
			l.mine = append(l.mine, m[1])
		}
	}
	return l
}

// ofBoth lists the queries that run while each of two does its work. It looks again
// where they differ: the server's own jobs ask the store too, in between.
func (l *listener) ofBoth(one, other func()) (ran, would string) {
	l.t.Helper()
	for tries := 0; tries < 20 && (tries == 0 || ran != would); tries++ {
		ran, would = l.during(one), l.during(other)
	}
	return ran, would
}

// during lists the queries that run while do does.
func (l *listener) during(do func()) string {
	l.t.Helper()
	if _, err := l.log.Seek(0, io.SeekEnd); err != nil {
		l.t.Fatal(err)
	}
	do()
	said, err := io.ReadAll(l.log)
	if err != nil {
		l.t.Fatal(err)
	}
	var names []string
	for _, m := range queryName.FindAllStringSubmatch(string(said), -1) {
		if slices.Contains(l.mine, m[1]) {
			names = append(names, m[1])
		}
	}
	return strings.Join(names, " ")
}
