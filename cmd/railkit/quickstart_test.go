package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/testbin"
)

// Where a reader of the page is slower, the test waits for a condition: that a signer which has just started takes an
// agent's writes, before the first payment, and that the model's host has its answer.
const (
	pays     = `signed POST "/v1/agents/$RAILKIT_AGENT_ID/x402-pay"`
	reports  = `signed POST /v1/agents/events/batch '{"events": [{"type": "error"}]}' | grep -q '"accepted":1'`
	answered = `grep -qs '"id":2' heard`
)

// until waits in a shell for what a command finds.
func until(found string) string {
	return "for i in $(seq 1800); do " + found + " && break; sleep 0.1; done"
}

// The lines of docs/agents-quickstart.md, pasted into a shell beside a fresh platform, do what the page says.
func TestAgents_Quickstart(t *testing.T) {
	page := readFile(t, filepath.Join("..", "..", "docs", "agents-quickstart.md"))
	bin, err := testbin.Path("railkit")
	if err != nil {
		t.Fatal(err)
	}
	dir, programs := t.TempDir(), t.TempDir()
	runDev(t, dir)
	build := exec.Command("go", "build", "-buildvcs=false", "-o", programs, "./sdk/go/examples/...")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	blocks := blocksOf(page, "sh")
	if blocks[0] != "make dev\n" {
		t.Errorf("the page begins with %q", blocks[0])
	}
	lines := strings.NewReplacer("go run ./sdk/go/examples/", programs+"/", "bin/railkit ", bin+" ",
		"sleep 5 # a host stays connected", until(answered), "--max-amount 0.02\n", "--max-amount 0.02 | tee heard\n",
	).Replace(strings.Join(blocks[1:], "echo\n"))
	lines = strings.Replace(lines, pays, until(reports)+"\n"+pays, 1)
	if !strings.Contains(lines, until(answered)) || !strings.Contains(lines, until(reports)) {
		t.Errorf("the page has other places where a reader is slower than a test:\n%s", lines)
	}
	script := exec.Command("sh", "-eu", "-c", lines)
	script.Dir = dir
	out, err := script.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := string(out)
	for words, times := range map[string]int{
		`"success":true`: 5, `"success":false`: 1, `"error":"agent_killed"`: 1, `"x402Version":1`: 1, `"spent":0.03`: 1,
		"paid 10000 millionths of a USDC to 0x": 1, `"message":"0.01 USDC were paid, and the server delivered."`: 1,
	} {
		if n := strings.Count(text, words); n != times {
			t.Errorf("%s is there %d times, want %d", words, n, times)
		}
	}
	_, secret, found := strings.Cut(readFile(t, filepath.Join(dir, "agent.env")), "RAILKIT_AGENT_SECRET=")
	if secret, _, _ = strings.Cut(secret, "\n"); !found || secret == "" || strings.Contains(text, secret) {
		t.Error("the secret is printed, or is not there")
	}
	if t.Failed() {
		t.Log(text)
	}
	program := readFile(t, filepath.Join("..", "..", "sdk", "go", "examples", "buy", "main.go"))
	if code := blocksOf(page, "go"); len(code) != 1 || !strings.Contains(program, code[0]) {
		t.Errorf("the page shows another program than sdk/go/examples/buy: %q", code)
	}
}
