package solana

import (
	"crypto/sha256"
	"errors"
)

// Bounds of the seeds of a derived address.
const (
	maxSeeds    = 16 // the last one is the bump
	maxSeedSize = 32
)

// The ways in which seeds do not give an address.
var (
	ErrSeeds = errors.New("more than 16 seeds, or one of more than 32 bytes")
	ErrBump  = errors.New("the seeds give no address off the curve")
)

const derivedMark = "ProgramDerivedAddress"

// CreateProgramAddress is the address that a program alone can sign for: the hash of seeds, program and a mark, where
// it is no point of the curve. About half of all hashes are.
func CreateProgramAddress(seeds [][]byte, program Address) (Address, error) {
	if len(seeds) > maxSeeds {
		return Address{}, ErrSeeds
	}
	h := sha256.New()
	for _, s := range seeds {
		if len(s) > maxSeedSize {
			return Address{}, ErrSeeds
		}
		h.Write(s)
	}
	h.Write(program[:])
	h.Write([]byte(derivedMark))
	a := Address(h.Sum(nil))
	if a.OnCurve() {
		return Address{}, ErrBump
	}
	return a, nil
}

// FindProgramAddress puts one more byte behind the seeds, the bump: the highest one, from 255 down, with which there is
// an address. It is the canonical address of the seeds, and the only one that programs look at.
func FindProgramAddress(seeds [][]byte, program Address) (a Address, bump byte, err error) {
	with := append(append(make([][]byte, 0, len(seeds)+1), seeds...), nil)
	for n := 255; n >= 0; n-- {
		with[len(seeds)] = []byte{byte(n)}
		if a, err = CreateProgramAddress(with, program); !errors.Is(err, ErrBump) {
			return a, byte(n), err
		}
	}
	return Address{}, 0, ErrBump
}

// AssociatedAddress is the token account of an owner for a mint: one for each owner, mint and token program.
func AssociatedAddress(owner, mint, program Address) Address {
	a, _, err := FindProgramAddress([][]byte{owner[:], program[:], mint[:]}, AssociatedProgram)
	if err != nil {
		panic("solana: " + err.Error()) // all 256 hashes on the curve: less likely than a broken hash
	}
	return a
}

// CreateWithSeed is the address that base makes for a program out of a text: its key signs for it, in the instructions
// of the System program that name a seed.
func CreateWithSeed(base Address, seed string, program Address) (Address, error) {
	if len(seed) > maxSeedSize {
		return Address{}, ErrSeeds
	}
	if string(program[len(program)-len(derivedMark):]) == derivedMark {
		return Address{}, ErrSeeds // the hash could be one of CreateProgramAddress
	}
	h := sha256.New()
	h.Write(base[:])
	h.Write([]byte(seed))
	h.Write(program[:])
	return Address(h.Sum(nil)), nil
}
