package railkit

import (
	"encoding/json"
	"fmt"
)

// Passkey creates credentials and stamps bodies. In a product it is the user's
// own authenticator; the package passkey has one in software, for tests and CI.
type Passkey interface {
	// Create makes a credential from PublicKeyCredentialCreationOptionsJSON.
	Create(options []byte) (Attestation, error)
	// Stamp signs a body with one of the allowed credentials (base64url ids).
	Stamp(body string, allow ...string) (Stamp, error)
}

// FromAuthenticator makes a Passkey of an authenticator with types of its own,
// as long as their JSON is that of the API:
//
//	pk := railkit.FromAuthenticator(passkey.New("http://localhost:8081"))
func FromAuthenticator[O, A, S any](a interface {
	Create(options O) (A, error)
	Stamp(body string, allow ...string) (S, error)
}) Passkey {
	return adapter[O, A, S]{create: a.Create, stamp: a.Stamp}
}

type adapter[O, A, S any] struct {
	create func(O) (A, error)
	stamp  func(string, ...string) (S, error)
}

// Create reads the options into the authenticator's own type.
func (p adapter[O, A, S]) Create(options []byte) (Attestation, error) {
	var o O
	if err := json.Unmarshal(options, &o); err != nil {
		return Attestation{}, fmt.Errorf("railkit: reading the creation options: %w", err)
	}
	made, err := p.create(o)
	if err != nil {
		return Attestation{}, err
	}
	var out Attestation
	err = convert(made, &out)
	return out, err
}

// Stamp writes the stamp in the form that a confirm takes.
func (p adapter[O, A, S]) Stamp(body string, allow ...string) (Stamp, error) {
	made, err := p.stamp(body, allow...)
	if err != nil {
		return Stamp{}, err
	}
	var out Stamp
	err = convert(made, &out)
	return out, err
}

func convert(from, to any) error {
	raw, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(raw, to)
	}
	if err != nil {
		return fmt.Errorf("railkit: reading what the authenticator made: %w", err)
	}
	return nil
}
