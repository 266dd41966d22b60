package devnet_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/devnet"
)

func TestDevnet_FaucetRefusals(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	to := newAccount(t).address.Hex()
	for _, c := range []struct{ slug, to, asset, amount string }{
		{"base", to, "USDT", "1"}, {"base", to, "", "1"}, {"base", to, "usdC", "1"},
		{"base", common.Address{}.Hex(), "native", "1"}, {"base", "0x12", "native", "1"}, {"base", "", "native", "1"},
		{"base", to, "USDC", "0"}, {"base", to, "USDC", "0.0"}, {"base", to, "USDC", "-1"}, {"base", to, "USDC", "+1"},
		{"base", to, "USDC", "1e3"}, {"base", to, "USDC", ""}, {"base", to, "USDC", "."}, {"base", to, "USDC", "1."},
		{"base", to, "USDC", ".5"}, {"base", to, "USDC", "0.0000001"}, {"base", to, "USDC", "1_000"},
		{"base", to, "USDC", " 1"}, {"base", to, "USDC", "1.2.3"}, {"base", to, "native", "1000000000000"},
		{"base", to, "native", "0.0000000000000000001"},
	} {
		_, err := p.Faucet(t.Context(), c.slug, c.to, c.asset, c.amount)
		var refusal *devnet.Error
		if !errors.As(err, &refusal) || refusal.Code != devnet.InvalidParams {
			t.Errorf("%v: %v", c, err)
		}
	}
	if n := p.chain(t, "base").head().Number; n.Sign() != 0 {
		t.Errorf("refusals made %v blocks", n)
	}
	p.fund(t, "base", common.HexToAddress(to), "native", "999999999999.000000000000000001")
}

// Many first calls at once, to chains that nobody has used yet.
func TestDevnet_ChainsStartOnFirstUse(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	for slug, up := range p.listed(t) {
		if up {
			t.Errorf("%s runs before its first request", slug)
		}
	}
	var wg sync.WaitGroup
	for _, network := range chain.OfKind(chain.EVM, chain.Networks(chain.Sandbox)) {
		for range 3 {
			c := p.chain(t, network.Slug) // says nothing to the node yet
			wg.Go(func() {
				id, err := c.ChainID(t.Context())
				if err != nil || id.Uint64() != network.ChainID {
					t.Errorf("%s: chain id %v, %v", network.Slug, id, err)
				}
				code, err := c.CodeAt(t.Context(), common.HexToAddress(network.Tokens[0].Address), nil)
				if err != nil || len(code) == 0 {
					t.Errorf("%s: no token: %v", network.Slug, err)
				}
			})
		}
	}
	wg.Wait()
	all := p.listed(t)
	for slug, up := range all {
		if !up {
			t.Errorf("%s does not run", slug)
		}
	}
	if len(all) != 6 {
		t.Errorf("%d chains are listed", len(all))
	}
}

func (p *process) listed(t *testing.T) map[string]bool {
	t.Helper()
	resp, err := http.Get("http://" + p.addr + "/")
	p.must(t, err)
	defer resp.Body.Close()
	var page struct {
		Chains []struct {
			Slug string
			Up   bool
		}
	}
	p.must(t, json.NewDecoder(resp.Body).Decode(&page))
	up := map[string]bool{}
	for _, c := range page.Chains {
		up[c.Slug] = c.Up
	}
	return up
}

func TestDevnet_WhatIsNoChainIsRefused(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	for _, c := range []struct {
		method, path, host, kind string
		status                   int
	}{
		{"POST", "/dogecoin", "", "application/json", 404},
		{"POST", "/", "", "application/json", 404},
		{"GET", "/base/x", "", "", 404},
		{"GET", "/base", "", "", 405},
		{"POST", "/base", "", "text/plain", 415}, // what a page of another origin could send unasked
		{"POST", "/base", "rebound.example", "application/json", 403},
		{"GET", "/", "localhost", "", 200},
	} {
		body := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}`)
		req, err := http.NewRequestWithContext(t.Context(), c.method, "http://"+p.addr+c.path, body)
		p.must(t, err)
		req.Host = c.host
		req.Header.Set("Content-Type", c.kind)
		resp, err := http.DefaultClient.Do(req)
		p.must(t, err)
		text, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != c.status {
			t.Errorf("%s %s %s: %d %s", c.method, c.host, c.path, resp.StatusCode, text)
		}
		if (c.status == 404 || c.status == 405) && !strings.Contains(string(text), `"jsonrpc":"2.0"`) {
			t.Errorf("%s %s: not a JSON-RPC error: %s", c.method, c.path, text)
		}
	}
	var refusal *devnet.Error
	if err := p.Mine(t.Context(), "dogecoin", 1); !errors.As(err, &refusal) {
		t.Errorf("the client says %v", err)
	}
	var out any
	for _, method := range []string{
		"admin_nodeInfo", "debug_setHead", "miner_setExtra", "engine_exchangeCapabilities",
	} {
		if p.chain(t, "base").Client.Client().CallContext(t.Context(), &out, method) == nil {
			t.Errorf("%s is served", method)
		}
	}
}

func TestDevnet_ReorgMovesTransactions(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	to := newAccount(t).address
	base := p.chain(t, "base")
	kept := base.receipt(p.fund(t, "base", to, "native", "1"))
	moved := []*types.Receipt{
		base.receipt(p.fund(t, "base", to, "native", "2")), base.receipt(p.fund(t, "base", to, "USDC", "3")),
	}
	old := base.head()
	p.must(t, p.Reorg(t.Context(), "base", 2, false))
	if head := base.head(); head.Number.Cmp(old.Number) != 0 || head.Hash() == old.Hash() {
		t.Error("the head is not another block of the same height")
	}
	for _, before := range moved {
		after := base.receipt(before.TxHash)
		succeeded(t, after)
		if after.BlockHash == before.BlockHash {
			t.Error("a transaction stayed in a block of the old branch")
		}
		canonical, err := base.HeaderByNumber(t.Context(), after.BlockNumber)
		base.check(err)
		if canonical.Hash() != after.BlockHash {
			t.Error("the receipt's block is not in the chain")
		}
	}
	if base.receipt(kept.TxHash).BlockHash != kept.BlockHash {
		t.Error("the reorg went deeper than asked")
	}
	if base.balance(to).Cmp(units("3", 18)) != 0 || base.usdc().balanceOf(to).Cmp(units("3", 6)) != 0 {
		t.Error("the balances changed")
	}
	logs, err := base.FilterLogs(t.Context(), ethereum.FilterQuery{Addresses: []common.Address{base.usdc().address}})
	base.check(err)
	if len(logs) != 2 || logs[0].BlockHash != base.receipt(moved[1].TxHash).BlockHash {
		t.Errorf("the logs are not those of the new branch: %v", logs)
	}
}

func TestDevnet_ReorgCanDrop(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	base := p.chain(t, "base")
	from, to := newAccount(t), newAccount(t).address
	p.fund(t, "base", from.address, "native", "10")
	tx := base.signed(from, to, big(1), nil)
	before := base.send(tx)
	p.must(t, p.Reorg(t.Context(), "base", 1, true))
	if _, err := base.TransactionReceipt(t.Context(), tx.Hash()); !errors.Is(err, ethereum.NotFound) {
		t.Errorf("the dropped transaction still has a receipt: %v", err)
	}
	if base.balance(to).Sign() != 0 || base.pending() != 0 {
		t.Error("the dropped transaction is not forgotten")
	}
	after := base.send(tx) // whoever still has the bytes can send them again
	if after.BlockHash == before.BlockHash || base.balance(to).Cmp(big(1)) != 0 {
		t.Error("the dropped transaction did not come back")
	}
	p.must(t, p.Reorg(t.Context(), "base", int(base.head().Number.Int64()), true)) // to the first block
	if base.balance(from.address).Sign() != 0 {
		t.Error("the whole chain was to be replaced")
	}
	p.fund(t, "base", from.address, "native", "1") // the faucet's nonce went back too
	for _, depth := range []int{0, 65, 60} {
		var refusal *devnet.Error
		if err := p.Reorg(t.Context(), "base", depth, false); !errors.As(err, &refusal) ||
			refusal.Code != devnet.InvalidParams {
			t.Errorf("depth %d: %v", depth, err)
		}
	}
}

func TestDevnet_ReorgWithDropLeavesWhatWaited(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	base := p.chain(t, "base")
	gone, waits, to := newAccount(t), newAccount(t), newAccount(t).address
	p.fund(t, "base", gone.address, "native", "1")
	p.fund(t, "base", waits.address, "native", "1")
	dropped := base.signed(gone, to, big(1), nil)
	base.send(dropped)
	p.must(t, p.SetAutomine(t.Context(), "base", false))
	base.check(base.SendTransaction(t.Context(), base.signed(waits, to, big(2), nil)))
	p.must(t, p.Reorg(t.Context(), "base", 1, true))
	if got := base.balance(to); got.Cmp(big(2)) != 0 {
		t.Errorf("the receiver has %v", got)
	}
}

func TestDevnet_AutomineAndMine(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	base := p.chain(t, "base")
	from := newAccount(t)
	p.fund(t, "base", from.address, "native", "1")
	p.must(t, p.SetAutomine(t.Context(), "base", false))
	at := base.head().Number.Int64()
	tx := base.signed(from, from.address, big(1), nil)
	base.check(base.SendTransaction(t.Context(), tx))
	if _, err := base.TransactionReceipt(t.Context(), tx.Hash()); !errors.Is(err, ethereum.NotFound) {
		t.Errorf("mined although nobody asked, or an odd answer: %v", err)
	}
	p.must(t, p.Mine(t.Context(), "base", 2))
	if head := base.head().Number.Int64(); head != at+2 || base.receipt(tx.Hash()).BlockNumber.Int64() != at+1 {
		t.Errorf("height %d", head)
	}
	again := base.signed(from, from.address, big(1), nil)
	base.check(base.SendTransaction(t.Context(), again))
	p.must(t, p.SetAutomine(t.Context(), "base", true)) // what waited is mined at once
	base.until("the waiting transaction is mined", func() bool {
		_, err := base.TransactionReceipt(t.Context(), again.Hash())
		return err == nil
	})
	for _, n := range []int{0, 1001} {
		var refusal *devnet.Error
		if err := p.Mine(t.Context(), "base", n); !errors.As(err, &refusal) || refusal.Code != devnet.InvalidParams {
			t.Errorf("%d blocks: %v", n, err)
		}
	}
}

// Blocks come as fast as their transactions until the chain's clock is five
// seconds ahead; then each takes its second.
func TestDevnet_ClockStaysNearTheWall(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), "-lead", "5s")
	base := p.chain(t, "base")
	from := newAccount(t)
	p.fund(t, "base", from.address, "native", "1")
	last := base.head().Time
	next := func() (ahead time.Duration) {
		base.send(base.signed(from, from.address, big(1), nil))
		head := base.head()
		if ahead = time.Until(time.Unix(int64(head.Time), 0)); ahead > 5*time.Second {
			t.Fatalf("block %v is %v ahead of the wall clock", head.Number, ahead)
		}
		if head.Time <= last {
			t.Fatalf("block %v is not later than its parent", head.Number)
		}
		last = head.Time
		return ahead
	}
	base.until("the chain is far ahead", func() bool {
		p.must(t, p.Mine(t.Context(), "base", 5)) // a busy machine may take a second for one that is sent
		return next() > 3*time.Second
	})
	for range 4 { // of which the clock allows two at once
		next()
	}
}

// Many senders at once, each with its nonces out of order: while the pool follows
// the chain it sets some aside, and none may stay there.
func TestDevnet_NoTransactionIsForgotten(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	base := p.chain(t, "base")
	const senders, each = 8, 12
	to := newAccount(t).address
	var wg sync.WaitGroup
	for range senders {
		from := newAccount(t)
		p.fund(t, "base", from.address, "native", "1")
		for nonce := range uint64(each) {
			tx := base.sign(from, &types.DynamicFeeTx{
				Nonce: (nonce + each/2) % each, To: &to, Value: big(1), Gas: 21000,
				GasTipCap: big(1), GasFeeCap: big(10 * params.GWei),
			})
			wg.Go(func() {
				if err := base.SendTransaction(t.Context(), tx); err != nil {
					t.Errorf("nonce %d: %v", tx.Nonce(), err)
				}
			})
		}
	}
	wg.Wait()
	base.until("every transaction is mined", func() bool { return base.balance(to).Cmp(big(senders*each)) == 0 })
}

// A transaction that pays too little waits, makes no blocks and holds nobody up.
func TestDevnet_NothingIsMinedWithoutATransaction(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	base := p.chain(t, "base")
	from, to := newAccount(t), newAccount(t).address
	p.fund(t, "base", from.address, "native", "1")
	cheap := base.sign(from, &types.DynamicFeeTx{
		To: &to, Value: big(1), Gas: 21000, GasTipCap: big(1), GasFeeCap: big(1000),
	})
	base.check(base.SendTransaction(t.Context(), cheap))
	at := base.head().Number.Int64()
	p.fund(t, "base", to, "native", "1")
	if head := base.head().Number.Int64(); head != at+1 {
		t.Errorf("height %d, want %d", head, at+1)
	}
	if _, waits, err := base.TransactionByHash(t.Context(), cheap.Hash()); err != nil || !waits {
		t.Errorf("the cheap transaction does not wait: %v", err)
	}
	least := base.sign(from, &types.DynamicFeeTx{
		To: &to, Value: big(1), Gas: 21000, GasTipCap: big(2), GasFeeCap: big(10 * params.GWei),
	})
	succeeded(t, base.send(least)) // it replaces the other, and a tip of wei is enough
}

func TestDevnet_UnknownTransactionIsNotFound(t *testing.T) {
	t.Parallel()
	base := start(t, t.TempDir()).chain(t, "base")
	_, err := base.TransactionReceipt(t.Context(), common.HexToHash("0x01"))
	if !errors.Is(err, ethereum.NotFound) {
		t.Errorf("on a new chain: %v", err)
	}
}

// The precompile of EIP-7951, with which a contract checks a passkey.
func TestDevnet_ChecksP256OnChain(t *testing.T) {
	t.Parallel()
	base := start(t, t.TempDir()).chain(t, "base")
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	base.check(err)
	digest := sha256.Sum256([]byte("a passkey's challenge"))
	r, s, err := ecdsa.Sign(rand.Reader, key, digest[:])
	base.check(err)
	public, err := key.PublicKey.Bytes()
	base.check(err)
	input := append(digest[:], r.FillBytes(make([]byte, 32))...)
	input = append(append(input, s.FillBytes(make([]byte, 32))...), public[1:]...)
	at := common.HexToAddress("0x100")
	for _, valid := range []bool{true, false} {
		out, err := base.CallContract(t.Context(), ethereum.CallMsg{To: &at, Data: input}, nil)
		base.check(err)
		if (len(out) == 32 && out[31] == 1) != valid {
			t.Errorf("valid %v: %x", valid, out)
		}
		input[0] ^= 1
	}
}

func TestDevnet_OneLineAndExitCodeOne(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	inUse := t.TempDir()
	p := start(t, inUse)
	file := filepath.Join(t.TempDir(), "file")
	p.must(t, os.WriteFile(file, nil, 0o600))
	for _, c := range []struct {
		name string
		args []string
		line string
	}{
		{"taken port", []string{"-addr", taken.Addr().String(), "-data", t.TempDir()}, "taken"},
		{"folder that cannot be made",
			[]string{"-addr", "127.0.0.1:0", "-data", filepath.Join(file, "x")}, "data folder"},
		{"folder in use", []string{"-addr", "127.0.0.1:0", "-data", inUse}, "another devnet is running"},
		{"address of the network", []string{"-addr", "0.0.0.0:0", "-data", t.TempDir()}, "loopback"},
		{"no address", []string{"-addr", "here", "-data", t.TempDir()}, "-addr"},
		{"an argument", []string{"now"}, "no arguments"},
	} {
		code, said := refusal(t, c.args...)
		if code != 1 || strings.Count(said, "\n") != 1 || !strings.Contains(said, c.line) {
			t.Errorf("%s: exit code %d, %q", c.name, code, said)
		}
	}
	p.fund(t, "base", newAccount(t).address, "native", "1") // the first one is undisturbed
}

// refusal runs the program, which ends by itself, and gives its exit code and what it said.
func refusal(t *testing.T, args ...string) (code int, said string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var stderr strings.Builder
	cmd := command(t, args...)
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer context.AfterFunc(ctx, func() { cmd.Process.Kill() })()
	cmd.Wait()
	return cmd.ProcessState.ExitCode(), stderr.String()
}

func TestDevnet_OtherGenesisIsSaid(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := start(t, data)
	p.fund(t, "base", newAccount(t).address, "native", "1")
	p.kill(t)
	// The data of another chain stands for that of another version.
	p.must(t, os.Rename(filepath.Join(data, "base"), filepath.Join(data, "polygon")))
	code, said := refusal(t, "-addr", "127.0.0.1:0", "-data", data)
	if code != 1 || !strings.HasPrefix(said, "railkit-devnet: polygon: the data was made with another genesis block") ||
		!strings.HasSuffix(said, ": remove the data folder, of railkit dev all of --data\n") {
		t.Errorf("exit code %d, %q", code, said)
	}
}

// The simulated beacon calls every 32nd block final, and final blocks are moved,
// at the latest by a restart, to where no reorg can replace them: one from below
// failed and left a chain that mined no more, also after a restart.
func TestDevnet_ReorgAcrossTheFinalBlock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := start(t, dir)
	to := newAccount(t).address
	p.must(t, p.Mine(t.Context(), "base", 33))
	p.kill(t)
	p = start(t, dir)
	p.must(t, p.Mine(t.Context(), "base", 1))
	p.must(t, p.Reorg(t.Context(), "base", 12, false))
	p.fund(t, "base", to, "native", "1")
	p.kill(t)
	p = start(t, dir)
	p.fund(t, "base", to, "native", "2")
	if got := p.chain(t, "base").balance(to); got.Cmp(units("3", 18)) != 0 {
		t.Errorf("the receiver has %v", got)
	}
}
