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
	Former            []Credential `json:"former,omitempty"`            // removed since; statements from before still name them
	FormerRecovery    []string     `json:"formerRecovery,omitempty"`    // recovery keys that were replaced
}

func (o Owners) clone() Owners {
	return Owners{slices.Clone(o.Credentials), o.RecoveryPublicKey, slices.Clone(o.Former), slices.Clone(o.FormerRecovery)}
}

// Without is the owners once a passkey is removed.
func (o Owners) Without(credentialID string) Owners {
	next := o.clone()
	next.Credentials = nil
	for _, c := range o.Credentials {
		if c.ID == credentialID {
			next.Former = append(next.Former, c)
		} else {
			next.Credentials = append(next.Credentials, c)
		}
	}
	return next
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
	c.owners.known[subOrganizationID] = o.clone()
}

// KnownOwners is what the client believes of a sub-organization, for storing it.
func (c *Client) KnownOwners(subOrganizationID string) (Owners, bool) {
	c.owners.mu.RLock()
	defer c.owners.mu.RUnlock()
	o, ok := c.owners.known[subOrganizationID]
	return o.clone(), ok
}

// match refuses owners nobody told us about, and owners that lack one of ours.
func (o Owners) match(stated *wire.Owners) error {
	o.Former, o.FormerRecovery = nil, nil // who was removed owns nothing now
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

// noStranger is match for a statement from some time ago.
func (o Owners) noStranger(stated *wire.Owners) error {
	if stated == nil {
		return tampered(ReasonOwners, "the enclave's statement names no owners")
	}
	for _, s := range stated.Credentials {
		same := func(c Credential) bool { return c.is(s) }
		if !slices.ContainsFunc(o.Credentials, same) && !slices.ContainsFunc(o.Former, same) {
			return tampered(ReasonOwners, "a passkey that is not known here can sign for it")
		}
	}
	if stated.RecoveryPublicKey != o.RecoveryPublicKey && !slices.Contains(o.FormerRecovery, stated.RecoveryPublicKey) {
		return tampered(ReasonOwners, "the recovery key is not the one known here")
	}
	return nil
}

func (c Credential) is(s wire.Credential) bool {
	return s.CredentialID == c.ID && s.PublicKey == c.PublicKey
}
