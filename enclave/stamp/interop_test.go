package stamp

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/descope/virtualwebauthn"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/sdk/go/passkey"
)

func theRelyingParty() RelyingParty {
	return RelyingParty{ID: testRPID, Origins: []string{testOrigin}}
}

// A credential by descope/virtualwebauthn registers and stamps, and the stamp's
// form is PublicKeyCredential.toJSON().
func TestInterop_VirtualWebAuthn(t *testing.T) {
	for _, kind := range []virtualwebauthn.KeyType{virtualwebauthn.KeyTypeEC2, virtualwebauthn.KeyTypeRSA} {
		t.Run(string(kind), func(t *testing.T) {
			party := virtualwebauthn.RelyingParty{ID: testRPID, Name: "Railkit", Origin: testOrigin}
			device := virtualwebauthn.NewAuthenticatorWithOptions(virtualwebauthn.AuthenticatorOptions{
				UserHandle: []byte("user"), BackupEligible: true, BackupState: true,
			})
			credential := virtualCredential(kind)
			challenge := bytes.Repeat([]byte{0xc4}, 32)
			made := virtualwebauthn.CreateAttestationResponse(party, device,
				credential, virtualwebauthn.AttestationOptions{Challenge: challenge})
			registered, err := VerifyRegistration(theRelyingParty(), challenge, attestationOf(t, made))
			if err != nil {
				t.Fatal(err)
			}

			credential.Counter = 1
			said := virtualwebauthn.CreateAssertionResponse(party, device, credential,
				virtualwebauthn.AssertionOptions{Challenge: []byte(ChallengeText([]byte(testBody)))})
			a, err := ParseAssertion(wire.Stamp{HeaderName: HeaderName, HeaderValue: said})
			if err != nil {
				t.Fatal(err)
			}
			cred := credentialAfter(registered)
			if _, err := a.Verify(theRelyingParty(), cred, []byte(testBody)); err != nil {
				t.Errorf("refused: %v", err)
			}
			_, err = a.Verify(theRelyingParty(), cred, []byte(testBody+" "))
			wantReason(t, err, "challenge does not match")
		})
	}
}

// virtualCredential makes one whose key is canonical: the module drops leading
// zeros of coordinates, which one key in 128 has and which no key may.
func virtualCredential(kind virtualwebauthn.KeyType) virtualwebauthn.Credential {
	for {
		credential := virtualwebauthn.NewCredential(kind)
		if size := len(credential.Key.AttestationData()); kind == virtualwebauthn.KeyTypeRSA || size == 77 {
			return credential
		}
	}
}

func attestationOf(t *testing.T, credentialJSON string) wire.Attestation {
	t.Helper()
	var c struct {
		ID       string
		Response struct{ AttestationObject, ClientDataJSON string }
	}
	if err := json.Unmarshal([]byte(credentialJSON), &c); err != nil {
		t.Fatal(err)
	}
	return wire.Attestation{
		CredentialID: c.ID, ClientDataJSON: c.Response.ClientDataJSON, AttestationObject: c.Response.AttestationObject,
	}
}

func credentialAfter(r Registration) Credential {
	return Credential{
		ID: r.CredentialID, PublicKey: r.PublicKey, SignCount: r.SignCount, BackupEligible: r.BackupEligible,
	}
}

// softPasskey registers the SDK's software passkey.
func softPasskey(t testing.TB) (*passkey.Authenticator, Credential) {
	t.Helper()
	device := passkey.New(testOrigin)
	challenge := bytes.Repeat([]byte{0xc4}, 32)
	att, err := device.Create(passkey.CreationOptions{
		Challenge:        b64(challenge),
		RP:               passkey.RelyingParty{ID: testRPID, Name: "Railkit"},
		PubKeyCredParams: []passkey.CredentialParameter{{Type: "public-key", Alg: -7}},
	})
	if err != nil {
		t.Fatal(err)
	}
	registered, err := VerifyRegistration(theRelyingParty(), challenge, att)
	if err != nil {
		t.Fatal(err)
	}
	if own := device.Credentials()[0]; own.ID != b64(registered.CredentialID) ||
		own.PublicKey != b64(registered.PublicKey) {
		t.Fatal("the passkey and the verifier name different keys")
	}
	return device, credentialAfter(registered)
}

func verifyStamp(t *testing.T, device *passkey.Authenticator, cred Credential) (Seen, error) {
	t.Helper()
	s, err := device.Stamp(testBody)
	if err != nil {
		t.Fatal(err)
	}
	a, err := ParseAssertion(s)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.CredentialID(), cred.ID) {
		t.Fatal("the stamp names another credential")
	}
	return a.Verify(theRelyingParty(), cred, []byte(testBody))
}

func TestInterop_SoftwarePasskey(t *testing.T) {
	device, cred := softPasskey(t)
	for count := uint32(1); count <= 3; count++ {
		seen, err := verifyStamp(t, device, cred)
		if err != nil {
			t.Fatal(err)
		}
		if (seen != Seen{SignCount: count, BackupEligible: true}) {
			t.Errorf("seen %+v", seen)
		}
		cred.SignCount = seen.SignCount
	}
}

func TestInterop_SoftwarePasskeyMisbehaves(t *testing.T) {
	for _, row := range []struct {
		name   string
		tamper passkey.Tamper
		reason string
	}{
		{"nothing", passkey.Tamper{}, ""},
		{"not present", passkey.Tamper{NotPresent: true}, "user was not present"},
		{"not verified", passkey.Tamper{NotVerified: true}, "user was not verified"},
		{"not eligible", passkey.Tamper{NotEligible: true}, ""},
		{"type", passkey.Tamper{Type: "webauthn.create"}, "another ceremony"},
		{"origin", passkey.Tamper{Origin: "http://localhost:9"}, "origin is not accepted"},
		{"cross origin", passkey.Tamper{CrossOrigin: true}, "another origin's page"},
		{"top origin", passkey.Tamper{TopOrigin: testOrigin}, "top origin"},
		{"raw challenge", passkey.Tamper{RawChallenge: true}, "challenge does not match"},
		{"relying party", passkey.Tamper{RPID: "evil.example"}, "another relying party"},
		{"counter stuck", passkey.Tamper{SignCount: func(uint32) uint32 { return 0 }}, "did not rise"},
		{"signature", passkey.Tamper{Signature: flipLastBit}, "signature does not verify"},
	} {
		t.Run(row.name, func(t *testing.T) {
			device, cred := softPasskey(t)
			seen, err := verifyStamp(t, device, cred)
			if err != nil {
				t.Fatal(err)
			}
			cred.SignCount = seen.SignCount
			_, err = verifyStamp(t, device.Misbehaving(row.tamper), cred)
			wantReason(t, err, row.reason)
		})
	}
}

func BenchmarkVerify(b *testing.B) {
	for name, key := range map[string]testKey{"ES256": newES256(), "EdDSA": newEdDSA(), "RS256": newRS256()} {
		b.Run(name, func(b *testing.B) {
			c := goodAssertion(key)
			s := c.stamp()
			for b.Loop() {
				a, err := ParseAssertion(s)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := a.Verify(c.rp, c.cred, c.body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
