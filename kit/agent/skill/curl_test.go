package skill_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	railkit "github.com/railkit/railkit/sdk/go"
)

// The curl lines of docs/skills.md work when they are pasted.
func TestAgents_SkillLinesOfTheDocumentation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	alice := w.Fund(w.c, "alice@example.com")
	k := w.create(w.c, func(r *railkit.SkillRequest) {
		r.IsPublic, r.CostUSDC, r.PayTo, r.Network = true, 1000, alice.Address.Address, "base"
	})
	free := w.create(w.c, nil)
	doc, err := os.ReadFile("../../../docs/skills.md")
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for _, block := range strings.Split(string(doc), "```sh\n")[1:] {
		shell, _, _ := strings.Cut(block, "```")
		lines.WriteString(shell)
	}
	script := exec.Command("sh", "-eu", "-c", lines.String())
	script.Env = append(os.Environ(), "API="+w.BaseURL, "KEY="+w.Keys.APIKey, "URL="+w.shop.URL+"/echo", "SKILL="+k.ID,
		"FREE="+free.ID,
		"AGENT="+w.agent(w.c), "WALLET="+alice.Address.Address)
	out, err := script.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := string(out)
	good, bad := strings.Count(text, `"success":true`), strings.Count(text, `"success":false`)
	if good != 12 || bad > 0 {
		t.Errorf("%d calls worked and %d were refused, want 12 and none:\n%s", good, bad, text)
	}
	for _, want := range []string{`"cost_usdc":2000`, `"status":418`, `"coming_soon":false`, `"toolId":"` + k.ID} {
		if !strings.Contains(text, want) {
			t.Errorf("the lines answer without %s:\n%s", want, text)
		}
	}
}
