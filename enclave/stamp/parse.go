package stamp

import (
	"encoding/base64"
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

// credentialForm is PublicKeyCredential.toJSON() of a browser. What is typed
// jsontext.Value is allowed and ignored: no authenticator signs it.
type credentialForm struct {
	ID         string         `json:"id"`
	RawID      string         `json:"rawId"`
	Type       string         `json:"type"`
	Response   responseForm   `json:"response"`
	Attachment jsontext.Value `json:"authenticatorAttachment"`
	Extensions jsontext.Value `json:"clientExtensionResults"`
}

type responseForm struct {
	AuthenticatorData string         `json:"authenticatorData"`
	ClientDataJSON    string         `json:"clientDataJSON"`
	Signature         string         `json:"signature"`
	UserHandle        jsontext.Value `json:"userHandle"`
}

// ParseAssertion takes a stamp apart, in either of its two forms. Unknown and
// duplicate members are refused in both.
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

func readForm(text []byte) (stampForm, error) {
	var probe struct {
		Response jsontext.Value `json:"response"`
	}
	if json.Unmarshal(text, &probe) != nil {
		return stampForm{}, refuse("stamp is not a JSON object")
	}
	if len(probe.Response) > 0 {
		return readCredentialForm(text)
	}
	var form stampForm
	if json.Unmarshal(text, &form, json.RejectUnknownMembers(true)) != nil {
		return stampForm{}, refuse("stamp has an unknown or mistyped member")
	}
	return form, nil
}

func readCredentialForm(text []byte) (stampForm, error) {
	var c credentialForm
	if json.Unmarshal(text, &c, json.RejectUnknownMembers(true)) != nil {
		return stampForm{}, refuse("credential has an unknown or mistyped member")
	}
	if c.Type != "public-key" {
		return stampForm{}, refuse("credential is not a public key")
	}
	if c.ID != c.RawID {
		return stampForm{}, refuse("credential has two ids")
	}
	r := c.Response
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
