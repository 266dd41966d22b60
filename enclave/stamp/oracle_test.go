package stamp

import (
	"encoding/json"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/protocol/webauthncose"

	"github.com/railkit/railkit/enclave/wire"
)

// The oracle is go-webauthn, an implementation that others wrote. It knows no
// sign counter, credential id or backup eligibility at this level, and is laxer
// in places; what it must never do is refuse what this package accepts.

func oracleAssertion(c *assertionCase) error {
	challenge := b64([]byte(ChallengeText(c.body)))
	return oracleVerify(c.stamp(), c.rp, challenge, c.cred.PublicKey)
}

func oracleVerify(s wire.Stamp, rp RelyingParty, challenge string, key []byte) error {
	var form map[string]string
	if err := json.Unmarshal([]byte(s.HeaderValue), &form); err != nil {
		return err
	}
	id := form["credentialId"]
	parsed, err := protocol.ParseCredentialRequestResponseBytes(publicKeyCredential(id, map[string]any{
		"authenticatorData": form["authenticatorData"],
		"clientDataJSON":    form["clientDataJson"],
		"signature":         form["signature"],
	}))
	if err != nil {
		return err
	}
	return parsed.Verify(challenge, rp.ID, "", rp.Origins, nil, nil, protocol.TopOriginExplicitVerificationMode,
		false, true, true, key, protocol.SignaturePolicy{})
}

func oracleRegistration(rp RelyingParty, challenge []byte, att wire.Attestation) error {
	parsed, err := protocol.ParseCredentialCreationResponseBytes(publicKeyCredential(att.CredentialID, map[string]any{
		"attestationObject": att.AttestationObject,
		"clientDataJSON":    att.ClientDataJSON,
		"transports":        att.Transports,
	}))
	if err != nil {
		return err
	}
	_, err = parsed.Verify(b64(challenge), rp.ID, rp.Origins, nil, nil, protocol.TopOriginExplicitVerificationMode,
		false, true, true, nil, []protocol.CredentialParameter{
			{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgES256},
			{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgEdDSA},
			{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgRS256},
		}, protocol.AttestationPolicy{}, protocol.SignaturePolicy{})
	return err
}

// publicKeyCredential is what PublicKeyCredential.toJSON() of a browser gives.
func publicKeyCredential(id string, response map[string]any) []byte {
	raw, err := json.Marshal(map[string]any{
		"id": id, "rawId": id, "type": "public-key", "response": response,
		"authenticatorAttachment": "platform", "clientExtensionResults": map[string]any{},
	})
	if err != nil {
		panic(err)
	}
	return raw
}
