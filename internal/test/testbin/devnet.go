package testbin

import (
	"context"
	"io"
	"os"
	"sync"

	"github.com/railkit/railkit/chain/devnet"
	"github.com/railkit/railkit/internal/supervise"
)

// Devnet starts the chains that all tests of a process share, and says where. They
// end with the process: a child notices when its parent is gone. So does their
// folder's use, and the folder itself is left to the system's own cleaning of
// temporary files.
var Devnet = sync.OnceValues(func() (string, error) {
	path, err := Path("railkit-devnet")
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "railkit-devnet")
	if err != nil {
		return "", err
	}
	child, err := supervise.New(io.Discard).Start(context.Background(), supervise.Spec{
		Name: "devnet", Path: path, Once: true,
		Args: func(supervise.Facts) []string {
			return []string{"--data", dir, "--addr", "127.0.0.1:0", "--lead", "1h"}
		},
	})
	if err != nil {
		return "", err
	}
	url := "http://" + child.Facts().Text("addr")
	return url, devnet.NewClient(url).Open(context.Background(), "base")
})
