package devnet_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/railkit/railkit/chain/devnet"
	"github.com/railkit/railkit/internal/child"
	"github.com/railkit/railkit/internal/test/testbin"
	"github.com/railkit/railkit/internal/test/testwait"
)

const patience = testwait.Bound

// process is a running devnet, started as the supervisor of the sandbox starts it.
type process struct {
	*devnet.Client
	addr     string
	cmd      *exec.Cmd
	lifeline *os.File // closing it is the parent's death
	stderr   bytes.Buffer
	ended    chan struct{} // closed once the process is gone
	err      error         // how it ended
}

// command is a run of the real program: a whole chain is not linked into the tests.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	binary, err := testbin.Path("railkit-devnet")
	if err != nil {
		t.Fatal(err)
	}
	return exec.Command(binary, args...)
}

func start(t *testing.T, data string, flags ...string) *process {
	t.Helper()
	cmd := command(t, append([]string{"-addr", "127.0.0.1:0", "-data", data, "-lead", "1h"}, flags...)...)
	readyR, readyW := pipe(t)
	lifeR, lifeW := pipe(t)
	cmd.Env = append(os.Environ(), child.Env+"=1")
	cmd.ExtraFiles = []*os.File{readyW, lifeR}
	p := &process{cmd: cmd, lifeline: lifeW, ended: make(chan struct{})}
	cmd.Stderr = &p.stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	readyW.Close()
	lifeR.Close()
	go func() {
		p.err = cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() { p.kill(t) })
	var facts struct{ Addr string }
	if err := json.NewDecoder(bufio.NewReader(readyR)).Decode(&facts); err != nil {
		p.kill(t)
		t.Fatalf("no ready line: %v\n%s", err, p.stderr.Bytes())
	}
	p.addr = facts.Addr
	p.Client = devnet.NewClient("http://" + facts.Addr)
	return p
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.Close()
		w.Close()
	})
	return r, w
}

// kill is SIGKILL: the process gets no chance to save anything.
func (p *process) kill(t *testing.T) {
	t.Helper()
	p.cmd.Process.Kill()
	p.wait(t)
}

func (p *process) wait(t *testing.T) error {
	t.Helper()
	select {
	case <-p.ended:
		return p.err
	case <-time.After(testwait.Bound):
		t.Fatal("the process does not end")
		return nil
	}
}

func TestDevnet_StopsCleanlyAndComesBack(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		data := t.TempDir()
		p := start(t, data)
		to := newAccount(t)
		hash := p.fund(t, "base", to.address, "native", "1.5")
		before := p.chain(t, "base").receipt(hash)
		p.cmd.Process.Signal(sig)
		if err := p.wait(t); err != nil {
			t.Fatalf("%v: %v\n%s", sig, err, p.stderr.Bytes())
		}
		base := start(t, data).chain(t, "base")
		if got := base.receipt(hash); got.BlockHash != before.BlockHash {
			t.Errorf("%v: the receipt moved to another block", sig)
		}
		if got := base.balance(to.address); got.Cmp(units("1.5", 18)) != 0 {
			t.Errorf("%v: balance %v", sig, got)
		}
	}
}

// The node has nothing in memory that is not on disk: several rounds, because
// a loss of the last moment would not show each time.
func TestDevnet_SIGKILLLosesNothing(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	to := newAccount(t)
	const rounds = 4
	for round := range int64(rounds) {
		p := start(t, data)
		base := p.chain(t, "base")
		if got := base.balance(to.address); got.Cmp(units(fmt.Sprint(round), 18)) != 0 {
			t.Fatalf("round %d starts with %v wei", round, got)
		}
		p.fund(t, "base", to.address, "USDC", "2.25")
		hash := p.fund(t, "base", to.address, "native", "1")
		before := base.receipt(hash)
		p.kill(t)

		base = start(t, data).chain(t, "base")
		if got := base.receipt(hash); got.BlockHash != before.BlockHash {
			t.Fatalf("round %d: the receipt is gone or elsewhere", round)
		}
		want := units("2.25", 6)
		want.Mul(want, big(round+1))
		if got := base.usdc().balanceOf(to.address); got.Cmp(want) != 0 {
			t.Fatalf("round %d: %v USDC units, want %v", round, got, want)
		}
		base.process.kill(t)
	}
}

// Solana's chain is in the same process: its faucet gives SOL and USDC, and a gift with a name once, also after a kill.
func TestDevnet_Solana(t *testing.T) {
	t.Parallel()
	data, to := t.TempDir(), "4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM"
	given := map[string]string{}
	for range 2 {
		p := start(t, data)
		for _, asset := range []string{"native", "USDC"} {
			id, err := p.FaucetOnce(t.Context(), "gift of "+asset, "solana", to, asset, "2.5")
			if err != nil || given[asset] != "" && given[asset] != id {
				t.Errorf("%s: %s after %s: %v", asset, id, given[asset], err)
			}
			given[asset] = id
		}
		p.kill(t)
	}
}

func TestDevnet_EndsWithItsParent(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	p.fund(t, "base", newAccount(t).address, "native", "1")
	p.lifeline.Close()
	p.wait(t)
}

// A call that waits for a block that never comes must not hold the process up.
func TestDevnet_StopsWhileACallWaits(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	base := p.chain(t, "base")
	p.must(t, p.SetAutomine(t.Context(), "base", false))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		_, err := p.Faucet(ctx, "base", newAccount(t).address.Hex(), "native", "1")
		failed <- err
	}()
	base.until("the faucet's transaction waits", func() bool { return base.pending() == 1 })
	p.cmd.Process.Signal(syscall.SIGTERM)
	if err := p.wait(t); err != nil {
		t.Errorf("%v\n%s", err, p.stderr.Bytes())
	}
	if <-failed == nil {
		t.Error("the faucet said that it gave, but nothing was mined")
	}
}
