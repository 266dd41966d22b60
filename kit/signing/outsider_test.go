package signing_test

import (
	"crypto/rand"
	"encoding/json"
	"math/big"
	"testing"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// outsider holds a key that no wallet has.
type outsider struct {
	t      *testing.T
	app    *apptest.App
	client *railkit.Client
	secret []byte
	from   evm.Address
}

func newOutsider(t *testing.T, a *apptest.App) outsider {
	t.Helper()
	return outsiderWith(t, a, "native", "USDC")
}

func outsiderWith(t *testing.T, a *apptest.App, assets ...string) outsider {
	t.Helper()
	o := outsider{t: t, app: a, client: a.Client(), secret: make([]byte, 32)}
	if _, err := rand.Read(o.secret); err != nil {
		t.Fatal(err)
	}
	from, err := evm.AddressOf(secp256k1.PrivKeyFromBytes(o.secret).PubKey().SerializeCompressed())
	if err != nil {
		t.Fatal(err)
	}
	o.from = from
	for _, asset := range assets {
		if _, err := o.client.Sandbox.Faucet(
			ctx, railkit.FaucetRequest{Chain: "base", Address: from.String(), Asset: asset, Amount: "10"},
		); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// payment is a payment of native coins, in whole thousandths.
func (o outsider) payment(amount string) railkit.PrepareTransactionRequest {
	return railkit.PrepareTransactionRequest{
		Type: railkit.TransferNative, PayAgain: true, SignWith: o.from.String(), ChainID: 84532, To: receiver,
		Amount: amount,
	}
}

// external is a prepared transaction and its bytes as EVM has them.
type external struct {
	railkit.PreparedTransaction
	Tx evm.Tx
}

func (o outsider) prepared(req railkit.PrepareTransactionRequest) *external {
	o.t.Helper()
	p, err := o.client.Transactions.PrepareExternal(ctx, req)
	if err != nil {
		o.t.Fatalf("%v\n%s", err, o.app.Log.Tail(10))
	}
	return o.read(p)
}

func (o outsider) read(p *railkit.ExternalTransaction) *external {
	o.t.Helper()
	tx, err := evm.DecodeUnsigned(p.Tx.Unsigned)
	if err != nil {
		o.t.Fatal(err)
	}
	return &external{p.PreparedTransaction, tx}
}

func (o outsider) sign(tx evm.Tx) string {
	o.t.Helper()
	raw, err := evm.SignTx(tx, o.secret, o.from)
	if err != nil {
		o.t.Fatal(err)
	}
	return chain.Hex(raw)
}

// signAgain is another signature over the same bytes: its nonce is random, as
// with signers that do not follow RFC 6979.
func (o outsider) signAgain(tx evm.Tx) string {
	o.t.Helper()
	var k, e, s secp256k1.ModNScalar
	var random [32]byte
	if _, err := rand.Read(random[:]); err != nil {
		o.t.Fatal(err)
	}
	k.SetBytes(&random)
	var point secp256k1.JacobianPoint
	secp256k1.ScalarBaseMultNonConst(&k, &point)
	point.ToAffine()
	digest := tx.Digest()
	e.SetByteSlice(digest[:])
	var r, d secp256k1.ModNScalar
	r.SetBytes(point.X.Bytes())
	d.SetByteSlice(o.secret)
	s.Mul2(&r, &d).Add(&e).Mul(k.InverseNonConst())
	sig := evm.Signature{R: r.Bytes()}
	if point.Y.IsOdd() {
		sig.V = 1
	}
	if s.IsOverHalfOrder() {
		s.Negate()
		sig.V ^= 1
	}
	sig.S = s.Bytes()
	return chain.Hex(tx.Assemble(sig))
}

// highS is the other signature that anybody can make of one.
func highS(t *testing.T, signed string) string {
	t.Helper()
	raw, err := chain.ParseHex(signed)
	if err != nil {
		t.Fatal(err)
	}
	tx, sig, err := evm.DecodeSigned(raw)
	if err != nil {
		t.Fatal(err)
	}
	order := secp256k1.Params().N
	s := new(big.Int).Sub(order, new(big.Int).SetBytes(sig.S[:]))
	s.FillBytes(sig.S[:])
	sig.V ^= 1
	return chain.Hex(tx.Assemble(sig))
}

// unprotected is a signed legacy transaction without a chain id.
func (o outsider) unprotected(tx evm.Tx) string {
	o.t.Helper()
	old := evm.Tx{
		ChainID: 1, Nonce: tx.Nonce, GasPrice: tx.MaxFeePerGas, GasLimit: tx.GasLimit, To: tx.To, Value: tx.Value,
	}
	sig, err := evm.Sign(o.secret, old.Digest())
	if err != nil {
		o.t.Fatal(err)
	}
	raw := old.Assemble(sig)
	size := func(n [32]byte) int { return 1 + (new(big.Int).SetBytes(n[:]).BitLen()+7)/8 }
	raw[len(raw)-size(sig.R)-size(sig.S)-1] = 27 + sig.V // was 37 or 38
	return chain.Hex(raw)
}

func (o outsider) confirm(id, signed string, headers ...string) apptest.Answer {
	o.t.Helper()
	return o.app.Do(o.app.Keys.BenchKey, "POST", "/v1/transactions/confirm",
		apptest.JSON(o.t, map[string]any{"transactionId": id, "signedTransaction": signed}), headers...)
}

// data reads an answer's data.
func data(t *testing.T, got apptest.Answer) map[string]any {
	t.Helper()
	var env struct{ Data map[string]any }
	if err := json.Unmarshal([]byte(got.Body), &env); err != nil || got.Status != 200 {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	return env.Data
}
