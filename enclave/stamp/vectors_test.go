package stamp

import (
	"encoding/hex"
	"encoding/json"
	"math/big"
	"os"
	"slices"
	"testing"

	"github.com/railkit/railkit/enclave/wire"
)

// hexText is bytes that a JSON file spells in hex.
type hexText []byte

func (h *hexText) UnmarshalText(text []byte) (err error) {
	*h, err = hex.DecodeString(string(text))
	return err
}

func readVectors(t testing.TB, name string, into any) {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}

type level3 struct {
	RPID    string         `json:"rpId"`
	Origin  string         `json:"rpOrigin"`
	Vectors []level3Vector `json:"vectors"`
}

type level3Vector struct {
	Name         string
	Registration struct {
		Challenge         hexText
		CredentialID      hexText `json:"credential_id"`
		AAGUID            hexText `json:"aaguid"`
		ClientDataJSON    hexText
		AttestationObject hexText
	}
	Authentication struct{ Challenge, ClientDataJSON, AuthenticatorData, Signature hexText }
}

func readLevel3(t testing.TB) level3 {
	t.Helper()
	var file level3
	readVectors(t, "webauthn-level3.json", &file)
	return file
}

func (v level3Vector) attestation() wire.Attestation {
	r := v.Registration
	return wire.Attestation{
		CredentialID:      b64(r.CredentialID),
		ClientDataJSON:    b64(r.ClientDataJSON),
		AttestationObject: b64(r.AttestationObject),
	}
}

func (v level3Vector) assertion() Assertion {
	a := v.Authentication
	return Assertion{v.Registration.CredentialID, a.AuthenticatorData, a.ClientDataJSON, a.Signature}
}

// The W3C made its vectors with and without user verification and in every
// format. This table says what becomes of each here; an empty reason is a pass.
func TestVectors_WebAuthnLevel3(t *testing.T) {
	const unverified, format, framed = "user was not verified", "format is not accepted", "another origin's page"
	const algorithm, certificates = "algorithm is not accepted", "not by the credential's own key"
	want := map[string]struct{ registration, authentication string }{
		"none-es256":                    {unverified, unverified},
		"packed-self-es256":             {"", unverified},
		"none-es256-crossOrigin":        {framed, framed},
		"none-es256-topOrigin":          {framed, framed},
		"none-es256-long-credential-id": {unverified, ""},
		"packed-es256":                  {certificates, ""},
		"packed-es384":                  {unverified, algorithm},
		"packed-es512":                  {algorithm, unverified},
		"packed-rs256":                  {certificates, unverified},
		"packed-eddsa":                  {unverified, unverified},
		"packed-ed448":                  {unverified, algorithm},
		"tpm-es256":                     {format, ""},
		"android-key-es256":             {format, unverified},
		"apple-es256":                   {unverified, unverified},
		"fido-u2f-es256":                {unverified, unverified},
	}
	file := readLevel3(t)
	rp := RelyingParty{file.RPID, []string{file.Origin}}
	if len(file.Vectors) != len(want) {
		t.Fatalf("%d vectors, want %d", len(file.Vectors), len(want))
	}
	for _, v := range file.Vectors {
		t.Run(v.Name, func(t *testing.T) {
			_, err := VerifyRegistration(rp, v.Registration.Challenge, v.attestation())
			wantReason(t, err, want[v.Name].registration)
			_, err = v.assertion().verify(rp, v.credential(t), v.Authentication.Challenge)
			wantReason(t, err, want[v.Name].authentication)
		})
	}
}

// credential is what the vector's registration would leave behind, whatever
// this package thinks of that registration.
func (v level3Vector) credential(t testing.TB) Credential {
	t.Helper()
	auth := v.registered(t)
	return Credential{
		ID:             v.Registration.CredentialID,
		PublicKey:      auth.attested.publicKey,
		BackupEligible: auth.has(flagBackupEligible),
	}
}

func (v level3Vector) registered(t testing.TB) authenticatorData {
	t.Helper()
	object, err := parseAttestationObject(v.Registration.AttestationObject)
	if err != nil {
		t.Fatal(err)
	}
	auth, err := parseAuthenticatorData(object.authData)
	if err != nil {
		t.Fatal(err)
	}
	return auth
}

// Every vector is parsed as the W3C describes it, and every signature under an
// accepted algorithm verifies, also where the ceremony itself is refused above.
func TestVectors_WebAuthnLevel3Parts(t *testing.T) {
	foreign := []string{"packed-es384", "packed-es512", "packed-ed448"}
	for _, v := range readLevel3(t).Vectors {
		t.Run(v.Name, func(t *testing.T) {
			auth := v.registered(t)
			if !slices.Equal(auth.attested.id, v.Registration.CredentialID) ||
				!slices.Equal(auth.attested.aaguid[:], v.Registration.AAGUID) {
				t.Error("credential id or AAGUID misread")
			}
			key, err := parseKey(auth.attested.publicKey)
			if slices.Contains(foreign, v.Name) {
				wantReason(t, err, "algorithm is not accepted")
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			a := v.Authentication
			message := signedBytes(a.AuthenticatorData, a.ClientDataJSON)
			if !key.verify(message, a.Signature) {
				t.Error("signature does not verify")
			}
			if key.verify(flipLastBit(message), a.Signature) {
				t.Error("signature verifies for another message")
			}
		})
	}
}

type wycheproof struct {
	NumberOfTests int
	TestGroups    []struct {
		Key   struct{ Uncompressed, PK, Modulus, PublicExponent hexText }
		Tests []struct {
			TcID     int
			Comment  string
			Flags    []string
			Msg, Sig hexText
			Result   string
		}
	}
}

// run checks each signature of a file; keyOf spells the file's keys in COSE.
func (w wycheproof) run(t *testing.T, keyOf func(group int) []byte) {
	count := 0
	for i, group := range w.TestGroups {
		key, err := parseKey(keyOf(i))
		if e := group.Key.PublicExponent; e != nil && !slices.Equal(e, hexText{1, 0, 1}) {
			count += len(group.Tests)
			wantReason(t, err, "exponent 65537")
			continue
		}
		if err != nil {
			t.Fatalf("group %d: %v", i, err)
		}
		for _, c := range group.Tests {
			count++
			// "acceptable" are RSA signatures without the NULL of RFC 8017; refused here.
			if got := key.verify(c.Msg, c.Sig); got != (c.Result == "valid") {
				t.Errorf("test %d (%s, %v): %v, want %s", c.TcID, c.Comment, c.Flags, got, c.Result)
			}
		}
	}
	if count == 0 || count != w.NumberOfTests {
		t.Errorf("ran %d tests, want %d", count, w.NumberOfTests)
	}
}

func TestSigning_S11_WycheproofES256(t *testing.T) {
	var w wycheproof
	readVectors(t, "wycheproof-ecdsa-p256-sha256.json", &w)
	w.run(t, func(i int) []byte {
		point := w.TestGroups[i].Key.Uncompressed
		return coseBytes(ec2(point[1:33], point[33:]))
	})
}

func TestSigning_S11_WycheproofEdDSA(t *testing.T) {
	var w wycheproof
	readVectors(t, "wycheproof-ed25519.json", &w)
	w.run(t, func(i int) []byte {
		return coseBytes(map[int64]any{1: 1, 3: -8, -1: 6, -2: []byte(w.TestGroups[i].Key.PK)})
	})
}

func TestSigning_S11_WycheproofRS256(t *testing.T) {
	var w wycheproof
	readVectors(t, "wycheproof-rsa-2048-sha256.json", &w)
	w.run(t, func(i int) []byte {
		n := new(big.Int).SetBytes(w.TestGroups[i].Key.Modulus)
		return coseBytes(rsaCOSE(n.Bytes(), w.TestGroups[i].Key.PublicExponent))
	})
}
