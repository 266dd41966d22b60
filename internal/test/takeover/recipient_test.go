package takeover

import (
	"crypto/ecdh"
	"crypto/hpke"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
)

// recipient is a key of somebody's, for whom the signer seals something.
type recipient struct {
	h      *host
	key    *ecdh.PrivateKey
	public string // compressed hex
}

func (h *host) recipient() recipient {
	h.t.Helper()
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		h.t.Fatal(err)
	}
	point := key.PublicKey().Bytes()
	return recipient{h, key, hex.EncodeToString(append([]byte{2 + point[64]&1}, point[1:33]...))}
}

// open reads what was sealed, for this purpose.
func (k recipient) open(text string, info []byte) []byte {
	k.h.t.Helper()
	own, err := hpke.NewDHKEMPrivateKey(k.key)
	if err != nil {
		k.h.t.Fatal(err)
	}
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		k.h.t.Fatal(err)
	}
	raw, err := hpke.Open(own, hpke.HKDFSHA256(), hpke.AES256GCM(), info, sealed)
	if err != nil {
		k.h.t.Fatal(err)
	}
	return raw
}
