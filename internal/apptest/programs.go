package apptest

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/railkit/railkit/internal/supervise"
)

type binaries struct{ enclave, devnet string }

// build builds the two programs once per test process. It is quick where they
// are up to date, and safe beside other test processes: each builds its own.
var build = sync.OnceValues(func() (binaries, error) {
	_, here, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(here), "..", "..")
	dir := os.Getenv("RAILKIT_TEST_BIN")
	if dir == "" {
		made, err := os.MkdirTemp("", "railkit-bin")
		if err != nil {
			return binaries{}, err
		}
		dir = made
		cmd := exec.Command("go", "build", "-o", dir, "./cmd/railkit-enclave", "./cmd/railkit-devnet")
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return binaries{}, err
		}
	}
	return binaries{filepath.Join(dir, "railkit-enclave"), filepath.Join(dir, "railkit-devnet")}, nil
})

func programs(t *testing.T) binaries {
	t.Helper()
	b, err := build()
	if err != nil {
		t.Fatalf("building the programs: %v", err)
	}
	return b
}

// startDevnet starts one chain for all tests of a process. It ends with the
// process: a child notices when its parent is gone.
var startDevnet = sync.OnceValues(func() (string, error) {
	b, err := build()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "railkit-devnet")
	if err != nil {
		return "", err
	}
	child, err := supervise.New(io.Discard).Start(context.Background(), supervise.Spec{
		Name: "devnet", Path: b.devnet,
		Args: func(prev supervise.Facts) []string {
			addr := prev.Text("addr")
			if addr == "" {
				addr = "127.0.0.1:0"
			}
			return []string{"--data", dir, "--addr", addr}
		},
	})
	if err != nil {
		return "", err
	}
	return "http://" + child.Facts().Text("addr"), nil
})

func devnetURL(t *testing.T) string {
	t.Helper()
	url, err := startDevnet()
	if err != nil {
		t.Fatalf("starting the devnet: %v", err)
	}
	return url
}
