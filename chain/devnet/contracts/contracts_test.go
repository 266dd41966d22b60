package contracts

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/railkit/railkit/internal/test/npmtest"
)

// TestDevnet_ContractsAreWhatTheirSourcesSay compiles the sources with the pinned
// compiler. Without npm or the network it fails: the code that is checked in
// would be unproven.
func TestDevnet_ContractsAreWhatTheirSourcesSay(t *testing.T) {
	compiled := map[string][]byte{
		"SandboxToken": token, "SandboxGasPriceOracle": gasPriceOracle, "SandboxPermit2": permit2,
		"SandboxExactProxy": exactProxy, "SandboxUptoProxy": uptoProxy, "SandboxMulticall3": multicall3,
		"SandboxWrapped": wrapped, "SandboxPair": pair, "SandboxFactory": factory, "SandboxRouter": router,
		"SandboxRouterAVAX": routerAVAX, "SandboxLendingPool": lendingPool, "SandboxAToken": aToken,
		"SandboxDebtToken": debtToken, "SandboxLendingGateway": lendingGateway,
		"SandboxTRC20": trc20,
	}
	names := slices.Sorted(maps.Keys(compiled))
	got := compile(t, names)
	for _, name := range names {
		if got[name] != string(compiled[name]) {
			t.Errorf("%s.json is not what %s.sol compiles to: run go generate in this folder", name, name)
		}
	}
}

// compile has one process compile all contracts: to load the compiler takes as long as to compile them. What came of
// these very sources, compiler and settings is kept beside the compiler, in bin/npm: it takes a processor 14 seconds.
func compile(t *testing.T, names []string) (texts map[string]string) {
	t.Helper()
	contents := map[string][]byte{}
	sources, err := filepath.Glob("*.sol")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(sources, "compile.js", "package.json", "package-lock.json") {
		if contents[name], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	dir, err := npmtest.Folder(contents)
	if err != nil {
		t.Fatal(err)
	}
	kept := dir + ".compiled"
	out, err := os.ReadFile(kept)
	if err != nil {
		out = run(t, dir, kept, names)
	}
	if err := json.Unmarshal(out, &texts); err != nil {
		t.Fatal(err)
	}
	return texts
}

// run runs the compiler, and keeps what it says under its name when that is whole.
func run(t *testing.T, dir, kept string, names []string) []byte {
	t.Helper()
	cmd := exec.Command("node", append([]string{"compile.js"}, names...)...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, stderr.Bytes())
	}
	made, err := os.CreateTemp(filepath.Dir(dir), "compiled-")
	if err != nil {
		t.Fatal(err)
	}
	_, err = made.Write(out)
	if err = errors.Join(err, made.Close(), os.Rename(made.Name(), kept)); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestDevnet_GenesisStorage(t *testing.T) {
	token, err := Token()
	if err != nil {
		t.Fatal(err)
	}
	slots := Slots{}
	if err := token.SetText(slots, "name", "USDC"); err != nil {
		t.Fatal(err)
	}
	if err := token.SetNumber(slots, "decimals", big.NewInt(6)); err != nil {
		t.Fatal(err)
	}
	if err := token.SetNumber(slots, "minter", big.NewInt(0xabcd)); err != nil {
		t.Fatal(err)
	}
	// The layout is Solidity's: short text left with twice its length at the
	// right end, and small numbers packed into one slot from the right.
	name := [32]byte{'U', 'S', 'D', 'C', 31: 8}
	packed := [32]byte{29: 0xab, 30: 0xcd, 31: 6}
	if slots[[32]byte{}] != name || slots[[32]byte{31: 3}] != packed {
		t.Fatalf("got %x", slots)
	}
}

func TestDevnet_GenesisStorageRefusals(t *testing.T) {
	token, err := Token()
	if err != nil {
		t.Fatal(err)
	}
	slots := Slots{}
	if token.SetText(slots, "name", "a name of more than thirty-one bytes") == nil {
		t.Error("a long text was taken")
	}
	if token.SetText(slots, "motto", "x") == nil {
		t.Error("an unknown variable was taken")
	}
	if token.SetNumber(slots, "minter", new(big.Int).Lsh(big.NewInt(1), 252)) == nil {
		t.Error("a number beyond the slot was taken")
	}
	if len(slots) != 0 {
		t.Error("a refused value was written")
	}
}

// The layout of mappings and lists is Solidity's too: where an element lies is the hash of its key and the slot.
func TestDevnet_GenesisMappings(t *testing.T) {
	factory, err := Factory()
	if err != nil {
		t.Fatal(err)
	}
	slots, one, two, value := Slots{}, big.NewInt(1), big.NewInt(2), big.NewInt(0xabcd)
	if err := factory.SetMapped(slots, "getPair", value, one, two); err != nil {
		t.Fatal(err)
	}
	if err := factory.SetList(slots, "allPairs", value, two); err != nil {
		t.Fatal(err)
	}
	inner := crypto.Keccak256(word(1), word(0)) // getPair is the first variable, allPairs the second
	element := crypto.Keccak256Hash(word(1))
	next := new(big.Int).Add(element.Big(), one)
	want := Slots{
		[32]byte(crypto.Keccak256(word(2), inner)): [32]byte(word(0xabcd)),
		[32]byte(word(1)):                          [32]byte(word(2)),
		element:                                    [32]byte(word(0xabcd)),
		[32]byte(next.FillBytes(make([]byte, 32))): [32]byte(word(2)),
	}
	if !maps.Equal(slots, want) {
		t.Errorf("got %x, want %x", slots, want)
	}
	if factory.SetMapped(slots, "owners", value, one) == nil || factory.SetList(slots, "owners", value) == nil ||
		factory.SetMapped(slots, "getPair", big.NewInt(-1), one, two) == nil || len(slots) != len(want) {
		t.Error("an unknown variable, or a negative number, was written")
	}
}

func word(n int64) []byte { return big.NewInt(n).FillBytes(make([]byte, 32)) }
