package rpc_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana/rpc"
)

// Who observes a network is told of each question to each of its nodes.
func TestNodesAreObserved(t *testing.T) {
	n := start(t)
	all, err := rpc.DialAll("http://127.0.0.1:1/secret-key "+n.url+"/a", network)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(all.Close)
	var told []string
	all.Observe(func(_ context.Context, on chain.Network, method string, took time.Duration, err error) {
		if on.Slug != "solana" || took <= 0 {
			t.Errorf("told of %s, %v", on.Slug, took)
		}
		if err != nil {
			method += " failed"
			if strings.Contains(err.Error(), "secret-key") {
				t.Error(err)
			}
		}
		told = append(told, method)
	})
	if _, err := all.Head(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"getGenesisHash failed", "getGenesisHash", "getEpochInfo"}; !slices.Equal(told, want) {
		t.Errorf("told of %v, not %v", told, want)
	}
}
