package evm

import (
	"bytes"
	"testing"
)

func BenchmarkDecodeUnsigned(b *testing.B) {
	raw := sample(DynamicFee).Unsigned()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeUnsigned(raw); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDigest(b *testing.B) {
	tx := sample(DynamicFee)
	b.ReportAllocs()
	for b.Loop() {
		tx.Digest()
	}
}

func BenchmarkSign(b *testing.B) {
	secret, digest := bytes.Repeat([]byte{7}, 32), sample(DynamicFee).Digest()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Sign(secret, digest); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSignTx also reads the result back and recovers its signer.
func BenchmarkSignTx(b *testing.B) {
	tx, secret := sample(DynamicFee), bytes.Repeat([]byte{7}, 32)
	sig, err := Sign(secret, tx.Digest())
	if err != nil {
		b.Fatal(err)
	}
	from, err := RecoverAddress(tx.Digest(), sig)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := SignTx(tx, secret, from); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRecover(b *testing.B) {
	tx := sample(DynamicFee)
	sig, err := Sign(bytes.Repeat([]byte{7}, 32), tx.Digest())
	if err != nil {
		b.Fatal(err)
	}
	signed := tx.Assemble(sig)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Recover(signed); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEffects(b *testing.B) {
	net, usdc := base(b)
	data, err := EncodeTransfer(bob, sample(Legacy).Value)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		Effects(alice, &usdc, nil, data, net)
	}
}

// BenchmarkEffectsNested is a Safe's transfer within a multicall.
func BenchmarkEffectsNested(b *testing.B) {
	net, usdc := base(b)
	data := safeTx(b, usdc, 0, encode(b, sendSignature, bob, 1), 0, 0)
	data = encode(b, "aggregate((address,bytes)[])", list{list{safe, data}})
	b.ReportAllocs()
	for b.Loop() {
		Effects(alice, &multicall3, nil, data, net)
	}
}

func BenchmarkParseTypedData(b *testing.B) {
	var file struct{ Messages []typedVector }
	load(b, "typed.json", &file)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseTypedData(file.Messages[0].Data); err != nil {
			b.Fatal(err)
		}
	}
}
