package session

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/protocol/webauthncose"
	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/team"
)

const rpName = "Railkit"

// algorithms are those that a login passkey may have, best known first.
var algorithms = []int64{-7, -8, -257} // ES256, EdDSA, RS256

// Credential is what a browser's PublicKeyCredential.toJSON() gives.
type Credential map[string]any

// PasskeyOptions are the part of PublicKeyCredentialCreationOptionsJSON that is needed.
type PasskeyOptions struct {
	Challenge              string              `json:"challenge" doc:"What the passkey signs, in base64url"`
	RP                     PasskeyParty        `json:"rp"`
	User                   PasskeyUser         `json:"user"`
	PubKeyCredParams       []PasskeyAlgorithm  `json:"pubKeyCredParams"`
	ExcludeCredentials     []PasskeyDescriptor `json:"excludeCredentials"`
	AuthenticatorSelection PasskeySelection    `json:"authenticatorSelection"`
	Attestation            string              `json:"attestation" enum:"none"`
	Timeout                int64               `json:"timeout" doc:"How many milliseconds the browser waits for the passkey"`
}

// PasskeyParty is who asks for the passkey.
type PasskeyParty struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// PasskeyUser is whom it is for.
type PasskeyUser struct {
	ID          string `json:"id" doc:"Id of the passkey, in base64url"`
	Name        string `json:"name"`
	DisplayName string `json:"displayName"`
}

// PasskeyAlgorithm is an algorithm that is taken.
type PasskeyAlgorithm struct {
	Type string `json:"type" enum:"public-key"`
	Alg  int64  `json:"alg" doc:"Algorithm of the key, as COSE numbers it: -7 is ES256"`
}

// PasskeyDescriptor names a passkey.
type PasskeyDescriptor struct {
	Type string `json:"type" enum:"public-key"`
	ID   string `json:"id" doc:"Id of the passkey, in base64url"`
}

// PasskeySelection asks for a passkey that is found without a name, and checks its user.
type PasskeySelection struct {
	ResidentKey        string `json:"residentKey" enum:"required"`
	RequireResidentKey bool   `json:"requireResidentKey"`
	UserVerification   string `json:"userVerification" enum:"required"`
}

// LoginOptions are PublicKeyCredentialRequestOptionsJSON without a list: the
// browser asks which of its passkeys is meant.
type LoginOptions struct {
	Challenge        string `json:"challenge" doc:"What the passkey signs, in base64url"`
	RPID             string `json:"rpId"`
	UserVerification string `json:"userVerification" enum:"required"`
	Timeout          int64  `json:"timeout" doc:"How many milliseconds the browser waits for the passkey"`
}

func (s *Service) creationOptions(m team.Member, has []Passkey, challenge string) PasskeyOptions {
	o := PasskeyOptions{
		Challenge: challenge, RP: PasskeyParty{s.c.RPID, rpName},
		User:                   PasskeyUser{base64.RawURLEncoding.EncodeToString([]byte(m.ID)), m.Email, m.Email},
		AuthenticatorSelection: PasskeySelection{"required", true, "required"}, Attestation: "none",
		Timeout: challengeLife.Milliseconds(), ExcludeCredentials: []PasskeyDescriptor{},
	}
	for _, alg := range algorithms {
		o.PubKeyCredParams = append(o.PubKeyCredParams, PasskeyAlgorithm{"public-key", alg})
	}
	for _, p := range has {
		o.ExcludeCredentials = append(o.ExcludeCredentials, PasskeyDescriptor{
			"public-key", credentialID(p.Credential.ID),
		})
	}
	return o
}

// user is a member as the library wants it.
type user struct {
	member      team.Member
	credentials []webauthn.Credential
}

func (u user) WebAuthnID() []byte                         { return []byte(u.member.ID) }
func (u user) WebAuthnName() string                       { return u.member.Email }
func (u user) WebAuthnDisplayName() string                { return u.member.Email }
func (u user) WebAuthnCredentials() []webauthn.Credential { return u.credentials }

// created checks a new passkey of the member, and returns the challenge that it answered.
func (s *Service) created(m team.Member, c Credential) (webauthn.Credential, string, error) {
	wrong := fault.Field("credential", "is not a new passkey of this page with its user verified")
	raw, err := json.Marshal(c)
	if err != nil {
		return webauthn.Credential{}, "", wrong.Because(err)
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(raw)
	if err != nil {
		return webauthn.Credential{}, "", wrong.Because(err)
	}
	answered := parsed.Response.CollectedClientData.Challenge
	asked := webauthn.SessionData{
		Challenge: answered, RelyingPartyID: s.c.RPID, UserID: []byte(m.ID),
		UserVerification: protocol.VerificationRequired,
	}
	for _, alg := range algorithms {
		asked.CredParams = append(asked.CredParams, protocol.CredentialParameter{
			Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.COSEAlgorithmIdentifier(alg),
		})
	}
	made, err := s.passkeys.CreateCredential(user{member: m}, asked, parsed)
	if err != nil {
		return webauthn.Credential{}, "", wrong.Because(err)
	}
	made.Attestation = webauthn.CredentialAttestation{} // nobody reads it again
	return *made, answered, nil
}

// asserted checks a login's answer by the passkey, whose counter comes back raised.
func (s *Service) asserted(
	m team.Member, p Passkey, parsed *protocol.ParsedCredentialAssertionData,
) (webauthn.Credential, error) {
	asked := webauthn.SessionData{
		Challenge: parsed.Response.CollectedClientData.Challenge, RelyingPartyID: s.c.RPID,
		UserVerification: protocol.VerificationRequired,
	}
	// A keychain that is synced later changes this flag, and so does a password manager that takes the passkey in. The
	// library refuses that; the signature, which it checks, is the same key's all the same.
	p.Credential.Flags.BackupEligible = parsed.Response.AuthenticatorData.Flags.HasBackupEligible()
	find := func(_, handle []byte) (webauthn.User, error) {
		if !bytes.Equal(handle, []byte(m.ID)) {
			return nil, errors.New("the passkey is another member's")
		}
		return user{m, []webauthn.Credential{p.Credential}}, nil
	}
	used, err := s.passkeys.ValidateDiscoverableLogin(find, asked, parsed)
	if err != nil {
		return webauthn.Credential{}, err
	}
	if used.Authenticator.CloneWarning {
		return webauthn.Credential{}, errors.New("the passkey's counter went back: there are two of it")
	}
	return *used, nil
}

func credentialID(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }
