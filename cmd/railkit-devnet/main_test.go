package main

import (
	"bufio"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/devnet"
	"github.com/railkit/railkit/chain/node"
	solanarpc "github.com/railkit/railkit/chain/solana/rpc"
	tronrpc "github.com/railkit/railkit/chain/tron/rpc"
)

const asProgram = "RAILKIT_TEST_AS_DEVNET"

// TestMain is the program too, so that a test can kill it.
func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// started is the program on a folder, and how it is killed.
func started(t *testing.T, dir string) (url string, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "--addr", "127.0.0.1:0", "--data", dir)
	cmd.Env, cmd.Stderr = append(os.Environ(), asProgram+"=yes"), os.Stderr
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
	if _, url, _ = strings.Cut(strings.TrimSpace(line), ": "); err != nil || !strings.HasPrefix(url, "http://") {
		t.Fatalf("it says %q: %v", line, err)
	}
	return url, kill
}

// others are the chains that are no EVM, and somebody on each.
var others = map[string]struct {
	token, somebody string
	dial            func(url string, n chain.Network) (node.Client, error)
}{
	"solana": {
		"USDC", "9B5XszUGdMaxCZ7uSQhPzdks5ZQSmWxrmzCSvtJ6Ns6g",
		func(u string, n chain.Network) (node.Client, error) { return solanarpc.DialAll(u, n) },
	},
	"tron": {
		"USDT", "TKHuVq1oKVruCGLvqVexFs6dawKv6fQgFs",
		func(u string, n chain.Network) (node.Client, error) { return tronrpc.DialAll(u, n) },
	},
}

// kept is what a chain has to have after it was killed.
type kept struct {
	Gifts    []string // transactions of the faucet's
	Receipts []node.Receipt
	Balance  node.Balance
	Block    node.Header // the newest final one
}

// SIGKILL takes from no chain the accounts, the transactions or the final blocks of which somebody was told, and each
// goes on.
func TestKilled(t *testing.T) {
	t.Parallel()
	dir, seen := t.TempDir(), map[string]kept{}
	for round := range 3 {
		url, kill := started(t, dir)
		for slug := range others {
			if was, before := seen[slug]; before {
				if is := look(t, url, slug, was.Gifts, was.Block.Number); !reflect.DeepEqual(is, was) {
					t.Fatalf("round %d: %s was\n%+v and is\n%+v", round, slug, was, is)
				}
			}
			seen[slug] = give(t, url, slug, seen[slug].Gifts)
		}
		kill()
	}
}

// give has the faucet pay both assets, and waits until that is final.
func give(t *testing.T, url, slug string, gifts []string) kept {
	t.Helper()
	client := devnet.NewClient(url)
	for _, asset := range []string{"native", others[slug].token} {
		gift, err := client.Faucet(t.Context(), slug, others[slug].somebody, asset, "2")
		if err != nil {
			t.Fatal(err)
		}
		gifts = append(gifts, gift)
	}
	if err := client.Mine(t.Context(), slug, 40); err != nil { // more than it takes to be final on either
		t.Fatal(err)
	}
	is := look(t, url, slug, gifts, 0)
	for i, r := range is.Receipts {
		if !r.Succeeded || r.BlockNumber > is.Block.Number {
			t.Fatalf("the faucet's %s on %s is not final", gifts[i], slug)
		}
	}
	return is
}

// look asks for transactions, their payee's balance, and a final block; 0: the newest.
func look(t *testing.T, url, slug string, gifts []string, block int64) (k kept) {
	t.Helper()
	n, _ := chain.BySlug(chain.Sandbox, slug)
	token, _ := n.TokenBySymbol(others[slug].token)
	c, err := others[slug].dial(url+"/"+slug, n)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	k.Gifts = gifts
	has, err := c.Balances(t.Context(), []string{others[slug].somebody}, []string{token.Address})
	if err != nil {
		t.Fatal(err)
	}
	k.Balance = has[0]
	for _, gift := range gifts {
		r, _, err := c.Receipt(t.Context(), gift)
		if err != nil {
			t.Fatal(err)
		}
		k.Receipts = append(k.Receipts, r)
	}
	if block == 0 {
		k.Block, err = c.Latest(t.Context())
	} else {
		var all []node.Header
		if all, err = c.Headers(t.Context(), []int64{block}); err == nil {
			k.Block = all[0]
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return k
}
