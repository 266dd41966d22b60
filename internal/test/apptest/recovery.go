package apptest

import (
	"crypto"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hpke"
	"crypto/rand"
	"crypto/sha256"
	"encoding/asn1"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"strings"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/sdk/go/passkey"
)

// Lost is a user who has lost his passkey and has his recovery code: what a page
// would do for him.
type Lost struct {
	SubOrganizationID, UserID string

	app    *App
	key    string // of the workspace
	code   *ecdsa.PrivateKey
	target *ecdh.PrivateKey
}

// Lose makes the code of a sub-organization's user. It counts once CodeKey is the
// sub-organization's recovery key.
func (a *App) Lose(apiKey, subOrganizationID, userID string) *Lost {
	a.t.Helper()
	code, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	target, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	return &Lost{SubOrganizationID: subOrganizationID, UserID: userID, app: a, key: apiKey, code: code, target: target}
}

// CodeKey is the public half of the recovery code.
func (l *Lost) CodeKey() string { return wire.CompressP256(&l.code.PublicKey) }

// TargetKey is the public half of the key that opens the mailed bundle.
func (l *Lost) TargetKey() string {
	p := l.target.PublicKey().Bytes()
	return hex.EncodeToString(append([]byte{2 + p[64]&1}, p[1:33]...))
}

// Link asks for a recovery, and gives what the mail's link has.
func (l *Lost) Link(email string) (id, token, bundle string) {
	l.app.t.Helper()
	known := l.app.Mail.Mails()
	answer := l.app.Do(l.key, "POST", "/v1/signing/recovery/initiate",
		JSON(l.app.t, map[string]string{"email": email, "targetPublicKey": l.TargetKey()}))
	var v struct {
		RecoveryID string `json:"recoveryId"`
	}
	if err := json.Unmarshal(answer.Data(), &v); err != nil || answer.Status != 201 {
		l.app.t.Fatalf("asking for a recovery: %d %s", answer.Status, answer.Body)
	}
	token, bundle, _ = strings.Cut(TokenOf(l.app.MailTo(email, known...)), ".")
	return v.RecoveryID, token, bundle
}

// Answer makes a passkey with the mailed bundle, and vouches for it with the code:
// the body of sync.
func (l *Lost) Answer(id, bundle string) (*passkey.Authenticator, map[string]any) {
	l.app.t.Helper()
	own, err := hpke.NewDHKEMPrivateKey(l.target)
	if err != nil {
		l.app.t.Fatal(err)
	}
	sealed, err := base64.RawURLEncoding.DecodeString(bundle)
	if err != nil {
		l.app.t.Fatal(err)
	}
	secret, err := hpke.Open(own, hpke.HKDFSHA256(), hpke.AES256GCM(), wire.RecoveryInfo("sandbox", id), sealed)
	if err != nil {
		l.app.t.Fatal(err)
	}
	return l.Guess(id, base64.RawURLEncoding.EncodeToString(secret))
}

// Guess is Answer without the bundle.
func (l *Lost) Guess(id, secret string) (*passkey.Authenticator, map[string]any) {
	l.app.t.Helper()
	key := passkey.New(l.app.Origin)
	att, err := key.Create(passkey.CreationOptions{
		Challenge: secret, RP: passkey.RelyingParty{ID: "localhost", Name: "Railkit"},
		User:             passkey.User{ID: "dXNlcg", Name: "x", DisplayName: "x"},
		PubKeyCredParams: []passkey.CredentialParameter{{Type: "public-key", Alg: -7}},
	})
	if err != nil {
		l.app.t.Fatal(err)
	}
	p := wire.RecoverUserParams{RecoveryID: id, Attestation: wire.Attestation(att), RemoveOtherPasskeys: true}
	return key, map[string]any{
		"recoveryId": id, "credentialId": att.CredentialID, "clientDataJson": att.ClientDataJSON,
		"attestationObject": att.AttestationObject, "removeOtherPasskeys": true,
		"recoverySignature": l.sign(wire.RecoveryMessage("sandbox", l.SubOrganizationID, l.UserID, p)),
	}
}

func (l *Lost) sign(message string) string {
	l.app.t.Helper()
	sum := sha256.Sum256([]byte(message))
	der, err := l.code.Sign(rand.Reader, sum[:], crypto.SHA256)
	if err != nil {
		l.app.t.Fatal(err)
	}
	var sig struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(der, &sig); err != nil {
		l.app.t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(append(sig.R.FillBytes(make([]byte, 32)),
		sig.S.FillBytes(make([]byte, 32))...))
}
