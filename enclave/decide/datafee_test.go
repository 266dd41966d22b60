package decide

import (
	"encoding/json"
	"errors"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// charged hands in a sheet with this data fee of base, and says what counts then.
func (m *market) charged(after time.Duration, weiPerByte string) string {
	m.t.Helper()
	m.now = m.now.Add(after)
	s := sheetOf(m.now, wire.Price{Asset: "ETH", USD: "3000"})
	s.DataFees = []wire.DataFee{{Chain: "base", WeiPerByte: weiPerByte}}
	if wanted, err := m.hand(s); err != nil || !wanted {
		m.t.Fatalf("a data fee of %s: taken %v, %v", weiPerByte, wanted, err)
	}
	return m.told("base").WeiPerByte
}

func (m *market) told(slug string) wire.NetworkDataFee {
	m.t.Helper()
	all := m.DataFees(m.now)
	i := slices.IndexFunc(all, func(f wire.NetworkDataFee) bool { return f.Chain == slug })
	if i < 0 {
		m.t.Fatalf("nothing is told of %s: %+v", slug, all)
	}
	return all[i]
}

func TestSigning_E13_DataFeesThatAreRefused(t *testing.T) {
	for name, fees := range map[string][]wire.DataFee{
		"zero":             {{Chain: "base", WeiPerByte: "0"}},
		"negative":         {{Chain: "base", WeiPerByte: "-40000000"}},
		"none":             {{Chain: "base"}},
		"too low":          {{Chain: "base", WeiPerByte: strconv.Itoa(wire.MinWeiPerByte - 1)}},
		"too high":         {{Chain: "base", WeiPerByte: strconv.Itoa(wire.MaxWeiPerByte + 1)}},
		"no whole number":  {{Chain: "base", WeiPerByte: "40000000.5"}},
		"exponent":         {{Chain: "base", WeiPerByte: "4e7"}},
		"leading zero":     {{Chain: "base", WeiPerByte: "040000000"}},
		"beyond 64 bits":   {{Chain: "base", WeiPerByte: "18446744073749551616"}},
		"network twice":    {{Chain: "base", WeiPerByte: "40000000"}, {Chain: "base", WeiPerByte: "1000"}},
		"too many":         make([]wire.DataFee, maxPrices+1),
		"unlisted as well": {{Chain: "zora", WeiPerByte: "0"}},
	} {
		m := newMarket(t)
		m.charged(0, "40000000")
		m.now = m.now.Add(time.Minute)
		s := sheetOf(m.now, wire.Price{Asset: "ETH", USD: "3001"})
		s.DataFees = fees
		if _, err := m.hand(s); !errors.Is(err, refusal.ErrSheet) {
			t.Errorf("%s: %v", name, err)
		}
		if got := m.told("base").WeiPerByte; got != "40000000" || m.worth("ETH") != "3000" {
			t.Errorf("%s: something of the refused sheet was taken: %s", name, got)
		}
	}
	for _, within := range []int{wire.MinWeiPerByte, wire.MaxWeiPerByte} {
		if m := newMarket(t); m.charged(0, strconv.Itoa(within)) != strconv.Itoa(within) {
			t.Errorf("%d is refused", within)
		}
	}
}

// A sheet without a known price is refused, whatever data fees it has.
func TestSigning_E13_DataFeesAreNoPrices(t *testing.T) {
	m := newMarket(t)
	s := sheetOf(m.now, wire.Price{Asset: "DOGE", USD: "1"})
	s.DataFees = []wire.DataFee{{Chain: "base", WeiPerByte: "40000000"}}
	if _, err := m.hand(s); !errors.Is(err, refusal.ErrSheet) {
		t.Error(err)
	}
}

// What the sealed networks do not charge is left out: a price signer may be newer.
func TestSigning_E13_DataFeesOfOtherNetworks(t *testing.T) {
	m := newMarket(t)
	s := sheetOf(m.now, wire.Price{Asset: "ETH", USD: "3000"})
	for _, slug := range []string{"optimism", "polygon", "zora"} {
		s.DataFees = append(s.DataFees, wire.DataFee{Chain: slug, WeiPerByte: "40000000"})
	}
	raw, _ := json.Marshal(s)
	read, err := ReadSheet(string(raw))
	if err != nil {
		t.Fatal(err)
	}
	e, wanted, err := m.TakeSheet(read, m.now)
	if err != nil || !wanted ||
		!slices.Equal(e.Sheet.DataFees, []wire.DataFee{{Chain: "optimism", WeiPerByte: "40000000"}}) {
		t.Errorf("%+v, %v", e.Sheet, err)
	}
	m.apply(e)
	if f := m.told("optimism"); f.Refused != "" || f.WeiPerByte != "40000000" || f.AsOf == "" || f.ExpiresAt == "" {
		t.Errorf("optimism: %+v", f)
	}
	if f := m.told("base"); f.Refused != "no signed data fee yet" || f.WeiPerByte != "" {
		t.Errorf("base: %+v", f)
	}
}

// A lying feed can name a high data fee at once, and a low one by halves, an hour each.
func TestSigning_E13_DataFeeFallsByHalves(t *testing.T) {
	m := newMarket(t)
	for _, step := range []struct {
		after        time.Duration
		signed, want string
	}{
		{0, "80000000", "80000000"}, // the anchor
		{time.Minute, "1000", "40000000"},
		{time.Minute, "50000000", "50000000"},
		{time.Minute, "900000000", "900000000"},
		{56 * time.Minute, "1000", "40000000"},
		{time.Minute, "1000", "20000000"}, // an hour: what counted is the anchor now
		{time.Minute, "1000", "20000000"},
		{59 * time.Minute, "30000000", "30000000"},
		{time.Minute, "1000", "15000000"},
	} {
		if got := m.charged(step.after, step.signed); got != step.want {
			t.Errorf("%v later %s counts as %s, want %s", step.after, step.signed, got, step.want)
		}
	}
	e, wanted := m.AcceptPrices(m.now)
	if !wanted {
		t.Fatal("there is something to accept")
	}
	m.apply(e)
	if got := m.told("base").WeiPerByte; got != "1000" {
		t.Errorf("the operator accepted 1000, and %s counts", got)
	}
	if _, wanted := m.AcceptPrices(m.now); wanted {
		t.Error("there is nothing left to accept")
	}
}

// A sheet that names no data fee takes none away, until the last one expires.
func TestSigning_E13_DataFeeExpires(t *testing.T) {
	m := newMarket(t)
	m.charged(0, "40000000")
	for range 14 {
		m.after(time.Minute, "ETH", "3000")
	}
	m.now = m.now.Add(time.Minute - time.Millisecond)
	if f := m.told("base"); f.Refused != "" {
		t.Errorf("up to its end: %+v", f)
	}
	m.now = m.now.Add(time.Millisecond)
	if f := m.told("base"); f.Refused != "expired" {
		t.Errorf("after its end: %+v", f)
	}
}

// treasury is a club whose wallet may spend 10 USD at once, with prices.
func treasury(t *testing.T, rules *wire.Rules, fees ...wire.DataFee) *club {
	c := newClub(t, "ann")
	if rules != nil {
		c.must(EventPolicy, "ann",
			c.body(wire.CreatePolicy, wire.CreatePolicyParams{WalletID: c.wallet, Rules: *rules}))
	}
	c.priced(fees...)
	return c
}

func (c *club) priced(fees ...wire.DataFee) {
	c.apply(Event{Kind: EventPrices, TimeMs: c.now.UnixMilli(), Sheet: &Sheet{
		AsOfMs: c.now.UnixMilli(), ExpiresAtMs: c.now.Add(10 * time.Minute).UnixMilli(), DataFees: fees,
		Prices: []wire.Price{{Asset: "ETH", USD: "3000"}, {Asset: "USDC", USD: "1"}},
	}})
}

// listing is a payment of nothing for nothing, but for an access list of so many keys.
func (c *club) listing(nonce uint64, keys int) Request {
	to := evm.Address{2}
	tx := evm.Tx{
		Type: evm.AccessList, ChainID: 84532, Nonce: nonce, GasLimit: 21000, To: &to,
		AccessList: []evm.AccessTuple{{StorageKeys: make([][32]byte, keys)}},
	}
	return c.body(wire.SignTransaction, wire.SignTransactionParams{
		SignWith: c.address, Type: "TRANSACTION_TYPE_ETHEREUM", ChainID: "84532",
		UnsignedTransaction: chain.Hex(tx.Unsigned()),
	})
}

func (c *club) denied(what string, r Request, want wire.Denial) {
	c.t.Helper()
	d, err := c.judge("ann", r)
	if err != nil || d.Event.Kind != EventDenied {
		c.t.Fatalf("%s: %s, %v", what, d.Event.Kind, err)
	}
	got := *d.Event.Denial
	got.PolicyID, got.WalletID = "", ""
	if got != want {
		c.t.Errorf("%s: %+v", what, got)
	}
	p, err := c.Preview(r, c.now)
	if err != nil || p.Denial == nil || p.Denial.Rule != want.Rule {
		c.t.Errorf("%s, its preview: %+v, %v", what, p, err)
	}
}

// base100 makes 100 bytes cost 0.03 USD at 3000 USD for an ether.
var base100 = wire.DataFee{Chain: "base", WeiPerByte: "100000000000"}

// E09: bytes cost money beside gas, and count against every limit.
func TestSigning_E09_DataFeeIsCounted(t *testing.T) {
	c := treasury(t, &wire.Rules{MaxValueUSD: "1", DailyUSD: "0.95"}, base100)
	c.denied("a long access list", c.listing(0, 100), wire.Denial{
		Rule: "maxValueUsd", Field: "value", Observed: "1.0299", Limit: "1",
	})
	short := c.listing(0, 90)
	if p, err := c.Preview(short, c.now); err != nil || p.CostUSD != "0.9309" || p.DataFee != "310300000000000" ||
		p.DataDisplay != "0.0003103 ETH" || p.DataUSD != "0.9309" || p.FeeUSD != "0" ||
		len(p.Warnings) != 0 || p.MaxTotalFee != "0" {
		t.Errorf("its preview: %+v, %v", p, err)
	}
	c.must(EventTransaction, "ann", short)
	if spent := c.spent.totals(c.wallet, c.now).Day; spent != 930_900 {
		t.Errorf("%d are counted for the day", spent)
	}
	c.denied("one more on the same day", c.listing(1, 0), wire.Denial{
		Rule: "dailyUsd", Field: "dailyTotal", Observed: "0.9687", Limit: "0.95",
	})
}

// E13: what nobody knows is over every limit and threshold, and stops no wallet without rules.
func TestSigning_E13_DataFeeThatNobodyKnows(t *testing.T) {
	unknown := wire.Denial{
		Rule: "unknownPrice", Field: "value", Observed: "no data fee of base", Limit: "maxValueUsd 1",
	}
	rules := &wire.Rules{MaxValueUSD: "1"}
	c := treasury(t, rules)
	c.denied("never signed", c.listing(0, 0), unknown)
	c.denied("of another network", func() Request {
		c.priced(wire.DataFee{Chain: "optimism", WeiPerByte: "1000"})
		return c.listing(0, 0)
	}(), unknown)
	c.priced(base100)
	c.now = c.now.Add(9 * time.Minute)
	c.priced()
	c.must(EventTransaction, "ann", c.listing(0, 0))
	c.now = c.now.Add(time.Minute)
	c.denied("stale beside a fresh price", c.listing(1, 0), unknown)

	free := treasury(t, nil)
	r := free.listing(0, 0)
	if p, err := free.Preview(r, free.now); err != nil || p.DataFee != "" || p.CostUSD != "" ||
		!slices.Equal(p.Warnings, []string{warnDataFee}) {
		t.Errorf("a preview without a data fee: %+v, %v", p, err)
	}
	free.must(EventTransaction, "ann", r)
	free.must(EventConfig, "ann", free.body(wire.UpdateApprovalConfig, config(true, "1")))
	free.must(EventHeld, "ann", free.listing(1, 0)) // over the threshold, as whatever is not known
}

// Other networks, messages and texts have no data fee.
func TestSigning_E09_NoDataFeeElsewhere(t *testing.T) {
	c := treasury(t, &wire.Rules{MaxValueUSD: "1"})
	c.apply(Event{Kind: EventPrices, TimeMs: c.now.UnixMilli(), Sheet: &Sheet{
		AsOfMs: c.now.UnixMilli(), ExpiresAtMs: c.now.Add(time.Minute).UnixMilli(),
		Prices: []wire.Price{{Asset: "POL", USD: "1"}},
	}})
	c.must(EventTransaction, "ann", c.body(wire.SignTransaction, wire.SignTransactionParams{
		SignWith: c.address, Type: "TRANSACTION_TYPE_ETHEREUM", ChainID: "80002",
		UnsignedTransaction: chain.Hex(evm.Tx{
			Type: evm.Legacy, ChainID: 80002, GasPrice: big.NewInt(1), GasLimit: 21000, To: &evm.Address{2},
		}.Unsigned()),
	}))
	c.must(EventMessage, "ann",
		c.body(wire.SignMessage, wire.SignMessageParams{SignWith: c.address, Type: wire.MessageText, Payload: "hello"}))
}

// Whatever nonce and fee the host adds to an intent, it was judged as at least as long.
func TestSigning_E09_IntentIsJudgedAtItsLongest(t *testing.T) {
	s := NewState(constants())
	base, _ := chain.WithSlug(s.Networks, "base")
	i := intent{
		Intent: chain.Intent{Call: chain.Call{
			To: evm.Address{1}.String(), Value: big.NewInt(1), Data: make([]byte, 300),
		}, Gas: 21000},
		account: account{family: evm.Family{}}, network: base, maxFee: big.NewInt(21000 * 5_000_000_000),
	}
	longest := big.NewInt(int64(i.signing().dataBytes))
	for _, fee := range []int64{1, 5_000_000_000} {
		for _, nonce := range []uint64{0, 1 << 40, 1<<64 - 2} {
			same := chain.Fee{Max: big.NewInt(fee), Priority: big.NewInt(fee)}
			tx, err := i.assemble(chain.Terms{Nonce: nonce, Fee: same})
			if err != nil {
				t.Fatal(err)
			}
			if got := tx.DataFee(big.NewInt(1)); got.Cmp(longest) > 0 {
				t.Errorf("judged as %s bytes, and signed with %s", longest, got)
			}
		}
	}
}

// The bytes of sheets and of entries from before there were data fees stay as they were.
func TestSheetWithoutDataFeesIsAsBefore(t *testing.T) {
	for what, v := range map[string]any{
		`{"environment":"sandbox","asOfMs":"1","expiresAtMs":"2","prices":[{"asset":"ETH","usd":"1"}]}`: wire.Sheet{
			Environment: "sandbox", AsOfMs: "1", ExpiresAtMs: "2", Prices: []wire.Price{{Asset: "ETH", USD: "1"}}},
		`{"asOfMs":1,"expiresAtMs":2,"prices":[{"asset":"ETH","usd":"1"}]}`: Sheet{
			AsOfMs: 1, ExpiresAtMs: 2, Prices: []wire.Price{{Asset: "ETH", USD: "1"}}},
	} {
		if raw, err := json.Marshal(v); err != nil || string(raw) != what {
			t.Errorf("%s, %v", raw, err)
		}
	}
	e := Event{Kind: EventPrices, Sheet: &Sheet{DataFees: []wire.DataFee{{Chain: "base", WeiPerByte: "0"}}}}
	if err := NewState(constants()).Apply(e, 1); !errors.Is(err, errNoDataFee) ||
		!strings.Contains(err.Error(), "entry 1") {
		t.Errorf("an entry that Decide did not write: %v", err)
	}
}
