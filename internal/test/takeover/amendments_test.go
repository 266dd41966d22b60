package takeover

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"maps"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rlp"

	"github.com/railkit/railkit/enclave/wire"
)

// usdx is a token that no program lists: the operator adds it.
const usdx = "0x1111111111111111111111111111111111111111"

// amended is an attack on a signer of its own, which its operator amends once the actor is ready for it.
func amended(before func(p *person), after func(p *person), change func(h *host) []string) func(*host) {
	return func(h *host) {
		own := takeOver(h.t, h.signer.program, h.signer.mutant)
		own.ledger = h.ledger
		p := own.newcomer()
		before(p)
		own.signer.stop()
		amend := []string{"amend", "--data", own.signer.data, "--unseal-file", own.signer.secret, "--yes"}
		own.signer.do(h.t, append(amend, change(own)...)...)
		own.start()
		after(p)
	}
}

// addUSDX is an honest amendment.
func addUSDX(*host) []string {
	return []string{"--token", `{"chain":"base","symbol":"USDX","address":"` + usdx + `","decimals":6}`}
}

// anotherKey is another price signer's.
func anotherKey(h *host) []string {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		h.t.Fatal(err)
	}
	return []string{"--price-key", wire.CompressP256(&key.PublicKey)}
}

// given is a delegation for any request, to the shop.
func given() wire.Rules {
	return wire.Rules{Delegation: &wire.Delegation{
		AnyRequest: true, ExpiresAtMs: millis(time.Now().Add(time.Hour)), MaxValueUSD: "5", DailyUSD: "10",
		AllowedDestinations: []string{shop},
	}}
}

func givesIt(p *person) {
	p.must(wire.CreatePolicy, wire.CreatePolicyParams{WalletID: p.wallet, Rules: given()})
}

// takesUSDX has 2 USDX sent to the shop, which nobody stamped.
func takesUSDX(p *person) {
	h, worth := p.h, maps.Clone(market)
	worth["USDX"] = "1"
	_ = h.handIn(h.sheet(h.prices.key, worth, wire.MaxSheetLife))
	data := common.FromHex(transferData(shop, 2_000_000))
	raw, err := rlp.EncodeToBytes([]any{uint64(0), uint64(1_000_000_000), uint64(100_000), common.HexToAddress(usdx),
		uint64(0), data, uint64(baseID), uint64(0), uint64(0)})
	if err != nil {
		h.t.Fatal(err)
	}
	_, _, _ = h.submit(p.body(wire.SignTransaction, wire.SignTransactionParams{
		SignWith: p.address, Type: "TRANSACTION_TYPE_ETHEREUM", ChainID: "84532",
		UnsignedTransaction: hexutil.Encode(raw),
	}), nil)
}

// capped lets each payment be of 11 USD.
func capped(p *person) {
	p.must(wire.CreatePolicy, wire.CreatePolicyParams{WalletID: p.wallet, Rules: wire.Rules{MaxValueUSD: "11"}})
}

// paysTwelve is a payment of 12 USD that its owner stamped, and which would be of 10 at the price of the old key.
func paysTwelve(p *person) {
	body := p.body(wire.SignIntent, p.intent(shop, "4000000000000000", noData))
	_, _, _ = p.h.submit(body, p.agree(body))
}

// heldBack is an attack with a stamp from before the amendment that is handed in after it.
func heldBack() func(*host) {
	var body string
	var agreed *wire.Stamp
	return amended(func(p *person) {
		body = p.body(wire.CreatePolicy, wire.CreatePolicyParams{WalletID: p.wallet, Rules: given()})
		agreed = p.agree(body)
	}, func(p *person) {
		_, _, _ = p.h.submit(body, agreed)
		takesUSDX(p)
	}, addUSDX)
}

// tightened is an attack with a change of a delegation's policy that anybody may make.
func tightened() func(*host) {
	var made wire.Result
	return amended(func(p *person) {
		_, made = p.must(wire.CreatePolicy, wire.CreatePolicyParams{WalletID: p.wallet, Rules: given()})
	}, func(p *person) {
		rules := made.Policy.Rules
		rules.MaxValueUSD = "4.5"
		p.h.change(p.body(wire.UpdatePolicy, wire.UpdatePolicyParams{PolicyID: made.Policy.ID, Rules: rules}))
		takesUSDX(p)
	}, addUSDX)
}

// amendments are the attacks by what the operator has added, or changed away: K09.
var amendments = []attack{
	{"K09", "a token that was listed after a delegation", "listedLater", amended(givesIt, takesUSDX, addUSDX)},
	{"K09", "a delegation made new by nobody's stamp", "delegatedAnew", func(h *host) { tightened()(h) }},
	{"K09", "a delegation's stamp that was held back", "heldBack", func(h *host) { heldBack()(h) }},
	{"K09", "prices of a key that was stolen and changed away", "oldPriceKey", amended(capped, func(p *person) {
		_ = p.h.handIn(p.h.sheet(p.h.prices.key, cheap, wire.MaxSheetLife))
		paysTwelve(p)
	}, anotherKey)},
	{"K09", "prices that a stolen key signed before it was changed away", "oldPrices", amended(func(p *person) {
		capped(p)
		_ = p.h.handIn(p.h.sheet(p.h.prices.key, cheap, wire.MaxSheetLife))
	}, paysTwelve, anotherKey)},
}
