package keystore

import (
	"encoding/hex"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var testKEK = []byte("0123456789abcdef0123456789abcdef")

// readVectors reads a file of testdata, which must name its origin.
func readVectors(t testing.TB, name string, into any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var header struct{ Origin string }
	for _, v := range []any{&header, into} {
		if err := json.Unmarshal(b, v); err != nil {
			t.Fatal(err)
		}
	}
	if header.Origin == "" {
		t.Fatal("vectors without an origin")
	}
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func newKeys(t testing.TB, environment string) *Keys {
	t.Helper()
	k, err := New(testKEK, environment)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k.Close() })
	return k
}

// withWallet is a keystore with one wallet of a new seed.
func withWallet(t testing.TB) *Keys {
	t.Helper()
	k := newKeys(t, "sandbox")
	sealed, err := k.Create("org", "wallet", 12)
	if err != nil {
		t.Fatal(err)
	}
	mustLoad(t, k, "wallet", sealed)
	return k
}

// withEntropy is a keystore with one wallet of a known seed.
func withEntropy(t testing.TB, entropy []byte) *Keys {
	t.Helper()
	k := newKeys(t, "sandbox")
	mustLoad(t, k, "wallet", k.seal(seedOf("sandbox", "org", "wallet"), entropy))
	return k
}

func mustLoad(t testing.TB, k *Keys, wallet string, sealed []byte) {
	t.Helper()
	if err := k.Load("org", wallet, sealed); err != nil {
		t.Fatal(err)
	}
}

// useKey puts a private key in the place of a derived one.
func useKey(k *Keys, curve, path string, private, public []byte) {
	k.cache.put(keyID{"wallet", curve, path}, private, publicKeyOf(curve, public))
}

const base58Alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

func base58(b []byte) string {
	n, mod, digit := new(big.Int).SetBytes(b), big.NewInt(58), new(big.Int)
	var out []byte
	for n.Sign() > 0 {
		n.DivMod(n, mod, digit)
		out = append([]byte{base58Alphabet[digit.Int64()]}, out...)
	}
	for i := 0; i < len(b) && b[i] == 0; i++ {
		out = append([]byte{'1'}, out...)
	}
	return string(out)
}

func unbase58(t testing.TB, s string) []byte {
	t.Helper()
	n := new(big.Int)
	for _, c := range s {
		digit := strings.IndexRune(base58Alphabet, c)
		if digit < 0 {
			t.Fatalf("%q is not base58", s)
		}
		n.Mul(n, big.NewInt(58)).Add(n, big.NewInt(int64(digit)))
	}
	return n.Bytes()
}

// sign takes a signature apart.
func sign(k *Keys, wallet, path string, digest [32]byte) (r, s [32]byte, v byte, err error) {
	sig, _, err := k.Sign(wallet, Secp256k1, path, digest[:])
	if err != nil {
		return r, s, 0, err
	}
	return [32]byte(sig[:32]), [32]byte(sig[32:64]), sig[64], nil
}
