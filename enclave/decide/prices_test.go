package decide

import (
	"encoding/json"
	"errors"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// market is a state that sheets are handed to.
type market struct {
	*State
	t   *testing.T
	now time.Time
	seq uint64
	org *organization
}

func newMarket(t *testing.T) *market {
	m := &market{t: t, State: NewState(constants()), now: time.UnixMilli(1_800_000_000_000)}
	m.org = &organization{
		SubOrganization: wire.SubOrganization{ID: "o"}, overrides: map[string]override{}, held: map[string]*hold{},
	}
	m.organizations["o"] = m.org
	return m
}

func sheetOf(asOf time.Time, prices ...wire.Price) wire.Sheet {
	return wire.Sheet{
		Environment: "sandbox", AsOfMs: strconv.FormatInt(asOf.UnixMilli(), 10),
		ExpiresAtMs: strconv.FormatInt(asOf.Add(wire.MaxSheetLife).UnixMilli(), 10), Prices: prices,
	}
}

// hand hands a sheet in and takes what comes of it into the state.
func (m *market) hand(sheet wire.Sheet) (wanted bool, err error) {
	m.t.Helper()
	raw, err := json.Marshal(sheet)
	if err != nil {
		m.t.Fatal(err)
	}
	read, err := ReadSheet(string(raw))
	if err != nil {
		return false, err
	}
	e, wanted, err := m.TakeSheet(read, m.now)
	if err == nil && wanted {
		m.apply(e)
	}
	return wanted, err
}

func (m *market) apply(e Event) {
	m.t.Helper()
	m.seq++
	if err := m.Apply(e, m.seq); err != nil {
		m.t.Fatal(err)
	}
}

// after lets time pass, and hands in one price.
func (m *market) after(d time.Duration, asset, usd string) {
	m.t.Helper()
	m.now = m.now.Add(d)
	if wanted, err := m.hand(sheetOf(m.now, wire.Price{Asset: asset, USD: usd})); err != nil || !wanted {
		m.t.Fatalf("%s at %s: taken %v, %v", asset, usd, wanted, err)
	}
}

// worth is the price that counts, "" where none does.
func (m *market) worth(asset string) string {
	p, ok := m.prices(m.org, m.now)(asset)
	if !ok {
		return ""
	}
	return strings.TrimRight(strings.TrimRight(p.USD.FloatString(4), "0"), ".")
}

func (m *market) expect(what, asset, want string) {
	m.t.Helper()
	if got := m.worth(asset); got != want {
		m.t.Errorf("%s: %s is worth %q, want %q", what, asset, got, want)
	}
	for _, p := range m.Prices(m.now) {
		if p.Asset == asset && len(m.org.overrides) == 0 && (p.Refused == "") != (want != "") {
			m.t.Errorf("%s: %s is said to be refused because %q", what, asset, p.Refused)
		}
	}
}

// Who believes a price alone where others have to agree is told so before.
func TestSigning_E13_OverrideWaits(t *testing.T) {
	c := governed(t, "1", "ann")
	c.apply(Event{Kind: EventPrices, TimeMs: c.now.UnixMilli(), Sheet: &Sheet{
		AsOfMs: c.now.UnixMilli(), ExpiresAtMs: c.now.Add(time.Minute).UnixMilli(),
		Prices: []wire.Price{{Asset: "USDC", USD: "0.9"}},
	}})
	r := c.body(wire.OverridePrice, wire.OverridePriceParams{Asset: "USDC", USD: "0.9"})
	if p, err := c.Preview(r, c.now); err != nil || p.Price == nil || p.Waits == nil {
		t.Errorf("%+v, %v", p, err)
	}
	c.must(EventHeld, "ann", r)
	c.must(EventVote, "ann", c.vote(r.Fingerprint))
	c.must(EventOverride, "", r)
}

func TestSigning_E13_SheetsThatAreRefused(t *testing.T) {
	first := time.UnixMilli(1_800_000_000_000)
	now := first.Add(10 * time.Second)
	for name, spoil := range map[string]func(*wire.Sheet){
		"stale":              func(s *wire.Sheet) { *s = sheetOf(now.Add(-wire.MaxSheetLife), s.Prices...) },
		"older than the one": func(s *wire.Sheet) { *s = sheetOf(first.Add(-time.Millisecond), s.Prices...) },
		"from the future":    func(s *wire.Sheet) { *s = sheetOf(now.Add(time.Minute+time.Millisecond), s.Prices...) },
		"lives too long": func(s *wire.Sheet) {
			s.ExpiresAtMs = strconv.FormatInt(now.Add(time.Hour).UnixMilli(), 10)
		},
		"expires before": func(s *wire.Sheet) {
			s.ExpiresAtMs = strconv.FormatInt(now.Add(-time.Hour).UnixMilli(), 10)
		},
		"no time":     func(s *wire.Sheet) { s.AsOfMs = "" },
		"signed time": func(s *wire.Sheet) { s.AsOfMs = "+" + s.AsOfMs },
		"time of wrap": func(s *wire.Sheet) {
			s.AsOfMs, s.ExpiresAtMs = "18446744073709551615", "18446744073709551616"
		},
		"other environment": func(s *wire.Sheet) { s.Environment = "production" },
		"no environment":    func(s *wire.Sheet) { s.Environment = "" },
		"asset twice":       func(s *wire.Sheet) { s.Prices = append(s.Prices, s.Prices[0]) },
		"no prices":         func(s *wire.Sheet) { s.Prices = nil },
		"unlisted asset":    func(s *wire.Sheet) { s.Prices = []wire.Price{{Asset: "DOGE", USD: "1"}} },
		"look-alike asset":  func(s *wire.Sheet) { s.Prices = []wire.Price{{Asset: "eth", USD: "1"}} },
		"too many prices":   func(s *wire.Sheet) { s.Prices = make([]wire.Price, maxPrices+1) },
	} {
		m := newMarket(t)
		m.after(0, "ETH", "3000")
		m.now = now
		s := sheetOf(m.now, wire.Price{Asset: "ETH", USD: "3001"})
		spoil(&s)
		if wanted, err := m.hand(s); !errors.Is(err, refusal.ErrSheet) || wanted {
			t.Errorf("%s: taken %v, %v", name, wanted, err)
		}
		m.expect(name, "ETH", "3000")
	}
}

func TestSigning_E13_PricesThatAreNone(t *testing.T) {
	for _, usd := range []string{
		"0", "0.0", "0.000000000000000000", "-1", "+1", "-0", "", " 1", "1 ", "1.", ".5", "01", "00.5", "1e3", "1E3",
		"0x10", "1/2", "1_000", "1,000.00", "1.0000000000000000000", "1000000000000000000", "NaN", "Inf", "infinity",
		"１", "1\n", "3000 USD",
	} {
		m := newMarket(t)
		prices := sheetOf(m.now, wire.Price{Asset: "USDC", USD: "1"}, wire.Price{Asset: "ETH", USD: usd})
		if _, err := m.hand(prices); !errors.Is(err, refusal.ErrSheet) {
			t.Errorf("%q: %v", usd, err)
		}
		m.expect(usd, "USDC", "")
	}
	m := newMarket(t)
	m.after(0, "ETH", "999999999999999999.999999999999999999")
	m.after(time.Minute, "POL", "0.000000000000000001")
	if p, ok := m.prices(m.org, m.now)("POL"); !ok ||
		p.USD.Cmp(new(big.Rat).SetFrac64(1, 1_000_000_000_000_000_000)) != 0 {
		t.Errorf("the smallest price is %v", p.USD)
	}
	p, _ := m.prices(m.org, m.now)("POL")
	p.USD.SetInt64(7) // whoever reckons with a price does not change it
	if again, _ := m.prices(m.org, m.now)("POL"); again.USD.Cmp(p.USD) == 0 {
		t.Error("a price was changed from outside")
	}
}

// A sheet has the prices of more assets than the sealed networks list where the
// price signer is newer; an asset that is missing keeps its last price until that expires.
func TestSigning_E13_UnlistedAndMissingAssets(t *testing.T) {
	m := newMarket(t)
	if _, err := m.hand(sheetOf(m.now,
		wire.Price{Asset: "ETH", USD: "3000"}, wire.Price{Asset: "DOGE", USD: "1"})); err != nil {
		t.Fatal(err)
	}
	m.expect("an unlisted asset", "DOGE", "")
	m.expect("beside it", "ETH", "3000")
	m.expect("never named", "POL", "")
	for range 14 {
		m.after(time.Minute, "POL", "0.5")
		m.expect("no longer named", "ETH", "3000")
	}
	m.after(time.Minute, "POL", "0.5")
	m.expect("expired", "ETH", "")
	m.expect("beside it", "POL", "0.5")
}

// A host that hands in nothing more, or what it has again, has no prices soon.
func TestSigning_E13_WithheldAndReplayedSheets(t *testing.T) {
	m := newMarket(t)
	first := sheetOf(m.now, wire.Price{Asset: "ETH", USD: "3000"})
	m.after(0, "ETH", "3000")
	m.after(time.Minute, "ETH", "3100")
	m.now = m.now.Add(wire.MaxSheetLife - time.Millisecond)
	m.expect("up to its end", "ETH", "3100")
	if _, err := m.hand(first); !errors.Is(err, refusal.ErrSheet) {
		t.Errorf("a replayed older sheet: %v", err)
	}
	m.now = m.now.Add(time.Millisecond)
	m.expect("after its end", "ETH", "")
	if _, err := m.hand(sheetOf(m.now.Add(-wire.MaxSheetLife), wire.Price{Asset: "ETH", USD: "3100"})); !errors.Is(
		err, refusal.ErrSheet,
	) {
		t.Errorf("the newest sheet again: %v", err)
	}
	m.expect("still", "ETH", "")
}

// However many sheets a host hands in, the journal grows by one entry in ten seconds.
func TestSigning_E13_SheetsDoNotFillTheJournal(t *testing.T) {
	m := newMarket(t)
	entries := 0
	for ms := range int64(60_000) / 100 {
		for range 2 {
			wanted, err := m.hand(sheetOf(m.now.Add(time.Duration(ms*100)*time.Millisecond), wire.Price{
				Asset: "ETH", USD: "3000",
			}))
			if err != nil {
				t.Fatal(err)
			}
			if wanted {
				entries++
			}
		}
	}
	if entries != 6 {
		t.Errorf("%d entries of a minute's sheets", entries)
	}
}

func TestSigning_E13_Jumps(t *testing.T) {
	for _, c := range []struct {
		asset, first, next string
		counts             bool
	}{
		{"ETH", "3000", "3900", true},
		{"ETH", "3000", "3900.000000000000000001", false},
		{"ETH", "3000", "2100", true},
		{"ETH", "3000", "2099.99", false},
		{"ETH", "3000", "0.000001", false},
		{"ETH", "3000", "300000000000", false},
		{"USDC", "1", "1.05", true},
		{"USDC", "1", "1.0501", false},
		{"USDC", "1.03", "0.9785", true},
		{"USDC", "1.03", "0.9784", false},
		{"USDT", "0.95", "0.99", true},
	} {
		m := newMarket(t)
		m.after(0, c.asset, c.first)
		m.after(time.Minute, c.asset, c.next)
		if got := m.worth(c.asset) != ""; got != c.counts {
			t.Errorf("%s from %s to %s counts: %v", c.asset, c.first, c.next, got)
		}
		m.after(time.Minute, c.asset, c.first)
		m.expect("back again", c.asset, c.first)
	}
}

// A listed token is worth about one USD from the first sheet on, or nothing.
func TestSigning_E13_FirstPriceOfAToken(t *testing.T) {
	m := newMarket(t)
	m.after(0, "USDC", "0.94")
	m.expect("off", "USDC", "")
	m.after(2*time.Hour, "USDC", "0.94")
	m.expect("still off", "USDC", "")
	m.after(time.Minute, "USDC", "0.95")
	m.expect("near", "USDC", "0.95")
	production := NewState(Constants{Environment: chain.Production, Networks: chain.Networks(chain.Production)})
	if got := production.moves("USDC"); got != tokenMoves {
		t.Errorf("in production a token moves %d %%", got)
	}
}

// Many small steps are a jump too: within an hour they lead no farther than one.
func TestSigning_E13_DripWithinTheHour(t *testing.T) {
	m := newMarket(t)
	m.after(0, "ETH", "1000")
	usd := int64(1000)
	for range 59 {
		usd += 10 // a percent a minute
		m.after(time.Minute, "ETH", strconv.FormatInt(usd, 10))
		want := strconv.FormatInt(usd, 10)
		if usd > 1300 {
			want = ""
		}
		m.expect("minute by minute", "ETH", want)
	}
	m.after(time.Minute, "ETH", "1300")
	m.expect("the anchor moves", "ETH", "1300")
	m.after(time.Minute, "ETH", "1690")
	m.expect("from the new anchor on", "ETH", "1690")
	m.after(58*time.Minute, "ETH", "1691")
	m.expect("within the next hour", "ETH", "")
	m.after(time.Minute, "ETH", "1691")
	m.expect("a refused price moves no anchor", "ETH", "")
}

func (m *market) override(asset, usd string, by actor) (Event, error) {
	m.t.Helper()
	raw, _ := json.Marshal(wire.OverridePriceParams{Asset: asset, USD: usd})
	body, _ := json.Marshal(wire.Body{
		Type: wire.OverridePrice, Environment: "sandbox", OrganizationID: "o",
		ActivityID: "01a1fcb6-9325-7031-b611-3af04fd31a29", TimestampMs: strconv.FormatInt(m.now.UnixMilli(), 10),
		ExpiresAtMs: strconv.FormatInt(m.now.UnixMilli()+60_000, 10), Parameters: raw,
	})
	r, err := Parse(string(body))
	if err != nil {
		m.t.Fatal(err)
	}
	e, err := call{m.State, m.org, Submission{Request: r}, by, m.now}.judge()
	shown, refusal := m.Preview(r, m.now)
	if (refusal == nil) != (err == nil) ||
		err == nil && (shown.Price == nil || *shown.Price != wire.Price{Asset: asset, USD: usd}) {
		m.t.Errorf("override of %s to %s: %v, its preview: %+v, %v", asset, usd, err, shown, refusal)
	}
	e.OrganizationID = "o"
	return m.annotate(e, Submission{Request: r}, m.now), err
}

func TestSigning_E13_Override(t *testing.T) {
	stamped := actor{credential: &credential{Credential: wire.Credential{UserID: "u"}}}
	m := newMarket(t)
	if _, err := m.override("ETH", "3000", stamped); !errors.Is(err, refusal.ErrPrice) {
		t.Errorf("before any price: %v", err)
	}
	m.after(0, "ETH", "3000")
	m.after(time.Minute, "ETH", "5000")
	for _, usd := range []string{"3000", "50000", "9"} {
		if _, err := m.override("ETH", usd, stamped); !errors.Is(err, refusal.ErrPrice) {
			t.Errorf("a price that nobody signed, %s: %v", usd, err)
		}
	}
	for _, usd := range []string{"", "0", "-5000", "5e3"} {
		if _, err := m.override("ETH", usd, stamped); !errors.Is(err, refusal.ErrBody) {
			t.Errorf("%q: %v", usd, err)
		}
	}
	if e, err := m.override("ETH", "5000", actor{}); err != nil || e.Kind != EventHeld {
		t.Errorf("without a stamp: %s, %v", e.Kind, err)
	}
	m.org.config = wire.ApprovalConfig{Enabled: true, ThresholdUSD: "1", RequiredApprovers: "1"}
	if e, err := m.override("ETH", "5000", stamped); err != nil || e.Kind != EventHeld {
		t.Errorf("with approvals: %s, %v", e.Kind, err)
	}
	m.org.config = wire.ApprovalConfig{}
	e, err := m.override("ETH", "5000", stamped)
	if err != nil || e.Kind != EventOverride || e.Result().Price == nil {
		t.Fatalf("stamped: %+v, %v", e, err)
	}
	m.apply(e)
	m.expect("overridden", "ETH", "5000")
	other := &organization{overrides: map[string]override{}}
	if _, ok := m.prices(other, m.now)("ETH"); ok {
		t.Error("one organization's override counts for another")
	}
	m.after(time.Minute, "ETH", "6500")
	m.expect("near the override", "ETH", "6500")
	m.after(time.Minute, "ETH", "6501")
	m.expect("far from the override", "ETH", "")
}

func TestSigning_E13_OverrideEnds(t *testing.T) {
	stamped := actor{credential: &credential{}}
	overridden := func() *market {
		m := newMarket(t)
		m.after(0, "ETH", "3000")
		m.after(time.Minute, "ETH", "5000")
		e, err := m.override("ETH", "5000", stamped)
		if err != nil {
			t.Fatal(err)
		}
		m.apply(e)
		return m
	}
	m := overridden()
	m.after(overrideLife-time.Minute, "ETH", "5000")
	m.expect("for a day", "ETH", "5000")
	m.after(time.Minute, "ETH", "5000")
	m.expect("after a day", "ETH", "")

	m = overridden()
	m.after(time.Hour, "ETH", "3100")
	m.after(time.Minute, "ETH", "5000")
	m.expect("after the anchor moved", "ETH", "")

	m = overridden()
	m.now = m.now.Add(wire.MaxSheetLife)
	m.expect("with an expired price", "ETH", "")
	if _, err := m.override("ETH", "5000", stamped); !errors.Is(err, refusal.ErrPrice) {
		t.Errorf("of an expired price: %v", err)
	}
}

func TestSigning_E13_OperatorAcceptsPrices(t *testing.T) {
	m := newMarket(t)
	m.after(0, "ETH", "3000")
	m.after(time.Minute, "USDC", "1")
	if _, wanted := m.AcceptPrices(m.now); wanted {
		t.Error("there was nothing to accept")
	}
	m.after(time.Minute, "ETH", "6000")
	m.after(time.Minute, "USDC", "0.5")
	e, wanted := m.AcceptPrices(m.now)
	if !wanted {
		t.Fatal("there is something to accept")
	}
	m.apply(e)
	m.expect("accepted", "ETH", "6000")
	m.expect("accepted", "USDC", "0.5")
	m.after(time.Minute, "ETH", "3000")
	m.expect("far from what was accepted", "ETH", "")
}
