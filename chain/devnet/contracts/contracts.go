// Package contracts holds the contracts of the sandbox chains: their sources, and
// their interfaces and code as the Solidity compiler made them. A test compiles
// again and compares, so what is checked in is what the sources say.
package contracts

import (
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/railkit/railkit/chain/evm"
)

//go:generate sh -c "npm ci --no-audit --no-fund --ignore-scripts && npm run --silent build && rm -r node_modules"

//go:embed SandboxToken.json
var token []byte

//go:embed SandboxGasPriceOracle.json
var gasPriceOracle []byte

// The contracts that payments by x402 go through, and the one that the programs of others read by.
var (
	//go:embed SandboxPermit2.json
	permit2 []byte
	//go:embed SandboxExactProxy.json
	exactProxy []byte
	//go:embed SandboxUptoProxy.json
	uptoProxy []byte
	//go:embed SandboxMulticall3.json
	multicall3 []byte
)

// Contract is a compiled contract that a genesis block can hold.
type Contract struct {
	ABI     json.RawMessage // as Solidity writes it
	Runtime []byte          // the code as it lies on chain
	storage []variable
}

// variable is where the compiler put one state variable: the slot, and how many
// bytes from the right end of it.
type variable struct {
	Label  string `json:"label"`
	Slot   int64  `json:"slot"`
	Offset int    `json:"offset"`
}

// Slots are the storage of an account: 32 bytes by 32 bytes.
type Slots map[[32]byte][32]byte

// Token gives the contract of every listed token.
func Token() (*Contract, error) { return read(token) }

// GasPriceOracle gives the contract that tells the L1 data fee on OP-stack chains. It needs no storage.
func GasPriceOracle() (*Contract, error) { return read(gasPriceOracle) }

// Permit2 gives our own source of the public contract of that name, as the next three functions do of theirs. They
// need no storage.
func Permit2() (*Contract, error) { return read(permit2) }

// ExactProxy gives the proxy of x402's scheme exact.
func ExactProxy() (*Contract, error) { return read(exactProxy) }

// UptoProxy gives the proxy of x402's scheme upto.
func UptoProxy() (*Contract, error) { return read(uptoProxy) }

// Multicall3 gives the contract that makes many calls in one.
func Multicall3() (*Contract, error) { return read(multicall3) }

// The contracts of an exchange.
var (
	//go:embed SandboxWrapped.json
	wrapped []byte
	//go:embed SandboxPair.json
	pair []byte
	//go:embed SandboxFactory.json
	factory []byte
	//go:embed SandboxRouter.json
	router []byte
	//go:embed SandboxRouterAVAX.json
	routerAVAX []byte
)

// Wrapped gives the contract that keeps a network's own coin and gives as much of a token for it.
func Wrapped() (*Contract, error) { return read(wrapped) }

// Pair gives the pool of two tokens.
func Pair() (*Contract, error) { return read(pair) }

// Factory gives the contract that knows an exchange's pools.
func Factory() (*Contract, error) { return read(factory) }

// Router gives the contract through which tokens are swapped.
func Router() (*Contract, error) { return read(router) }

// RouterAVAX gives the router with Avalanche's names for the network's own coin.
func RouterAVAX() (*Contract, error) { return read(routerAVAX) }

func read(compiled []byte) (*Contract, error) {
	var file struct {
		Contract string          `json:"contract"`
		ABI      json.RawMessage `json:"abi"`
		Runtime  string          `json:"runtime"`
		Storage  []variable      `json:"storage"`
	}
	if err := json.Unmarshal(compiled, &file); err != nil {
		return nil, fmt.Errorf("reading a compiled contract: %w", err)
	}
	code, err := hex.DecodeString(strings.TrimPrefix(file.Runtime, "0x"))
	if err != nil {
		return nil, fmt.Errorf("reading the code of %s: %w", file.Contract, err)
	}
	return &Contract{ABI: file.ABI, Runtime: code, storage: file.Storage}, nil
}

// SetText writes a string variable. Solidity keeps up to 31 bytes within the
// slot, and these are all that a token's names need.
func (c *Contract) SetText(slots Slots, label, text string) error {
	if len(text) > 31 {
		return fmt.Errorf("%s is longer than 31 bytes", label)
	}
	key, _, err := c.locate(label)
	if err != nil {
		return err
	}
	var word [32]byte
	copy(word[:], text)
	word[31] = byte(len(text) * 2)
	slots[key] = word
	return nil
}

// SetNumber writes a number or an address, which may share its slot with others.
func (c *Contract) SetNumber(slots Slots, label string, number *big.Int) error {
	key, offset, err := c.locate(label)
	if err != nil {
		return err
	}
	word := slots[key]
	shifted := new(big.Int).Lsh(number, uint(offset)*8)
	shifted.Or(shifted, new(big.Int).SetBytes(word[:]))
	if number.Sign() < 0 || shifted.BitLen() > 256 {
		return fmt.Errorf("%s does not fit", label)
	}
	shifted.FillBytes(word[:])
	slots[key] = word
	return nil
}

// SetMapped writes a number or an address under the key or keys of a mapping.
func (c *Contract) SetMapped(slots Slots, label string, number *big.Int, keys ...*big.Int) error {
	slot, _, err := c.locate(label)
	if err != nil {
		return err
	}
	for _, key := range keys {
		slot = evm.Keccak256(key.FillBytes(make([]byte, 32)), slot[:])
	}
	return put(slots, label, slot, number)
}

// SetList writes a list of numbers or addresses that take a slot each.
func (c *Contract) SetList(slots Slots, label string, numbers ...*big.Int) error {
	length, _, err := c.locate(label)
	if err != nil {
		return err
	}
	first := evm.Keccak256(length[:])
	for i, n := range numbers {
		var slot [32]byte
		at := new(big.Int).SetBytes(first[:])
		at.Add(at, big.NewInt(int64(i))).FillBytes(slot[:])
		err = errors.Join(err, put(slots, label, slot, n))
	}
	return errors.Join(err, put(slots, label, length, big.NewInt(int64(len(numbers)))))
}

func put(slots Slots, label string, slot [32]byte, number *big.Int) error {
	if number.Sign() < 0 || number.BitLen() > 256 {
		return fmt.Errorf("a value of %s does not fit", label)
	}
	slots[slot] = [32]byte(number.FillBytes(make([]byte, 32)))
	return nil
}

func (c *Contract) locate(label string) (key [32]byte, offset int, err error) {
	for _, v := range c.storage {
		if v.Label == label {
			big.NewInt(v.Slot).FillBytes(key[:])
			return key, v.Offset, nil
		}
	}
	return key, 0, fmt.Errorf("the contract has no variable %s", label)
}
