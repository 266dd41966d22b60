// Package docs holds the generated documents against the code they describe.
package docs

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	_ "github.com/railkit/railkit/enclave" // and those that come from there
	"github.com/railkit/railkit/fault"
	_ "github.com/railkit/railkit/internal/app" // defines every error
	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/kit/signing"
)

//go:generate go test . -run TestGenerated -update

var update = flag.Bool("update", false, "write the documents instead of comparing them")

func TestGenerated(t *testing.T) {
	for file, want := range map[string]string{"errors.md": errorsDoc(), "states.md": statesDoc(), "configuration.md": configurationDoc()} {
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

Generated from the code (` + "`go generate ./docs`" + `); every row is produced by a test (` + "`internal/errtest`" + `).

Every error is the envelope: ` + "`success` false, `message`, `error` (the code below: stable, for programs), `statusCode`, `timestamp`, `path`" + `.
A message never holds a value that the caller sent. 429 and 503 carry ` + "`Retry-After`" + ` where a time is known.
Retry 429, 502 and 503 with exponential back-off (1, 2, 4, 8 s) and the same ` + "`Idempotency-Key`" + `; everything else is for the caller to mend.

| Status | Code | Message | Cause |
|---|---|---|---|
`)
	for _, e := range fault.Catalog() {
		message := strings.ReplaceAll(e.Message, "%s", "…")
		fmt.Fprintf(&b, "| %d | `%s` | %s | %s |\n", e.Kind.Status(), e.Code, message, e.Cause)
	}
	return b.String()
}

func statesDoc() string {
	var b strings.Builder
	b.WriteString("# States\n\nGenerated from the transition tables (`go generate ./docs`). A change of state is a compare-and-swap: who comes second gets a conflict.\n\n")
	b.WriteString("## Transaction\n\n```mermaid\nstateDiagram-v2\n")
	for _, t := range signing.Transitions {
		from := string(t.From)
		if from == "" {
			from = "[*]"
		}
		fmt.Fprintf(&b, "    %s --> %s: %s\n", from, t.To, strings.ReplaceAll(t.By, ":", " -"))
	}
	b.WriteString("```\n\n| From | To | By |\n|---|---|---|\n")
	for _, t := range signing.Transitions {
		from := "—"
		if t.From != "" {
			from = "`" + string(t.From) + "`"
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s |\n", from, t.To, t.By)
	}
	b.WriteString("\nEnds: " + ends() + ".\n")
	b.WriteString("\n## Prepared wallet or address\n\n`awaiting_signature` goes to `confirmed` by its stamp, or to `expired` after 15 minutes without one. What waits for votes is `awaiting_approval` ([approvals.md](approvals.md)).\n")
	return b.String()
}

// ends are the states that nothing leads out of.
func ends() string {
	var all []string
	for _, t := range signing.Transitions {
		name := "`" + string(t.To) + "`"
		leaves := slices.ContainsFunc(signing.Transitions, func(o signing.Transition) bool { return o.From == t.To })
		if !leaves && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return strings.Join(all, ", ")
}

func configurationDoc() string {
	var b strings.Builder
	b.WriteString(`# Configuration

Generated from the code (` + "`go generate ./docs`, the struct `Server` of `internal/config`" + `).

What ` + "`railkit serve`" + ` can be told. ` + "`migrate`, `admin` and `doctor`" + ` read the same settings, so that one file of variables serves them all. What
counts is the flag, else the variable, else the file, else the default; an empty variable is as good as none.

A variable that begins with ` + "`RAILKIT_`" + ` and is not one of these is refused: it would be believed to be in force. A **secret** can also be in a file
that the variable with ` + "`_FILE`" + ` names (one newline at its end does not count). Give it so, or as the variable: a flag is seen by
every user of the machine. ` + "`railkit doctor`" + ` prints every setting with where it came from, and of a secret only whether it is set.

` + "`railkit-enclave`, `railkit-prices`, `railkit-devnet` and `railkit-partner`" + ` take flags only and read none of this.

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
In production the server refuses to start with the sandbox's keys or its devnet (as a node, too), with an origin that is not https, with a dashboard
and no session key, with mail in plain text, as root, as the signer's user, or before a signer that was sealed for the sandbox.
`)
	return b.String()
}
