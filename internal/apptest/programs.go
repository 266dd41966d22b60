package apptest

import (
	"context"
	"io"
	"os"
	"sync"
	"testing"

	"github.com/railkit/railkit/internal/supervise"
	"github.com/railkit/railkit/internal/testbin"
)

func program(t *testing.T, name string) string {
	t.Helper()
	path, err := testbin.Path(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// startDevnet starts one chain for all tests of a process. It ends with the
// process: a child notices when its parent is gone. So does its folder's use,
// and the folder itself is left to the system's own cleaning of temporary files.
var startDevnet = sync.OnceValues(func() (string, error) {
	path, err := testbin.Path("railkit-devnet")
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "railkit-devnet")
	if err != nil {
		return "", err
	}
	child, err := supervise.New(io.Discard).Start(context.Background(), supervise.Spec{
		Name: "devnet", Path: path, Once: true,
		Args: func(supervise.Facts) []string { return []string{"--data", dir, "--addr", "127.0.0.1:0"} },
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
