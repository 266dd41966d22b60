package solana_test

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain/solana"
)

// Spellings of addresses. The bytes of the Token program and of USDC's mint are those that @solana/web3.js 1.99.0
// prints.
func TestParseAddress(t *testing.T) {
	t.Parallel()
	for text, first := range map[string]byte{
		"11111111111111111111111111111111":             0,
		"So11111111111111111111111111111111111111112":  0x06,
		"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA":  0x06,
		"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v": 0xc6,
		"HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk": 0xf0, // of "abandon … about", m/44'/501'/0'/0'
		"JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG": 0xff, // 32 bytes of ff
	} {
		a, err := solana.ParseAddress(text)
		if err != nil || a.String() != text || a[0] != first {
			t.Errorf("%s: %x, written %s: %v", text, a, a, err)
		}
	}
}

func TestParseAddress_Typos(t *testing.T) {
	t.Parallel()
	good := "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
	for what, text := range map[string]string{
		"nothing": "", "31 ones": strings.Repeat("1", 31), "33 ones": strings.Repeat("1",
			33), "a further one": "1" + good,
		"half of it": good[22:], "a letter more": good + "1", "a zero": "0" + good[1:], "an O": "O" + good[1:],
		"an I": "I" + good[1:], "an l": "l" + good[1:], "a space": " " + good, "a line": good + "\n",
		"one more than ff": "JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFH", "very long": strings.Repeat("z", 1<<20),
		"of EVM": "0x8Ac76a51cc950d9822D68b83fE1Ad97B32Cd580d",
	} {
		if a, err := solana.ParseAddress(text); !errors.Is(err, solana.ErrAddress) {
			t.Errorf("%s: %s, %v", what, a, err)
		}
	}
}

// A key is a point of the curve, a derived address is none, and no other length is a key.
func TestAddressOf(t *testing.T) {
	t.Parallel()
	for i := range byte(50) {
		public := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{i}, 32)).Public().(ed25519.PublicKey)
		a, err := solana.AddressOf(public)
		if err != nil || !bytes.Equal(a[:], public) {
			t.Errorf("%x: %v", public, err)
		}
		derived := solana.AssociatedAddress(a, usdc, solana.TokenProgram)
		if _, err := solana.AddressOf(derived[:]); !errors.Is(err, solana.ErrPublicKey) {
			t.Errorf("%s is derived, and a key: %v", derived, err)
		}
		if _, err := solana.AddressOf(public[:31]); !errors.Is(err, solana.ErrPublicKey) {
			t.Errorf("31 bytes are a key: %v", err)
		}
	}
}

func TestSeeds(t *testing.T) {
	t.Parallel()
	long, program := make([]byte, 33), solana.TokenProgram
	marked := solana.Address(append(make([]byte, 11), "ProgramDerivedAddress"...))
	for what, err := range map[string]error{
		"long seed": second(solana.CreateProgramAddress([][]byte{long}, program)),
		"17 seeds":  second(solana.CreateProgramAddress(make([][]byte, 17), program)),
		"16 and a bump": func() error {
			_, _, err := solana.FindProgramAddress(make([][]byte, 16), program)
			return err
		}(),
		"long text":        second(solana.CreateWithSeed(alice, string(long), program)),
		"program of a PDA": second(solana.CreateWithSeed(alice, "", marked)),
	} {
		if !errors.Is(err, solana.ErrSeeds) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// Nobody is paid at an address of which the bytes tell that nobody has its key.
func TestCheckPayee(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"11111111111111111111111111111111":             "is the System program, as the address of 32 zero bytes",
		"TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb":  "is the Token-2022 program",
		"SysvarC1ock11111111111111111111111111111111":  "is a sysvar of the network",
		"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v": "is the mint of the token USDC",
		"So11111111111111111111111111111111111111112":  "is the mint of wrapped SOL",
		"HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk": "",
	} {
		got := ""
		if err := solana.CheckPayee(network(), parse(text)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s %q, want %q", text, got, want)
		}
	}
}
