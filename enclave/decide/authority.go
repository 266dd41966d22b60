package decide

import (
	"bytes"

	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// actor is on whose word a body is decided: a passkey's, the key's of a
// delegation, those of the votes that it waited for, or nobody's but the host's.
type actor struct {
	credential *credential // a passkey's stamp
	key        string      // API-key stamp: its public key, compressed hex
	voted      bool        // enough votes: Submit of what was held
}

// previewer is the actor that previews assume: a passkey of the owner, which one nobody knows yet.
var previewer = actor{credential: &credential{}}

func (a actor) userID() string {
	if a.credential == nil {
		return ""
	}
	return a.credential.UserID
}

// authorize finds the organization that the body names and holds the stamp
// against it: a passkey of another organization is no passkey at all. No stamp is
// no refusal yet: some bodies need none, and some wait for votes then.
func (s *State) authorize(sub Submission) (*organization, actor, *StampUse, error) {
	org, ok := s.organizations[sub.Body.OrganizationID]
	if !ok {
		return nil, actor{}, nil, refusal.ErrOrganization
	}
	if _, asks := sub.Request.Claim(""); asks || sub.Claim != nil {
		return org, actor{}, nil, org.authorizeAgent(sub, asks)
	}
	if sub.Signer == nil {
		switch {
		case sub.Key != "" && !sub.activity.key:
			return nil, actor{}, nil, refusal.ErrStamp.With("reason", "a delegation's key is worth nothing on this")
		case !sub.activity.bare:
			return nil, actor{}, nil, refusal.ErrUnstamped
		}
		return org, actor{key: sub.Key}, nil, nil
	}
	c, ok := s.credentials[sub.Signer.CredentialID]
	if !ok || c.organizationID != org.ID || string(c.key.PublicKey) != string(sub.Signer.Key.PublicKey) {
		return nil, actor{}, nil, ErrStranger
	}
	if !c.counter.accepts(sub.Signer.Counter) {
		return nil, actor{}, nil, refusal.ErrCounter
	}
	return org, actor{credential: c}, c.used(*sub.Signer, org), nil
}

// use takes in what a stamp of the passkey says of it.
func (c *credential) use(by StampUse) {
	c.counter = c.counter.with(by.Counter)
	if by.Changed != nil {
		c.key.BackupEligible = by.Changed.BackupEligible
	}
}

// used is what the journal keeps of a stamp of the passkey.
func (c *credential) used(by Signer, org *organization) *StampUse {
	use := &StampUse{CredentialID: by.CredentialID, Counter: by.Counter}
	if by.BackupEligible != c.key.BackupEligible {
		use.Changed = &wire.PasskeyChange{
			WorkspaceID: org.WorkspaceID, CredentialID: by.CredentialID, Email: c.Email,
			BackupEligible: by.BackupEligible,
		}
	}
	return use
}

// authorizeAgent refuses an agent's request without the signature of one of the organization's agents, and an agent's
// signature under anything but a request of its own.
func (o *organization) authorizeAgent(sub Submission, asks bool) error {
	if !asks || sub.Claim == nil {
		return refusal.ErrStamp.With("reason", "an agent's signature is needed on its own requests, and is worth nothing elsewhere")
	}
	a, err := o.agent(sub.Claim.AgentID)
	if err != nil || !bytes.Equal(a.Sealed, sub.Claim.Sealed) {
		return ErrNotSigned
	}
	return sub.Claim.Permits(a.Limits)
}
