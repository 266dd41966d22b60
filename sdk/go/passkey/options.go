package passkey

import "github.com/railkit/railkit/enclave/wire"

// CreationOptions is the part of PublicKeyCredentialCreationOptionsJSON that
// this authenticator reads.
type CreationOptions struct {
	Challenge          string                 `json:"challenge"` // base64url
	RP                 RelyingParty           `json:"rp"`
	User               User                   `json:"user"`
	PubKeyCredParams   []CredentialParameter  `json:"pubKeyCredParams"`
	ExcludeCredentials []CredentialDescriptor `json:"excludeCredentials,omitempty"`
}

// RelyingParty is who asks for the passkey. Without an id it is the origin's host.
type RelyingParty struct {
	ID   string `json:"id,omitempty"`
	Name string `json:"name"`
}

// User is whom the passkey is for.
type User struct {
	ID          string `json:"id"` // base64url
	Name        string `json:"name"`
	DisplayName string `json:"displayName"`
}

// CredentialParameter is an algorithm that the relying party takes.
type CredentialParameter struct {
	Type string `json:"type"` // public-key
	Alg  int64  `json:"alg"`  // COSE
}

// CredentialDescriptor names a credential.
type CredentialDescriptor struct {
	Type       string   `json:"type"`
	ID         string   `json:"id"` // base64url
	Transports []string `json:"transports,omitempty"`
}

// Attestation is a new passkey, in the form that passkeys/register takes.
type Attestation = wire.Attestation

// Stamp is a signature over a body, in the form that a confirm call takes.
type Stamp = wire.Stamp

// Credential is what is public of a passkey. A client compares ID and
// PublicKey with those in the enclave's proof.
type Credential struct {
	ID        string // base64url
	PublicKey string // COSE key, base64url
	RPID      string
	UserID    string // base64url
	UserName  string
	SignCount uint32
}
