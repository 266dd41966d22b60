package signed_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/signed"
)

var (
	words     = rapid.SliceOfN(rapid.Byte(), 32, 32)
	addresses = rapid.Custom(func(t *rapid.T) evm.Address {
		return evm.Address(rapid.SliceOfN(rapid.Byte(), 20, 20).Draw(t, "address"))
	})
	numbers = rapid.Custom(func(t *rapid.T) *big.Int { return new(big.Int).SetBytes(words.Draw(t, "number")) })
	texts   = rapid.StringMatching(`[A-Za-z0-9 .]{1,40}`)
	domains = rapid.Custom(func(t *rapid.T) signed.Domain {
		return signed.Domain{
			Name: texts.Draw(t, "name"), Version: texts.Draw(t, "version"),
			ChainID: rapid.Uint64Range(1, 1<<53-1).Draw(t, "chain"), Contract: addresses.Draw(t, "contract"),
		}
	})
)

const (
	tokenDomainJSON = `[{"name":"name","type":"string"},{"name":"version","type":"string"},` +
		`{"name":"chainId","type":"uint256"},{"name":"verifyingContract","type":"address"}]`
	permit2DomainJSON = `[{"name":"name","type":"string"},{"name":"chainId","type":"uint256"},` +
		`{"name":"verifyingContract","type":"address"}]`
)

func domainJSON(d signed.Domain) string {
	return fmt.Sprintf(`{"name":%q,"version":%q,"chainId":%d,"verifyingContract":"%s"}`,
		d.Name, d.Version, d.ChainID, d.Contract)
}

// reads asks the reader of eth_signTypedData_v4's JSON, which was written without this package, for its digest.
func reads(t *rapid.T, types, primary, domain, message string) [32]byte {
	t.Helper()
	d, err := evm.ParseTypedData(fmt.Appendf(nil, `{"types":{%s},"primaryType":%q,"domain":%s,"message":%s}`,
		types, primary, domain, message))
	if err != nil {
		t.Fatal(err)
	}
	return d.Digest
}

func TestAuthorizationIsItsTypedData(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		token := domains.Draw(t, "token")
		a := signed.Authorization{
			From: addresses.Draw(t, "from"), To: addresses.Draw(t, "to"), Value: numbers.Draw(t, "value"),
			ValidAfter: numbers.Draw(t, "after"), ValidBefore: numbers.Draw(t, "before"),
			Nonce: [32]byte(words.Draw(t, "nonce")),
		}
		want := reads(t, `"EIP712Domain":`+tokenDomainJSON+`,"TransferWithAuthorization":[`+
			`{"name":"from","type":"address"},{"name":"to","type":"address"},{"name":"value","type":"uint256"},`+
			`{"name":"validAfter","type":"uint256"},{"name":"validBefore","type":"uint256"},`+
			`{"name":"nonce","type":"bytes32"}]`, "TransferWithAuthorization", domainJSON(token), fmt.Sprintf(
			`{"from":"%s","to":"%s","value":"%s","validAfter":"%s","validBefore":"%s","nonce":"%s"}`,
			a.From, a.To, a.Value, a.ValidAfter, a.ValidBefore, chain.Hex(a.Nonce[:])))
		if got := a.Digest(token); got != want {
			t.Fatalf("%x, want %x", got, want)
		}
		want = reads(t, `"EIP712Domain":`+tokenDomainJSON+`,"CancelAuthorization":[`+
			`{"name":"authorizer","type":"address"},{"name":"nonce","type":"bytes32"}]`, "CancelAuthorization",
			domainJSON(token), fmt.Sprintf(`{"authorizer":"%s","nonce":"%s"}`, a.From, chain.Hex(a.Nonce[:])))
		if got := signed.CancelDigest(token, a.From, a.Nonce); got != want {
			t.Fatalf("cancel: %x, want %x", got, want)
		}
	})
}

func TestPermit2TransferIsItsTypedData(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := signed.Permit2Transfer{
			From: addresses.Draw(t, "from"), Token: addresses.Draw(t, "token"), Amount: numbers.Draw(t, "amount"),
			Nonce: numbers.Draw(t, "nonce"), Deadline: numbers.Draw(t, "deadline"), To: addresses.Draw(t, "to"),
			ValidAfter: numbers.Draw(t, "after"),
		}
		member, value := "", ""
		if rapid.Bool().Draw(t, "upto") {
			p.Facilitator = addresses.Filter(func(a evm.Address) bool { return a != evm.Address{} }).Draw(t,
				"facilitator")
			member = `{"name":"facilitator","type":"address"},`
			value = fmt.Sprintf(`"facilitator":"%s",`, p.Facilitator)
		}
		chainID := rapid.Uint64Range(1, 1<<53-1).Draw(t, "chain")
		want := reads(t, `"EIP712Domain":`+permit2DomainJSON+`,"PermitWitnessTransferFrom":[`+
			`{"name":"permitted","type":"TokenPermissions"},{"name":"spender","type":"address"},`+
			`{"name":"nonce","type":"uint256"},{"name":"deadline","type":"uint256"},{"name":"witness","type":"Witness"}],`+
			`"TokenPermissions":[{"name":"token","type":"address"},{"name":"amount","type":"uint256"}],`+
			`"Witness":[{"name":"to","type":"address"},`+member+`{"name":"validAfter","type":"uint256"}]`,
			"PermitWitnessTransferFrom",
			fmt.Sprintf(`{"name":"Permit2","chainId":%d,"verifyingContract":"%s"}`, chainID, evm.Permit2Address()),
			fmt.Sprintf(`{"permitted":{"token":"%s","amount":"%s"},"spender":"%s","nonce":"%s","deadline":"%s",`+
				`"witness":{"to":"%s",%s"validAfter":"%s"}}`,
				p.Token, p.Amount, p.Spender(), p.Nonce, p.Deadline, p.To, value, p.ValidAfter))
		if got := p.Digest(chainID); got != want {
			t.Fatalf("%x, want %x", got, want)
		}
	})
}

func TestCheckNumbers(t *testing.T) {
	over := new(big.Int).Lsh(big.NewInt(1), 256)
	one := big.NewInt(1)
	for _, bad := range []*big.Int{nil, big.NewInt(-1), over} {
		for i := range 3 {
			n := []*big.Int{one, one, one}
			n[i] = bad
			a := signed.Authorization{Value: n[0], ValidAfter: n[1], ValidBefore: n[2]}
			if err := a.Check(); !errors.Is(err, signed.ErrNumber) {
				t.Errorf("authorization with %v: %v", bad, err)
			}
		}
		for i := range 4 {
			n := []*big.Int{one, one, one, one}
			n[i] = bad
			p := signed.Permit2Transfer{Amount: n[0], Nonce: n[1], Deadline: n[2], ValidAfter: n[3]}
			if err := p.Check(); !errors.Is(err, signed.ErrNumber) {
				t.Errorf("transfer with %v: %v", bad, err)
			}
		}
	}
}

func TestSignatureForms(t *testing.T) {
	good := append(bytes.Repeat([]byte{1}, 64), 27)
	if sig, err := signed.ReadSignature(good); err != nil || !bytes.Equal(signed.WriteSignature(sig), good) {
		t.Errorf("%v %v", sig, err)
	}
	for _, v := range []byte{0, 1, 26, 29, 255} {
		if _, err := signed.ReadSignature(append(bytes.Clone(good[:64]), v)); err == nil {
			t.Errorf("v %d was read", v)
		}
	}
	if _, err := signed.ReadSignature(good[:64]); err == nil {
		t.Error("64 bytes were read")
	}
}

func TestAnswers(t *testing.T) {
	word := func(n byte) []byte { return append(make([]byte, 31), n) }
	if v, ok := signed.ReadBool(word(1)); !v || !ok {
		t.Error("true was not read")
	}
	if v, ok := signed.ReadBool(word(0)); v || !ok {
		t.Error("false was not read")
	}
	for _, bad := range [][]byte{nil, word(2), word(1)[1:], append(word(0), 0)} {
		if _, ok := signed.ReadBool(bad); ok {
			t.Errorf("%x is a bool", bad)
		}
	}
	text := append(append(word(32), word(4)...), "USDC"+string(make([]byte, 28))...)
	if got, ok := signed.ReadText(text); got != "USDC" || !ok {
		t.Errorf("%q %v", got, ok)
	}
	for n := range len(text) - 28 {
		if got, ok := signed.ReadText(text[:n]); ok {
			t.Errorf("%d bytes are the text %q", n, got)
		}
	}
	if nonce := big.NewInt(513); !signed.NonceUsed(big.NewInt(2), nonce) || signed.NonceUsed(big.NewInt(1), nonce) {
		t.Error("nonce 513 is bit 1 of its word")
	}
	magic := append([]byte{0x16, 0x26, 0xba, 0x7e}, make([]byte, 28)...)
	if !signed.WalletTakes(magic) || signed.WalletTakes(magic[:4]) || signed.WalletTakes(word(1)) {
		t.Error("ERC-1271's answer is read wrong")
	}
}

func TestTransferred(t *testing.T) {
	token, from, to := evm.Address{1}, evm.Address{2}, evm.Address{3}
	topic := func(a evm.Address) (w [32]byte) { copy(w[12:], a[:]); return w }
	amount := big.NewInt(10000)
	right := signed.Log{
		Contract: token, Topics: [][32]byte{signed.TransferTopic, topic(from), topic(to)},
		Data: amount.FillBytes(make([]byte, 32)),
	}
	if !signed.Transferred([]signed.Log{{}, right}, token, from, to, amount) {
		t.Error("the transfer was not found")
	}
	for name, change := range map[string]func(l *signed.Log){
		"another token":    func(l *signed.Log) { l.Contract = from },
		"another event":    func(l *signed.Log) { l.Topics[0] = signed.UsedTopic },
		"another payer":    func(l *signed.Log) { l.Topics[1] = topic(to) },
		"another receiver": func(l *signed.Log) { l.Topics[2] = topic(from) },
		"another amount":   func(l *signed.Log) { l.Data = big.NewInt(9999).FillBytes(make([]byte, 32)) },
		"a token number":   func(l *signed.Log) { l.Topics = append(l.Topics, [32]byte{}) },
	} {
		l := right
		l.Topics = append([][32]byte{}, right.Topics...)
		change(&l)
		if signed.Transferred([]signed.Log{l}, token, from, to, amount) {
			t.Errorf("%s passes for the transfer", name)
		}
	}
}
