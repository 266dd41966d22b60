package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/railkit/railkit/cmd/railkit/internal/dev"
	"github.com/railkit/railkit/internal/demo"
	"github.com/railkit/railkit/internal/test/testbin"
	"github.com/railkit/railkit/internal/test/testwait"
)

// TestFirstSteps pastes what a stranger tries first beside a fresh platform, twice in one folder: the curl lines and
// the README's program. All have one key, which has 20 calls a minute that change something. A tour makes five and a
// story eleven, so a fast machine is at that limit with the second story, whose client waits for its turn: curl does
// not.
func TestFirstSteps(t *testing.T) {
	dir := t.TempDir()
	url := runDev(t, dir).BaseURL
	for range 2 {
		tour(t, dir, url)
	}
	for range 2 {
		story(t, dir)
	}
}

// story pastes the README's program. It stands in the module's own tree, as a reader's does, so the test compiles it
// there and runs it in the folder of the platform.
func story(t *testing.T, dir string) {
	t.Helper()
	blocks := blocksOf(readFile(t, filepath.Join("..", "..", "README.md")), "sh")
	lines := blocks[len(blocks)-1]
	if !strings.HasSuffix(lines, "END\nCGO_ENABLED=0 go run ./story\n") {
		t.Fatalf("the README's story ends with %q", lines[max(0, len(lines)-60):])
	}
	root, err := testbin.Root()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "story", "story")
	lines = strings.Replace(lines, "go run ./story", "go -C "+root+" build -buildvcs=false -o "+program+
		" -overlay "+overlay(t, root, dir)+" ./story\n"+program, 1)
	script := exec.Command("sh", "-eu", "-c", lines)
	script.Dir = dir
	out, err := script.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "25.50 USDC: confirmed 0x") ||
		!strings.Contains(string(out), "Policy denied: maxValueUsd") {
		t.Errorf("the README's story: %v\n%s", err, out)
	}
}

// overlay shows the compiler the pasted file where a reader has it, within the tree, without writing there.
func overlay(t *testing.T, root, dir string) string {
	t.Helper()
	pasted := map[string]string{filepath.Join(root, "story", "main.go"): filepath.Join(dir, "story", "main.go")}
	raw, err := json.Marshal(map[string]any{"Replace": pasted})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// runDev runs a platform in a folder until the test ends, with its data where the documents say.
func runDev(t *testing.T, dir string) demo.Facts {
	t.Helper()
	bin, err := testbin.Path("railkit")
	if err != nil {
		t.Fatal(err)
	}
	platform := exec.Command(bin, "dev", "--addr", "127.0.0.1:0")
	platform.Dir = dir
	if err := platform.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = platform.Process.Signal(os.Interrupt)
		_ = platform.Wait() // its exit code is another test's
	})
	facts := filepath.Join(dir, "railkit-data", "dev.json")
	testwait.Until(t, "railkit dev is ready", func() bool {
		_, err := dev.ReadFacts(facts)
		return err == nil
	})
	f, err := dev.ReadFacts(facts)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func tour(t *testing.T, dir, baseURL string) {
	t.Helper()
	script := exec.Command("sh", "-eu", "-c", strings.ReplaceAll(tourLines(t), "http://localhost:8080", baseURL))
	script.Dir = dir
	out, err := script.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := string(out)
	if good, bad := strings.Count(text,
		`"success":true`), strings.Count(text, `"success":false`); good != 13 || bad != 1 {
		t.Errorf("%d calls worked and %d were refused, want 13 and 1:\n%s", good, bad, text)
	}
	if !strings.Contains(text, "Validation failed: walletname is not allowed: the field is called walletName") ||
		!strings.Contains(text, `"txHash":"0x`) {
		t.Errorf("the tour answers otherwise than docs/curl.md says:\n%s", text)
	}
}

// tourLines is the one block of shell lines of docs/curl.md.
func tourLines(t *testing.T) string {
	t.Helper()
	blocks := blocksOf(readFile(t, filepath.Join("..", "..", "docs", "curl.md")), "sh")
	if len(blocks) != 1 {
		t.Fatalf("docs/curl.md has %d blocks of shell lines, want one", len(blocks))
	}
	return blocks[0]
}

// blocksOf are a document's blocks of code in a language.
func blocksOf(document, language string) (all []string) {
	for _, block := range strings.Split(document, "```"+language+"\n")[1:] {
		lines, _, _ := strings.Cut(block, "```")
		all = append(all, lines)
	}
	return all
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
