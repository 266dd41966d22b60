package npmtest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"

	"github.com/railkit/railkit/sdk/go/passkey"
)

// Browser plays the browser with a software passkey. The challenge has to be the
// one that a body calls for, since nothing else would be accepted.
func Browser(key *passkey.Authenticator, body string) Get {
	return func(options []byte) ([]byte, error) {
		var asked struct{ Challenge string }
		if err := json.Unmarshal(options, &asked); err != nil {
			return nil, err
		}
		sum := sha256.Sum256([]byte(body))
		if asked.Challenge != base64.RawURLEncoding.EncodeToString([]byte(hex.EncodeToString(sum[:]))) {
			return nil, errors.New("the stamper asks for another challenge")
		}
		made, err := key.Stamp(body)
		if err != nil {
			return nil, err
		}
		var form map[string]string
		if err := json.Unmarshal([]byte(made.HeaderValue), &form); err != nil {
			return nil, err
		}
		return json.Marshal(map[string]any{"id": form["credentialId"], "type": "public-key",
			"response": map[string]string{
				"authenticatorData": form["authenticatorData"], "clientDataJSON": form["clientDataJson"],
				"signature": form["signature"],
			}})
	}
}
