package evm

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"
	"pgregory.net/rapid"
)

func TestSigning_K01_RFC6979Vectors(t *testing.T) {
	var file struct {
		Signatures []struct{ Secret, Message, R, S string }
	}
	load(t, "rfc6979.json", &file)
	for _, v := range file.Signatures {
		sig, err := Sign(unhex(t, v.Secret), sha256.Sum256([]byte(v.Message)))
		if err != nil || !bytes.Equal(sig.R[:], unhex(t, v.R)) || !bytes.Equal(sig.S[:], unhex(t, v.S)) {
			t.Errorf("%q: %x %x %v", v.Message, sig.R, sig.S, err)
		}
	}
}

func TestSigning_K01_TransactionVectors(t *testing.T) {
	for _, v := range signedVectors(t) {
		if v.Secret == "" {
			continue
		}
		secret := unhex(t, v.Secret)
		key, err := crypto.ToECDSA(secret)
		if err != nil {
			t.Fatal(err)
		}
		signed, err := SignTx(v.tx(t), secret, Address(crypto.PubkeyToAddress(key.PublicKey)))
		if err != nil {
			t.Fatalf("%s: %v", v.Origin, err)
		}
		id := ID(signed)
		if v.Signed != "" && !bytes.Equal(signed, unhex(t, v.Signed)) ||
			v.ID != "" && !bytes.Equal(id[:], unhex(t, v.ID)) {
			t.Errorf("%s: signed %x", v.Origin, signed)
		}
	}
}

func TestSigning_K01_DeterministicLowSAndOwn(t *testing.T) {
	half := new(big.Int).Rsh(crypto.S256().Params().N, 1)
	rapid.Check(t, func(t *rapid.T) {
		secret := drawSecret(t)
		digest := [32]byte(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "digest"))
		key := mustKey(t, secret)
		from := Address(crypto.PubkeyToAddress(key.PublicKey))
		sig, err := Sign(secret, digest)
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := Sign(secret, digest); again != sig {
			t.Fatal("another signature the second time")
		}
		if new(big.Int).SetBytes(sig.S[:]).Cmp(half) > 0 {
			t.Fatal("high s")
		}
		if err := Verify(from, digest, sig); err != nil {
			t.Fatal(err)
		}
		oracle, err := crypto.Sign(digest[:], key)
		if err != nil || !bytes.Equal(oracle, append(append(bytes.Clone(sig.R[:]), sig.S[:]...), sig.V)) {
			t.Fatalf("go-ethereum signs %x %v", oracle, err)
		}
	})
}

// highS is the other signature that the same curve equation allows.
func highS(sig Signature) Signature {
	s := new(big.Int).Sub(crypto.S256().Params().N, new(big.Int).SetBytes(sig.S[:]))
	s.FillBytes(sig.S[:])
	sig.V ^= 1
	return sig
}

func TestSigning_K01_HighSIsRefused(t *testing.T) {
	secret := bytes.Repeat([]byte{7}, 32)
	for _, tx := range samples() {
		sig, err := Sign(secret, tx.Digest())
		if err != nil {
			t.Fatal(err)
		}
		twin := highS(sig)
		if _, err := RecoverAddress(tx.Digest(), twin); !errors.Is(err, ErrSignature) {
			t.Errorf("type %d: %v", tx.Type, err)
		}
		if _, err := Recover(tx.Assemble(twin)); !errors.Is(err, ErrSignature) {
			t.Errorf("type %d: %v", tx.Type, err)
		}
	}
}

func TestSigning_K01_SignatureBounds(t *testing.T) {
	digest := [32]byte{1}
	sig, err := Sign(bytes.Repeat([]byte{7}, 32), digest)
	if err != nil {
		t.Fatal(err)
	}
	order := [32]byte(crypto.S256().Params().N.Bytes())
	for name, change := range map[string]func(*Signature){
		"r is zero": func(s *Signature) { s.R = [32]byte{} }, "s is zero": func(s *Signature) { s.S = [32]byte{} },
		"r is the order": func(s *Signature) { s.R = order }, "s is the order": func(s *Signature) { s.S = order },
		"v is 2": func(s *Signature) { s.V = 2 }, "v is 27": func(s *Signature) { s.V = 27 },
	} {
		bad := sig
		change(&bad)
		if _, err := RecoverAddress(digest, bad); !errors.Is(err, ErrSignature) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Verify(Address{1}, digest, sig); !errors.Is(err, ErrSigner) {
		t.Errorf("another account: %v", err)
	}
}

func TestSigning_K01_SecretBounds(t *testing.T) {
	order := crypto.S256().Params().N.Bytes()
	for name, secret := range map[string][]byte{
		"none": nil, "short": make([]byte, 31), "long": bytes.Repeat([]byte{1}, 33),
		"zero": make([]byte, 32), "order": order, "beyond": bytes.Repeat([]byte{0xff}, 32),
	} {
		if _, err := Sign(secret, [32]byte{1}); !errors.Is(err, ErrSecret) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The key of another account never leaves a signature behind.
func TestSigning_K01_SignTxChecksTheAccount(t *testing.T) {
	secret := bytes.Repeat([]byte{7}, 32)
	before := bytes.Clone(secret)
	if _, err := SignTx(sample(DynamicFee), secret, Address{9}); !errors.Is(err, ErrSigner) {
		t.Errorf("another account's address: %v", err)
	}
	if !bytes.Equal(secret, before) {
		t.Error("the caller's secret was changed")
	}
}
