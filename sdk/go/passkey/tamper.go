package passkey

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
)

// Tamper says how an authenticator breaks the rules. It exists to test that a
// verifier refuses what it must; the zero value breaks none.
type Tamper struct {
	NotPresent  bool // user presence flag off
	NotVerified bool // user verification flag off
	NotEligible bool // backup flags off, although they were on at registration

	Type         string // of the ceremony, such as "webauthn.create" in a stamp
	Origin       string // of the page
	CrossOrigin  bool   // says that it ran in a frame of another origin
	TopOrigin    string // names the page around the frame
	RawChallenge bool   // a stamp's challenge is the 32 bytes of the hash, not its text
	RPID         string // hashed into the authenticator data

	SignCount func(uint32) uint32 // what it says instead of the true count
	Signature func([]byte) []byte // what it sends instead of the true signature
}

// Misbehaving is a view of a that breaks the rules as t says. Both share the
// same passkeys and counters. A test facility: no honest client needs it.
func (a *Authenticator) Misbehaving(t Tamper) *Authenticator {
	return &Authenticator{vault: a.vault, origin: a.origin, tamper: t}
}

func (t Tamper) clientData(c clientData) clientData {
	if t.Type != "" {
		c.Type = t.Type
	}
	if t.Origin != "" {
		c.Origin = t.Origin
	}
	if t.RawChallenge {
		c.Challenge = rawChallenge(c.Challenge)
	}
	c.CrossOrigin = t.CrossOrigin
	c.TopOrigin = t.TopOrigin
	return c
}

// rawChallenge turns the text of a hash into the hash; what is no such text,
// as at registration, is hashed.
func rawChallenge(challenge string) string {
	text, _ := base64.RawURLEncoding.DecodeString(challenge)
	if raw, err := hex.DecodeString(string(text)); err == nil {
		return encode(raw)
	}
	sum := sha256.Sum256(text)
	return encode(sum[:])
}

func (t Tamper) authData(rpID string, flags byte, count uint32) (string, byte, uint32) {
	if t.RPID != "" {
		rpID = t.RPID
	}
	if t.NotPresent {
		flags &^= flagUserPresent
	}
	if t.NotVerified {
		flags &^= flagUserVerified
	}
	if t.NotEligible {
		flags &^= flagBackupEligible | flagBackedUp
	}
	if t.SignCount != nil {
		count = t.SignCount(count)
	}
	return rpID, flags, count
}

func (t Tamper) sign(signature []byte) []byte {
	if t.Signature == nil {
		return signature
	}
	return t.Signature(signature)
}
