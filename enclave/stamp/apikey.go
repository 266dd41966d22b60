package stamp

import (
	"encoding/hex"
	"strings"

	"github.com/railkit/railkit/enclave/wire"
)

const (
	keyHeaderNameLower = "x-stamp"
	schemeP256         = "SIGNATURE_SCHEME_TK_API_P256"
)

// IsKeyStamp reports whether a stamp claims to be an API key's. Whether such a
// stamp is worth anything is decided elsewhere.
func IsKeyStamp(s wire.Stamp) bool { return strings.ToLower(s.HeaderName) == keyHeaderNameLower }

// keyForm is the header value of the field's API-key stamper, base64url of JSON.
type keyForm struct {
	PublicKey string `json:"publicKey"` // compressed SEC1, hex
	Scheme    string `json:"scheme"`
	Signature string `json:"signature"` // DER, hex
}

// VerifyKey checks that the holder of some P-256 key agreed to exactly body, and
// says which key. The twin of a signature verifies too, as with passkeys: no
// identity rests on a signature's bytes.
func VerifyKey(s wire.Stamp, body []byte) (publicKey string, err error) {
	f, err := parseKeyStamp(s)
	if err != nil {
		return "", err
	}
	key, err := wire.ParseP256(f.PublicKey)
	if err != nil || !lowerHex(f.PublicKey) {
		return "", refuse("key is not a compressed P-256 key in lower-case hex")
	}
	signature, err := hex.DecodeString(f.Signature)
	if err != nil || !lowerHex(f.Signature) {
		return "", refuse("signature is not lower-case hex")
	}
	if !(es256Key{key}).verify(body, signature) {
		return "", refuse("signature does not verify")
	}
	return f.PublicKey, nil
}

func parseKeyStamp(s wire.Stamp) (f keyForm, err error) {
	if !IsKeyStamp(s) {
		return f, refuse("not an API key's stamp")
	}
	raw, err := decodeBase64(s.HeaderValue)
	if err != nil {
		return f, err
	}
	if readMembers(raw, &f) != nil {
		return f, refuse("stamp has an unknown or mistyped member")
	}
	if f.Scheme != schemeP256 {
		return f, refuse("signature scheme is not accepted")
	}
	return f, nil
}

func lowerHex(text string) bool { return strings.ToLower(text) == text }
