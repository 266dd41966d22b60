package keystore

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"sync"
	"testing"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	gethcrypto "github.com/ethereum/go-ethereum/crypto"
)

const ethereumPath = "m/44'/60'/0'/0/0"

func TestSigning_K01_RFC6979Vectors(t *testing.T) {
	t.Parallel()
	var file struct {
		Vectors []struct{ Private, Digest, Signature string }
	}
	readVectors(t, "rfc6979.json", &file)
	k := withWallet(t)
	for i, v := range file.Vectors {
		path := fmt.Sprintf("m/%d", i)
		private := unhex(t, v.Private)
		useKey(k, Secp256k1, path, private, secp256k1.PrivKeyFromBytes(private).PubKey().SerializeCompressed())
		r, s, _, err := sign(k, "wallet", path, [32]byte(unhex(t, v.Digest)))
		if err != nil {
			t.Fatal(err)
		}
		if got := hex.EncodeToString(append(r[:], s[:]...)); got != v.Signature {
			t.Errorf("vector %d: %s, want %s", i, got, v.Signature)
		}
	}
}

func TestSigning_K01_DeterministicLowSAndRecovers(t *testing.T) {
	t.Parallel()
	k := withWallet(t)
	public, err := k.PublicKey("wallet", Secp256k1, ethereumPath)
	if err != nil {
		t.Fatal(err)
	}
	half := new(big.Int).Rsh(gethcrypto.S256().Params().N, 1)
	parities := map[byte]bool{}
	for i := range 64 {
		digest := sha256.Sum256([]byte{byte(i)})
		r, s, v, err := sign(k, "wallet", ethereumPath, digest)
		if err != nil {
			t.Fatal(err)
		}
		parities[v] = true
		if new(big.Int).SetBytes(s[:]).Cmp(half) > 0 {
			t.Error("s is high")
		}
		again, _, _, err := sign(k, "wallet", ethereumPath, digest)
		if err != nil || again != r {
			t.Errorf("signed again: another signature, %v", err)
		}
		recovered, err := gethcrypto.SigToPub(digest[:], append(append(r[:], s[:]...), v))
		if err != nil || !bytes.Equal(gethcrypto.CompressPubkey(recovered), public) {
			t.Errorf("go-ethereum recovers another key: %v", err)
		}
	}
	if !parities[0] || !parities[1] || len(parities) != 2 {
		t.Errorf("v has been %v", parities)
	}
}

// A fault between signing and returning, whatever it hits, gives no signature.
func TestSigning_K01_FaultySignatureIsWithheld(t *testing.T) {
	t.Parallel()
	digest := sha256.Sum256([]byte("pay"))
	faults := map[string]func(sig []byte){
		"high s": func(sig []byte) {
			var s secp256k1.ModNScalar
			s.SetByteSlice(sig[33:])
			s.Negate()
			s.PutBytesUnchecked(sig[33:])
			sig[0] ^= 1 // the twin is valid, with the other v
		},
		"other v":      func(sig []byte) { sig[0] ^= 1 },
		"v too large":  func(sig []byte) { sig[0] += 2 },
		"v too small":  func(sig []byte) { sig[0] = 26 },
		"r zero":       func(sig []byte) { clear(sig[1:33]) },
		"s zero":       func(sig []byte) { clear(sig[33:]) },
		"r over order": func(sig []byte) { copy(sig[1:], bytes.Repeat([]byte{255}, 32)) },
		"s over order": func(sig []byte) { copy(sig[33:], bytes.Repeat([]byte{255}, 32)) },
		"other key": func(sig []byte) {
			stranger := secp256k1.PrivKeyFromBytes([]byte{3})
			copy(sig, ecdsa.SignCompact(stranger, digest[:], false))
		},
		"other digest": func(sig []byte) {
			h := sha256.Sum256([]byte("pay more"))
			copy(sig, ecdsa.SignCompact(secp256k1.PrivKeyFromBytes([]byte{1}), h[:], false))
		},
	}
	for at := range 65 {
		faults[fmt.Sprintf("bit of byte %d", at)] = func(sig []byte) { sig[at] ^= 1 << (at % 8) }
	}
	k := withWallet(t)
	one := secp256k1.PrivKeyFromBytes([]byte{1})
	useKey(k, Secp256k1, "m/0", append(make([]byte, 31), 1), one.PubKey().SerializeCompressed())
	for name, fault := range faults {
		k.tamper = fault
		if r, s, _, err := sign(k, "wallet", "m/0", digest); !errors.Is(err, ErrFaulty) ||
			r != [32]byte{} || s != [32]byte{} {
			t.Errorf("%s: %v", name, err)
		}
	}
	k.tamper = nil
	if _, _, _, err := sign(k, "wallet", "m/0", digest); err != nil {
		t.Errorf("without a fault: %v", err)
	}
}

// A key that was damaged in memory signs for another address: that is seen too.
func TestSigning_K01_DamagedKeyIsNoticed(t *testing.T) {
	t.Parallel()
	k := withWallet(t)
	two := secp256k1.PrivKeyFromBytes([]byte{2})
	useKey(k, Secp256k1, "m/0", append(make([]byte, 31), 1), two.PubKey().SerializeCompressed())
	if _, _, _, err := sign(k, "wallet", "m/0", [32]byte{1}); !errors.Is(err, ErrFaulty) {
		t.Errorf("secp256k1: %v", err)
	}
	public := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{2}, 32))[32:]
	useKey(k, Ed25519, "m/0'", bytes.Repeat([]byte{1}, 32), public)
	if _, _, err := k.Sign("wallet", Ed25519, "m/0'", []byte("pay")); !errors.Is(err, ErrFaulty) {
		t.Errorf("ed25519: %v", err)
	}
}

func TestSignEd25519(t *testing.T) {
	t.Parallel()
	k := withWallet(t)
	const path = "m/44'/501'/0'/0'"
	public, err := k.PublicKey("wallet", Ed25519, path)
	if err != nil {
		t.Fatal(err)
	}
	for _, message := range [][]byte{nil, []byte("pay"), make([]byte, 1232)} {
		signature, by, err := k.Sign("wallet", Ed25519, path, message)
		if err != nil || !bytes.Equal(by, public) || !ed25519.Verify(public, message, signature) {
			t.Errorf("%d bytes: %v", len(message), err)
		}
		again, _, err := k.Sign("wallet", Ed25519, path, message)
		if err != nil || !bytes.Equal(signature, again) {
			t.Errorf("%d bytes signed again: another signature, %v", len(message), err)
		}
	}
	for at := range ed25519.SignatureSize {
		k.tamper = func(sig []byte) { sig[at] ^= 1 }
		if _, _, err := k.Sign("wallet", Ed25519, path, []byte("pay")); !errors.Is(err, ErrFaulty) {
			t.Errorf("byte %d flipped: %v", at, err)
		}
	}
}

// More keys than slots, from many sides at once: every signature is still of its
// own key, and Close in the middle only makes the rest fail.
func TestKeysMakeRoomForEachOther(t *testing.T) {
	t.Parallel()
	k := withWallet(t)
	k.cache = newCache(make([]byte, 3*secretSize))
	publics := map[string][]byte{}
	for i := range 8 {
		path := fmt.Sprintf("m/%d", i)
		public, err := k.PublicKey("wallet", Secp256k1, path)
		if err != nil {
			t.Fatal(err)
		}
		publics[path] = public
	}
	if n := len(k.cache.index); n != 3 || k.cache.order.Len() != 3 {
		t.Errorf("%d keys are cached, want 3", n)
	}
	var wg sync.WaitGroup
	for path, public := range publics {
		wg.Go(func() {
			for i := range 5 {
				digest := sha256.Sum256([]byte{byte(i)})
				r, s, v, err := sign(k, "wallet", path, digest)
				if err != nil {
					t.Errorf("%s: %v", path, err)
					return
				}
				if got, err := gethcrypto.SigToPub(digest[:], append(append(r[:], s[:]...), v)); err != nil ||
					!bytes.Equal(gethcrypto.CompressPubkey(got), public) {
					t.Errorf("%s: signed with another key", path)
				}
			}
		})
	}
	wg.Wait()
}

func TestCloseEndsEverything(t *testing.T) {
	t.Parallel()
	k := withWallet(t)
	sealed, err := k.Create("org", "late", 12)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for n := 0; ; n++ {
				_, _, _, err := sign(k, "wallet", fmt.Sprintf("m/%d/%d", i, n%20), [32]byte{1})
				if err == nil {
					continue
				}
				if !errors.Is(err, ErrClosed) {
					t.Errorf("signing while it closes: %v", err)
				}
				return
			}
		})
	}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	if err := k.Load("org", "late", sealed); !errors.Is(err, ErrClosed) {
		t.Errorf("Load: %v", err)
	}
	if _, err := k.Create("org", "new", 12); !errors.Is(err, ErrClosed) {
		t.Errorf("Create: %v", err)
	}
	if err := k.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

func BenchmarkSignSecp256k1(b *testing.B) {
	k := withWallet(b)
	for b.Loop() {
		if _, _, _, err := sign(k, "wallet", ethereumPath, [32]byte{1}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSignEd25519(b *testing.B) {
	k := withWallet(b)
	for b.Loop() {
		if _, _, err := k.Sign("wallet", Ed25519, "m/44'/501'/0'/0'", []byte("pay")); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDerive(b *testing.B) {
	k := withWallet(b)
	n := 0
	for b.Loop() {
		n++
		if _, err := k.PublicKey("wallet", Secp256k1, fmt.Sprintf("m/44'/60'/%d'/0/0", n)); err != nil {
			b.Fatal(err)
		}
	}
}

// A new wallet is mostly this: PBKDF2 with 2048 rounds.
func BenchmarkStretch(b *testing.B) {
	s := newScratch(make([]byte, scratchSize))
	s.spell(make([]byte, 32))
	for b.Loop() {
		s.stretch("")
	}
}
