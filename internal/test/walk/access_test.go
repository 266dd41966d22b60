// Package walk_test goes through every operation that the server registers: who
// may call it, and whether it happens once.
package walk_test

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/api"
	"github.com/railkit/railkit/api/ceremony"
	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/internal/test/apptest"
)

const golden = "testdata/access.txt"

const legend = `# Who may call what: every operation, called with every kind of credential.
# Written by: go test ./internal/test/walk -run TestPlatform_Access -update
# Read the difference before you commit it: this table is the decision, not a copy of one.
#
# open: the call got past the guards. Else the status with which they refused:
# 401   no credential, or none that the operation takes
# 404k  API key not found: unknown, revoked, expired, of the other environment
# 404w  Workspace not found: the path, or an operator's key, names one that is not the caller's or is not there
# 403s  insufficient scope    403m  module not active
# 403k  KYB not approved      403a  not from this address
# 403p  a member has to call, in person
# 400i  an operator's key has to name the workspace in integratorId
#
`

// The table says for each operation and each credential whether the guards let
// the call through. It is what the whole server really answered.
func TestPlatform_Access(t *testing.T) {
	t.Parallel()
	now := newHands()
	a := apptest.New(t, apptest.WithClock(now))
	credentials := newCredentials(t, a, now)
	var rows []row
	for _, op := range registered(t, a) {
		cells := []string{op.Method, op.Path}
		for _, c := range credentials {
			got := c.call(a, op)
			cell, err := cellOf(got)
			if err != nil {
				t.Errorf("%s with %s: %v", op.ID, c.name, err)
			}
			cells = append(cells, cell)
		}
		rows = append(rows, row{op.ID, cells})
		now.move(time.Minute) // and every limit is whole again
	}
	compare(t, heading(credentials), rows)
}

// registered lists what the running server and the passkey page serve. What the
// program says of itself without running is the same.
func registered(t *testing.T, a *apptest.App) []edge.Operation {
	t.Helper()
	ops := a.Handler.(interface{ Operations() []edge.Operation }).Operations()
	if said := api.Operations("sandbox"); fmt.Sprint(said) != fmt.Sprint(ops) {
		t.Errorf("the running server has other operations than api.Operations lists:\n%v\n%v", ops, said)
	}
	return append(ops, ceremony.Operations()...)
}

// row is a line of the table.
type row struct {
	operation string
	cells     []string
}

func heading(credentials []credential) row {
	h := row{"operation", []string{"method", "path"}}
	for _, c := range credentials {
		h.cells = append(h.cells, c.name)
	}
	return h
}

func compare(t *testing.T, head row, rows []row) {
	t.Helper()
	got := legend + lines(append([]row{head}, rows...))
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	is, known := words(got), words(string(want))
	if slices.Equal(is, known) {
		return
	}
	for _, line := range is {
		if !slices.Contains(known, line) {
			t.Errorf("not in %s:\n%s", golden, line)
		}
	}
	for _, line := range known {
		if !slices.Contains(is, line) {
			t.Errorf("only in %s:\n%s", golden, line)
		}
	}
	t.Errorf("%s is not what the server does. A new operation needs its line there, and a changed one a reason: "+
		"run go test ./internal/test/walk -run TestPlatform_Access -update and look at the difference", golden)
}

// words are the lines of a table, however wide its columns.
func words(table string) []string {
	all := strings.Split(table, "\n")
	for i, line := range all {
		all[i] = strings.Join(strings.Fields(line), "  ")
	}
	return all
}

// lines writes the table, its columns in line.
func lines(rows []row) string {
	width := map[int]int{}
	for _, r := range rows {
		for i, text := range append([]string{r.operation}, r.cells...) {
			width[i] = max(width[i], len(text))
		}
	}
	var b strings.Builder
	for _, r := range rows {
		line := ""
		for i, text := range append([]string{r.operation}, r.cells...) {
			line += fmt.Sprintf("%-*s  ", width[i], text)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// cellOf is what an answer says of the guards. An answer that shows nothing of
// them is an error.
func cellOf(a apptest.Answer) (string, error) {
	code, _ := a.Field("error").(string)
	message, _ := a.Field("message").(string)
	switch code {
	case "authorization_missing", "authorization_malformed",
		"authorization_scheme", "api_key_as_bearer", "authorization_twice",
		"invalid_auth", "expired_timestamp", "agent_killed":
		return "401", nil
	case "api_key_not_found":
		return "404k", nil
	case "insufficient_scope":
		return "403s", nil
	case "module_inactive":
		return "403m", nil
	case "verification_incomplete":
		return "403k", nil
	case "ip_not_allowed":
		return "403a", nil
	case "member_required":
		return "403p", nil
	}
	switch {
	// Nobody is refused, but there is no cookie.
	case code == "session_invalid" && strings.HasSuffix(a.Field("path").(string), "/auth/refresh"):
		return "open", nil
	case code == "notice_not_signed": // nobody is refused but for the signature
		return "open", nil
	case code == "not_found" && message == "Workspace not found":
		return "404w", nil
	case code == "validation_failed" && strings.Contains(message, "integratorId is required"):
		return "400i", nil
	case a.Status >= 500, a.Status == http.StatusTooManyRequests, a.Status == http.StatusMethodNotAllowed,
		a.Status == http.StatusUnauthorized, a.Status == http.StatusForbidden, code == "route_not_found":
		return "?", fmt.Errorf("%d %s says nothing of who may call", a.Status, a.Body)
	}
	return "open", nil
}

// path fills in a pattern: the workspace where it asks for one, else ids of nothing.
func path(op edge.Operation, workspace string) string {
	parts := strings.Split(op.Path, "/")
	for i, p := range parts {
		switch {
		case p == "{integratorId}":
			parts[i] = workspace
		case strings.HasPrefix(p, "{"):
			parts[i] = uuid.NewString()
		}
	}
	return strings.Join(parts, "/")
}
