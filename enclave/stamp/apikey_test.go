package stamp

import (
	"crypto/elliptic"
	"encoding/asn1"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"os"
	"strings"
	"testing"

	"github.com/railkit/railkit/enclave/wire"
)

// keyVector is a stamp that the field's API-key stamper made.
type keyVector struct {
	Body        string `json:"body"`
	PublicKey   string `json:"publicKey"`
	HeaderName  string `json:"stampHeaderName"`
	HeaderValue string `json:"stampHeaderValue"`
}

func readKeyVector(t testing.TB) (v keyVector, f keyForm) {
	t.Helper()
	raw, err := os.ReadFile("testdata/api-key-stamper.json")
	if err == nil {
		err = json.Unmarshal(raw, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	if f, err = parseKeyStamp(v.stamp()); err != nil {
		t.Fatal(err)
	}
	return v, f
}

func (v keyVector) stamp() wire.Stamp {
	return wire.Stamp{HeaderName: v.HeaderName, HeaderValue: v.HeaderValue}
}

func TestVerifyKey_Vector(t *testing.T) {
	v, f := readKeyVector(t)
	if by, err := VerifyKey(v.stamp(), []byte(v.Body)); err != nil || by != v.PublicKey {
		t.Errorf("%s, %v", by, err)
	}
	// Members in another order, as the field's Go stamper writes them.
	other := `{"publicKey":"` + f.PublicKey + `","signature":"` + f.Signature + `","scheme":"` + f.Scheme + `"}`
	if by, err := VerifyKey(keyHeader(other), []byte(v.Body)); err != nil || by != v.PublicKey {
		t.Errorf("%s, %v", by, err)
	}
}

func keyHeader(text string) wire.Stamp {
	return wire.Stamp{HeaderName: "x-stamp", HeaderValue: b64([]byte(text))}
}

// S01, S11, S12 and S13 for the stamp of an API key.
func TestSigning_S13_KeyStamps(t *testing.T) {
	v, good := readKeyVector(t)
	of := func(change func(*keyForm)) wire.Stamp {
		f := good
		change(&f)
		raw, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		return keyHeader(string(raw))
	}
	signed := func(text string) wire.Stamp { return of(func(f *keyForm) { f.Signature = text }) }
	key := func(text string) wire.Stamp { return of(func(f *keyForm) { f.PublicKey = text }) }
	text, err := base64.RawURLEncoding.DecodeString(v.HeaderValue)
	if err != nil {
		t.Fatal(err)
	}
	der, _ := hex.DecodeString(good.Signature)
	for name, c := range map[string]struct {
		s      wire.Stamp
		body   string
		reason string
	}{
		"untouched":    {v.stamp(), v.Body, ""},
		"twin":         {signed(twin(t, der)), v.Body, ""},
		"another body": {v.stamp(), v.Body + " ", "does not verify"},
		"a passkey's header": {wire.Stamp{HeaderName: HeaderName, HeaderValue: v.HeaderValue}, v.Body,
			"not an API key's stamp"},
		"header with a space": {wire.Stamp{HeaderName: "X-Stamp ", HeaderValue: v.HeaderValue}, v.Body,
			"not an API key's stamp"},
		"empty": {wire.Stamp{HeaderName: "X-Stamp"}, v.Body, "missing"},
		"twice": {wire.Stamp{HeaderName: "X-Stamp", HeaderValue: v.HeaderValue + ", " + v.HeaderValue},
			v.Body, "base64url"},
		"padded": {wire.Stamp{HeaderName: "X-Stamp", HeaderValue: v.HeaderValue + "="},
			v.Body, "base64url"},
		"with a line break": {wire.Stamp{
			HeaderName: "X-Stamp", HeaderValue: v.HeaderValue[:40] + "\n" + v.HeaderValue[40:],
		}, v.Body, "base64url"},
		"64 kB": {wire.Stamp{HeaderName: "X-Stamp", HeaderValue: strings.Repeat("A", 64<<10+1)},
			v.Body, "too large"},
		"plain JSON":  {wire.Stamp{HeaderName: "X-Stamp", HeaderValue: string(text)}, v.Body, "base64url"},
		"no JSON":     {keyHeader("x"), v.Body, "mistyped"},
		"a list":      {keyHeader("[" + string(text) + "]"), v.Body, "mistyped"},
		"more behind": {keyHeader(string(text) + "{}"), v.Body, "mistyped"},
		"a member twice": {keyHeader(strings.Replace(string(text), "{", `{"publicKey":"02",`, 1)),
			v.Body, "mistyped"},
		"another case": {keyHeader(strings.Replace(string(text), "publicKey", "PublicKey", 1)),
			v.Body, "mistyped"},
		"no meaning": {
			keyHeader(strings.Replace(string(text), "{", `{"path":"/","type":"x",`, 1)), v.Body, "",
		},
		"no meaning, twice": {keyHeader(strings.Replace(string(text), "{", `{"path":"/","path":"/",`, 1)),
			v.Body, "mistyped"},
		"a key in two cases": {keyHeader(strings.Replace(string(text), "{", `{"publickey":"02",`, 1)),
			v.Body, "mistyped"},
		"a passkey's member": {keyHeader(strings.Replace(string(text), "{", `{"credentialId":"AA",`, 1)),
			v.Body, "mistyped"},
		"another scheme": {of(func(f *keyForm) {
			f.Scheme = "SIGNATURE_SCHEME_TK_API_SECP256K1"
		}), v.Body, "scheme"},
		"no scheme":           {of(func(f *keyForm) { f.Scheme = "" }), v.Body, "scheme"},
		"another key":         {key("03" + strings.Repeat("0", 63) + "5"), v.Body, "does not verify"},
		"upper-case key":      {key(strings.ToUpper(v.PublicKey)), v.Body, "lower-case"},
		"long key":            {key("04" + v.PublicKey[2:] + v.PublicKey[2:]), v.Body, "compressed"},
		"point off the curve": {key("02" + strings.Repeat("0", 63) + "1"), v.Body, "compressed"},
		"no point":            {key("00" + strings.Repeat("0", 64)), v.Body, "compressed"},
		"upper-case":          {signed(strings.ToUpper(good.Signature)), v.Body, "lower-case"},
		"no signature":        {signed(""), v.Body, "does not verify"},
		"odd hex":             {signed(good.Signature[1:]), v.Body, "lower-case"},
		"tail":                {signed(good.Signature + "00"), v.Body, "does not verify"},
		"plain r and s":       {signed(strings.Repeat("01", 64)), v.Body, "does not verify"},
		"r and s are zero":    {signed("3006020100020100"), v.Body, "does not verify"},
		"long-form length":    {signed("3081" + good.Signature[2:]), v.Body, "does not verify"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := VerifyKey(c.s, []byte(c.body))
			wantReason(t, err, c.reason)
		})
	}
}

// twin is the other signature of the same key over the same bytes.
func twin(t *testing.T, der []byte) string {
	t.Helper()
	var sig struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(der, &sig); err != nil {
		t.Fatal(err)
	}
	sig.S.Sub(elliptic.P256().Params().N, sig.S)
	other, err := asn1.Marshal(sig)
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(other)
}

func FuzzVerifyKey(f *testing.F) {
	v, _ := readKeyVector(f)
	f.Add(v.HeaderValue, v.Body)
	f.Add(v.HeaderValue[1:], v.Body)
	f.Add("", "")
	f.Fuzz(func(t *testing.T, value, body string) {
		by, err := VerifyKey(wire.Stamp{HeaderName: "X-Stamp", HeaderValue: value}, []byte(body))
		if err != nil {
			wantInvalid(t, err)
		} else if by != v.PublicKey || body != v.Body {
			t.Errorf("believed %s", by)
		}
	})
}
