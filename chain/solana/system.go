package solana

import (
	"encoding/binary"

	"github.com/railkit/railkit/chain"
)

// The instructions of the System program by the number that their data begin with (u32).
const (
	SystemCreateAccount = iota
	SystemAssign
	SystemTransfer
	SystemCreateAccountWithSeed
	SystemAdvanceNonce
	SystemWithdrawNonce
	SystemInitializeNonce
	SystemAuthorizeNonce
	SystemAllocate
	SystemAllocateWithSeed
	SystemAssignWithSeed
	SystemTransferWithSeed
	SystemUpgradeNonce
)

// TransferCoin moves lamports.
func TransferCoin(from, to Address, lamports uint64) Instruction {
	data := binary.LittleEndian.AppendUint32(nil, SystemTransfer)
	return Instruction{
		SystemProgram, []Account{signsPays(from), writes(to)}, binary.LittleEndian.AppendUint64(data, lamports),
	}
}

// systemForms are those that move lamports and do nothing else to an account that is somebody's. The others take
// an account from its owner (Assign, Allocate, their twins with a seed) or are about durable nonces: an owner may know
// what he does with them, a rule does not.
var systemForms = forms{
	SystemCreateAccount:         {"bb", 4 + 8 + 8 + 32, readCreateAccount},
	SystemTransfer:              {"bw", 4 + 8, readTransferCoin},
	SystemCreateAccountWithSeed: {"bwo", anySize, readCreateWithSeed},
	SystemTransferWithSeed:      {"wsw", anySize, readTransferWithSeed},
}

// readCreateAccount pays the rent of a new account. Whatever happens to its lamports later is the word of the program
// that owns it, so they are as good as sent to the account, which no list of payees has.
func readCreateAccount(r *reading, c call) bool {
	if c.account(0) == c.account(1) || c.account(1) == r.Signer {
		return false // our own key would become the account of a program
	}
	r.coin(c.account(0), c.account(1), c.data.u64("lamports"))
	c.data.take("space and owner", 8+32)
	return true
}

func readTransferCoin(r *reading, c call) bool {
	r.coin(c.account(0), c.account(1), c.data.u64("lamports"))
	return true
}

// readCreateWithSeed takes the account that base, seed and program make: another one fails on the chain. The account of
// the base follows that of the new one unless it is who pays.
func readCreateWithSeed(r *reading, c call) bool {
	base := c.data.address("base")
	made, lamports, ok := c.seeded(base, func() uint64 {
		lamports := c.data.u64("lamports")
		c.data.u64("space")
		return lamports
	})
	signed := base == c.account(0) || len(c.Accounts) > 2 && base == c.account(2)
	if !ok || !signed || made != c.account(1) {
		return false
	}
	r.coin(c.account(0), made, lamports)
	return true
}

// readTransferWithSeed moves lamports of an account that base has made. They are base's, whose key signs.
func readTransferWithSeed(r *reading, c call) bool {
	lamports := c.data.u64("lamports")
	made, _, ok := c.seeded(c.account(1), func() uint64 { return 0 })
	if !ok || made != c.account(0) {
		return false
	}
	r.coin(c.account(1), c.account(2), lamports)
	return true
}

// seeded reads a seed, what between() takes, and a program, and makes the address of the three.
func (c call) seeded(base Address, between func() uint64) (made Address, n uint64, ok bool) {
	size := c.data.u64("seed")
	if size > maxSeedSize {
		return Address{}, 0, false
	}
	seed := c.data.take("seed", int(size))
	n = between()
	program := c.data.address("program")
	made, err := CreateWithSeed(base, string(seed), program)
	return made, n, err == nil && c.data.end("data") == nil
}

// coin is a transfer of the network's own coin.
func (r *reading) coin(from, to Address, lamports uint64) {
	r.add(chain.Effect{Kind: chain.Transfer, Asset: nativeAsset, From: from.String(), To: to.String()},
		lamports, r.Network.Native)
}
