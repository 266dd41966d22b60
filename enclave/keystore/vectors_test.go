package keystore

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/cosmos/go-bip39"
	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"golang.org/x/crypto/sha3"
	"pgregory.net/rapid"
)

// vectorPath also reads the path m, which has no key of its own for a wallet.
func vectorPath(t *testing.T, curve, path string) []uint32 {
	t.Helper()
	if path == "m" {
		return nil
	}
	steps, err := ParsePath(curve, path)
	if err != nil {
		t.Fatal(err)
	}
	return steps
}

func TestBIP32Vectors(t *testing.T) {
	t.Parallel()
	var file struct {
		Vectors []struct {
			Seed  string
			Nodes []struct{ Path, Xpub, Xprv string }
		}
	}
	readVectors(t, "bip32.json", &file)
	for _, v := range file.Vectors {
		for _, n := range v.Nodes {
			s := newScratch(make([]byte, scratchSize))
			if err := s.walk(unhex(t, v.Seed), Secp256k1, vectorPath(t, Secp256k1, n.Path)); err != nil {
				t.Fatalf("%s: %v", n.Path, err)
			}
			// version 4, depth 1, parent 4, index 4, chain code 32, 0 and key 33, checksum 4
			private, public := unbase58(t, n.Xprv), unbase58(t, n.Xpub)
			if !bytes.Equal(s.chain, private[13:45]) || !bytes.Equal(s.key, private[46:78]) {
				t.Errorf("%s of seed %s: private key or chain code differ", n.Path, v.Seed)
			}
			if !bytes.Equal(s.public(Secp256k1), public[45:78]) {
				t.Errorf("%s of seed %s: public key differs", n.Path, v.Seed)
			}
		}
	}
}

func TestSLIP10Vectors(t *testing.T) {
	t.Parallel()
	var file struct {
		Vectors []struct {
			Seed, Curve string
			Nodes       []struct{ Path, ChainCode, Private, Public string }
		}
	}
	readVectors(t, "slip10.json", &file)
	for _, v := range file.Vectors {
		for _, n := range v.Nodes {
			s := newScratch(make([]byte, scratchSize))
			if err := s.walk(unhex(t, v.Seed), v.Curve, vectorPath(t, v.Curve, n.Path)); err != nil {
				t.Fatalf("%s: %v", n.Path, err)
			}
			public := s.public(v.Curve)
			if v.Curve == Ed25519 {
				public = append([]byte{0}, public...) // SLIP-0010 writes it so
			}
			got := []string{hex.EncodeToString(s.chain), hex.EncodeToString(s.key), hex.EncodeToString(public)}
			if want := []string{n.ChainCode, n.Private, n.Public}; strings.Join(got, " ") != strings.Join(want, " ") {
				t.Errorf("%s %s: %v, want %v", v.Curve, n.Path, got, want)
			}
		}
	}
}

func TestBIP39Vectors(t *testing.T) {
	t.Parallel()
	var file struct {
		Passphrase string
		Vectors    []struct{ Entropy, Mnemonic, Seed string }
	}
	readVectors(t, "bip39.json", &file)
	for _, v := range file.Vectors {
		s := newScratch(make([]byte, scratchSize))
		s.spell(unhex(t, v.Entropy))
		if string(s.words) != v.Mnemonic {
			t.Errorf("entropy %s: %q, want %q", v.Entropy, s.words, v.Mnemonic)
		}
		s.stretch(file.Passphrase)
		if hex.EncodeToString(s.seed) != v.Seed {
			t.Errorf("entropy %s: seed %x, want %s", v.Entropy, s.seed, v.Seed)
		}
	}
}

// The vectors have a passphrase and our wallets have none, so any entropy is
// compared with another implementation.
func TestSeedIsThatOfGoBIP39(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]int{16, 32}).Draw(t, "size")
		entropy := rapid.SliceOfN(rapid.Byte(), size, size).Draw(t, "entropy")
		mnemonic, err := bip39.NewMnemonic(entropy)
		if err != nil {
			t.Fatal(err)
		}
		s := newScratch(make([]byte, scratchSize))
		s.spell(entropy)
		if string(s.words) != mnemonic {
			t.Fatalf("%q, want %q", s.words, mnemonic)
		}
		if s.stretch(""); !bytes.Equal(s.seed, bip39.NewSeed(mnemonic, "")) {
			t.Fatal("the seeds differ")
		}
	})
}

func TestAddressVectors(t *testing.T) {
	t.Parallel()
	var file struct {
		Entropy string
		Vectors []struct{ Curve, Path, Format, Address string }
	}
	readVectors(t, "addresses.json", &file)
	k := withEntropy(t, unhex(t, file.Entropy))
	for _, v := range file.Vectors {
		public, err := k.PublicKey("wallet", v.Curve, v.Path)
		if err != nil {
			t.Fatalf("%s: %v", v.Path, err)
		}
		if got := address(t, v.Format, public); !strings.EqualFold(got, v.Address) {
			t.Errorf("%s: %s, want %s", v.Path, got, v.Address)
		}
	}
}

func address(t *testing.T, format string, public []byte) string {
	t.Helper()
	if format == "solana" {
		return base58(public)
	}
	key, err := secp256k1.ParsePubKey(public)
	if err != nil {
		t.Fatal(err)
	}
	h := sha3.NewLegacyKeccak256()
	h.Write(key.SerializeUncompressed()[1:])
	account := h.Sum(nil)[12:]
	if format == "ethereum" {
		return "0x" + hex.EncodeToString(account)
	}
	b := append([]byte{0x41}, account...)
	once := sha256.Sum256(b)
	twice := sha256.Sum256(once[:])
	return base58(append(b, twice[:4]...))
}
