package evm

import (
	"bytes"
	"crypto/ecdsa"
	"math"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"pgregory.net/rapid"
)

// drawSecret avoids zero and numbers beyond the curve's order.
func drawSecret(t *rapid.T) []byte {
	b := rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "secret")
	b[0], b[31] = b[0]&0x7f, b[31]|1
	return b
}

func drawBig(t *rapid.T, bytesMost int, name string) *big.Int {
	return new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), 0, bytesMost).Draw(t, name))
}

// drawTx makes a valid transaction of any type.
func drawTx(t *rapid.T) Tx {
	tx := Tx{
		Type:     Type(rapid.IntRange(0, 2).Draw(t, "type")),
		ChainID:  rapid.Uint64Range(1, maxLegacyID).Draw(t, "chainId"),
		Nonce:    rapid.Uint64Range(0, math.MaxUint64-1).Draw(t, "nonce"),
		GasLimit: rapid.Uint64().Draw(t, "gas"),
		Value:    drawBig(t, 31, "value"),
		Data:     rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "data"),
	}
	if rapid.Bool().Draw(t, "hasTo") {
		to := Address(rapid.SliceOfN(rapid.Byte(), 20, 20).Draw(t, "to"))
		tx.To = &to
	}
	if tx.Type == DynamicFee {
		tx.MaxPriorityFeePerGas = drawBig(t, 10, "tip")
		tx.MaxFeePerGas = new(big.Int).Add(tx.MaxPriorityFeePerGas, drawBig(t, 10, "fee"))
	} else {
		tx.GasPrice = drawBig(t, 10, "price")
	}
	if tx.Type != Legacy {
		tx.AccessList = drawAccessList(t)
	}
	return tx
}

func drawAccessList(t *rapid.T) []AccessTuple {
	var list []AccessTuple
	for range rapid.IntRange(0, 3).Draw(t, "tuples") {
		tuple := AccessTuple{Address: Address(rapid.SliceOfN(rapid.Byte(), 20, 20).Draw(t, "accessAddress"))}
		for range rapid.IntRange(0, 3).Draw(t, "keys") {
			tuple.StorageKeys = append(tuple.StorageKeys, [32]byte(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "key")))
		}
		list = append(list, tuple)
	}
	return list
}

// theirs is the same transaction in go-ethereum's types.
func theirs(tx Tx) *types.Transaction {
	id := new(big.Int).SetUint64(tx.ChainID)
	list := types.AccessList{}
	for _, t := range tx.AccessList {
		keys := make([]common.Hash, len(t.StorageKeys))
		for i, k := range t.StorageKeys {
			keys[i] = k
		}
		list = append(list, types.AccessTuple{Address: common.Address(t.Address), StorageKeys: keys})
	}
	to := (*common.Address)(tx.To)
	switch tx.Type {
	case AccessList:
		return types.NewTx(&types.AccessListTx{
			ChainID:    id,
			Nonce:      tx.Nonce,
			GasPrice:   orZero(tx.GasPrice),
			Gas:        tx.GasLimit,
			To:         to,
			Value:      orZero(tx.Value),
			Data:       tx.Data,
			AccessList: list,
		})
	case DynamicFee:
		return types.NewTx(&types.DynamicFeeTx{
			ChainID:    id,
			Nonce:      tx.Nonce,
			GasTipCap:  orZero(tx.MaxPriorityFeePerGas),
			GasFeeCap:  orZero(tx.MaxFeePerGas),
			Gas:        tx.GasLimit,
			To:         to,
			Value:      orZero(tx.Value),
			Data:       tx.Data,
			AccessList: list,
		})
	}
	return types.NewTx(&types.LegacyTx{
		Nonce:    tx.Nonce,
		GasPrice: orZero(tx.GasPrice),
		Gas:      tx.GasLimit,
		To:       to,
		Value:    orZero(tx.Value),
		Data:     tx.Data,
	})
}

func signerFor(tx Tx) types.Signer {
	return types.LatestSignerForChainID(new(big.Int).SetUint64(tx.ChainID))
}

func mustKey(t *rapid.T, secret []byte) *ecdsa.PrivateKey {
	key, err := crypto.ToECDSA(secret)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestSignedBytesEqualGoEthereum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tx, secret := drawTx(t), drawSecret(t)
		key := mustKey(t, secret)
		from := Address(crypto.PubkeyToAddress(key.PublicKey))

		if got, want := tx.Digest(), signerFor(tx).Hash(theirs(tx)); got != [32]byte(want) {
			t.Fatalf("digest %x, go-ethereum %x", got, want)
		}
		signed, err := SignTx(tx, secret, from)
		if err != nil {
			t.Fatal(err)
		}
		oracle, err := types.SignTx(theirs(tx), signerFor(tx), key)
		if err != nil {
			t.Fatal(err)
		}
		want, err := oracle.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(signed, want) {
			t.Fatalf("signed %x, go-ethereum %x", signed, want)
		}
		if ID(signed) != [32]byte(oracle.Hash()) {
			t.Fatal("another id than go-ethereum's")
		}
		if got, err := Recover(signed); err != nil || got != from {
			t.Fatalf("recovered %v %v", got, err)
		}
	})
}

func TestDecodeGivesBackWhatWasEncoded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tx := drawTx(t)
		read, err := DecodeUnsigned(tx.Unsigned())
		if err != nil {
			t.Fatal(err)
		}
		if read.Digest() != tx.Digest() || read.Type != tx.Type || read.ChainID != tx.ChainID {
			t.Fatal("read another transaction")
		}
		sig, err := Sign(drawSecret(t), tx.Digest())
		if err != nil {
			t.Fatal(err)
		}
		read, readSig, err := DecodeSigned(tx.Assemble(sig))
		if err != nil || readSig != sig || read.Digest() != tx.Digest() {
			t.Fatalf("read another signed transaction: %v", err)
		}
	})
}

// Go programs write unsigned typed transactions with an empty signature.
func TestDecodeStripsAnEmptySignature(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tx := drawTx(t)
		raw, err := theirs(tx).MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		read, err := DecodeUnsigned(raw)
		if tx.Type == Legacy {
			if err == nil {
				t.Fatal("a legacy transaction without a chain id was read")
			}
			return
		}
		if err != nil || !bytes.Equal(read.Unsigned(), tx.Unsigned()) {
			t.Fatalf("read another transaction: %v", err)
		}
	})
}

// readable says of a signed transaction that go-ethereum reads whether it is one
// of those that are read here.
func readable(tx *types.Transaction, size int) bool {
	id := tx.ChainId()
	entries := len(tx.AccessList()) + tx.AccessList().StorageKeys()
	fee := new(big.Int).Mul(tx.GasFeeCap(), new(big.Int).SetUint64(tx.Gas()))
	switch {
	case tx.Type() > 2, size > maxRawSize, entries > maxAccessList, !tx.Protected():
		return false
	case id.Sign() == 0, !id.IsUint64(), tx.Type() == 0 && id.Uint64() > maxLegacyID:
		return false
	case tx.Nonce() == math.MaxUint64, tx.GasTipCapIntCmp(tx.GasFeeCap()) > 0:
		return false
	case fee.Add(fee, tx.Value()).BitLen() > 256, tx.GasFeeCap().BitLen() > 256:
		return false
	}
	_, err := types.Sender(types.LatestSignerForChainID(id), tx)
	return err == nil
}

func FuzzDecodeSigned(f *testing.F) {
	f.Fuzz(func(t *testing.T, raw []byte) {
		tx, sig, err := DecodeSigned(raw)
		from, recoverErr := Recover(raw)
		var oracle types.Transaction
		oracleErr := oracle.UnmarshalBinary(raw)
		want := oracleErr == nil && readable(&oracle, len(raw))
		if (recoverErr == nil) != want {
			t.Fatalf("recovered: %v, go-ethereum would: %v (%v)", recoverErr, want, oracleErr)
		}
		if err == nil && !bytes.Equal(tx.Assemble(sig), raw) {
			t.Fatal("a second encoding of the same transaction")
		}
		if !want {
			return
		}
		sender, _ := types.Sender(signerFor(tx), &oracle)
		if from != Address(sender) || ID(raw) != [32]byte(oracle.Hash()) ||
			tx.Digest() != [32]byte(signerFor(tx).Hash(&oracle)) {
			t.Fatal("read otherwise than go-ethereum does")
		}
	})
}

func FuzzDecodeUnsigned(f *testing.F) {
	f.Fuzz(func(t *testing.T, raw []byte) {
		tx, err := DecodeUnsigned(raw)
		if err != nil {
			return
		}
		oracle := theirs(tx)
		if tx.Digest() != [32]byte(signerFor(tx).Hash(oracle)) {
			t.Fatal("another digest than go-ethereum's")
		}
		if bytes.Equal(tx.Unsigned(), raw) {
			return
		}
		if again, err := oracle.MarshalBinary(); err != nil || tx.Type == Legacy || !bytes.Equal(again, raw) {
			t.Fatal("a second encoding of the same transaction")
		}
	})
}
