package payout_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/railkit/railkit/money"
	railkit "github.com/railkit/railkit/sdk/go"
)

// The curl lines of docs/batches.md work when they are pasted.
func TestPayout_BatchLinesOfTheDocumentation(t *testing.T) {
	t.Parallel()
	d := newCounter(t)
	bea, clabe := d.recipient("Bea", mexican)
	d.receive(clabe, "base", money.USDC)
	doc := string(must(os.ReadFile("../../docs/batches.md"))(t))
	env := append(os.Environ(), "B="+d.BaseURL, "K="+d.Keys.BenchKey, "ANA="+d.to.ID, "BEA="+bea.ID)
	dir, text := t.TempDir(), ""
	for i, block := range strings.Split(doc, "```sh\n")[1:] {
		lines, _, _ := strings.Cut(block, "```")
		script := exec.Command("sh", "-eu", "-c", lines)
		script.Dir, script.Env = dir, env
		out, err := script.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", lines, err, out)
		}
		text += string(out)
		var a struct{ Data railkit.BatchDetail }
		if i < 2 { // the previews
			if err := json.Unmarshal(out, &a); err != nil || !a.Data.Executable {
				t.Fatalf("%v: %s", err, out)
			}
			env = append(env, []string{"BATCH=", "OTHER="}[i]+a.Data.ID)
		}
	}
	good, bad := strings.Count(text, `"success":true`), strings.Count(text, `"success":false`)
	if good != 7 || bad > 0 {
		t.Errorf("%d calls worked and %d were refused, want 7 and none:\n%s", good, bad, text)
	}
	for _, want := range []string{`"orderReference":"OFR-`, `"status":"executed"`, `"status":"canceled"`, `"line":3`} {
		if !strings.Contains(text, want) {
			t.Errorf("the lines answer without %s:\n%s", want, text)
		}
	}
}
