package npmtest

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Exchanges are the contracts of Uniswap's second and third version, compiled by their makers. Tests put them on the
// devnet; nothing of them is in this tree. hardhat-watcher, which swap-router-contracts asks for and its contracts do
// not, is replaced by a small package.
type Exchanges struct{ packages Packages }

// InstallExchanges fetches them.
func InstallExchanges(t testing.TB) Exchanges {
	t.Helper()
	return Exchanges{install(t, "exchanges")}
}

// Contract is a contract that can be deployed.
type Contract struct {
	ABI  string
	Code []byte // what makes it, without the arguments of its constructor
}

// Contract reads one by its file below node_modules/@uniswap.
func (e Exchanges) Contract(t testing.TB, file string) Contract {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(e.packages.dir, "node_modules", "@uniswap", file))
	if err != nil {
		t.Fatal(err)
	}
	var artefact struct {
		ABI      json.RawMessage
		Bytecode string
	}
	if err := json.Unmarshal(raw, &artefact); err != nil {
		t.Fatal(err)
	}
	code, err := hex.DecodeString(strings.TrimPrefix(artefact.Bytecode, "0x"))
	if err != nil || len(code) == 0 {
		t.Fatalf("%s: %d bytes of code: %v", file, len(code), err)
	}
	return Contract{string(artefact.ABI), code}
}
