package rpc

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
)

// Who observes is told of each question: how it failed, and without the node's URL, which may hold a key.
func TestClientIsObserved(t *testing.T) {
	node := newFakeNode(t)
	node.answer("eth_blockNumber", `"0x7"`)
	c := dial(t, node.URL+"/secret-key")
	var told []string
	var last error
	c.Observe(func(_ context.Context, n chain.Network, method string, took time.Duration, err error) {
		if n.Slug != c.Network().Slug || took <= 0 {
			t.Errorf("told of %s, %v", n.Slug, took)
		}
		told, last = append(told, method), err
	})
	if _, err := c.Head(t.Context()); err != nil || last != nil {
		t.Fatal(err, last)
	}
	node.Close()
	if _, err := c.Head(t.Context()); !errors.Is(err, ErrTransport) || !errors.Is(last, ErrTransport) ||
		strings.Contains(last.Error(), "secret-key") {
		t.Errorf("%v, told %v", err, last)
	}
	if want := []string{"eth_chainId", "eth_blockNumber", "eth_blockNumber"}; !slices.Equal(told, want) {
		t.Errorf("told of %v, not %v", told, want)
	}
}
