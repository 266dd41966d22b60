package takeover

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/tron"
	"github.com/railkit/railkit/enclave/wire"
)

var (
	tronShop, tronRobber = tron.Address{1, 2, 3}, tron.Address{6, 6, 6}
	tronUSDT             = tronAddress("TDr6eSZVxMk1CxtrCwd6VvpLQFYCowKsDK")
)

// tronPerson is a person with an account on Tron.
type tronPerson struct {
	*person
	own tron.Address
}

func (h *host) onTron() *tronPerson {
	p := &tronPerson{person: h.newcomer()}
	p.own = tron.Address(tronAddress(p.accountAt("ADDRESS_FORMAT_TRON", "m/44'/195'/0'/0/0")[0].Address))
	h.ledger.tronPurse(common.Address(p.own), purse{p.org, p.wallet})
	return p
}

// accountAt asks for an account on secp256k1.
func (p *person) accountAt(format, path string) []wire.Account {
	body := p.body(wire.CreateWalletAccounts, wire.CreateWalletAccountsParams{
		WalletID: p.wallet, Accounts: []wire.AccountParams{{
			Curve: "CURVE_SECP256K1", PathFormat: "PATH_FORMAT_BIP32", Path: path, AddressFormat: format,
		}},
	})
	_, r, _ := p.h.submit(body, p.agree(body))
	return r.Accounts
}

// shopOnly lets the wallet pay the shop and nobody else.
func (p *tronPerson) shopOnly() *tronPerson {
	p.must(wire.CreatePolicy, wire.CreatePolicyParams{
		WalletID: p.wallet, Rules: wire.Rules{AllowedDestinations: []string{tronShop.String()}},
	})
	return p
}

// upTo lets the wallet spend so much at once.
func (p *tronPerson) upTo(usd string) *tronPerson {
	p.must(wire.CreatePolicy, wire.CreatePolicyParams{WalletID: p.wallet, Rules: wire.Rules{MaxValueUSD: usd}})
	return p
}

// callOf is a call of the listed token with an address and an amount.
func callOf(selector string, to tron.Address, amount byte) []byte {
	data := append(common.FromHex(selector), make([]byte, 64)...)
	copy(data[16:], to[:])
	data[67] = amount
	return data
}

// intent is a body of 5 USDT for the shop, with energy for 10 TRX.
func (p *tronPerson) intent() string {
	return p.body(wire.SignIntent, wire.SignIntentParams{
		SignWith: p.own.String(), Chain: "tron", ChainID: "nile", To: tron.Address(tronUSDT).String(), Value: "0",
		Data: chain.Hex(callOf("0xa9059cbb", tronShop, 5)), GasLimit: "10000000", MaxTotalFee: "20000000",
	})
}

func (p *tronPerson) hands(body string, stamp *wire.Stamp, change func(*wire.Volatile)) {
	v := wire.Volatile{Blockhash: "7b3bb21ace8d6ac20e7e", Units: "9000000", LoadedBytes: "0"}
	change(&v)
	_, _, _ = p.h.outcome(wire.MSubmit, wire.SubmitRequest{Body: body, Stamp: stamp, Volatile: &v})
}

// field writes a field of bytes, and numbered one of a number.
func field(n uint64, value ...[]byte) []byte {
	all := bytes.Join(value, nil)
	return append(binary.AppendUvarint(binary.AppendUvarint(nil, n<<3|2), uint64(len(all))), all...)
}

func numbered(n uint64, value int64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(nil, n<<3), uint64(value))
}

// draft is raw_data, by its parts.
type draft struct {
	kind                    int64
	url                     string
	owner                   tron.Address
	value, contract, behind []byte // more fields of the three messages
	call                    []byte
	ends                    time.Duration
}

// draws writes what a host would have an owner sign: 1 sun for the shop, or a call of the token.
func (p *tronPerson) draws(change func(*draft)) []byte {
	d := draft{kind: 1, url: "TransferContract", owner: p.own, ends: 9 * time.Minute}
	change(&d)
	to := tronShop
	moves, limit := numbered(3, 1), []byte(nil)
	if d.call != nil {
		to, moves, limit = tron.Address(tronUSDT), field(4, d.call), numbered(18, 9_000_000)
		d.kind, d.url = 31, "TriggerSmartContract"
	}
	value := bytes.Join([][]byte{field(1, d.owner.Bytes()), field(2, to.Bytes()), moves, d.value}, nil)
	parameter := field(2, field(1, []byte("type.googleapis.com/protocol."+d.url)), field(2, value))
	now := time.Now()
	return bytes.Join([][]byte{
		field(1, []byte{0x7b, 0x3b}), field(4, make([]byte, 8)), numbered(8, now.Add(d.ends).UnixMilli()),
		field(11, numbered(1, d.kind), parameter, d.contract), numbered(14, now.UnixMilli()), limit, d.behind,
	}, nil)
}

// exactTron is an attack with bytes that their owner stamps unread.
func exactTron(change func(*draft)) func(*host) {
	return func(h *host) { h.onTron().exactly(change) }
}

func (p *tronPerson) exactly(change func(*draft)) {
	body := p.exact(p.draws(change))
	p.hands(body, p.agree(body), asTold)
}

func (p *tronPerson) exact(raw []byte) string {
	return p.body(wire.SignTransaction, wire.SignTransactionParams{
		SignWith: p.own.String(), Type: "TRANSACTION_TYPE_TRON", UnsignedTransaction: chain.Hex(raw),
	})
}

// tronTerms is an attack with terms that go beyond what was stamped.
func tronTerms(change func(*wire.Volatile)) func(*host) {
	return func(h *host) {
		p := h.onTron()
		body := p.intent()
		p.hands(body, p.agree(body), change)
	}
}

// tronAttacks are those on keys of Tron.
var tronAttacks = slices.Concat(tronTakes, tronKeys)

// tronTakes are those that have more signed than was meant, or for longer.
var tronTakes = []attack{
	{"T01", "an end that the host says", "tronClock", tronTerms(func(v *wire.Volatile) {
		v.LastHeight = strconv.FormatInt(time.Now().Add(20*time.Hour).UnixMilli(), 10)
	})},
	{"T01", "bytes that last for a day", "tronLong", exactTron(func(d *draft) { d.ends = 23 * time.Hour })},
	{"T01", "a fee limit above the stamped one", "tronEnergy",
		tronTerms(func(v *wire.Volatile) { v.Units = "19000000" })},
	{"T01", "a memo", "tronFields", exactTron(func(d *draft) { d.behind = field(10, []byte("memo")) })},
	{"T01", "a second contract", "tronFields", exactTron(func(d *draft) { d.behind = field(11, numbered(1, 1)) })},
	{"T01", "an expiration that is there twice", "tronFields", exactTron(func(d *draft) {
		d.behind = numbered(8, time.Now().Add(time.Hour).UnixMilli())
	})},
	{"T01", "a permission of the robber's", "tronFields", exactTron(func(d *draft) { d.contract = numbered(5, 2) })},
	{"T01", "tokens of TRC-10 along with a call", "tronFields", exactTron(func(d *draft) {
		d.call, d.value = callOf("0xa9059cbb", tronShop, 1), append(numbered(5, 9), numbered(6, 1_000_001)...)
	})},
	{"T01", "an account given away under the name of a transfer", "tronFields",
		exactTron(func(d *draft) { d.url = "AccountPermissionUpdateContract" })},
	{"T01", "an allowance for the robber", "tronApprove", func(h *host) {
		h.onTron().shopOnly().exactly(func(d *draft) { d.call = callOf("0x095ea7b3", tronRobber, 9) })
	}},
	{"T01", "energy as a way out", "tronCosts", func(h *host) {
		worth := maps.Clone(market)
		worth["USDT"] = "1"
		_ = h.handIn(h.sheet(h.prices.key, worth, wire.MaxSheetLife))
		h.onTron().upTo("1").exactly(func(d *draft) { d.call = callOf("0xa9059cbb", tronShop, 1) })
	}},
	{"T01", "accounts that are opened without end", "tronCosts", func(h *host) {
		h.onTron().upTo("0.3").exactly(func(*draft) {})
	}},
	{"T01", "bytes of another owner who lent this key his account", "tronOwner",
		exactTron(func(d *draft) { d.owner = tronRobber })},
	{"T01", "a second transaction for a body that has ended", "once", func(h *host) {
		p := h.onTron()
		body := p.intent()
		stamp := p.agree(body)
		p.hands(body, stamp, asTold)
		p.hands(body, stamp, func(v *wire.Volatile) { v.Units = "9000001" })
	}},
	{"T01", "an exposure that is hidden before it has ended", "tronEnded", func(h *host) {
		p := h.onTron()
		_, made := p.must(wire.CreatePolicy, wire.CreatePolicyParams{WalletID: p.wallet, Rules: wire.Rules{
			Delegation: &wire.Delegation{
				AnyRequest: true, ExpiresAtMs: millis(time.Now().Add(time.Hour)), MaxValueUSD: "5", DailyUSD: "10",
				AllowedDestinations: []string{tronShop.String()},
			},
		}})
		p.hands(p.exact(p.draws(func(*draft) {})), nil, asTold)
		q := wire.LentRequest{PolicyID: made.Policy.ID}
		var proof wire.Proof
		if err := h.call(wire.MState, wire.StateRequest{OrganizationID: p.org, Lent: &q}, &proof); err != nil {
			h.t.Fatal(err)
		}
		st, _ := decode[wire.Statement]([]byte(proof.Payload))
		if st.State == nil || st.State.Lent == nil || len(st.State.Lent.Senders) == 0 {
			h.t.Fatalf("nothing was lent: %s", proof.Payload)
		}
		if len(st.State.Lent.Signed) == 0 {
			h.ledger.violated("what may still land is said to be over")
		}
	}},
}

// tronKeys are those that have one key sign for two kinds of chains.
var tronKeys = []attack{
	{"X01", "the id of a transaction as a digest", "tronDigest", func(h *host) {
		p := h.onTron()
		p.must(wire.CreatePolicy, wire.CreatePolicyParams{
			WalletID: p.wallet, Rules: wire.Rules{AllowRawDigests: true},
		})
		id := sha256.Sum256(p.draws(func(d *draft) { d.ends = 23 * time.Hour }))
		body := p.body(wire.SignMessage, wire.SignMessageParams{
			SignWith: p.own.String(), Type: wire.MessageRawDigest, Payload: chain.Hex(id[:]),
		})
		_, r, _ := h.submit(body, p.agree(body))
		if r.Signature == nil {
			return
		}
		signature := common.FromHex(r.Signature.Signature)
		signature[64] -= 27
		if public, err := crypto.SigToPub(id[:], signature); err == nil &&
			crypto.PubkeyToAddress(*public) == common.Address(p.own) {
			h.ledger.violated("a transaction is signed that nobody has read")
		}
	}},
	{"X01", "a key of EVM for Tron", "tronPath", func(h *host) {
		if len(h.newcomer().accountAt("ADDRESS_FORMAT_TRON", "m/44'/60'/0'/0/1")) > 0 {
			h.ledger.violated("one key signs for two kinds of chains")
		}
	}},
	{"X01", "a key of Tron for EVM", "tronPath", func(h *host) {
		if len(h.newcomer().accountAt("ADDRESS_FORMAT_ETHEREUM", "m/44'/195'/0'/0/1")) > 0 {
			h.ledger.violated("one key signs for two kinds of chains")
		}
	}},
}
