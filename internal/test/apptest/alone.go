package apptest

import (
	"context"
	"sync"
	"testing"

	"github.com/railkit/railkit/chain/devnet"
)

// taken are the networks of the shared devnet, each with who has it.
var taken sync.Map // of *sync.Mutex, by slug

// Alone gives a test a network of the shared devnet until its end, for who stops
// its mining or takes blocks away. Another one that asks for it waits, and finds
// it mining again. A test takes one network, and does it before anything else.
func Alone(t testing.TB, slug string) {
	t.Helper()
	lock, _ := taken.LoadOrStore(slug, &sync.Mutex{})
	lock.(*sync.Mutex).Lock()
	t.Cleanup(lock.(*sync.Mutex).Unlock)
	node := devnet.NewClient(devnetURL(t))
	t.Cleanup(func() {
		if err := node.SetAutomine(context.Background(), slug, true); err != nil {
			t.Errorf("mining on %s again: %v", slug, err)
		}
	})
}
