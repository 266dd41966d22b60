package stamp

import (
	"crypto/subtle"
	"encoding/base64"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// clientData is what the browser says about the ceremony. Browsers add members
// over time, so unknown ones are ignored; a member given twice is refused.
type clientData struct {
	Type        string         `json:"type"`
	Challenge   string         `json:"challenge"`
	Origin      string         `json:"origin"`
	CrossOrigin jsontext.Value `json:"crossOrigin"`
	TopOrigin   jsontext.Value `json:"topOrigin"`
}

func parseClientData(raw []byte) (clientData, error) {
	var c clientData
	// "null" decodes without error and leaves c empty, which no check passes.
	if json.Unmarshal(raw, &c) != nil {
		return clientData{}, refuse("client data is not a JSON object with unique members")
	}
	return c, nil
}

func checkClientData(raw []byte, ceremony string, origins []string, challenge []byte) error {
	c, err := parseClientData(raw)
	if err != nil {
		return err
	}
	if c.Type != ceremony {
		return refuse("client data is of another ceremony")
	}
	// Comparing the text refuses every other spelling of the same bytes.
	want := base64.RawURLEncoding.EncodeToString(challenge)
	if subtle.ConstantTimeCompare([]byte(c.Challenge), []byte(want)) != 1 {
		return refuse("challenge does not match")
	}
	return c.checkOrigin(origins)
}

func (c clientData) checkOrigin(origins []string) error {
	if c.Origin == "" || !slices.Contains(origins, c.Origin) {
		return refuse("origin is not accepted")
	}
	if len(c.CrossOrigin) > 0 && string(c.CrossOrigin) != "false" {
		return refuse("ceremony ran inside another origin's page")
	}
	if len(c.TopOrigin) > 0 {
		return refuse("client data names a top origin")
	}
	return nil
}
