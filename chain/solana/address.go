package solana

import (
	"crypto/ed25519"
	"errors"
	"math/big"
	"slices"
	"strings"

	"github.com/railkit/railkit/chain"
)

// Address is a public key of ed25519, or a number derived so that it is none (pda.go).
type Address [32]byte

// The ways in which an address or a payee is wrong.
var (
	ErrAddress   = errors.New("not an address of 32 bytes in base58")
	ErrPublicKey = errors.New("not an ed25519 public key of 32 bytes")
)

// ParseAddress reads base58 of exactly 32 bytes. Base58 has no checksum: a typing error is found only where it leaves
// the alphabet or the length.
func ParseAddress(text string) (Address, error) {
	b, err := chain.ParseBase58(text, len(Address{}))
	if err != nil {
		return Address{}, ErrAddress
	}
	return Address(b), nil
}

// mustParse reads an address of our own tables.
func mustParse(text string) Address {
	a, err := ParseAddress(text)
	if err != nil {
		panic("solana: " + text)
	}
	return a
}

// String is the address in base58.
func (a Address) String() string { return chain.Base58(a[:]) }

// AddressOf is the address of a public key: its bytes, where they are a point of the curve.
func AddressOf(publicKey []byte) (Address, error) {
	if len(publicKey) != ed25519.PublicKeySize || !Address(publicKey).OnCurve() {
		return Address{}, ErrPublicKey
	}
	return Address(publicKey), nil
}

// The programs whose instructions are read, and mints and accounts of the network itself.
var (
	SystemProgram     = Address{} // 32 times '1'
	TokenProgram      = mustParse("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA")
	AssociatedProgram = mustParse("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL")
	BudgetProgram     = mustParse("ComputeBudget111111111111111111111111111111")
	MemoProgram       = mustParse("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr")
	LighthouseProgram = mustParse("L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95") // asserts what wallets have shown
	OldMemoProgram    = mustParse("Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo")
	NativeMint        = mustParse("So11111111111111111111111111111111111111112")

	sysvarOwner = mustParse("Sysvar1111111111111111111111111111111111111")
	rentSysvar  = mustParse("SysvarRent111111111111111111111111111111111")
)

// checksSignatures is what the programs are called whose instructions hold signatures of other curves or texts.
const checksSignatures = "is the program that checks signatures"

// nobody are addresses of programs, by what a sentence calls them. Nobody has their key, and none gives back what it
// gets.
var nobody = map[Address]string{
	SystemProgram:     "is the System program, as the address of 32 zero bytes",
	TokenProgram:      "is the Token program",
	AssociatedProgram: "is the Associated Token program",
	BudgetProgram:     "is the Compute Budget program",
	MemoProgram:       "is the Memo program",
	OldMemoProgram:    "is the Memo program of the first version",
	NativeMint:        "is the mint of wrapped SOL",
	mustParse("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"): "is the Token-2022 program",
	mustParse("Stake11111111111111111111111111111111111111"): "is the Stake program",
	mustParse("Vote111111111111111111111111111111111111111"): "is the Vote program",
	mustParse("Config1111111111111111111111111111111111111"): "is the Config program",
	mustParse("AddressLookupTab1e1111111111111111111111111"): "is the program of lookup tables",
	mustParse("BPFLoaderUpgradeab1e11111111111111111111111"): "is the loader of programs",
	mustParse("BPFLoader2111111111111111111111111111111111"): "is a loader of programs",
	mustParse("NativeLoader1111111111111111111111111111111"): "is a loader of programs",
	mustParse("Ed25519SigVerify111111111111111111111111111"): checksSignatures,
	mustParse("KeccakSecp256k11111111111111111111111111111"): checksSignatures,
	mustParse("Secp256r1SigVerify1111111111111111111111111"): checksSignatures,
	mustParse("1nc1nerator11111111111111111111111111111111"): "is the incinerator, which burns what it gets",
	sysvarOwner: "is the owner of the sysvars",
}

// Programs are the addresses that CheckPayee refuses on every network, beside the sysvars, in the order of their texts.
func Programs() (all []string) {
	for a := range nobody {
		all = append(all, a.String())
	}
	slices.Sort(all)
	return all
}

// CheckPayee refuses an address of which the bytes alone tell that nobody has its key, and says what it "is". Whether
// an address is a mint, a program or somebody's token account only the network knows, and the node is asked for that; a
// payee that is off the curve may be the vault of several people.
func CheckPayee(n chain.Network, a Address) error {
	if what, found := nobody[a]; found {
		return errors.New(what)
	}
	if text := a.String(); strings.HasPrefix(text, "Sysvar") && strings.HasSuffix(text, "1111111111") {
		return errors.New("is a sysvar of the network")
	}
	if t, found := n.TokenByAddress(a.String()); found {
		return errors.New("is the mint of the token " + t.Symbol)
	}
	return nil
}

// The curve of ed25519 is -x² + y² = 1 + d x² y² over the field of prime = 2^255 - 19, with d = -121665/121666.
var (
	one   = big.NewInt(1)
	prime = new(big.Int).Sub(new(big.Int).Lsh(one, 255), big.NewInt(19))
	edD   = curveD()
)

func curveD() *big.Int {
	d := new(big.Int).ModInverse(big.NewInt(121666), prime)
	return d.Mod(d.Mul(d, big.NewInt(-121665)), prime)
}

// OnCurve reports whether the bytes are a point of the curve, so that a key of the address can exist. They are y, the
// least byte first, and in the highest bit the sign of x. Of a point, x² = (y²-1) / (dy²+1) has a root: it is 0, or its
// Jacobi symbol is 1. The divisor is never 0, since -1/d has no root. A y of the prime or more counts modulo the
// prime, as the network's own check does it.
//
// Addresses are public, so it does not matter that math/big takes longer for some.
func (a Address) OnCurve() bool {
	big32 := make([]byte, len(a))
	for i, b := range a {
		big32[len(a)-1-i] = b
	}
	big32[0] &= 0x7f
	y := new(big.Int).SetBytes(big32)
	square := y.Mod(y.Mul(y, y), prime)
	under := new(big.Int).Mul(edD, square)
	under.Mod(under.Add(under, one), prime)
	over := square.Sub(square, one)
	// over/under and over*under differ by the square of under: both have a root or none.
	x2 := over.Mod(over.Mul(over, under), prime)
	return x2.Sign() == 0 || big.Jacobi(x2, prime) == 1
}
