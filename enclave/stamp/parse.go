package stamp

import (
	"encoding/base64"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/railkit/railkit/enclave/wire"
)

// HeaderName is the header form of a passkey stamp. Any case of it is taken.
const HeaderName = "X-Stamp-WebAuthn"

const (
	headerNameLower = "x-stamp-webauthn"

	maxText         = 64 << 10 // of a header value or one field of an attestation
	maxCredentialID = 1023     // WebAuthn level 3, section 7.1
)

// stampForm is the header value of the field's WebAuthn stamper.
type stampForm struct {
	AuthenticatorData string `json:"authenticatorData"`
	ClientDataJSON    string `json:"clientDataJson"`
	CredentialID      string `json:"credentialId"`
	Signature         string `json:"signature"`
}

// credentialForm is PublicKeyCredential.toJSON() of a browser.
type credentialForm struct {
	ID       string         `json:"id"`
	RawID    string         `json:"rawId"`
	Response jsontext.Value `json:"response"`
}

type responseForm struct {
	AuthenticatorData string `json:"authenticatorData"`
	ClientDataJSON    string `json:"clientDataJSON"`
	Signature         string `json:"signature"`
}

// meaningful are the members of all forms of stamps, in lower case. Others, as path or
// type, say nothing that is checked here, and are ignored.
var meaningful = []string{
	"authenticatordata", "clientdatajson", "credentialid", "signature", "publickey", "scheme",
	"id", "rawid", "response",
}

// readMembers reads a form. It refuses a member twice, and what means something in
// another form or another spelling: two readers could find two stamps in that.
func readMembers(text []byte, form any) error {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(text, &members); err != nil {
		return err
	}
	maps.DeleteFunc(members, func(name string, _ jsontext.Value) bool {
		return !slices.Contains(meaningful, strings.ToLower(name))
	})
	kept, err := json.Marshal(members)
	if err != nil {
		return err
	}
	return json.Unmarshal(kept, form, json.RejectUnknownMembers(true))
}

// ParseAssertion takes a stamp apart, in either of its two forms.
func ParseAssertion(s wire.Stamp) (Assertion, error) {
	if strings.ToLower(s.HeaderName) != headerNameLower {
		return Assertion{}, refuse("not a passkey stamp")
	}
	if len(s.HeaderValue) > maxText {
		return Assertion{}, refuse("stamp is too large")
	}
	form, err := readForm([]byte(s.HeaderValue))
	if err != nil {
		return Assertion{}, err
	}
	return form.decode()
}

func readForm(text []byte) (form stampForm, err error) {
	var probe struct {
		Type     jsontext.Value `json:"type"`
		Response jsontext.Value `json:"response"`
	}
	if json.Unmarshal(text, &probe) != nil {
		return form, refuse("stamp is not a JSON object")
	}
	if len(probe.Response) > 0 {
		return readCredentialForm(text, string(probe.Type))
	}
	if readMembers(text, &form) != nil {
		return form, refuse("stamp has an unknown or mistyped member")
	}
	return form, nil
}

func readCredentialForm(text []byte, kind string) (stampForm, error) {
	var c credentialForm
	var r responseForm
	if readMembers(text, &c) != nil || readMembers(c.Response, &r) != nil {
		return stampForm{}, refuse("credential has an unknown or mistyped member")
	}
	if kind != `"public-key"` {
		return stampForm{}, refuse("credential is not a public key")
	}
	if c.ID != c.RawID {
		return stampForm{}, refuse("credential has two ids")
	}
	return stampForm{r.AuthenticatorData, r.ClientDataJSON, c.ID, r.Signature}, nil
}

func (f stampForm) decode() (a Assertion, err error) {
	if a.authenticatorData, err = decodeBase64(f.AuthenticatorData); err != nil {
		return Assertion{}, err
	}
	if a.clientData, err = decodeBase64(f.ClientDataJSON); err != nil {
		return Assertion{}, err
	}
	if a.credentialID, err = decodeCredentialID(f.CredentialID); err != nil {
		return Assertion{}, err
	}
	if a.signature, err = decodeBase64(f.Signature); err != nil {
		return Assertion{}, err
	}
	return a, nil
}

func decodeCredentialID(text string) ([]byte, error) {
	id, err := decodeBase64(text)
	if err != nil {
		return nil, err
	}
	if len(id) > maxCredentialID {
		return nil, refuse("credential id is too long")
	}
	return id, nil
}

// decodeBase64 takes one spelling per value: base64url, no padding, no spare
// bits, and none of the line breaks that the standard decoder skips.
func decodeBase64(text string) ([]byte, error) {
	if text == "" {
		return nil, refuse("a binary field is missing")
	}
	if len(text) > maxText {
		return nil, refuse("a binary field is too large")
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || strings.ContainsAny(text, "\r\n") {
		return nil, refuse("a binary field is not unpadded base64url")
	}
	return raw, nil
}
