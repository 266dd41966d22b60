package stamp

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/rsatest"
)

func b64(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

// testKey is a key pair as an authenticator would hold it.
type testKey struct {
	cose []byte
	alg  int64
	sign func(message []byte) []byte
}

func coseBytes(members map[int64]any) []byte {
	raw, err := encoding.Marshal(members)
	if err != nil {
		panic(err)
	}
	return raw
}

// ec2 spells a P-256 point as a COSE key.
func ec2(x, y []byte) map[int64]any {
	return map[int64]any{1: 2, 3: -7, -1: 1, -2: x, -3: y}
}

func rsaCOSE(n, e []byte) map[int64]any {
	return map[int64]any{1: 3, 3: -257, -1: n, -2: e}
}

func newES256() testKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	point, err := key.PublicKey.Bytes()
	if err != nil {
		panic(err)
	}
	return testKey{coseBytes(ec2(point[1:33], point[33:])), algES256, func(message []byte) []byte {
		sum := sha256.Sum256(message)
		signature, err := ecdsa.SignASN1(rand.Reader, key, sum[:])
		if err != nil {
			panic(err)
		}
		return signature
	}}
}

func newEdDSA() testKey {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		panic(err)
	}
	cose := coseBytes(map[int64]any{1: 1, 3: -8, -1: 6, -2: []byte(public)})
	return testKey{cose, algEdDSA, func(message []byte) []byte { return ed25519.Sign(private, message) }}
}

// newRS256 is a passkey of RSA.
var newRS256 = sync.OnceValue(func() testKey {
	key := rsatest.Key()
	cose := coseBytes(rsaCOSE(key.N.Bytes(), []byte{1, 0, 1}))
	return testKey{cose, algRS256, func(message []byte) []byte {
		sum := sha256.Sum256(message)
		signature, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, sum[:])
		if err != nil {
			panic(err)
		}
		return signature
	}}
})

const (
	testRPID   = "localhost"
	testOrigin = "http://localhost:8081"
	testBody   = `{"type":"ACTIVITY_TYPE_SIGN_INTENT","parameters":{"to":"0x01","value":"1"}}`
	usualFlags = flagUserPresent | flagUserVerified | flagBackupEligible | flagBackedUp
)

func authDataBytes(rpID string, f flags, count uint32, rest []byte) []byte {
	hash := sha256.Sum256([]byte(rpID))
	raw := append(hash[:], byte(f))
	raw = binary.BigEndian.AppendUint32(raw, count)
	return append(raw, rest...)
}

// assertionCase is one assertion, each part of it open to tampering.
type assertionCase struct {
	key  testKey
	rp   RelyingParty
	cred Credential
	body []byte // what the verifier is given

	ceremony   string
	challenge  string // as client data spells it
	origin     string
	members    string // further members of the client data
	clientData func(string) string

	rpID  string
	flags flags
	count uint32
	rest  []byte // after the counter

	signature  func([]byte) []byte
	headerName string
	header     func(string) string
}

// goodAssertion is what an honest browser makes of testBody.
func goodAssertion(key testKey) *assertionCase {
	return &assertionCase{
		key:  key,
		rp:   RelyingParty{ID: testRPID, Origins: []string{"https://sealed.example", testOrigin}},
		cred: Credential{ID: []byte("credential-1"), PublicKey: key.cose, SignCount: 4, BackupEligible: true},
		body: []byte(testBody),

		ceremony:   "webauthn.get",
		challenge:  b64([]byte(ChallengeText([]byte(testBody)))),
		origin:     testOrigin,
		members:    `,"crossOrigin":false`,
		clientData: func(s string) string { return s },

		rpID:  testRPID,
		flags: usualFlags,
		count: 5,

		signature:  func(s []byte) []byte { return s },
		headerName: HeaderName,
		header:     func(s string) string { return s },
	}
}

func (c *assertionCase) stamp() wire.Stamp {
	text := c.clientData(`{"type":"` + c.ceremony + `","challenge":"` + c.challenge + `","origin":"` + c.origin +
		`"` + c.members + `}`)
	auth := authDataBytes(c.rpID, c.flags, c.count, c.rest)
	signature := c.signature(c.key.sign(signedBytes(auth, []byte(text))))
	value, err := json.Marshal(map[string]string{
		"authenticatorData": b64(auth),
		"clientDataJson":    b64([]byte(text)),
		"credentialId":      b64([]byte("credential-1")),
		"signature":         b64(signature),
	})
	if err != nil {
		panic(err)
	}
	return wire.Stamp{HeaderName: c.headerName, HeaderValue: c.header(string(value))}
}

func (c *assertionCase) run() (Seen, error) {
	a, err := ParseAssertion(c.stamp())
	if err != nil {
		return Seen{}, err
	}
	return a.Verify(c.rp, c.cred, c.body)
}

// assertionRow is one tampering and the reason it must be refused for; an empty
// reason means that it must pass. Every table has such a row, so that a verifier
// that refuses everything fails it.
type assertionRow struct {
	name   string
	tamper func(*assertionCase)
	reason string
}

func untouched(*assertionCase) {}

func runAssertions(t *testing.T, rows []assertionRow) {
	t.Helper()
	if !slices.ContainsFunc(rows, func(r assertionRow) bool { return r.reason == "" }) {
		t.Fatal("no row of the table passes, so the table proves nothing")
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			c := goodAssertion(newES256())
			row.tamper(c)
			_, err := c.run()
			wantReason(t, err, row.reason)
			if oracle := oracleAssertion(c); err == nil && oracle != nil {
				t.Errorf("accepted, but go-webauthn refuses: %v", oracle)
			}
		})
	}
}

func wantReason(t *testing.T, err error, reason string) {
	t.Helper()
	switch {
	case reason == "" && err != nil:
		t.Errorf("refused: %v", err)
	case reason != "" && err == nil:
		t.Errorf("accepted, want refused: %s", reason)
	case reason != "" && !errors.Is(err, ErrInvalid):
		t.Errorf("error does not wrap ErrInvalid: %v", err)
	case reason != "" && !strings.Contains(err.Error(), reason):
		t.Errorf("refused for %q, want %q", err, reason)
	}
}
