package prices

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
)

// signer is one whose feed and clock a test sets.
type signer struct {
	*Signer
	feed   map[string]string
	fees   map[string]string
	down   error
	now    time.Time
	public string
}

func newSigner(t *testing.T, env chain.Environment) *signer {
	t.Helper()
	path := filepath.Join(t.TempDir(), "price.key")
	public, err := NewKey(path)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ReadKey(path)
	if err != nil {
		t.Fatal(err)
	}
	s := &signer{now: time.UnixMilli(1_800_000_000_000), public: public, feed: map[string]string{
		"ETH": "3000.5", "POL": "0.5", "AVAX": "30", "SOL": "150", "TRX": "0.3", "USDC": "0.9999", "USDT": "1.05",
	}, fees: map[string]string{"base": "40000000", "optimism": "80000000", "tron": "1000"}}
	s.Signer = New(Config{
		Environment: env, Key: key, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return s.now },
		Feed: func(context.Context) (Reading, error) { return Reading{s.feed, s.fees}, s.down },
	})
	return s
}

// signed is the newest sheet, its signature checked.
func (s *signer) signed(t *testing.T) map[string]string {
	t.Helper()
	sheet, fresh := s.Sheet()
	if !fresh || !sheet.Verify(s.public) {
		t.Fatalf("fresh: %v, %+v", fresh, sheet)
	}
	var in wire.Sheet
	if err := json.Unmarshal([]byte(sheet.Payload), &in); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{"environment": in.Environment, "asOf": in.AsOfMs, "expires": in.ExpiresAtMs}
	for _, p := range in.Prices {
		all[p.Asset] = p.USD
	}
	for _, f := range in.DataFees {
		all[f.Chain] = f.WeiPerByte
	}
	return all
}

func TestSigner_SignsWhatMakesSense(t *testing.T) {
	s := newSigner(t, chain.Production)
	if _, fresh := s.Sheet(); fresh {
		t.Error("there is a sheet before the first feed")
	}
	if err := s.Renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := s.signed(t)
	if got["environment"] != "production" || got["asOf"] != "1800000000000" || got["expires"] != "1800000900000" ||
		len(s.Missing()) != 0 {
		t.Errorf("signed %v, missing %v", got, s.Missing())
	}
	for asset, usd := range s.feed {
		if got[asset] != usd {
			t.Errorf("%s is signed as %q", asset, got[asset])
		}
	}
	for slug, fee := range s.fees {
		if got[slug] != fee {
			t.Errorf("the data fee of %s is signed as %q", slug, got[slug])
		}
	}
}

func TestSigner_LeavesOutDataFeesThatMakeNoSense(t *testing.T) {
	for _, fee := range []string{"", "0", "-1", "999", "100000000000001", "4e7", "40000000.5", "null", "040000000"} {
		s := newSigner(t, chain.Production)
		s.fees = map[string]string{"base": fee, "optimism": "1000", "tron": "1000", "polygon": "40000000",
			"zora": "40000000"}
		if err := s.Renew(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := s.signed(t)
		if got["base"] != "" || got["optimism"] != "1000" || len(got) != 3+7+2 {
			t.Errorf("%q: signed %v", fee, got)
		}
		if m := s.Missing(); len(m) != 1 || !strings.HasPrefix(m[0], "data fee of base: ") {
			t.Errorf("%q: missing %q", fee, m)
		}
	}
}

func TestSigner_LeavesOutWhatMakesNone(t *testing.T) {
	for name, c := range map[string]struct{ asset, usd, why string }{
		"missing":             {"ETH", "", "the feed does not have it"},
		"zero":                {"ETH", "0", "no plain decimal"},
		"negative":            {"POL", "-1", "no plain decimal"},
		"exponent":            {"ETH", "3e3", "no plain decimal"},
		"too many places":     {"ETH", "1.0000000000000000001", "no plain decimal"},
		"null":                {"AVAX", "null", "no plain decimal"},
		"stablecoin above":    {"USDC", "1.0501", "more than 5 % from one USD"},
		"stablecoin below":    {"USDT", "0.9499", "more than 5 % from one USD"},
		"stablecoin far away": {"USDC", "1000000", "more than 5 % from one USD"},
	} {
		s := newSigner(t, chain.Sandbox)
		s.feed[c.asset] = c.usd
		s.feed["DOGE"] = "1"
		if err := s.Renew(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := s.signed(t)
		if got[c.asset] != "" || got["DOGE"] != "" || len(got) != 3+6+3 {
			t.Errorf("%s: signed %v", name, got)
		}
		if m := s.Missing(); len(m) != 1 || !strings.HasPrefix(m[0], c.asset+": ") || !strings.Contains(m[0], c.why) {
			t.Errorf("%s: missing %q", name, m)
		}
	}
}

// While the feed is away the last sheet is served, until it expires.
func TestSigner_KeepsTheLastSheet(t *testing.T) {
	s := newSigner(t, chain.Sandbox)
	web := httptest.NewServer(s.Handler())
	t.Cleanup(web.Close)
	status := func(path string) int {
		res, err := http.Get(web.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		return res.StatusCode
	}
	expect := func(when string, want int) {
		t.Helper()
		if sheet, health := status("/v1/sheet"), status("/healthz"); sheet != want || health != want {
			t.Errorf("%s: the sheet answers %d and the health %d, want %d", when, sheet, health, want)
		}
	}
	expect("before the first", http.StatusServiceUnavailable)
	if err := s.Renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	expect("with a sheet", http.StatusOK)
	first, _ := s.Sheet()
	s.down = errors.New("away")
	s.now = s.now.Add(wire.MaxSheetLife - time.Millisecond)
	if err := s.Renew(t.Context()); err == nil {
		t.Error("a feed that is away makes a sheet")
	}
	s.down, s.feed, s.fees = nil, map[string]string{"ETH": "0"}, nil
	if err := s.Renew(t.Context()); !errors.Is(err, errNoPrice) || len(s.Missing()) != 7+3 {
		t.Errorf("a feed without a price: %v, missing %v", err, s.Missing())
	}
	if last, _ := s.Sheet(); last != first {
		t.Error("the last sheet is gone")
	}
	expect("up to its end", http.StatusOK)
	s.now = s.now.Add(time.Millisecond)
	expect("after its end", http.StatusServiceUnavailable)
	if got := status("/v1/other"); got != http.StatusNotFound {
		t.Errorf("another path: %d", got)
	}
}

func TestFeed_HTTP(t *testing.T) {
	answers := map[string]func(http.ResponseWriter){
		"/good": func(w http.ResponseWriter) {
			_, _ = w.Write([]byte(
				`{"ETH": 3000.10, "USDC": "1", "POL": null, "dataFees": {"base": 40000000, "optimism": "80000000"}}`,
			))
		},
		"/status": func(w http.ResponseWriter) { w.WriteHeader(http.StatusTooManyRequests) },
		"/redirect": func(w http.ResponseWriter) {
			w.Header().Set("Location", "/good")
			w.WriteHeader(http.StatusFound)
		},
		"/large": func(w http.ResponseWriter) { _, _ = w.Write(make([]byte, maxAnswer+1)) },
		"/list":  func(w http.ResponseWriter) { _, _ = w.Write([]byte(`["ETH"]`)) },
		"/fees":  func(w http.ResponseWriter) { _, _ = w.Write([]byte(`{"ETH": 3000.10, "dataFees": [40000000]}`)) },
		"/half":  func(w http.ResponseWriter) { _, _ = w.Write([]byte(`{"ETH":`)) },
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answers[r.URL.Path](w) }))
	t.Cleanup(web.Close)
	got, err := HTTP(web.URL + "/good?key=hunter2")(t.Context())
	want := Reading{map[string]string{"ETH": "3000.10", "USDC": "1", "POL": "null"}, map[string]string{
		"base": "40000000", "optimism": "80000000",
	}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("a good answer: %v, %v", got, err)
	}
	paths := []string{web.URL + "/status", web.URL + "/redirect", web.URL + "/large", web.URL + "/list",
		web.URL + "/fees", web.URL + "/half", "http://127.0.0.1:1/", "http://%zz/"}
	for _, url := range paths {
		got, err := HTTP(url + "?key=hunter2")(t.Context())
		if err == nil || got.Prices != nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, %v", url, got, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := HTTP(web.URL + "/good")(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("a feed that nobody waits for: %v", err)
	}
}

func TestFeed_File(t *testing.T) {
	path := filepath.Join(t.TempDir(), "feed.json")
	if _, err := File(path)(t.Context()); err == nil {
		t.Error("a file that is not there")
	}
	for _, usd := range []string{"3000", "3100"} {
		if err := os.WriteFile(path, []byte(`{"ETH": `+usd+`}`), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := File(path)(t.Context()); err != nil || got.Prices["ETH"] != usd || len(got.DataFees) != 0 {
			t.Errorf("%v, %v", got, err)
		}
	}
}

// The sandbox's table has every asset that its networks list, and sense.
func TestTable(t *testing.T) {
	s := newSigner(t, chain.Sandbox)
	table, _ := Table(t.Context())
	s.feed, s.fees = table.Prices, table.DataFees
	if err := s.Renew(t.Context()); err != nil || len(s.Missing()) != 0 {
		t.Errorf("%v, missing %v", err, s.Missing())
	}
}

func TestSafeURL(t *testing.T) {
	for url, want := range map[string]bool{
		"https://feed.example/v1": true, "http://localhost:1/": true, "http://127.0.0.1": true, "http://[::1]:80": true,
		"http://feed.example": false, "ftp://localhost": false, "https://": false, "feed.example": false, "": false,
		"http://localhost.example": false,
	} {
		if got := SafeURL(url); got != want {
			t.Errorf("%s: %v", url, got)
		}
	}
}

func TestKey(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "price.key")
	if _, err := NewKey(path); err != nil {
		t.Fatal(err)
	}
	if _, err := NewKey(path); err == nil {
		t.Error("a key is written over another")
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadKey(path); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a key that others may read: %v", err)
	}
	for _, text := range []string{
		"hunter2", strings.Repeat("00", 32), strings.Repeat("ff", 32), strings.Repeat("11", 31),
	} {
		bad := filepath.Join(dir, "bad")
		if err := os.WriteFile(bad, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadKey(bad); err == nil || !strings.Contains(err.Error(), "does not hold 32 bytes") ||
			strings.Contains(err.Error(), text) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := ReadKey(filepath.Join(dir, "none")); err == nil {
		t.Error("a key that is not there")
	}
}
