package railkit

import (
	"slices"
	"sync"

	"github.com/railkit/railkit/enclave/wire"
)

// Credential is a passkey, as far as it matters who holds it.
type Credential struct {
	ID        string `json:"id"`        // base64url without padding
	PublicKey string `json:"publicKey"` // COSE key, base64url without padding
}

// Owners are all who may sign for the accounts of a sub-organization.
type Owners struct {
	Credentials       []Credential `json:"credentials"`
	RecoveryPublicKey string       `json:"recoveryPublicKey,omitempty"` // "": none may recover
}

type ownerBook struct {
	mu    sync.RWMutex
	known map[string]Owners
}

// TrustOwners tells the client who owns a sub-organization: after a restart,
// from what [Registration].Owners said, and when somebody adds a passkey. It
// replaces what was known of it before.
func (c *Client) TrustOwners(subOrganizationID string, o Owners) {
	c.owners.mu.Lock()
	defer c.owners.mu.Unlock()
	c.owners.known[subOrganizationID] = Owners{slices.Clone(o.Credentials), o.RecoveryPublicKey}
}

// KnownOwners is what the client believes of a sub-organization, for storing it.
func (c *Client) KnownOwners(subOrganizationID string) (Owners, bool) {
	c.owners.mu.RLock()
	defer c.owners.mu.RUnlock()
	o, ok := c.owners.known[subOrganizationID]
	return Owners{slices.Clone(o.Credentials), o.RecoveryPublicKey}, ok
}

// match refuses owners nobody told us about, and owners that lack one of ours.
func (o Owners) match(stated *wire.Owners) error {
	if err := o.noStranger(stated); err != nil {
		return err
	}
	for _, known := range o.Credentials {
		if !slices.ContainsFunc(stated.Credentials, known.is) {
			return tampered(ReasonOwners, "a passkey of this sub-organization is not among the owners")
		}
	}
	return nil
}

// noStranger is match for a statement from before our newest passkey.
func (o Owners) noStranger(stated *wire.Owners) error {
	if stated == nil {
		return tampered(ReasonOwners, "the enclave's statement names no owners")
	}
	for _, s := range stated.Credentials {
		if !slices.ContainsFunc(o.Credentials, func(c Credential) bool { return c.is(s) }) {
			return tampered(ReasonOwners, "a passkey that is not known here can sign for it")
		}
	}
	if stated.RecoveryPublicKey != o.RecoveryPublicKey {
		return tampered(ReasonOwners, "the recovery key is not the one known here")
	}
	return nil
}

func (c Credential) is(s wire.Credential) bool {
	return s.CredentialID == c.ID && s.PublicKey == c.PublicKey
}
