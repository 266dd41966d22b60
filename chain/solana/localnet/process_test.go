package localnet_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain/solana/localnet"
)

const folderEnv = "RAILKIT_TEST_LOCALNET"

// TestMain is the server too, so that a test can kill it.
func TestMain(m *testing.M) {
	if dir := os.Getenv(folderEnv); dir != "" {
		if err := localnet.Run(context.Background(), "127.0.0.1:0", dir, network); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func serve(t *testing.T, dir string) (n *net, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), folderEnv+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	t.Cleanup(kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	_, url, ok := strings.Cut(strings.TrimSpace(line), ": ")
	if err != nil || !ok {
		t.Fatalf("it says %q: %v", line, err)
	}
	return &net{T: t, url: url}, kill
}

// SIGKILL takes nothing back of which anybody was told.
func TestKilled(t *testing.T) {
	t.Parallel()
	dir, ids := t.TempDir(), []string{}
	for round := range 3 {
		n, kill := serve(t, dir)
		for _, id := range ids {
			if n.status("", id) == nil {
				t.Fatalf("round %d: %s is lost", round, id)
			}
		}
		var id string
		n.ask(&id, "requestAirdrop", alice.String(), 1_000_000_000)
		n.ask(nil, "dev_mine", 2)
		want := n.all()
		kill()
		ids = append(ids, id)
		n, kill = serve(t, dir)
		if got := n.all(); got != want {
			t.Fatalf("round %d: it was\n%s\nand is\n%s", round, want, got)
		}
		kill()
	}
}
