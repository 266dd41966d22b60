package enclave

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
	"math/big"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/sdk/go/passkey"
)

// initiator is a page that asks for a recovery: it alone opens the bundle.
type initiator struct {
	*ecdh.PrivateKey
	w *world
}

func (w *world) initiator() initiator {
	w.t.Helper()
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		w.t.Fatal(err)
	}
	return initiator{key, w}
}

func (i initiator) public() string {
	p := i.PublicKey().Bytes()
	return hex.EncodeToString(append([]byte{2 + p[64]&1}, p[1:33]...))
}

func (i initiator) open(r wire.RecoveryReply) (string, error) {
	i.w.t.Helper()
	key, err := hpke.NewDHKEMPrivateKey(i.PrivateKey)
	if err != nil {
		i.w.t.Fatal(err)
	}
	secret, err := hpke.Open(key, hpke.HKDFSHA256(), hpke.AES256GCM(), wire.RecoveryInfo("sandbox", r.RecoveryID),
		bytesOf(i.w.t, r.Bundle))
	return base64.RawURLEncoding.EncodeToString(secret), err
}

// code is a recovery key.
type code struct{ *ecdsa.PrivateKey }

func newCode(t testing.TB) code {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return code{key}
}

func (c code) public() string { return wire.CompressP256(&c.PublicKey) }

func (c code) sign(t testing.TB, message string) string {
	t.Helper()
	sum := sha256.Sum256([]byte(message))
	der, err := c.PrivateKey.Sign(rand.Reader, sum[:], crypto.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	var sig struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(der, &sig); err != nil {
		t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(append(sig.R.FillBytes(make([]byte, 32)),
		sig.S.FillBytes(make([]byte, 32))...))
}

// rescue is a user who has lost his passkey, on his way to another.
type rescue struct {
	w     *world
	org   owner
	reply wire.RecoveryReply
	key   *passkey.Authenticator
	p     wire.RecoverUserParams
}

func (w *world) began(email string) (wire.RecoveryReply, initiator) {
	w.t.Helper()
	i := w.initiator()
	r, err := w.Recovery(wire.RecoveryRequest{WorkspaceID: workspaceID, Email: email, TargetPublicKey: i.public()})
	if err != nil {
		w.t.Fatal(err)
	}
	return r, i
}

// rescue opens the mailed half and makes a passkey with it.
func (w *world) rescue(o owner, email string) *rescue {
	w.t.Helper()
	reply, i := w.began(email)
	secret, err := i.open(reply)
	if err != nil {
		w.t.Fatal(err)
	}
	key := passkey.New(origin)
	r := &rescue{w: w, org: owner{nil, o.org}, reply: reply, key: key}
	r.p = wire.RecoverUserParams{RecoveryID: reply.RecoveryID, Attestation: w.attest(email, secret, key)}
	return r
}

func (r *rescue) by(c code) *rescue {
	r.w.t.Helper()
	r.p.RecoverySignature = c.sign(r.w.t, wire.RecoveryMessage("sandbox", r.reply.OrganizationID, r.reply.UserID, r.p))
	return r
}

func (r *rescue) body() string { return r.w.body(r.w.fresh(r.org, wire.RecoverUser, r.p)) }

// registerWith registers an organization with a recovery key.
func (w *world) registerWith(email string, c code) owner {
	w.t.Helper()
	key, ch := passkey.New(origin), w.challenge(email)
	body := w.body(wire.Body{
		Type: wire.CreateSubOrganization, Environment: "sandbox", ActivityID: decide.RecoveryID(email),
		Parameters: w.json(wire.CreateSubOrganizationParams{
			WorkspaceID: workspaceID, Email: email, Challenge: ch, Attestation: w.attest(email, ch, key),
			RecoveryPublicKey: c.public(),
		}),
	})
	st := w.in(wire.Done, body, owner{})
	return owner{key, st.OrganizationID}
}

func (w *world) recoveryRule(o owner, p wire.UpdateRecoveryParams) string {
	w.t.Helper()
	return w.body(w.fresh(o, wire.UpdateRecovery, p))
}

func (w *world) cancellation(o owner, recoveryID string) string {
	w.t.Helper()
	return w.body(w.fresh(o, wire.CancelRecovery, wire.CancelRecoveryParams{RecoveryID: recoveryID}))
}

func (w *timed) delay() { w.advance(6 * time.Second) }
