package railkit_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/internal/test/tamper"
	railkit "github.com/railkit/railkit/sdk/go"
)

// ownKey is a key of the caller's, which no wallet has.
func ownKey(t *testing.T) ([]byte, evm.Address) {
	t.Helper()
	secret := make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		t.Fatal(err)
	}
	from, err := evm.AddressOf(secp256k1.PrivKeyFromBytes(secret).PubKey().SerializeCompressed())
	if err != nil {
		t.Fatal(err)
	}
	return secret, from
}

// signed are the bytes of a prepared transaction with the signature of an own key.
func signed(t *testing.T, tx chain.Tx, secret []byte) []byte {
	t.Helper()
	sig, err := evm.Sign(secret, [32]byte(tx.Payload))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := evm.Family{}.Attach(tx, "", sig.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestExternalStory(t *testing.T) {
	w := newWorld(t)
	secret, from := ownKey(t)
	w.fund(t, "base", from.String())
	exact := evm.Tx{
		ChainID: baseID, Nonce: 3, GasPrice: big.NewInt(2e9), GasLimit: 21000, To: &from, Value: big.NewInt(1),
	}
	for _, req := range []railkit.PrepareTransactionRequest{
		transfer(from.String()),
		{Type: railkit.TransferNative, SignWith: from.String(), ChainID: baseID, To: receiver, Amount: "0.5"},
		{Type: railkit.Call, SignWith: from.String(), ChainID: baseID, To: receiver,
			Data: "0x12345678", Value: "7"},
		{Type: railkit.SignExact, SignWith: from.String(), ChainID: baseID,
			UnsignedTransaction: chain.Hex(exact.Unsigned()), AllowContract: true}, // to itself
	} {
		p, err := w.client.Transactions.PrepareExternal(t.Context(), req)
		if err != nil {
			t.Fatalf("%s: %v", req.Type, err)
		}
		raw := signed(t, p.Tx, secret)
		sent, err := w.client.Transactions.ConfirmSigned(t.Context(), railkit.ConfirmSignedRequest{
			TransactionID: p.TransactionID, SignedTransaction: chain.Hex(raw),
		})
		if err != nil || sent.Custody != railkit.CustodyExternal || sent.TxHash == "" {
			t.Fatalf("%s: %+v, %v", req.Type, sent, err)
		}
		if now, err := w.client.Transactions.Get(t.Context(), p.TransactionID); err != nil ||
			now.TxHash != sent.TxHash {
			t.Errorf("%s: read again: %+v, %v", req.Type, now, err)
		}
	}
	page, err := w.client.Transactions.List(t.Context(), railkit.TransactionListOptions{})
	if err != nil || len(page.Items) != 4 {
		t.Errorf("list: %+v, %v", page, err)
	}
}

// A passkey's call ends where the server says that there is nothing to stamp,
// and the other call where there is.
func TestExternalIsNoPasskeysCall(t *testing.T) {
	w := newWorld(t)
	account := w.payer(t).Address
	_, from := ownKey(t)
	w.fund(t, "base", from.String())
	if _, err := w.client.Transactions.Send(t.Context(), w.pk,
		transfer(from.String())); !errors.Is(err, railkit.ErrExternal) {
		t.Errorf("an address of no wallet: %v", err)
	}
	if _, err := w.client.Transactions.PrepareExternal(t.Context(),
		transfer(account)); !errors.Is(err, railkit.ErrNotExternal) {
		t.Errorf("an address of a wallet: %v", err)
	}
	w.host.On("POST /v1/transactions/prepare", tamper.Set("data.custody", "external"))
	if _, err := w.client.Transactions.Send(t.Context(), w.pk,
		transfer(account)); !errors.Is(err, railkit.ErrExternal) {
		t.Errorf("a host that lies about who signs: %v", err)
	}
	if w.calls("POST", "/v1/transactions/confirm") > 0 {
		t.Error("something was confirmed")
	}
	for _, signWith := range []string{"", "0x12", "an-id"} {
		if _, err := w.client.Transactions.PrepareExternal(t.Context(), transfer(signWith)); err == nil {
			t.Errorf("SignWith %q was taken", signWith)
		}
	}
}

// The bytes are all that the caller's key signs, so the host that wrote them
// must not get away with others.
func TestTamperedExternalPrepare(t *testing.T) {
	_, from := ownKey(t)
	thief := evm.Address{19: 0xbb}
	bytes := func(change func(*evm.Tx)) func(object) {
		return func(d object) {
			raw, _ := chain.ParseHex(d["unsignedTransaction"].(string))
			tx, err := evm.DecodeUnsigned(raw)
			if err != nil {
				t.Fatal(err)
			}
			change(&tx)
			d["unsignedTransaction"] = chain.Hex(tx.Unsigned())
		}
	}
	tokenAttacks := func(*world) []attack {
		return []attack{
			{"no bytes", railkit.ReasonBody, func(d object) { d["unsignedTransaction"] = "0x" }},
			{"no hex", railkit.ReasonBody, func(d object) { d["unsignedTransaction"] = "zz" }},
			{"a byte more", railkit.ReasonBody,
				func(d object) { d["unsignedTransaction"] = fmt.Sprint(d["unsignedTransaction"], "00") }},
			{"another chain", railkit.ReasonResult, bytes(func(tx *evm.Tx) { tx.ChainID = 1 })},
			{"another chain in the answer", railkit.ReasonResult, func(d object) { d["chainId"] = 1 }},
			{"no chain id in the answer", railkit.ReasonResult, func(d object) { d["chainId"] = 0 }},
			{"another sender", railkit.ReasonResult, func(d object) { d["from"] = thief.String() }},
			{"another contract", railkit.ReasonPreview, bytes(func(tx *evm.Tx) { tx.To = &thief })},
			{"no contract", railkit.ReasonBody, bytes(func(tx *evm.Tx) { tx.To = nil })},
			{"value besides", railkit.ReasonPreview, bytes(func(tx *evm.Tx) { tx.Value = big.NewInt(1) })},
			{"another receiver or amount", railkit.ReasonBody, bytes(func(tx *evm.Tx) { tx.Data[40] ^= 1 })},
			{"a fee beyond reason", railkit.ReasonFee, bytes(func(tx *evm.Tx) { tx.MaxFeePerGas = big.NewInt(1e15) })},
			{"gas beyond reason", railkit.ReasonFee, bytes(func(tx *evm.Tx) { tx.GasLimit = 1 << 50 })},
			{"an access list", railkit.ReasonBody, bytes(func(tx *evm.Tx) { tx.AccessList = []evm.AccessTuple{{}} })},
			{"an old form", railkit.ReasonBody,
				bytes(func(tx *evm.Tx) { tx.Type, tx.GasPrice = evm.Legacy, big.NewInt(1) })},
		}
	}
	asIs := func(*railkit.PrepareTransactionRequest) {}
	under(t, "POST /v1/transactions/prepare", tokenAttacks, externally(from, asIs))
	under(t, "POST /v1/transactions/prepare", func(*world) []attack {
		return []attack{
			{"another receiver", railkit.ReasonBody, bytes(func(tx *evm.Tx) { tx.To = &thief })},
			{"another amount", railkit.ReasonBody, bytes(func(tx *evm.Tx) { tx.Value.Add(tx.Value, big.NewInt(1)) })},
			{"a call besides", railkit.ReasonBody, bytes(func(tx *evm.Tx) { tx.Data = []byte{1, 2, 3, 4} })},
		}
	}, externally(from, func(r *railkit.PrepareTransactionRequest) {
		r.Type, r.Amount, r.TokenAddress = railkit.TransferNative, "1", ""
	}))
	exact := evm.Tx{ChainID: baseID, GasPrice: big.NewInt(2e9), GasLimit: 21000, To: &from, Value: big.NewInt(1)}
	under(t, "POST /v1/transactions/prepare", func(*world) []attack {
		return []attack{{"other bytes", railkit.ReasonBody, bytes(func(tx *evm.Tx) { tx.Nonce++ })}}
	}, externally(from, func(r *railkit.PrepareTransactionRequest) {
		*r = railkit.PrepareTransactionRequest{
			Type:                railkit.SignExact,
			SignWith:            from.String(),
			ChainID:             baseID,
			UnsignedTransaction: chain.Hex(exact.Unsigned()),
			AllowContract:       true,
		}
	}))
}

func externally(
	from evm.Address, change func(*railkit.PrepareTransactionRequest),
) func(*testing.T, *world) func() error {
	return func(t *testing.T, w *world) func() error {
		w.fund(t, "base", from.String())
		req := transfer(from.String())
		change(&req)
		return func() error {
			_, err := w.client.Transactions.PrepareExternal(t.Context(), req)
			return err
		}
	}
}

// What comes back must be the bytes that went in, also when they are read later.
func TestTamperedExternalAnswers(t *testing.T) {
	secret, from := ownKey(t)
	other, _ := ownKey(t)
	attacks := func(*world) []attack {
		return []attack{
			{"another hash", railkit.ReasonResult, func(d object) { d["txHash"] = "0x" + strings.Repeat("ab", 32) }},
			{"another sender", railkit.ReasonResult, func(d object) { d["from"] = receiver }},
			{"another chain", railkit.ReasonResult, func(d object) { d["chainId"] = 1 }},
			{"no chain id", railkit.ReasonResult, func(d object) { d["chainId"] = 0 }},
			{"another network", railkit.ReasonResult, func(d object) { d["network"] = "polygon" }},
			{"no bytes", railkit.ReasonResult, func(d object) { d["signedTransaction"] = "" }},
			{"other bytes", railkit.ReasonResult, func(d object) { d["signedTransaction"] = "0xdeadbeef" }},
			{"another's signature", railkit.ReasonResult,
				func(d object) { d["signedTransaction"] = resigned(d["signedTransaction"], other) }},
		}
	}
	confirm := func(t *testing.T, w *world) (string, func() error) {
		w.fund(t, "base", from.String())
		p, err := w.client.Transactions.PrepareExternal(t.Context(), transfer(from.String()))
		if err != nil {
			t.Fatal(err)
		}
		raw := signed(t, p.Tx, secret)
		return p.TransactionID, func() error {
			_, err := w.client.Transactions.ConfirmSigned(t.Context(), railkit.ConfirmSignedRequest{
				TransactionID: p.TransactionID, SignedTransaction: chain.Hex(raw),
			})
			return err
		}
	}
	under(t, "POST /v1/transactions/confirm", func(w *world) []attack {
		return append(attacks(w), attack{
			"another transaction", railkit.ReasonResult, func(d object) { d["transactionId"] = "other" },
		})
	}, func(t *testing.T, w *world) func() error {
		_, do := confirm(t, w)
		return do
	})
	read := func(list bool) func(t *testing.T, w *world) func() error {
		return func(t *testing.T, w *world) func() error {
			id, do := confirm(t, w)
			if err := do(); err != nil {
				t.Fatal(err)
			}
			return func() error {
				_, err := w.client.Transactions.Get(t.Context(), id)
				if list {
					_, err = w.client.Transactions.List(t.Context(), railkit.TransactionListOptions{})
				}
				return err
			}
		}
	}
	under(t, "GET /v1/transactions/sign", attacks, read(true))
	under(t, "GET /v1/transactions/sign/{id}", attacks, read(false))
}

func resigned(signed any, secret []byte) string {
	raw, _ := chain.ParseHex(signed.(string))
	tx, _, _ := evm.DecodeSigned(raw)
	sig, _ := evm.Sign(secret, tx.Digest())
	return chain.Hex(tx.Assemble(sig))
}
