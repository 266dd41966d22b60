package demo

import (
	"context"
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
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/railkit/railkit/enclave/wire"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/passkey"
)

// afterwards is what the recovered passkey pays.
const afterwards = "1"

// lost is what the owner of a lost passkey has left: his recovery code, and a
// browser with a key that opens the mailed half.
type lost struct {
	id, token, bundle string
	target            *ecdh.PrivateKey
	made              *passkey.Authenticator
}

// newCode makes a recovery code, as the passkey page does at registration.
func (s *story) newCode() (publicKey string, err error) {
	s.code, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	return wire.CompressP256(&s.code.PublicKey), nil
}

// recover gets a new passkey for the owner, by the mail and the code together,
// and pays with it from the same address.
func (s *story) recover(ctx context.Context) (string, error) {
	l, err := s.askForMail(ctx)
	if err != nil {
		return "", err
	}
	body, err := s.answerMail(&l)
	if err != nil {
		return "", err
	}
	if err := s.sync(ctx, body); err != nil {
		return "", err
	}
	s.passkey = railkit.FromAuthenticator(l.made)
	s.nowOwned(l.made.Credentials()[0])
	paid, err := s.client.Transactions.Send(ctx, s.passkey, s.transfer(afterwards))
	if err != nil {
		return "", err
	}
	if _, err := s.client.Transactions.WaitConfirmed(ctx, paid.TransactionID, s.Poll); err != nil {
		return "", err
	}
	s.received, err = s.node().tokenBalance(ctx, s.facts.Tokens[token], s.receiver)
	return short(paid.From) + " pays again", err
}

// nowOwned tells the client of the passkey that took the lost one's place. It
// refuses every address that a passkey owns of which nobody told it.
func (s *story) nowOwned(made passkey.Credential) {
	sub := s.owner.SubOrganizationID
	owners, _ := s.client.SubOrganizations.KnownOwners(sub)
	owners = owners.Without(s.owner.Owners.Credentials[0].ID)
	owners.Credentials = append(owners.Credentials, railkit.Credential{ID: made.ID, PublicKey: made.PublicKey})
	s.client.SubOrganizations.TrustOwners(sub, owners)
}

// askForMail begins, and reads the link in the mail.
func (s *story) askForMail(ctx context.Context) (l lost, err error) {
	if l.target, err = ecdh.P256().GenerateKey(rand.Reader); err != nil {
		return l, err
	}
	point := l.target.PublicKey().Bytes()
	body, err := json.Marshal(map[string]string{
		"email": email, "targetPublicKey": hex.EncodeToString(append([]byte{2 + point[64]&1}, point[1:33]...)),
	})
	if err != nil {
		return l, err
	}
	answer, err := s.ask(ctx, s.keyed("/v1/signing/recovery/initiate", body), http.StatusCreated)
	if err != nil {
		return l, err
	}
	var begun struct{ RecoveryID string }
	if err := answer.data(&begun); err != nil {
		return l, err
	}
	l.id = begun.RecoveryID
	err = s.until(ctx, "the recovery's mail", func() (bool, error) {
		text, err := s.mailWith(ctx, email, "#")
		_, link, found := strings.Cut(text, "#")
		link, _, _ = strings.Cut(link, "\n")
		l.token, l.bundle, _ = strings.Cut(strings.TrimSpace(link), ".")
		return found && l.bundle != "", err
	})
	return l, err
}

func (s *story) keyed(path string, body []byte) request {
	return request{
		method: http.MethodPost, path: path, body: string(body), key: s.facts.BenchKey, idempotency: uuid.NewString(),
	}
}

// mailWith is the newest mail to somebody that holds the words.
func (s *story) mailWith(ctx context.Context, to, words string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet,
		strings.TrimSuffix(s.facts.MailURL, "/")+"/mails.json", nil)
	if err != nil {
		return "", err
	}
	res, err := (&http.Client{Transport: s.recorder}).Do(r)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return "", err
	}
	var mails []struct {
		To   []string
		Text string
	}
	if err := json.Unmarshal(raw, &mails); err != nil {
		return "", fmt.Errorf("reading the mails: %w", err)
	}
	for _, m := range mails {
		if slices.Contains(m.To, to) && strings.Contains(m.Text, words) {
			return m.Text, nil
		}
	}
	return "", nil
}

// answerMail makes the new passkey for the secret in the mail, and vouches for it
// with the recovery code.
func (s *story) answerMail(l *lost) ([]byte, error) {
	own, err := hpke.NewDHKEMPrivateKey(l.target)
	if err != nil {
		return nil, err
	}
	sealed, err := base64.RawURLEncoding.DecodeString(l.bundle)
	if err != nil {
		return nil, fmt.Errorf("reading the mailed half: %w", err)
	}
	secret, err := hpke.Open(own, hpke.HKDFSHA256(), hpke.AES256GCM(), wire.RecoveryInfo("sandbox", l.id), sealed)
	if err != nil {
		return nil, fmt.Errorf("opening the mailed half: %w", err)
	}
	l.made = passkey.New(s.facts.CeremonyOrigin)
	att, err := l.made.Create(passkey.CreationOptions{
		Challenge: base64.RawURLEncoding.EncodeToString(secret), RP: passkey.RelyingParty{
			ID: s.facts.RPID, Name: "Railkit",
		},
		User:             passkey.User{ID: "YWRh", Name: email, DisplayName: "Ada"},
		PubKeyCredParams: []passkey.CredentialParameter{{Type: "public-key", Alg: -7}},
	})
	if err != nil {
		return nil, err
	}
	p := wire.RecoverUserParams{RecoveryID: l.id, Attestation: wire.Attestation(att), RemoveOtherPasskeys: true}
	vouched, err := s.vouch(wire.RecoveryMessage("sandbox", s.owner.SubOrganizationID, s.owner.UserID, p))
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{
		"recoveryId": l.id, "credentialId": att.CredentialID, "clientDataJson": att.ClientDataJSON,
		"attestationObject": att.AttestationObject, "removeOtherPasskeys": true, "recoverySignature": vouched,
	})
}

// vouch signs with the recovery code: r and s, base64url.
func (s *story) vouch(message string) (string, error) {
	sum := sha256.Sum256([]byte(message))
	der, err := s.code.Sign(rand.Reader, sum[:], crypto.SHA256)
	if err != nil {
		return "", err
	}
	var sig struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(der, &sig); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(append(sig.R.FillBytes(make([]byte, 32)),
		sig.S.FillBytes(make([]byte, 32))...)), nil
}

// sync hands the passkey in, and waits until the delay has passed.
func (s *story) sync(ctx context.Context, body []byte) error {
	return s.until(ctx, "the recovery's delay to pass", func() (bool, error) {
		answer, err := s.ask(ctx, s.keyed("/v1/signing/recovery/sync", body), http.StatusCreated)
		if err != nil {
			return false, err
		}
		var now struct{ Status string }
		if err := answer.data(&now); err != nil {
			return false, err
		}
		if now.Status != "pending" && now.Status != "completed" {
			return false, errors.New("the recovery is " + now.Status)
		}
		return now.Status == "completed", nil
	})
}
