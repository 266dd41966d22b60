package signed_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"os"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/signed"
)

// readVectors reads a file of testdata.
func readVectors(t *testing.T, name string, v any) {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err == nil {
		err = json.Unmarshal(raw, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func address(t testing.TB, text string) evm.Address {
	t.Helper()
	a, err := evm.ParseAddress(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return a
}

func raw(t testing.TB, text string) []byte {
	t.Helper()
	b, err := chain.ParseHex(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return b
}

func number(t testing.TB, text string) *big.Int {
	t.Helper()
	n, ok := new(big.Int).SetString(text, 10)
	if !ok {
		t.Fatalf("%q is no number", text)
	}
	return n
}

// signs checks that the key's signature over the digest is the one given, that it is read, and whose it is.
func signs(t *testing.T, key string, digest [32]byte, payer evm.Address, want string) evm.Signature {
	t.Helper()
	made, err := evm.Sign(raw(t, key), digest)
	if err != nil {
		t.Fatal(err)
	}
	if got := chain.Hex(signed.WriteSignature(made)); got != want {
		t.Errorf("signed %s, want %s", got, want)
	}
	sig, err := signed.ReadSignature(raw(t, want))
	if err != nil {
		t.Fatal(err)
	}
	if err := evm.Verify(payer, digest, sig); err != nil {
		t.Error(err)
	}
	return sig
}

func TestGoldenAuthorization(t *testing.T) {
	var v struct {
		Key, From, Name, Version, Contract, To, Nonce, Signature string
		ChainID                                                  uint64
		Value, ValidAfter, ValidBefore                           int64
	}
	readVectors(t, "golden.json", &v)
	a := signed.Authorization{
		From: address(t, v.From), To: address(t, v.To), Value: big.NewInt(v.Value),
		ValidAfter: big.NewInt(v.ValidAfter), ValidBefore: big.NewInt(v.ValidBefore), Nonce: [32]byte(raw(t, v.Nonce)),
	}
	token := signed.Domain{Name: v.Name, Version: v.Version, ChainID: v.ChainID, Contract: address(t, v.Contract)}
	signs(t, v.Key, a.Digest(token), a.From, v.Signature)
}

// payment is one of testdata/payments.json.
type payment struct {
	Name    string
	Version int
	Offer   struct {
		Network, Asset string
		Extra          struct{ Name, Version string }
	}
	Payload struct {
		Signature     string
		Authorization struct{ From, To, Value, ValidAfter, ValidBefore, Nonce string }
		Permit        *struct {
			From, Spender, Nonce, Deadline string
			Permitted                      struct{ Token, Amount string }
			Witness                        struct{ To, Facilitator, ValidAfter string }
		} `json:"permit2Authorization"`
	}
	Digest, Call string
}

func (p payment) authorization(t *testing.T) signed.Authorization {
	a := p.Payload.Authorization
	return signed.Authorization{
		From: address(t, a.From), To: address(t, a.To), Value: number(t, a.Value),
		ValidAfter: number(t, a.ValidAfter), ValidBefore: number(t, a.ValidBefore), Nonce: [32]byte(raw(t, a.Nonce)),
	}
}

func (p payment) permit(t *testing.T) signed.Permit2Transfer {
	from := p.Payload.Permit
	made := signed.Permit2Transfer{
		From: address(t, from.From), Token: address(t, from.Permitted.Token), Amount: number(t, from.Permitted.Amount),
		Nonce: number(t, from.Nonce), Deadline: number(t, from.Deadline), To: address(t, from.Witness.To),
		ValidAfter: number(t, from.Witness.ValidAfter),
	}
	if from.Witness.Facilitator != "" {
		made.Facilitator = address(t, from.Witness.Facilitator)
	}
	if made.Spender() != address(t, from.Spender) {
		t.Errorf("%s: spender %s, want %s", p.Name, made.Spender(), from.Spender)
	}
	return made
}

// What npm's @x402/evm signs is what is signed here, and the calls that hand it in are viem's.
func TestPaymentsOfOthers(t *testing.T) {
	var v struct {
		Key, Payer string
		Payments   []payment
		Wallet     struct{ Signature, Call string }
	}
	readVectors(t, "payments.json", &v)
	if len(v.Payments) != 4 {
		t.Fatalf("%d payments", len(v.Payments))
	}
	for _, p := range v.Payments {
		token := signed.Domain{
			Name: p.Offer.Extra.Name, Version: p.Offer.Extra.Version, ChainID: 84532, Contract: address(t,
				p.Offer.Asset),
		}
		signature := raw(t, p.Payload.Signature)
		var digest [32]byte
		var call []byte
		if p.Payload.Permit != nil {
			permit := p.permit(t)
			digest, call = permit.Digest(84532), permit.Call(signature, big.NewInt(7000))
		} else {
			authorization := p.authorization(t)
			sig, err := signed.ReadSignature(signature)
			if err != nil {
				t.Fatal(err)
			}
			digest, call = authorization.Digest(token), authorization.Call(sig)
		}
		if got := chain.Hex(digest[:]); got != p.Digest {
			t.Errorf("%s: digest %s, want %s", p.Name, got, p.Digest)
		}
		signs(t, v.Key, digest, address(t, v.Payer), p.Payload.Signature)
		if got := chain.Hex(call); got != p.Call {
			t.Errorf("%s: call\n%s, want\n%s", p.Name, got, p.Call)
		}
	}
	if got := v.Payments[0].authorization(t).CallBytes(raw(t, v.Wallet.Signature)); chain.Hex(got) != v.Wallet.Call {
		t.Errorf("a wallet's call is %x, want %s", got, v.Wallet.Call)
	}
}

func TestUnwrap(t *testing.T) {
	var v struct {
		Undeployed struct{ Factory, Call, Inner, Signature string }
	}
	readVectors(t, "payments.json", &v)
	want, signature := v.Undeployed, raw(t, v.Undeployed.Signature)
	factory, call, inner, ok := signed.Unwrap(signature)
	if !ok || factory != address(t, want.Factory) || chain.Hex(call) != want.Call || chain.Hex(inner) != want.Inner {
		t.Errorf("%v %s %x %x", ok, factory, call, inner)
	}
	if _, _, _, ok := signed.Unwrap(raw(t, want.Inner)); ok {
		t.Error("a plain signature was unwrapped")
	}
	end := signature[len(signature)-32:]
	for n := range len(signature) {
		cut := append(bytes.Clone(signature[:n]), end...)
		if _, _, got, ok := signed.Unwrap(cut); ok && n < len(signature)-64 {
			t.Errorf("%d bytes of %d were unwrapped to %x", n, len(signature), got)
		}
	}
}

// The constants of the specifications, by keccak.
func TestConstants(t *testing.T) {
	members := "(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
	for want, text := range map[string]string{
		"7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a2267": "TransferWithAuthorization" + members,
		"158b0a9edf7a828aad02f63cd515c68ef2f50ba807396f6d12842833a1597429": "CancelAuthorization(" +
			"address authorizer,bytes32 nonce)",
	} {
		if got := evm.Keccak256([]byte(text)); hex.EncodeToString(got[:]) != want {
			t.Errorf("%s is %x", text, got)
		}
	}
	a := signed.Authorization{Value: new(big.Int), ValidAfter: new(big.Int), ValidBefore: new(big.Int)}
	for want, call := range map[string][]byte{
		"e3ee160e": a.Call(evm.Signature{}), "cf092995": a.CallBytes(nil),
		"5a049a70": signed.CancelCall(evm.Address{}, [32]byte{}, evm.Signature{}),
		"e94a0102": signed.StateCall(evm.Address{}, [32]byte{}), "70a08231": signed.BalanceCall(evm.Address{}),
		"dd62ed3e": signed.AllowanceCall(evm.Address{}, evm.Address{}), "06fdde03": signed.NameCall(),
		"54fd4d50": signed.VersionCall(), "1626ba7e": signed.WalletCall([32]byte{}, nil),
		"4fe02b44": signed.BitmapCall(evm.Address{}, new(big.Int)),
	} {
		if got := hex.EncodeToString(call[:4]); got != want {
			t.Errorf("selector %s, want %s", got, want)
		}
	}
	for want, topic := range map[string][32]byte{
		"ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef": signed.TransferTopic,
		"98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5": signed.UsedTopic,
		"1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81": signed.CanceledTopic,
	} {
		if got := hex.EncodeToString(topic[:]); got != want {
			t.Errorf("topic %s, want %s", got, want)
		}
	}
}
