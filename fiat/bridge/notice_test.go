package bridge

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/internal/test/rsatest"
)

// The test data of Bridge's page about signatures.
const (
	documentedKey = `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAtqsEE4eI7EmzhcquGJXt
LX9PMK0UH6Kl1WIR21sv8HtueG8BuvvpP3MiN7ltzmIhS8KaynCjN4l+620PnXeu
xWG+CSnEdkinL9hCqbEid5vv9zl0j9LWiJx3FkKHqADU7cgm46aa8dKUdIQYF2X+
O7WmyLkC4wUM/mWhBPMsIQBznashRMZxx7XJjsVp27ACUE4eNIjEXbVYN6U8jSbU
hG++CfL8xXu+GHDqKmFE6Po6HnuURvLFVnCtE3mXXBcVFlPy+octfx8nOMLT3X8O
9UehIigJ34o2yMm/Fq3HUJzg2BsiAiGgtr0vmeoV9Q7upSNj9TuOumAzZFi4pYA+
qwIDAQAB
-----END PUBLIC KEY-----
`
	documentedHeader = `t=1705854411204,v0=jz/0dmHJ63FAzacGutrDTEoq+iSz/PHm/ugdooXDQu5NwuVIT2LmZGjsnCsBHgR9Py6OBP9zurzW4dHgygU4EDqmMPTUOvhvndYb4lWt+TY66LihaFI2whL6DAf/jb1QjYjNU0A6x9SLzC45dgE6X7zTDUM+2Z+scG/WEQf6SxQMt4E2sEipl5PqMK5lYUe3otdJV+X2c9D64bGwCEE7QSia+Vhozg8QNOQEk/rdz2IEONIg6oC43CeiN4E2kF9XLAGuy9uAHx9O9OJH5ZPLJZjyo4VcXYeWQgxaQ1gZ1Qu6hEEzgiPSff/1nou58dm4bIIazgCWli/mO0NyGcpfFw==`
	documentedBody   = `{"message":"Hello World!"}`
)

func TestPayout_DocumentedSignature(t *testing.T) {
	key, err := ParsePublicKey([]byte(documentedKey))
	if err != nil {
		t.Fatal(err)
	}
	at, err := verify(key, documentedHeader, []byte(documentedBody))
	if err != nil || at.UnixMilli() != 1705854411204 {
		t.Error(at, err)
	}
	if _, err := verify(key, documentedHeader, []byte(documentedBody+" ")); !errors.Is(err, fiat.ErrSignature) {
		t.Error(err)
	}
}

var signer = rsatest.Key()

func sign(at time.Time, body string) string {
	stamp := fmt.Sprint(at.UnixMilli())
	inner := sha256.Sum256([]byte(stamp + "." + body))
	outer := sha256.Sum256(inner[:])
	s, err := rsa.SignPKCS1v15(nil, signer, crypto.SHA256, outer[:])
	if err != nil {
		panic(err)
	}
	return "t=" + stamp + ",v0=" + base64.StdEncoding.EncodeToString(s)
}

// forged are headers that come near to the partner's, for its event.
func forged(good string) map[string]string {
	stamp, signature, _ := strings.Cut(strings.TrimPrefix(good, "t="), ",v0=")
	raw, _ := base64.StdEncoding.DecodeString(signature)
	once := sha256.Sum256([]byte(stamp + "." + event))
	twice := sha256.Sum256(once[:])
	stranger, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	by := func(s []byte, err error) string {
		if err != nil {
			panic(err)
		}
		return "t=" + stamp + ",v0=" + base64.StdEncoding.EncodeToString(s)
	}
	sum := new(big.Int).Add(new(big.Int).SetBytes(raw), signer.N)
	all := map[string]string{
		"a stranger's key": by(rsa.SignPKCS1v15(nil, stranger, crypto.SHA256, twice[:])),
		"hashed once":      by(rsa.SignPKCS1v15(nil, signer, crypto.SHA256, once[:])),
		"PSS":              by(rsa.SignPSS(rand.Reader, signer, crypto.SHA256, twice[:], nil)),
		"no hash's name":   by(rsa.SignPKCS1v15(nil, signer, 0, twice[:])),
		"with the modulus": by(sum.Bytes(), nil),
		"one bit":          by(append([]byte{raw[0] ^ 1}, raw[1:]...), nil),
		"zeros before":     by(append([]byte{0}, raw...), nil),
		"shorter":          by(raw[:255], nil),
		"the body's hash":  by(once[:], nil),
		"one":              by([]byte{1}, nil),
		"nothing":          by(nil, nil),
		"URL alphabet": "t=" + stamp + ",v0=" +
			base64.URLEncoding.EncodeToString(append([]byte{0xff, 0xff}, raw[2:]...)),
		"without padding":       "t=" + stamp + ",v0=" + base64.RawStdEncoding.EncodeToString(raw),
		"hex":                   "t=" + stamp + ",v0=" + hex.EncodeToString(raw),
		"more after it":         good + "AAAA",
		"seconds":               strings.Replace(good, stamp, stamp[:len(stamp)-3], 1),
		"time with a plus":      strings.Replace(good, "t=", "t=+", 1),
		"time with zeros":       strings.Replace(good, "t=", "t=000", 1),
		"time below zero":       strings.Replace(good, "t=", "t=-", 1),
		"time with a point":     strings.Replace(good, stamp, stamp+".0", 1),
		"a dot in the time":     strings.Replace(good, stamp, stamp+".x", 1),
		"empty time":            strings.Replace(good, stamp, "", 1),
		"another version alone": strings.Replace(good, "v0=", "v1=", 1),
		"semicolons":            strings.Replace(good, ",", ";", 1),
		"no names":              stamp + "," + signature,
		"bearer":                "Bearer " + signature,
	}
	return all
}

const event = `{"api_version":"v0","event_id":"wh_1","event_category":"transfer","event_type":"transfer.updated.status_transitioned","event_object_id":"tr_1",
"event_object_status":"payment_processed","event_object":{"id":"tr_1","on_behalf_of":"cust_1","amount":"1e9"},"event_object_changes":{},"event_created_at":"2026-11-21T11:59:59.000Z"}`

func TestPayout_Notices(t *testing.T) {
	c, err := New(Config{URL: "https://partner.example", Key: "k", PublicKey: &signer.PublicKey})
	if err != nil {
		t.Fatal(err)
	}
	good := sign(noon, event)
	stamp, signature, _ := strings.Cut(good, ",")
	other := "v0=" + base64.StdEncoding.EncodeToString(make([]byte, 256))
	long := strings.Replace(event, "1e9", strings.Repeat("9", maxNotice), 1)
	for name, tc := range map[string]struct {
		header, body string
		at           time.Time
		want         error
	}{
		"good":               {good, event, noon, nil},
		"ten minutes":        {good, event, noon.Add(maxAge), nil},
		"spaces":             {stamp + ", " + signature, event, noon, nil},
		"two keys":           {stamp + "," + other + "," + signature, event, noon, nil},
		"two keys, reversed": {stamp + "," + signature + "," + other, event, noon, nil},
		"a later version":    {good + ",v1=x", event, noon, nil},
		"late":               {good, event, noon.Add(maxAge + time.Millisecond), fiat.ErrStale},
		"from tomorrow":      {good, event, noon.Add(-24 * time.Hour), fiat.ErrStale},
		"body changed":       {good, event + "\n", noon, fiat.ErrSignature},
		"time changed":       {strings.Replace(good, "t=1", "t=2", 1), event, noon, fiat.ErrSignature},
		"two times":          {"t=" + fmt.Sprint(noon.UnixMilli()+1) + "," + good, event, noon, fiat.ErrSignature},
		"same time twice":    {stamp + "," + good, event, noon, fiat.ErrSignature},
		"not signed":         {stamp, event, noon, fiat.ErrSignature},
		"no time":            {signature, event, noon, fiat.ErrSignature},
		"nothing":            {"", event, noon, fiat.ErrSignature},
		"wrong signature":    {stamp + "," + other, event, noon, fiat.ErrSignature},
		"newline in base64":  {good[:60] + "\n" + good[60:], event, noon, fiat.ErrSignature},
		"too many": {stamp + strings.Repeat(","+other, maxParts) + "," + signature, event,
			noon, fiat.ErrSignature},
		"other case": {strings.Replace(good, "v0=", "V0=", 1), event, noon, fiat.ErrSignature},
		"too long":   {sign(noon, long), long, noon, fiat.ErrSignature},
		"no JSON":    {sign(noon, "x"), "x", noon, fiat.ErrAnswer},
		"no id":      {sign(noon, "{}"), "{}", noon, fiat.ErrAnswer},
	} {
		n, err := c.ReadNotice(tc.header, []byte(tc.body), tc.at)
		if !errors.Is(err, tc.want) || err == nil && (n.EventID != "wh_1" || n.ObjectID != "tr_1" ||
			n.CustomerID != "cust_1" || n.Category != fiat.NoticeTransfer) {
			t.Errorf("%s: %+v, %v", name, n, err)
		}
	}
	for name, header := range forged(good) {
		if _, err := c.ReadNotice(header, []byte(event), noon); !errors.Is(err, fiat.ErrSignature) {
			t.Errorf("forged, %s: %v", name, err)
		}
	}
	c.check = nil
	if _, err := c.ReadNotice(good, []byte(event), noon); !errors.Is(err, fiat.ErrSignature) {
		t.Error("believed without a key:", err)
	}
}

func TestPayout_NoticeKeys(t *testing.T) {
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	point, err := x509.MarshalPKIXPublicKey(&curve.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"", "x", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
		string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: point})),
	} {
		if _, err := ParsePublicKey([]byte(text)); err == nil {
			t.Errorf("took %q", text)
		}
	}
}

// Whatever a stranger sends, it is refused, and nothing breaks.
func FuzzReadNotice(f *testing.F) {
	c, err := New(Config{URL: "https://partner.example", Key: "k", PublicKey: &signer.PublicKey})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(documentedHeader, documentedBody)
	f.Add("t=1,v0=,v0=,t=", "")
	f.Add("t=-9223372036854775808,v0=AAAA", event)
	f.Fuzz(func(t *testing.T, header, body string) {
		if _, err := c.ReadNotice(header, []byte(body), noon); !errors.Is(err, fiat.ErrSignature) {
			t.Errorf("%q: %v", header, err)
		}
	})
}

// Whatever the partner signs, it is read or refused.
func FuzzNoticeBody(f *testing.F) {
	f.Add(event)
	f.Add(`{"event_id":"a","event_object_id":"b","event_object":[]}`)
	f.Fuzz(func(t *testing.T, body string) {
		var n noticeBody
		if decode([]byte(body), &n) != nil {
			return
		}
		if notice, err := n.notice(); err == nil && (told(notice.EventID) != nil || told(notice.ObjectID) != nil) {
			t.Errorf("%+v", notice)
		}
	})
}
