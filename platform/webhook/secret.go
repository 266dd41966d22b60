package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/railkit/railkit/platform/vault"
)

const (
	secretPrefix = "whsec_"
	secretBytes  = 32 // of the 24 to 64 that the specification allows
)

// newSecret is the text of a new secret.
func newSecret() string {
	raw := make([]byte, secretBytes)
	_, _ = rand.Read(raw) // never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(raw)
}

// secretField is what a sealed secret is bound to. It has a number, so that a secret can become the old one as it is.
func secretField(version int64) string { return "secret " + strconv.FormatInt(version, 10) }

// signers are the keys of an endpoint that sign at an instant, the newest first.
func (e Endpoint) signers(v *vault.Vault, now time.Time) ([][]byte, error) {
	key, err := openSecret(v, e, e.SecretVersion, e.Sealed)
	if err != nil || !now.Before(e.OldUntil) {
		return [][]byte{key}, err
	}
	old, err := openSecret(v, e, e.SecretVersion-1, e.OldSealed)
	return [][]byte{key, old}, err
}

var errSecret = errors.New("webhook: a sealed secret is none")

func openSecret(v *vault.Vault, e Endpoint, version int64, sealed string) ([]byte, error) {
	text, err := v.Open(e.place(version), sealed)
	if err != nil {
		return nil, fmt.Errorf("the secret of the webhook endpoint %s: %w", e.ID, err)
	}
	raw, is := strings.CutPrefix(string(text), secretPrefix)
	key, err := base64.StdEncoding.DecodeString(raw)
	if err != nil || !is {
		return nil, errSecret
	}
	return key, nil
}

// sign is the header webhook-signature: one signature by each key, with spaces between.
func sign(keys [][]byte, id, timestamp string, body []byte) string {
	all := make([]string, len(keys))
	for i, key := range keys {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + timestamp + "."))
		mac.Write(body)
		all[i] = "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	return strings.Join(all, " ")
}
