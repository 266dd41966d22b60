package main

import (
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

// TestReadmeTour pastes the README's curl lines into a shell beside a fresh
// platform: what a stranger tries first has to work.
func TestReadmeTour(t *testing.T) {
	dir := t.TempDir()
	tour(t, dir, runDev(t, dir).BaseURL)
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
		`"success":true`), strings.Count(text, `"success":false`); good != 12 || bad != 1 {
		t.Errorf("%d calls worked and %d were refused, want 12 and 1:\n%s", good, bad, text)
	}
	if !strings.Contains(text, "Validation failed: walletname is not allowed: the field is called walletName") ||
		!strings.Contains(text, `"txHash":"0x`) {
		t.Errorf("the tour answers otherwise than the README says:\n%s", text)
	}
}

// tourLines is the README's block of shell lines that calls curl.
func tourLines(t *testing.T) string {
	t.Helper()
	for _, lines := range blocksOf(readFile(t, filepath.Join("..", "..", "README.md")), "sh") {
		if strings.Contains(lines, "curl") {
			return lines
		}
	}
	t.Fatal("the README has no curl tour")
	return ""
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
