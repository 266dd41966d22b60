package stamp

import (
	"bytes"

	"github.com/railkit/railkit/enclave/wire"
)

// A challenge shorter than this could be guessed or, empty, be missing.
const minChallenge = 16

// Registration is a new passkey, verified.
type Registration struct {
	CredentialID   []byte
	PublicKey      []byte // COSE key, canonical
	AAGUID         string // make of the authenticator; nothing proves it
	SignCount      uint32
	BackupEligible bool
}

// VerifyRegistration checks what navigator.credentials.create returned for
// challenge. Attestation is taken in the formats "none" and "packed" by the
// credential's own key. The others speak about the make of the authenticator
// under certificates that this package does not judge, and what is not judged
// is refused. Whoever wants a credential asks with attestation "none".
func VerifyRegistration(rp RelyingParty, challenge []byte, att wire.Attestation) (Registration, error) {
	if len(challenge) < minChallenge {
		return Registration{}, refuse("challenge is too short")
	}
	sent, err := decodeAttestation(att)
	if err != nil {
		return Registration{}, err
	}
	if err := checkClientData(sent.clientData, "webauthn.create", rp.Origins, challenge); err != nil {
		return Registration{}, err
	}
	auth, err := parseAuthenticatorData(sent.object.authData)
	if err != nil {
		return Registration{}, err
	}
	if err := auth.check(rp.ID); err != nil {
		return Registration{}, err
	}
	if auth.attested == nil || !bytes.Equal(auth.attested.id, sent.credentialID) {
		return Registration{}, refuse("attestation is of another credential")
	}
	key, err := parseKey(auth.attested.publicKey)
	if err != nil {
		return Registration{}, err
	}
	if err := sent.object.verify(key, sent.clientData); err != nil {
		return Registration{}, err
	}
	return auth.registration(), nil
}

func (d authenticatorData) registration() Registration {
	return Registration{
		CredentialID:   d.attested.id,
		PublicKey:      d.attested.publicKey,
		AAGUID:         formatAAGUID(d.attested.aaguid),
		SignCount:      d.signCount,
		BackupEligible: d.has(flagBackupEligible),
	}
}

// attestation is wire.Attestation, decoded.
type attestation struct {
	credentialID []byte
	clientData   []byte
	object       attestationObject
}

func decodeAttestation(att wire.Attestation) (a attestation, err error) {
	if a.credentialID, err = decodeCredentialID(att.CredentialID); err != nil {
		return attestation{}, err
	}
	if a.clientData, err = decodeBase64(att.ClientDataJSON); err != nil {
		return attestation{}, err
	}
	raw, err := decodeBase64(att.AttestationObject)
	if err != nil {
		return attestation{}, err
	}
	if a.object, err = parseAttestationObject(raw); err != nil {
		return attestation{}, err
	}
	return a, nil
}

// attestationObject is WebAuthn level 3, section 6.5.4.
type attestationObject struct {
	format    string
	statement map[string]any
	authData  []byte
}

func parseAttestationObject(raw []byte) (attestationObject, error) {
	var members map[string]any
	if decoding.Unmarshal(raw, &members) != nil {
		return attestationObject{}, refuse("attestation object is not a CBOR map")
	}
	format, isText := members["fmt"].(string)
	statement, isMap := members["attStmt"].(map[string]any)
	authData, isBytes := members["authData"].([]byte)
	if len(members) != 3 || !isText || !isMap || !isBytes {
		return attestationObject{}, refuse("attestation object has missing, unknown or mistyped members")
	}
	return attestationObject{format, statement, authData}, nil
}

func (o attestationObject) verify(key publicKey, clientData []byte) error {
	switch o.format {
	case "none":
		if len(o.statement) != 0 {
			return refuse("attestation of format none has a statement")
		}
		return nil
	case "packed":
		return o.verifySelf(key, clientData)
	}
	return refuse("attestation format is not accepted: ask for a passkey with attestation none")
}

// verifySelf takes exactly {alg, sig}: with x5c another key would have signed.
func (o attestationObject) verifySelf(key publicKey, clientData []byte) error {
	signature, isBytes := o.statement["sig"].([]byte)
	if len(o.statement) != 2 || !isBytes {
		return refuse("packed attestation is not by the credential's own key")
	}
	if o.statement["alg"] != key.algorithm() {
		return refuse("packed attestation names another algorithm")
	}
	if !key.verify(signedBytes(o.authData, clientData), signature) {
		return refuse("attestation signature does not verify")
	}
	return nil
}
