package passkey

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/fxamacker/cbor/v2"
)

const (
	headerName = "X-Stamp-WebAuthn"
	algES256   = -7

	flagUserPresent    = 1 << 0
	flagUserVerified   = 1 << 2
	flagBackupEligible = 1 << 3
	flagBackedUp       = 1 << 4
	flagAttested       = 1 << 6
)

// clientData keeps the order of members that WebAuthn prescribes.
type clientData struct {
	Type        string `json:"type"`
	Challenge   string `json:"challenge"`
	Origin      string `json:"origin"`
	CrossOrigin bool   `json:"crossOrigin"`
	TopOrigin   string `json:"topOrigin,omitempty"`
}

// collect is the browser's part of a ceremony.
func (a *Authenticator) collect(ceremony string, challenge []byte) ([]byte, error) {
	data := a.tamper.clientData(clientData{Type: ceremony, Challenge: encode(challenge), Origin: a.origin})
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(data); err != nil {
		return nil, fmt.Errorf("writing client data: %w", err)
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

// attest answers a registration with the attestation format "none", which
// signs nothing.
func (a *Authenticator) attest(key *held, challenge []byte) (Attestation, error) {
	text, err := a.collect("webauthn.create", challenge)
	if err != nil {
		return Attestation{}, err
	}
	object, err := canonical.Marshal(attestationObject{
		"none", struct{}{}, slices.Concat(a.authData(key, flagAttested), key.attested()),
	})
	if err != nil {
		return Attestation{}, fmt.Errorf("writing the attestation object: %w", err)
	}
	return Attestation{
		CredentialID:      encode(key.id),
		ClientDataJSON:    encode(text),
		AttestationObject: encode(object),
		Transports:        []string{"internal"},
	}, nil
}

// assert answers an authentication whose challenge is the text of body's hash.
func (a *Authenticator) assert(key *held, body string) (Stamp, error) {
	sum := sha256.Sum256([]byte(body))
	text, err := a.collect("webauthn.get", []byte(hex.EncodeToString(sum[:])))
	if err != nil {
		return Stamp{}, err
	}
	auth := a.authData(key, 0)
	signature, err := key.sign(auth, text)
	if err != nil {
		return Stamp{}, err
	}
	value, err := json.Marshal(map[string]string{
		"authenticatorData": encode(auth),
		"clientDataJson":    encode(text),
		"credentialId":      encode(key.id),
		"signature":         encode(a.tamper.sign(signature)),
	})
	if err != nil {
		return Stamp{}, fmt.Errorf("writing the stamp: %w", err)
	}
	return Stamp{HeaderName: headerName, HeaderValue: string(value)}, nil
}

// authData is the first 37 bytes of the authenticator's own statement.
func (a *Authenticator) authData(key *held, more byte) []byte {
	rpID, flags, count := a.tamper.authData(key.rpID,
		flagUserPresent|flagUserVerified|flagBackupEligible|flagBackedUp, key.signCount)
	hash := sha256.Sum256([]byte(rpID))
	return binary.BigEndian.AppendUint32(append(hash[:], flags|more), count)
}

// attested is the new credential: no make (AAGUID zero), id and public key.
func (h *held) attested() []byte {
	raw := binary.BigEndian.AppendUint16(make([]byte, 16), uint16(len(h.id)))
	return slices.Concat(raw, h.id, h.cose())
}

func (h *held) sign(authData, clientData []byte) ([]byte, error) {
	inner := sha256.Sum256(clientData)
	sum := sha256.Sum256(slices.Concat(authData, inner[:]))
	signature, err := ecdsa.SignASN1(rand.Reader, h.private, sum[:])
	if err != nil {
		return nil, fmt.Errorf("signing: %w", err)
	}
	return signature, nil
}

// attestationObject and coseKey are written in the form that CTAP2 calls canonical.
type attestationObject struct {
	Format    string   `cbor:"fmt"`
	Statement struct{} `cbor:"attStmt"`
	AuthData  []byte   `cbor:"authData"`
}

type coseKey struct {
	KeyType   int    `cbor:"1,keyasint"`
	Algorithm int    `cbor:"3,keyasint"`
	Curve     int    `cbor:"-1,keyasint"`
	X         []byte `cbor:"-2,keyasint"`
	Y         []byte `cbor:"-3,keyasint"`
}

var canonical = func() cbor.EncMode {
	mode, err := cbor.CTAP2EncOptions().EncMode()
	if err != nil {
		panic(err) // the library's own options
	}
	return mode
}()

// cose is the public key as the relying party stores it.
func (h *held) cose() []byte {
	point, err := h.private.PublicKey.Bytes()
	if err != nil {
		panic(err) // only for a curve other than the four of the standard library
	}
	raw, err := canonical.Marshal(coseKey{KeyType: 2, Algorithm: algES256, Curve: 1, X: point[1:33], Y: point[33:]})
	if err != nil {
		panic(err) // numbers and byte strings always encode
	}
	return raw
}
