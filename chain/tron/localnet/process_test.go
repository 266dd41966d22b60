package localnet_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain/tron/localnet"
)

const folderEnv = "RAILKIT_TEST_TRON"

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
			if n.info("/wallet", id).ID != id {
				t.Fatalf("round %d: %s is lost", round, id)
			}
		}
		ids = append(ids, n.gives(alice, "native", "3"), n.gives(alice, "USDT", "1.5"))
		n.mine(2)
		n.ask("/dev/automine", object{"on": false}, nil) // so that nobody who asks makes a block
		want := n.head("/wallet").BlockID
		kill()
		n, kill = serve(t, dir)
		if got := n.head("/wallet").BlockID; got != want {
			t.Fatalf("round %d: it was %s and is %s", round, want, got)
		}
		n.ask("/dev/automine", object{"on": true}, nil)
		kill()
	}
}
