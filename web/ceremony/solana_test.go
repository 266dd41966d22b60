package ceremony_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"math/big"
	"strconv"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/policy"
	"github.com/railkit/railkit/enclave/wire"
)

// solVectors hold the page's own reading of Solana against chain/solana's.
type solVectors struct {
	Accounts []solAccount         `json:"accounts"`
	Intents  map[string]solVector `json:"intents"`
	Exact    map[string]solVector `json:"exact"`
}

type solAccount struct {
	Bytes   string `json:"bytes"` // hex
	Owner   string `json:"owner"`
	Mint    string `json:"mint"`
	Account string `json:"account"`
	OnCurve bool   `json:"onCurve"` // the owner
}

type solVector struct {
	vector
	Warning string `json:"warning"` // a part of one that the page has to show
	Other   string `json:"other"`   // signed bytes of another payment by the same key
}

// solMaker has a key, as the signer has it.
type solMaker struct {
	*signer
	t       *testing.T
	network chain.Network
	key     ed25519.PrivateKey
	own     solana.Address
}

func newSolVectors(t *testing.T, e *signer) solVectors {
	seed := sha256.Sum256([]byte("owner"))
	m := &solMaker{signer: e, t: t, key: ed25519.NewKeyFromSeed(seed[:])}
	m.network, _ = chain.WithSlug(chain.Networks(chain.Sandbox), "solana")
	m.own = solana.Address(m.key.Public().(ed25519.PublicKey))
	v := solVectors{Intents: m.intents(), Exact: m.exacts()}
	for i := range 24 {
		owner, mint := named("owner "+strconv.Itoa(i)), named("mint "+strconv.Itoa(i))
		if i == 0 {
			owner, mint = solana.SystemProgram, named("\x00")
		}
		v.Accounts = append(v.Accounts, solAccount{
			chain.Hex(owner[:])[2:], owner.String(), mint.String(),
			solana.AssociatedAddress(owner, mint, solana.TokenProgram).String(), owner.OnCurve(),
		})
	}
	return v
}

func named(text string) solana.Address { return sha256.Sum256([]byte(text)) }

// address is one of a key, or one of which nobody has the key.
func (m *solMaker) address(onCurve bool) solana.Address {
	for i := 0; ; i++ {
		if a := named(strconv.Itoa(i)); a.OnCurve() == onCurve {
			return a
		}
	}
}

func (m *solMaker) usdc() chain.Token { t, _ := m.network.TokenBySymbol("USDC"); return t }

func (m *solMaker) intents() map[string]solVector {
	payee, vault := m.address(true), m.address(false)
	all := map[string]solVector{}
	for _, version := range []string{"v0", "v1"} {
		all["SOL in "+version] = m.intent(chain.Token{}, payee, 0, version)
		all["USDC in "+version] = m.intent(m.usdc(), payee, 0, version)
		all["USDC with rent in "+version] = m.intent(m.usdc(), payee, 2_100_000, version)
	}
	off := m.intent(m.usdc(), vault, 0, "v1")
	off.Warning = "no key can sign for it"
	all["USDC off the curve"] = off
	return all
}

func (m *solMaker) intent(asset chain.Token, to solana.Address, rent uint64, version string) solVector {
	m.t.Helper()
	f := solana.Family{}
	call, err := f.Transfer(asset, to.String(), big.NewInt(1_500_000))
	must(m.t, err)
	call.Rent = rent
	p := wire.SignIntentParams{
		SignWith: m.own.String(), Chain: "solana", ChainID: "devnet", To: to.String(), Value: call.Value.String(),
		Data: chain.Hex(call.Data), GasLimit: "60000", MaxTotalFee: "10000",
	}
	if rent > 0 {
		p.MaxRent = strconv.FormatUint(rent, 10)
	}
	i := chain.Intent{From: m.own.String(), Call: call, Gas: 60_000}
	made := func(i chain.Intent) string {
		tx, err := f.Assemble(m.network, i, chain.Terms{Recent: &chain.Recent{
			Blockhash: named("block").String(), Version: version, Units: 50_000, LoadedBytes: 200_000, Priority: 1000,
			Rent: i.Rent,
		}})
		must(m.t, err)
		return chain.Hex(m.signs(tx))
	}
	other := i
	other.Call, err = f.Transfer(asset, to.String(), big.NewInt(1_500_001))
	must(m.t, err)
	v := m.of(newBody(wire.SignIntent, p), f.Effects(m.network, i.From, call), "10000", nil, made(i))
	v.Other = made(other)
	return v
}

func (m *solMaker) signs(tx chain.Tx) []byte {
	signed, err := solana.Family{}.Attach(tx, m.own.String(), ed25519.Sign(m.key, tx.Payload))
	must(m.t, err)
	return signed
}

// of is a body with what the signer shows of it, in the words of enclave/decide, and what it made.
func (m *solMaker) of(body string, effects []chain.Effect, fee string, warnings []string, signed string) solVector {
	m.t.Helper()
	ms, err := strconv.ParseInt(parse(body).ExpiresAtMs, 10, 64)
	must(m.t, err)
	shown := wire.Preview{ExpiresAt: clock.ISO(time.UnixMilli(ms))}
	shown.SignWith, shown.Chain, shown.ChainName, shown.ChainID = m.own.String(), "solana", m.network.Name, "devnet"
	shown.Effects, shown.MaxTotalFee, shown.FeeDisplay = effects, fee, "0.00001 SOL"
	m.price(&shown)
	for _, e := range effects {
		if words := (solana.Family{}).WarnPayee(e.To); e.To != "" && words != "" {
			warnings = append(warnings, e.To+": "+words)
		}
		if e.Kind == chain.UnknownCall {
			warnings = append(warnings, "unknown call: it may move anything that the address holds")
		}
	}
	shown.Warnings = warnings
	raw, err := chain.ParseHex(signed)
	must(m.t, err)
	v := solVector{vector: vector{Body: body, Preview: m.previewAs(body, shown)}}
	v.Result = m.result(body, wire.Result{Transaction: &wire.Transaction{
		SignWith: shown.SignWith, Chain: "solana", ChainID: "devnet", SignedTransaction: signed,
		TxHash: solana.Family{}.ID(raw), LastHeight: "500",
	}})
	return v
}

// price tells what a signing costs as the signer does, with SOL at 150 USD.
func (m *solMaker) price(shown *wire.Preview) {
	m.t.Helper()
	fee, ok := new(big.Int).SetString(shown.MaxTotalFee, 10)
	if !ok {
		m.t.Fatal(shown.MaxTotalFee)
	}
	x := policy.Signing{Network: m.network, Effects: shown.Effects, MaxFee: fee}
	prices := func(symbol string) (policy.Price, bool) {
		usd := map[string]int64{"SOL": 150, "USDC": 1}[symbol]
		return policy.Price{USD: big.NewRat(usd, 1)}, usd > 0
	}
	of := policy.ChargesOf(x, prices)
	shown.CostUSD, shown.FeeUSD, shown.RentUSD = policy.Value(x, prices).String(), of.FeeUSD, of.RentUSD
	if of.Rent.Sign() > 0 {
		shown.MaxRent, shown.RentDisplay = of.Rent.String(), chain.FormatUnits(of.Rent, 9)+" SOL"
	}
}

func (m *solMaker) exacts() map[string]solVector {
	payee, other := m.address(true), named("somebody")
	mint, err := solana.ParseAddress(m.usdc().Address)
	must(m.t, err)
	coin := solana.TransferCoin(m.own, payee, 5)
	tokens := []solana.Instruction{
		solana.CreateAssociated(m.own, payee, mint), solana.TransferToken(m.own, payee, mint, 7, 6),
	}
	advance := solana.Instruction{Program: solana.SystemProgram, Accounts: []solana.Account{
		{Address: other, Written: true}, {Address: payee}, {Address: m.own, Signs: true},
	}, Data: []byte{4, 0, 0, 0}}
	strange := solana.Instruction{Program: other, Accounts: []solana.Account{{Address: m.own, Signs: true}}}
	nobodys := solana.TransferToken(m.own, payee, mint, 7, 6)
	nobodys.Accounts = nobodys.Accounts[:4] // without who is paid, whose account it is nobody can tell
	all := map[string]solVector{
		"nothing":               m.exact(solana.Legacy, m.own, ""),
		"a durable nonce":       m.exact(solana.V0, m.own, "can be sent at any later time", advance, coin),
		"another pays":          m.exact(solana.V0, other, "others have to sign it too", coin),
		"a strange program":     m.exact(solana.V0, m.own, "", coin, strange),
		"an account of nobody":  m.exact(solana.V1, m.own, "", nobodys),
		"a priority":            m.exact(solana.V0, m.own, "", solana.SetUnits(70_000), solana.SetPrice(33_333), coin),
		"a priority, of no one": m.exact(solana.V0, m.own, "", solana.SetPrice(7), coin, coin),
	}
	for _, version := range []solana.Version{solana.Legacy, solana.V0, solana.V1} {
		all["SOL in "+version.Name()] = m.exact(version, m.own, "", coin)
		all["USDC in "+version.Name()] = m.exact(version, m.own, "", tokens...)
	}
	return all
}

func (m *solMaker) exact(
	version solana.Version, payer solana.Address, warning string, instructions ...solana.Instruction,
) solVector {
	m.t.Helper()
	message, err := solana.Compile(version, payer, named("block"), solana.Config{}, instructions)
	must(m.t, err)
	raw, err := solana.Unsigned(message).Encode()
	must(m.t, err)
	tx, err := solana.Family{}.DecodeUnsigned(raw)
	must(m.t, err)
	var warnings []string
	if tx.Durable != "" {
		warnings = append(warnings, "can be sent at any later time until nonce account "+tx.Durable+" advances")
	}
	if payer != m.own {
		warnings = append(warnings, "others have to sign it too: "+payer.String())
	}
	body := newBody(wire.SignTransaction, wire.SignTransactionParams{
		SignWith: m.own.String(), Type: solana.Family{}.TransactionType(), UnsignedTransaction: chain.Hex(raw),
	})
	effects := solana.Family{}.Effects(m.network, m.own.String(), tx.Call)
	v := m.of(body, effects, tx.FeeOf(m.own.String()).String(), warnings, chain.Hex(m.signs(tx)))
	v.Warning = warning
	return v
}
