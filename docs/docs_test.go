// Package docs holds the generated documents against the code they describe.
package docs

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	_ "github.com/railkit/railkit/enclave" // and those that come from there
	"github.com/railkit/railkit/fault"
	_ "github.com/railkit/railkit/internal/app" // defines every error
	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/signing/transaction"
)

//go:generate go test . -run TestGenerated -update

var update = flag.Bool("update", false, "write the documents instead of comparing them")

func TestGenerated(t *testing.T) {
	for file, want := range map[string]string{
		"errors.md":        errorsDoc(),
		"states.md":        statesDoc(),
		"configuration.md": configurationDoc(),
		"aliases.md":       aliasesDoc(t),
		"networks.md":      networksDoc(t),
		"ledger.md":        ledgerDoc(t),
		"demo.svg":         demoPicture(t),
		"../llms.txt":      llms(t),
	} {
		if *update {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(file)
		if err != nil || string(got) != want {
			t.Errorf("%s is not what the code says (%v); run go generate ./docs", file, err)
		}
	}
}

func errorsDoc() string {
	var b strings.Builder
	b.WriteString(`# Errors

Generated from the code (` + "`go generate ./docs`" + `); every row is produced by a test (` +
		"`internal/test/errtest`" + `).

Every error is the envelope: ` +
		"`success` false, `message`, `error` (the code below: stable, for programs), `statusCode`, " +
		"`timestamp`, `path`" + `.
A message never holds a value that the caller sent. 429 and 503 carry ` + "`Retry-After`" + ` where a time is known.
Retry 429, 502 and 503 with exponential back-off (1, 2, 4, 8 s) and the same ` + "`Idempotency-Key`" +
		`; everything else is for the caller to mend.

| Status | Code | Message | Cause |
|---|---|---|---|
`)
	for _, e := range fault.Catalog() {
		message := strings.ReplaceAll(e.Message, "%s", "…")
		fmt.Fprintf(&b, "| %d | `%s` | %s | %s |\n", e.Kind.Status(), e.Code, message, e.Cause)
	}
	return b.String()
}

func aliasesDoc(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile("../api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]struct {
			Aliases map[string]string `json:"x-aliases"`
		}
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString(`# Other spellings of request fields

Generated from the code (` + "`go generate ./api ./docs`" +
		`). Requests written for an older version of the interface use other names for
some fields. The server takes them and renames them before it checks anything; a field under both of its names is 400. Answers, the OpenAPI schemas
and every example use the names of the last column only, and new clients should too. A dot stands for an object within an object.

| Operation | Also accepted | Field |
|---|---|---|
`)
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(doc.Paths[path])) {
			aliases := doc.Paths[path][method].Aliases
			for _, alias := range slices.Sorted(maps.Keys(aliases)) {
				fmt.Fprintf(&b, "| `%s %s` | `%s` | `%s` |\n", strings.ToUpper(method), path, alias, aliases[alias])
			}
		}
	}
	return b.String()
}

func statesDoc() string {
	var b strings.Builder
	b.WriteString("# States\n\nGenerated from the transition tables (`go generate ./docs`). " +
		"A change of state is a compare-and-swap: who comes second gets a conflict.\n\n")
	b.WriteString("## Transaction\n\n" + drawn(signingSteps()))
	b.WriteString("\n## Prepared wallet or address\n\n`awaiting_signature` goes to `confirmed` by its stamp, " +
		"or to `expired` after 15 minutes without one. " +
		"What waits for votes is `awaiting_approval` ([approvals.md](approvals.md)).\n")
	b.WriteString("\n## Order of a payout\n\nEvery event is a line of its timeline and one more in `version`. " +
		"What it does to money is in [ledger.md](ledger.md).\n\n" + drawn(orderSteps()))
	b.WriteString("\nA completed payment can still come back: the bank decides, and days later.\n")
	b.WriteString("\n## Refund of an order\n\nIt goes to the return address of the withdrawal address, " +
		"and nowhere else.\n\n" + drawn(refundSteps()))
	b.WriteString("\n## Bank transfer of an on-ramp or a global payment\n\nFiat that arrives at an account number, and " +
		"the stablecoin that the partner sends for it. The status of an on-ramp order follows from this one.\n\n" +
		drawn(payInSteps()))
	return b.String()
}

// step is a line of a diagram.
type step struct{ from, to, by string }

func signingSteps() (all []step) {
	for _, t := range transaction.Transitions {
		all = append(all, step{string(t.From), string(t.To), t.By})
	}
	return all
}

func orderSteps() (all []step) {
	for _, e := range slices.Concat(order.Edges, order.GlobalEdges) {
		all = append(all, step{string(e.From), string(e.To), "`" + string(e.On) + "`: " + e.Why})
	}
	return all
}

func payInSteps() (all []step) {
	for _, e := range order.PayInEdges {
		all = append(all, step{string(e.From), string(e.To), "`" + string(e.On) + "`: " + e.Why})
	}
	return all
}

func refundSteps() (all []step) {
	for _, e := range order.RefundEdges {
		all = append(all, step{string(e.From), string(e.To), "`" + string(e.On) + "`: " + e.Why})
	}
	return all
}

// drawn is a diagram, the same as a table, and what nothing leads out of.
func drawn(steps []step) string {
	var b strings.Builder
	b.WriteString("```mermaid\nstateDiagram-v2\n")
	for _, s := range steps {
		// Mermaid ends a line at a semicolon, and a description at a colon.
		by := strings.NewReplacer(":", " -", ";", ",", "`", "").Replace(s.by)
		fmt.Fprintf(&b, "    %s --> %s: %s\n", cmp.Or(s.from, "[*]"), cmp.Or(s.to, "[*]"), by)
	}
	b.WriteString("```\n\n| From | To | By |\n|---|---|---|\n")
	for _, s := range steps {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", orNone(s.from), orNone(s.to), s.by)
	}
	b.WriteString("\nEnds: " + ends(steps) + ".\n")
	return b.String()
}

// orNone is a state in a table; a dash where there is none yet, or none any more.
func orNone(state string) string {
	if state == "" {
		return "—"
	}
	return "`" + state + "`"
}

// ends are the states that nothing leads out of.
func ends(steps []step) string {
	var all []string
	for _, s := range steps {
		name := "`" + s.to + "`"
		leaves := slices.ContainsFunc(steps, func(o step) bool { return o.from == s.to && o.to != s.to })
		if s.to != "" && !leaves && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return strings.Join(all, ", ")
}

func configurationDoc() string {
	var b strings.Builder
	b.WriteString(`# Configuration

Generated from the code (` + "`go generate ./docs`, the struct `Server` of `internal/config`" + `).

What ` + "`railkit serve`" + ` can be told. ` + "`migrate`, `admin` and `doctor`" +
		` read the same settings, so that one file of variables serves them all. What
counts is the flag, else the variable, else the file, else the default; an empty variable is as good as none.

A variable that begins with ` + "`RAILKIT_`" +
		` and is not one of these is refused: it would be believed to be in force. A **secret** can also be in a file
that the variable with ` + "`_FILE`" +
		` names (one newline at its end does not count). Give it so, or as the variable: a flag is seen by
every user of the machine. ` + "`railkit doctor`" +
		` prints every setting with where it came from, and of a secret only whether it is set.

` + "`railkit-enclave`, `railkit-prices`, `railkit-devnet`, `railkit-partner` and `railkit-facilitator`" +
		` take flags only and read none of this.

| Setting | Variable | Default | |
|---|---|---|---|
`)
	for _, s := range config.Settings() {
		name, value, doc := "`--"+s.Name+"`", "", s.Doc
		if !s.Flag {
			name = "(no flag)"
		}
		if s.Default != "" {
			value = "`" + s.Default + "`"
		}
		if s.Secret {
			doc = "**secret**: " + doc
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s |\n", name, s.Env(), value, strings.ReplaceAll(doc, "|", "\\|"))
	}
	b.WriteString(`
In production the server refuses to start without a named database, with the sandbox's keys or its devnet (as a node, too), with an origin that is not https, with a dashboard
and no session key, with mail in plain text, as root, as the signer's user, or before a signer that was sealed for the sandbox.
`)
	return b.String()
}
