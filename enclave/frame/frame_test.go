package frame

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
)

// K08: the stamped bytes arrive as they were, whatever they are.
func TestSigning_K08_BodyByteForByte(t *testing.T) {
	for _, body := range []string{
		``, `{}`, strings.Repeat("{", 1<<17),
		"{\"a\":\"\\u0041\"}\n\t ", `<script>&amp;`, "\u2028\u2029 \U0001f511", "\x00\x01\x7f", "e\u0301 and \u00e9",
	} {
		raw, err := Call(wire.SubmitRequest{Body: body})
		if err != nil || !bytes.Contains(raw, []byte(body)) {
			t.Errorf("%.20q stands otherwise in its frame: %v", body, err)
		}
		var q wire.SubmitRequest
		if err := ReadCall(raw, &q); err != nil || q.Body != body {
			t.Errorf("%.20q became %.20q, %v", body, q.Body, err)
		}
	}
}

// Every value of the contract comes out as it went in.
func TestValuesAndFaults(t *testing.T) {
	info := wire.InfoReply{
		Version: "1", Origins: []string{"https://a", "https://b"}, Networks: chain.Networks(chain.Sandbox),
		Prices: []wire.AssetPrice{{Price: wire.Price{Asset: "ETH", USD: "1.5"}, AsOf: "now"}},
		Sealed: wire.Sealed{Genesis: "ab", Amendments: []wire.Amendment{{Seq: "1", Changes: []string{"x"}}}},
	}
	raw, err := Answer(info)
	if err != nil {
		t.Fatal(err)
	}
	var got wire.InfoReply
	if f, err := ReadAnswer(raw, &got); f != nil || err != nil || !reflect.DeepEqual(got, info) {
		t.Errorf("%+v became %+v: %v, %v", info, got, f, err)
	}
	fault := wire.Fault{
		Kind: 402, Code: "budget_exhausted", Message: "no", RetryAfterMs: 7,
		Details: map[string]any{"layers": []any{map[string]any{"rule": "perTxUsdc", "neverFits": true}}, "n": int64(3)},
	}
	if raw, err = Fault(fault); err != nil {
		t.Fatal(err)
	}
	if f, err := ReadAnswer(raw, &got); f == nil || err != nil || !reflect.DeepEqual(*f, fault) {
		t.Errorf("%+v became %+v, %v", fault, f, err)
	}
}

// What is not exactly one call in one form is none.
func TestSigning_K08_StrictFrames(t *testing.T) {
	good, err := Call(wire.FingerprintRequest{Fingerprint: "x"})
	if err != nil {
		t.Fatal(err)
	}
	const name = "\x6bfingerprint"
	for what, tc := range map[string]struct {
		raw, read string
		want      error
	}{
		"as it is":                 {string(good), "x", nil},
		"a name that is unknown":   {"\x02\xa2" + name + "\x61x" + "\x63new\x01", "x", nil},
		"another case":             {"\x02\xa1\x6bFingerprint\x61x", "", nil}, // an unknown name as well
		"a name that is a number":  {"\x02\xa1\x01\x61x", "", nil},
		"nothing":                  {"", "", ErrRelease},
		"JSON of before":           {`{"fingerprint":"x"}`, "", ErrRelease},
		"a later version":          {"\x03" + string(good[1:]), "", ErrRelease},
		"no map":                   {"\x02", "", ErrMalformed},
		"null":                     {"\x02\xf6", "", ErrMalformed},
		"text":                     {"\x02\x61x", "", ErrMalformed},
		"a list":                   {"\x02\x81\x61x", "", ErrMalformed},
		"something behind it":      {string(good) + "\x00", "", ErrMalformed},
		"a second map":             {string(good) + string(good[1:]), "", ErrMalformed},
		"half":                     {string(good[:len(good)-1]), "", ErrMalformed},
		"a name twice":             {"\x02\xa2" + name + "\x61x" + name + "\x61y", "", ErrMalformed},
		"an unknown name twice":    {"\x02\xa2\x61z\x01\x61z\x02", "", ErrMalformed},
		"no known length":          {"\x02\xbf" + name + "\x61x\xff", "", ErrMalformed},
		"text in pieces":           {"\x02\xa1" + name + "\x7f\x61x\xff", "", ErrMalformed},
		"a tag":                    {"\x02\xa1" + name + "\xc1\x61x", "", ErrMalformed},
		"no UTF-8":                 {"\x02\xa1" + name + "\x61\xff", "", ErrMalformed},
		"bytes in place of text":   {"\x02\xa1" + name + "\x41x", "", ErrMalformed},
		"a number":                 {"\x02\xa1" + name + "\x01", "", ErrMalformed},
		"four gigabytes announced": {"\x02\xa1" + name + "\x7a\xff\xff\xff\xffx", "", ErrMalformed},
		"a list without end":       {"\x02\xa1" + name + "\x9b\xff\xff\xff\xff\xff\xff\xff\xff", "", ErrMalformed},
		"too deep":                 {"\x02\xa1\x61z" + strings.Repeat("\x81", 64) + "\x01", "", ErrMalformed},
	} {
		var q wire.FingerprintRequest
		if err := ReadCall([]byte(tc.raw), &q); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", what, err, tc.want)
		} else if err == nil && q.Fingerprint != tc.read {
			t.Errorf("%s: read %q, want %q", what, q.Fingerprint, tc.read)
		}
	}
}

// A list of a call takes memory by what is sent, not by what is said.
func TestSigning_K08_LongListInACall(t *testing.T) {
	many := make([]string, 1<<10+1)
	raw, err := Call(wire.HeadsRequest{Seqs: many})
	if err != nil {
		t.Fatal(err)
	}
	if err := ReadCall(raw, &wire.HeadsRequest{}); !errors.Is(err, ErrMalformed) {
		t.Errorf("a list of %d: %v", len(many), err)
	}
}

// FuzzCall: whatever comes is refused or is a call, and a call is the same after it was written again.
func FuzzCall(f *testing.F) {
	for _, q := range []any{
		wire.SubmitRequest{
			Body: `{"a":1}`, Stamp: &wire.Stamp{HeaderName: "X", HeaderValue: "{}"},
			Volatile: &wire.Volatile{NonceFloor: "7"}, Again: true,
		},
		wire.HeadsRequest{Seqs: []string{"1", "2"}}, wire.StateRequest{OrganizationID: "o", Lent: &wire.LentRequest{}},
		wire.VerifyAgentRequest{AgentID: "a", HTTP: &wire.HTTPSignature{}}, wire.PricesRequest{},
	} {
		raw, err := Call(q)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		again(t, raw, &wire.SubmitRequest{}, &wire.SubmitRequest{})
		again(t, raw, &wire.HeadsRequest{}, &wire.HeadsRequest{})
		again(t, raw, &wire.KnownRequest{}, &wire.KnownRequest{})
		again(t, raw, &wire.StateRequest{}, &wire.StateRequest{})
		again(t, raw, &wire.VerifyAgentRequest{}, &wire.VerifyAgentRequest{})
		again(t, raw, &wire.PricesRequest{}, &wire.PricesRequest{})
		again(t, raw, &wire.RecoveryRequest{}, &wire.RecoveryRequest{})
	})
}

func again(t *testing.T, raw []byte, first, second any) {
	t.Helper()
	if ReadCall(raw, first) != nil {
		return
	}
	written, err := Call(first)
	if err == nil {
		err = ReadCall(written, second)
	}
	if err != nil || !reflect.DeepEqual(first, second) {
		t.Errorf("%x was read as %+v, and then as %+v, %v", raw, first, second, err)
	}
}

// FuzzAnswer: the server reads what the signer says, and the signer may be somebody else's.
func FuzzAnswer(f *testing.F) {
	for _, a := range []any{
		wire.OutcomeReply{State: wire.Done, Proof: &wire.Proof{Payload: "{}"}}, wire.InfoReply{}, wire.AgentReply{},
	} {
		raw, err := Answer(a)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	raw, err := Fault(wire.Fault{Kind: 500, Details: map[string]any{"a": []any{int64(1), "b", nil}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, a := range []any{&wire.OutcomeReply{}, &wire.InfoReply{}, &wire.AgentReply{}} {
			fault, err := ReadAnswer(raw, a)
			if err != nil {
				continue
			}
			if fault != nil {
				_, err = Fault(*fault)
			} else {
				_, err = Answer(a)
			}
			if err != nil {
				t.Errorf("%x cannot be written again: %v", raw, err)
			}
		}
	})
}

// BenchmarkFrames is a payment there and its outcome back, both written and read.
func BenchmarkFrames(b *testing.B) {
	q := wire.SubmitRequest{
		Body:  strings.Repeat(`"some":"text",`, 90),
		Stamp: &wire.Stamp{HeaderName: "X-Stamp-WebAuthn", HeaderValue: strings.Repeat(`"some":"text",`, 45)},
	}
	a := wire.OutcomeReply{State: wire.Done, Proof: &wire.Proof{Payload: strings.Repeat(`"some":"text",`, 120)}}
	for b.Loop() {
		call, _ := Call(q)
		answer, _ := Answer(a)
		_, err := ReadAnswer(answer, &wire.OutcomeReply{})
		if err = errors.Join(err, ReadCall(call, &wire.SubmitRequest{})); err != nil {
			b.Fatal(err)
		}
	}
}
