package devnet_test

import (
	stdbig "math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"

	"github.com/railkit/railkit/chain/devnet/contracts"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/internal/fastlz"
	"github.com/railkit/railkit/internal/prices"
)

var oracleAddress = common.HexToAddress("0x420000000000000000000000000000000000000F")

// perByte is what the oracle's prices make, 16 · 2269 · 0.1 gwei + 1,055,762 · 6,250,000: a
// million times 10,228,912.5 wei.
var perByte = big(10_228_912_500_000)

func (c *client) oracle() contract {
	c.t.Helper()
	compiled, err := contracts.GasPriceOracle()
	return c.contract(oracleAddress, compiled, err)
}

func TestDevnet_GasPriceOracle(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	t.Run("prices", func(t *testing.T) { oraclePrices(t, p) })
	t.Run("Fjord's fee", func(t *testing.T) { oracleFees(t, p) })
	t.Run("below the feed", func(t *testing.T) { oracleBelowFeed(t, p) })
	t.Run("as documented", func(t *testing.T) { oracleDocumented(t, p) })
}

func oraclePrices(t *testing.T, p *process) {
	t.Helper()
	for _, slug := range []string{"base", "optimism"} {
		oracle := p.chain(t, slug).oracle()
		for name, want := range map[string]any{
			"isEcotone()": true, "isFjord()": true, "isIsthmus()": true, "decimals()": big(6),
			"l1BaseFee()": big(100_000_000), "blobBaseFee()": big(6_250_000),
			"baseFeeScalar()": uint32(2269), "blobBaseFeeScalar()": uint32(1_055_762),
		} {
			if got := oracle.read(name); !equal(got, want) {
				t.Errorf("%s: %s is %v, want %v", slug, name, got, want)
			}
		}
		if got := oracle.read("getOperatorFee(uint256)", big(21_000)); !equal(got, big(0)) {
			t.Errorf("%s: an operator fee of %v", slug, got)
		}
		oracle.tellsGasPrice()
	}
	code, err := p.chain(t, "polygon").CodeAt(t.Context(), oracleAddress, nil)
	if err != nil || len(code) > 0 {
		t.Errorf("polygon takes no data fee, and has an oracle: %x, %v", code, err)
	}
}

// tellsGasPrice asks with a gas price: in a call without one, the base fee is zero for
// every contract.
func (k contract) tellsGasPrice() {
	k.t.Helper()
	from := newAccount(k.t).address
	k.process.fund(k.t, k.network.Slug, from, "native", "1")
	fee := k.head().BaseFee
	for _, name := range []string{"gasPrice()", "baseFee()"} {
		call := ethereum.CallMsg{From: from, To: &k.address, Gas: 100_000, GasPrice: fee, Data: k.pack(name)}
		out, err := k.CallContract(k.t.Context(), call, nil)
		k.check(err)
		if got := new(stdbig.Int).SetBytes(out); got.Cmp(fee) != 0 {
			k.t.Errorf("%s: %s is %s, and the block says %s", k.network.Slug, name, got, fee)
		}
	}
}

func equal(got, want any) bool {
	if n, ok := want.(*stdbig.Int); ok {
		m, ok := got.(*stdbig.Int)
		return ok && m.Cmp(n) == 0
	}
	return got == want
}

// l1Fee is what the oracle says of an unsigned transaction, or of any bytes.
func (k contract) l1Fee(unsigned []byte) *stdbig.Int {
	k.t.Helper()
	return k.read("getL1Fee(bytes)", unsigned).(*stdbig.Int)
}

// The contract compresses as OP-stack nodes do.
func oracleFees(t *testing.T, p *process) {
	t.Helper()
	oracle := p.chain(t, "base").oracle()
	r := rand.New(rand.NewPCG(3, 4))
	lengths := []int{2_000, 9_000, 20_000, 90_000}
	for n := range 40 {
		lengths = append(lengths, n)
	}
	for _, n := range lengths {
		for kind := range 4 {
			data := bytesOf(r, n, kind)
			if got, want := oracle.l1Fee(data), fastlz.Fee(fastlz.Len(data)+68, perByte); got.Cmp(want) != 0 {
				t.Errorf("%d bytes of kind %d: %s wei, want %s", n, kind, got, want)
			}
		}
	}
	for _, n := range []int64{0, 71, 72, 187, 10_000} {
		size := n + 68
		got := oracle.read("getL1FeeUpperBound(uint256)", big(n)).(*stdbig.Int)
		if want := fastlz.Fee(int(size+size/255+16), perByte); got.Cmp(want) != 0 {
			t.Errorf("at most %s wei for %d bytes, want %s", got, n, want)
		}
	}
}

// bytesOf gives bytes: any, few different ones, copies of what was just before, or nothing but zeros.
func bytesOf(r *rand.Rand, n, kind int) []byte {
	b := make([]byte, n)
	for i := range b {
		switch {
		case kind == 0 || kind == 2 && i < 9:
			b[i] = byte(r.Uint32())
		case kind == 1:
			b[i] = byte(r.Uint32N(3))
		case kind == 2:
			b[i] = b[i-1-r.IntN(9)]
		}
	}
	return b
}

// What the sandbox's price signer names for a byte is above what the oracle says, with
// the threefold headroom that the documentation asks for.
func oracleBelowFeed(t *testing.T, p *process) {
	t.Helper()
	feed, err := prices.Table(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, slug := range []string{"base", "optimism"} {
		c := p.chain(t, slug)
		most, _ := new(stdbig.Int).SetString(feed.DataFees[slug], 10)
		if least := new(stdbig.Int).Mul(perByte, big(3)); new(stdbig.Int).Mul(most, big(1_000_000)).Cmp(least) < 0 {
			t.Errorf("%s: %s wei for a byte is less than three times the oracle's", slug, most)
		}
		for name, tx := range someTransactions(c.network.ChainID) {
			signed := tx.Assemble(evm.Signature{R: [32]byte{0xff}, S: [32]byte{0x7f}})
			bound := tx.DataFee(most)
			for _, raw := range [][]byte{tx.Unsigned(), signed} {
				if fee := c.oracle().l1Fee(raw); new(stdbig.Int).Mul(fee, big(3)).Cmp(bound) > 0 {
					t.Errorf("%s, %s: three times %s wei is more than %s", slug, name, fee, bound)
				}
			}
		}
	}
}

func someTransactions(chainID uint64) map[string]evm.Tx {
	r := rand.New(rand.NewPCG(7, 8))
	to := evm.Address(bytesOf(r, 20, 0))
	transfer := evm.Tx{
		Type: evm.DynamicFee, ChainID: chainID, GasLimit: 21_000, To: &to, Value: big(1e15),
		MaxFeePerGas: big(2e9), MaxPriorityFeePerGas: big(1e6),
	}
	listed := transfer
	keys := make([][32]byte, 64) // 2 KB
	for i := range keys {
		keys[i] = [32]byte(bytesOf(r, 32, 0))
	}
	listed.AccessList = []evm.AccessTuple{{Address: to, StorageKeys: keys}}
	random, zeros := transfer, transfer
	random.Data, zeros.Data = bytesOf(r, 10_000, 0), make([]byte, 10_000)
	return map[string]evm.Tx{"a transfer": transfer, "an access list": listed, "random bytes": random, "zeros": zeros}
}

// oracleDocumented pastes the lines of docs/operations.md into a shell.
func oracleDocumented(t *testing.T, p *process) {
	t.Helper()
	doc, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(doc), "```sh\nask()")
	lines, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("the documentation has no lines that ask the oracle")
	}
	script := exec.Command("sh", "-eu", "-c", "ask()"+lines)
	script.Env = append(os.Environ(), "NODE="+p.RPCURL("base"))
	out, err := script.CombinedOutput()
	want := "l1BaseFee=100000000 baseFeeScalar=2269 blobBaseFee=6250000 blobBaseFeeScalar=1055762\n" +
		"a byte costs 10228913 wei now; with a headroom of 3: 30686739\noperator fee: 0 wei\n"
	if err != nil || string(out) != want {
		t.Errorf("%v, the lines say:\n%s", err, out)
	}
	for _, number := range []string{"10,228,913", "30,686,739"} {
		if !strings.Contains(string(doc), number) {
			t.Errorf("the documentation's example lacks %s", number)
		}
	}
}
