// Package stamp verifies what passkeys sign: assertions over activity bodies,
// and registrations. It is the only judge of a stamp inside the enclave, so it
// takes exactly what WebAuthn level 3 describes and refuses the rest.
//
// User presence and user verification are always required, and there is no
// switch to turn either off.
package stamp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
)

// ErrInvalid is what every refusal of this package wraps.
var ErrInvalid = errors.New("passkey signature invalid")

// refusal says in words what is wrong with a stamp. The words hold no value of the caller's.
type refusal string

func (r refusal) Error() string { return ErrInvalid.Error() + ": " + string(r) }

func (r refusal) Unwrap() error { return ErrInvalid }

func refuse(reason string) error { return refusal(reason) }

// Reason is why this package refused, in words that the caller may read: "user was not verified".
func Reason(err error) string {
	var r refusal
	errors.As(err, &r)
	return string(r)
}

// RelyingParty is what passkeys are bound to. Origins are compared as whole
// strings: no wildcard, no default port, no case folding.
type RelyingParty struct {
	ID      string
	Origins []string
}

// Credential is a registered passkey as the enclave remembers it.
type Credential struct {
	ID             []byte
	PublicKey      []byte // COSE key, as VerifyRegistration gave it
	SignCount      uint32 // the highest one seen
	BackupEligible bool   // as it said last
}

// Assertion is a stamp taken apart and not yet verified. Nothing in it may be
// believed, except to look up the credential it claims to come from.
type Assertion struct {
	credentialID      []byte
	authenticatorData []byte
	clientData        []byte
	signature         []byte
}

// CredentialID is the passkey that the assertion claims to come from.
func (a Assertion) CredentialID() []byte { return bytes.Clone(a.credentialID) }

// Seen is what a verified assertion tells about its authenticator.
type Seen struct {
	SignCount uint32 // to be remembered in Credential.SignCount
	// To be remembered in Credential.BackupEligible. WebAuthn says that it never changes; keychains that are synced
	// later, and password managers that take passkeys in, change it. The signature is the same key's.
	BackupEligible bool
}

// ChallengeText is what a passkey is asked to sign for a body: the lower-case
// hex SHA-256 of its bytes. The challenge is this text in ASCII, 64 bytes.
func ChallengeText(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// Verify checks that cred's holder, on a page of rp, agreed to exactly body.
// The caller looked cred up by CredentialID, and remembers the Seen count.
func (a Assertion) Verify(rp RelyingParty, cred Credential, body []byte) (Seen, error) {
	return a.verify(rp, cred, []byte(ChallengeText(body)))
}

func (a Assertion) verify(rp RelyingParty, cred Credential, challenge []byte) (Seen, error) {
	if !bytes.Equal(a.credentialID, cred.ID) {
		return Seen{}, refuse("stamp of another credential")
	}
	if err := checkClientData(a.clientData, "webauthn.get", rp.Origins, challenge); err != nil {
		return Seen{}, err
	}
	auth, err := parseAuthenticatorData(a.authenticatorData)
	if err != nil {
		return Seen{}, err
	}
	if err := auth.check(rp.ID); err != nil {
		return Seen{}, err
	}
	if err := cred.admits(auth); err != nil {
		return Seen{}, err
	}
	key, err := parseKey(cred.PublicKey)
	if err != nil {
		return Seen{}, err
	}
	if !key.verify(signedBytes(a.authenticatorData, a.clientData), a.signature) {
		return Seen{}, refuse("signature does not verify")
	}
	return Seen{SignCount: auth.signCount, BackupEligible: auth.has(flagBackupEligible)}, nil
}

// admits holds what must agree between a credential and its next assertion.
func (c Credential) admits(auth authenticatorData) error {
	if auth.attested != nil {
		return refuse("assertion carries attested credential data")
	}
	// A counter that stays at zero says that the authenticator has none.
	counts := auth.signCount != 0 || c.SignCount != 0
	if counts && auth.signCount <= c.SignCount {
		return refuse("signature counter did not rise")
	}
	return nil
}

// signedBytes is the message that an authenticator signs, both in an assertion
// and in a packed attestation.
func signedBytes(authenticatorData, clientData []byte) []byte {
	sum := sha256.Sum256(clientData)
	return slices.Concat(authenticatorData, sum[:])
}
