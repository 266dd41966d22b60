package stamp

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/railkit/railkit/enclave/wire"
)

func attestedBytes(aaguid [16]byte, id, cose []byte) []byte {
	raw := binary.BigEndian.AppendUint16(aaguid[:], uint16(len(id)))
	return slices.Concat(raw, id, cose)
}

// registrationCase is one registration, each part of it open to tampering.
type registrationCase struct {
	key       testKey
	rp        RelyingParty
	challenge []byte // what the verifier remembers

	sent    []byte // challenge that the client data carries
	kind    string // type that the client data carries
	origin  string
	members string

	rpID  string
	flags flags
	count uint32
	id    []byte // inside the authenticator data
	tail  []byte // after the key

	object map[string]any              // edits of the attestation object; nil deletes
	self   bool                        // packed, signed by the key itself
	signed func(message []byte) []byte // what the packed statement signs
	finish func(*wire.Attestation)     // last word
	raw    func(object []byte) []byte  // edit of the object's bytes
	stmt   func(statement map[any]any) // edit of the statement
}

func goodRegistration(key testKey) *registrationCase {
	challenge := bytes.Repeat([]byte{0xc4}, 32)
	return &registrationCase{
		key: key, challenge: challenge, sent: challenge,
		rp:   RelyingParty{ID: testRPID, Origins: []string{testOrigin}},
		kind: "webauthn.create", origin: testOrigin, members: `,"crossOrigin":false`,
		rpID: testRPID, flags: usualFlags | flagAttested, id: []byte("credential-1"),
		object: map[string]any{},
		signed: func(m []byte) []byte { return m },
		finish: func(*wire.Attestation) {},
		raw:    func(o []byte) []byte { return o },
		stmt:   func(map[any]any) {},
	}
}

func (c *registrationCase) attestation() wire.Attestation {
	text := []byte(`{"type":"` + c.kind + `","challenge":"` + b64(c.sent) + `","origin":"` + c.origin +
		`"` + c.members + `}`)
	aaguid := [16]byte{0xaa}
	auth := authDataBytes(c.rpID, c.flags, c.count, append(attestedBytes(aaguid, c.id, c.key.cose), c.tail...))
	format, statement := "none", map[any]any{}
	if c.self {
		format = "packed"
		statement["alg"] = c.key.alg
		statement["sig"] = c.key.sign(c.signed(signedBytes(auth, text)))
	}
	c.stmt(statement)
	object := map[string]any{"fmt": format, "attStmt": statement, "authData": auth}
	for name, value := range c.object {
		if object[name] = value; value == nil {
			delete(object, name)
		}
	}
	raw, err := encoding.Marshal(object)
	if err != nil {
		panic(err)
	}
	att := wire.Attestation{
		CredentialID:      b64([]byte("credential-1")),
		ClientDataJSON:    b64(text),
		AttestationObject: b64(c.raw(raw)),
		Transports:        []string{"internal"},
	}
	c.finish(&att)
	return att
}

type registrationRow struct {
	name   string
	tamper func(*registrationCase)
	reason string
}

func runRegistrations(t *testing.T, rows []registrationRow) {
	t.Helper()
	if !slices.ContainsFunc(rows, func(r registrationRow) bool { return r.reason == "" }) {
		t.Fatal("no row of the table passes, so the table proves nothing")
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			c := goodRegistration(newES256())
			row.tamper(c)
			att := c.attestation()
			_, err := VerifyRegistration(c.rp, c.challenge, att)
			wantReason(t, err, row.reason)
			if err != nil {
				return
			}
			if err := oracleRegistration(c.rp, c.challenge, att); err != nil {
				t.Errorf("accepted, but go-webauthn refuses: %v", err)
			}
		})
	}
}

func honest(*registrationCase) {}

func TestSigning_S16_RegistrationGivesTheCredential(t *testing.T) {
	for name, key := range map[string]testKey{"ES256": newES256(), "EdDSA": newEdDSA(), "RS256": newRS256()} {
		for _, self := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				c := goodRegistration(key)
				c.self, c.count = self, 7
				got, err := VerifyRegistration(c.rp, c.challenge, c.attestation())
				if err != nil {
					t.Fatal(err)
				}
				if string(got.CredentialID) != "credential-1" || !bytes.Equal(got.PublicKey, key.cose) ||
					got.SignCount != 7 || !got.BackupEligible || got.AAGUID != "aa000000-0000-0000-0000-000000000000" {
					t.Errorf("got %+v", got)
				}
				if err := oracleRegistration(c.rp, c.challenge, c.attestation()); err != nil {
					t.Errorf("go-webauthn refuses: %v", err)
				}
			})
		}
	}
}

func TestSigning_S16_RegistrationCeremony(t *testing.T) {
	const challenge = "challenge does not match"
	runRegistrations(t, []registrationRow{
		{"untampered", honest, ""},
		{"challenge of another", func(c *registrationCase) { c.sent = bytes.Repeat([]byte{1}, 32) }, challenge},
		{"challenge cut", func(c *registrationCase) { c.sent = c.sent[:31] }, challenge},
		{"challenge empty on both sides", func(c *registrationCase) { c.sent, c.challenge = nil, nil },
			"challenge is too short"},
		{"challenge short on both sides", func(c *registrationCase) {
			c.sent = c.sent[:minChallenge-1]
			c.challenge = c.sent
		}, "challenge is too short"},
		{"an assertion instead", func(c *registrationCase) { c.kind = "webauthn.get" }, "another ceremony"},
		{"other origin", func(c *registrationCase) { c.origin = "http://localhost:9" }, "origin is not accepted"},
		{"framed", func(c *registrationCase) { c.members = `,"crossOrigin":true` }, "another origin's page"},
		{"top origin", func(c *registrationCase) { c.members = `,"topOrigin":"http://localhost:8081"` }, "top origin"},
		{"client data twice", func(c *registrationCase) { c.members = `,"type":"webauthn.create"` }, "unique members"},
		{"other relying party", func(c *registrationCase) { c.rpID = "evil.example" }, "another relying party"},
		{"not present", func(c *registrationCase) { c.flags &^= flagUserPresent }, "user was not present"},
		{"not verified", func(c *registrationCase) { c.flags &^= flagUserVerified }, "user was not verified"},
		{"not eligible for backup",
			func(c *registrationCase) { c.flags = flagUserPresent | flagUserVerified | flagAttested }, ""},
		{"eligible, not backed up", func(c *registrationCase) { c.flags &^= flagBackedUp }, ""},
		{"backed up without eligibility", func(c *registrationCase) { c.flags &^= flagBackupEligible },
			"not eligible for backup"},
		{"extensions", func(c *registrationCase) {
			c.flags |= flagExtensions
			c.tail = hexBytes("a16b6372656450726f7465637402")
		}, ""},
		{"bytes after the key", func(c *registrationCase) { c.tail = []byte{0} }, "trailing bytes"},
		{"no credential", func(c *registrationCase) {
			c.object["authData"] = authDataBytes(testRPID, usualFlags, 0, nil)
		}, "another credential"},
	})
}

func TestSigning_S16_RegistrationIsOfTheCredentialNamed(t *testing.T) {
	edit := func(f func(*wire.Attestation)) func(*registrationCase) {
		return func(c *registrationCase) { c.finish = f }
	}
	runRegistrations(t, []registrationRow{
		{"same id", honest, ""},
		{"other id outside", edit(func(a *wire.Attestation) { a.CredentialID = b64([]byte("credential-2")) }),
			"another credential"},
		{"other id inside", func(c *registrationCase) { c.id = []byte("credential-2") }, "another credential"},
		{"longer id inside", func(c *registrationCase) { c.id = []byte("credential-1\x00") }, "another credential"},
		{"no id", edit(func(a *wire.Attestation) { a.CredentialID = "" }), "missing"},
		{"id padded", edit(func(a *wire.Attestation) { a.CredentialID += "=" }), "not unpadded base64url"},
		{"id too long", edit(func(a *wire.Attestation) { a.CredentialID = strings.Repeat("A", 1366) }), "too long"},
		{"no client data", edit(func(a *wire.Attestation) { a.ClientDataJSON = "" }), "missing"},
		{"no object", edit(func(a *wire.Attestation) { a.AttestationObject = "" }), "missing"},
		{"oversize object",
			edit(func(a *wire.Attestation) { a.AttestationObject = strings.Repeat("A", maxText+4) }), "too large"},
		{"oversize client data",
			edit(func(a *wire.Attestation) { a.ClientDataJSON = strings.Repeat("A", maxText+4) }), "too large"},
	})
}

func TestSigning_S16_AttestationObject(t *testing.T) {
	object := func(name string, value any) func(*registrationCase) {
		return func(c *registrationCase) { c.object[name] = value }
	}
	raw := func(f func([]byte) []byte) func(*registrationCase) { return func(c *registrationCase) { c.raw = f } }
	const members, notMap = "missing, unknown or mistyped members", "not a CBOR map"
	runRegistrations(t, []registrationRow{
		{"none", honest, ""},
		{"other member order", raw(reorderObject), ""},
		{"none with a statement", object("attStmt", map[string]any{"x": 1}), "format none has a statement"},
		{"format missing", object("fmt", nil), members},
		{"format is bytes", object("fmt", []byte("none")), members},
		{"statement missing", object("attStmt", nil), members},
		{"statement is an array", object("attStmt", []any{}), members},
		{"authenticator data missing", object("authData", nil), members},
		{"authenticator data is text", object("authData", strings.Repeat("x", 37)), members},
		{"authenticator data is an array", object("authData", []int{1, 2, 3}), members},
		{"authenticator data short", object("authData", []byte{1}), "too short"},
		{"unknown member", object("epAtt", true), members},
		{"member twice", raw(func(o []byte) []byte {
			return append([]byte{o[0] + 1}, append(hexBytes("63666d74646e6f6e65"), o[1:]...)...)
		}), notMap},
		{"trailing byte", raw(func(o []byte) []byte { return append(o, 0) }), notMap},
		{"cut off", raw(func(o []byte) []byte { return o[:len(o)-1] }), notMap},
		{"indefinite length",
			raw(func(o []byte) []byte { return append(append([]byte{0xbf}, o[1:]...), 0xff) }), notMap},
		{"tagged", raw(func(o []byte) []byte { return append([]byte{0xd9, 0xd9, 0xf7}, o...) }), notMap},
		{"null", raw(func([]byte) []byte { return []byte{0xf6} }), members},
		{"deep nesting", raw(func([]byte) []byte { return bytes.Repeat([]byte{0x81}, 10_000) }), notMap},
		{"huge length", raw(func([]byte) []byte { return hexBytes("bb7fffffffffffffff") }), notMap},
	})
}

// reorderObject moves the first member, which is "fmt", to the end.
func reorderObject(object []byte) []byte {
	const size = 4 + 5 // "fmt" and "none", each with its head
	return slices.Concat(object[:1], object[1+size:], object[1:1+size])
}

func TestSigning_S16_AttestationFormats(t *testing.T) {
	packed := func(f func(map[any]any)) func(*registrationCase) {
		return func(c *registrationCase) { c.self, c.stmt = true, f }
	}
	format := func(name string) func(*registrationCase) {
		return func(c *registrationCase) { c.object["fmt"] = name }
	}
	const notSelf, bad = "not by the credential's own key", "attestation signature does not verify"
	runRegistrations(t, []registrationRow{
		{"packed by the key itself", packed(func(map[any]any) {}), ""},
		{"signature damaged", packed(func(s map[any]any) { s["sig"] = flipLastBit(s["sig"].([]byte)) }), bad},
		{"signature of another key", packed(func(s map[any]any) { s["sig"] = newES256().sign([]byte("x")) }), bad},
		{"signature over other client data", func(c *registrationCase) {
			c.self = true
			c.signed = func(m []byte) []byte { return flipLastBit(m) }
		}, bad},
		{"client data exchanged after signing", func(c *registrationCase) {
			c.self = true
			other := goodRegistration(c.key)
			other.members = ""
			c.finish = func(a *wire.Attestation) { a.ClientDataJSON = other.attestation().ClientDataJSON }
		}, bad},
		{"signature missing", packed(func(s map[any]any) { delete(s, "sig") }), notSelf},
		{"signature is text", packed(func(s map[any]any) { s["sig"] = "x" }), notSelf},
		{"algorithm missing", packed(func(s map[any]any) { delete(s, "alg") }), notSelf},
		{"algorithm of another key", packed(func(s map[any]any) { s["alg"] = algRS256 }), "names another algorithm"},
		{"algorithm is text", packed(func(s map[any]any) { s["alg"] = "ES256" }), "names another algorithm"},
		{"with certificates", packed(func(s map[any]any) { s["x5c"] = []any{[]byte{1}} }), notSelf},
		{"with ECDAA", packed(func(s map[any]any) { s["ecdaaKeyId"] = []byte{1} }), notSelf},
		{"statement empty", packed(func(s map[any]any) { clear(s) }), notSelf},
		{"statement keyed by numbers", packed(func(s map[any]any) { clear(s); s[1] = 1 }), "not a CBOR map"},
		{"fido-u2f", format("fido-u2f"), "format is not accepted"},
		{"tpm", format("tpm"), "format is not accepted"},
		{"apple", format("apple"), "format is not accepted"},
		{"android-key", format("android-key"), "format is not accepted"},
		{"compound", format("compound"), "format is not accepted"},
		{"None", format("None"), "format is not accepted"},
		{"empty", format(""), "format is not accepted"},
	})
}
