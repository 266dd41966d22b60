package ceremony_test

import (
	"crypto/sha256"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/tron"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
)

// tronVectors hold the page's own reading of Tron against chain/tron's.
type tronVectors struct {
	Addresses map[string]string     `json:"addresses"` // by their bytes in hex
	Intents   map[string]tronVector `json:"intents"`
	Exact     map[string]tronVector `json:"exact"`
	Refused   map[string]string     `json:"refused"` // raw_data in hex
}

type tronVector struct {
	vector
	Other string `json:"other"` // signed bytes of another payment by the same key
}

// tronMaker has a key, as the signer has it.
type tronMaker struct {
	*signer
	t       *testing.T
	network chain.Network
	key     *secp256k1.PrivateKey
	own     tron.Address
}

const tronFee = 30_000_000 // sun

func newTronVectors(t *testing.T, e *signer) tronVectors {
	seed := sha256.Sum256([]byte("owner"))
	m := &tronMaker{signer: e, t: t, key: secp256k1.PrivKeyFromBytes(seed[:])}
	m.network, _ = chain.WithSlug(chain.Networks(chain.Sandbox), "tron")
	own, err := tron.AddressOf(m.key.PubKey().SerializeCompressed())
	must(t, err)
	m.own = own
	v := tronVectors{Addresses: map[string]string{}, Exact: m.exacts(), Refused: m.refused()}
	v.Intents = map[string]tronVector{
		"TRX": m.intent(chain.Token{}, 1_100_000), "USDT": m.intent(m.usdt(), tronFee),
	}
	for _, text := range []string{"one", "two", "three"} {
		a := someone(text)
		v.Addresses[chain.Hex(a.Bytes())[2:]] = a.String()
	}
	return v
}

func someone(text string) tron.Address {
	hash := sha256.Sum256([]byte(text))
	return tron.Address(hash[:20])
}

func (m *tronMaker) usdt() chain.Token { t, _ := m.network.TokenBySymbol("USDT"); return t }

func (m *tronMaker) intent(asset chain.Token, fee int64) tronVector {
	m.t.Helper()
	call := func(amount int64) chain.Call {
		c, err := tron.Family{}.Transfer(asset, someone("payee").String(), big.NewInt(amount))
		must(m.t, err)
		return c
	}
	made := func(c chain.Call) string {
		i := chain.Intent{From: m.own.String(), Call: c, Gas: uint64(fee)}
		tx, err := tron.Family{}.Assemble(m.network, i, chain.Terms{Recent: &chain.Recent{
			Blockhash: strings.Repeat("ab", 10), Units: uint64(fee), Expires: 1_800_000_000_000,
		}})
		must(m.t, err)
		return m.signs(tx)
	}
	c := call(1_500_000)
	p := wire.SignIntentParams{
		SignWith: m.own.String(), Chain: "tron", ChainID: m.network.Cluster, To: c.To, Value: c.Value.String(),
		Data: chain.Hex(c.Data), GasLimit: big.NewInt(fee).String(), MaxTotalFee: big.NewInt(fee).String(),
	}
	if asset.Address != "" {
		p.Transfer = &wire.TransferParams{Token: asset.Address, To: someone("payee").String(), Amount: "1500000"}
	}
	v := m.of(newBody(wire.SignIntent, p), c, p.MaxTotalFee, made(c))
	v.Other = made(call(1_500_001))
	return v
}

func (m *tronMaker) signs(tx chain.Tx) string {
	m.t.Helper()
	compact := ecdsa.SignCompact(m.key, tx.Payload, false)
	signature := append(compact[1:], compact[0]-27)
	signed, err := tron.Family{}.Attach(tx, m.own.String(), signature)
	must(m.t, err)
	return chain.Hex(signed)
}

// of is a body with what the signer shows of it, and what it made.
func (m *tronMaker) of(body string, c chain.Call, fee, signed string) tronVector {
	m.t.Helper()
	ms, err := strconv.ParseInt(parse(body).ExpiresAtMs, 10, 64)
	must(m.t, err)
	shown := wire.Preview{ExpiresAt: clock.ISO(time.UnixMilli(ms))}
	shown.SignWith, shown.Chain = m.own.String(), "tron"
	shown.ChainName, shown.ChainID = m.network.Name, m.network.Cluster
	shown.Effects, shown.MaxTotalFee, shown.DataFee = tron.Family{}.Effects(m.network, m.own.String(), c), fee, "345000"
	if shown.Effects[len(shown.Effects)-1].Kind == chain.UnknownCall {
		shown.Warnings = []string{"unknown call: it may move anything that the address holds"}
	}
	raw, err := chain.ParseHex(signed)
	must(m.t, err)
	v := tronVector{vector: vector{Body: body, Preview: m.previewAs(body, shown)}}
	v.Result = m.result(body, wire.Result{Transaction: &wire.Transaction{
		SignWith: shown.SignWith, Chain: "tron", ChainID: shown.ChainID, SignedTransaction: signed,
		TxHash: tron.Family{}.ID(raw),
	}})
	return v
}

// raw is a transaction as others may make it.
func (m *tronMaker) raw(to tron.Address, amount int64, data string) tron.Raw {
	m.t.Helper()
	t := tron.Raw{
		RefBytes: [2]byte{1, 2}, RefHash: [8]byte{3}, Expiration: 1_800_000_000_000, Timestamp: 1_799_999_990_000,
		Owner: m.own, To: to, Amount: amount,
	}
	if data != "" {
		raw, err := chain.ParseHex(data)
		must(m.t, err)
		t.Data, t.FeeLimit = raw, tronFee
	}
	return t
}

func (m *tronMaker) exacts() map[string]tronVector {
	usdt, err := tron.ParseAddress(m.usdt().Address)
	must(m.t, err)
	word := func(a tron.Address) string { return strings.Repeat("00", 12) + chain.Hex(a[:])[2:] }
	payee, five := word(someone("payee")), strings.Repeat("00", 31)+"05"
	all := map[string]tronVector{}
	for name, t := range map[string]tron.Raw{
		"TRX":                       m.raw(someone("payee"), 7, ""),
		"transfer":                  m.raw(usdt, 0, "0xa9059cbb"+payee+five),
		"transfer of an unlisted":   m.raw(someone("token"), 0, "0xa9059cbb"+payee+five),
		"transfer with TRX":         m.raw(usdt, 9, "0xa9059cbb"+payee+five),
		"transferFrom":              m.raw(usdt, 0, "0x23b872dd"+word(someone("other"))+payee+five),
		"approve":                   m.raw(usdt, 0, "0x095ea7b3"+payee+strings.Repeat("ff", 32)),
		"unknown: another function": m.raw(usdt, 0, "0x12345678"+payee),
		"unknown: no selector":      m.raw(usdt, 0, "0x12"),
		"unknown: one word":         m.raw(usdt, 0, "0xa9059cbb"+payee),
		"unknown: a word with 0x41": m.raw(usdt, 0, "0xa9059cbb"+strings.Repeat("00", 11)+"41"+payee[24:]+five),
	} {
		all[name] = m.exact(t)
	}
	return all
}

func (m *tronMaker) exact(t tron.Raw) tronVector {
	m.t.Helper()
	raw, err := t.Encode()
	must(m.t, err)
	tx, err := tron.Family{}.DecodeUnsigned(raw)
	must(m.t, err)
	body := newBody(wire.SignTransaction, wire.SignTransactionParams{
		SignWith: m.own.String(), Type: tron.Family{}.TransactionType(), UnsignedTransaction: chain.Hex(raw),
	})
	return m.of(body, tx.Call, tx.FeeOf(m.own.String()).String(), m.signs(tx))
}

// refused are bytes that chain/tron refuses, and that the page has to refuse as well, since others read another thing
// in them.
func (m *tronMaker) refused() map[string]string {
	raw, err := m.raw(someone("payee"), 7, "").Encode()
	must(m.t, err)
	text := chain.Hex(raw)[2:]
	all := map[string]string{
		"a field more":               text + "9a0101",
		"one there twice":            text + text[len(text)-14:],
		"cut":                        text[:len(text)-2],
		"another type":               strings.Replace(text, "5a", "62", 1),
		"a field that is empty":      "0a00" + text[8:],
		"a number in too many bytes": strings.Replace(text, "1807", "188700", 1),
	}
	for name, text := range all {
		raw, err := chain.ParseHex("0x" + text)
		must(m.t, err)
		if _, err := tron.Decode(raw); err == nil {
			m.t.Errorf("chain/tron takes %s", name)
		}
	}
	return all
}
