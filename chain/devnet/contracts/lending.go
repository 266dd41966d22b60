package contracts

import (
	_ "embed"
	"math/big"

	"github.com/railkit/railkit/chain/evm"
)

// The contracts of the lending pool, which SandboxLendingPool.sol describes.
var (
	//go:embed SandboxLendingPool.json
	lendingPool []byte
	//go:embed SandboxAToken.json
	aToken []byte
	//go:embed SandboxDebtToken.json
	debtToken []byte
	//go:embed SandboxLendingGateway.json
	lendingGateway []byte
)

// LendingPool gives the pool.
func LendingPool() (*Contract, error) { return read(lendingPool) }

// AToken gives the token that suppliers of one asset hold.
func AToken() (*Contract, error) { return read(aToken) }

// DebtToken gives the contract that knows what is owed of one asset.
func DebtToken() (*Contract, error) { return read(debtToken) }

// LendingGateway gives the contract through which the network's own coin gets to the pool.
func LendingGateway() (*Contract, error) { return read(lendingGateway) }

// SetEntry writes the number, or the address, that a mapping has for an address.
func (c *Contract) SetEntry(slots Slots, label string, of [20]byte, number *big.Int) error {
	at, _, err := c.locate(label)
	if err != nil {
		return err
	}
	var key [32]byte
	copy(key[12:], of[:])
	slots[evm.Keccak256(append(key[:], at[:]...))] = word(number)
	return nil
}

// SetAddresses writes a list.
func (c *Contract) SetAddresses(slots Slots, label string, all [][20]byte) error {
	at, _, err := c.locate(label)
	if err != nil {
		return err
	}
	slots[at] = word(big.NewInt(int64(len(all))))
	sum := evm.Keccak256(at[:])
	first := new(big.Int).SetBytes(sum[:])
	for i, a := range all {
		slots[word(new(big.Int).Add(first, big.NewInt(int64(i))))] = word(new(big.Int).SetBytes(a[:]))
	}
	return nil
}

func word(number *big.Int) (w [32]byte) {
	number.FillBytes(w[:])
	return w
}
