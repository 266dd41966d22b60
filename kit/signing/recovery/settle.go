package recovery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
)

// settle writes what the enclave made of a recovery's body: held is the delay that begins, done the passkey that can
// sign.
func (s *Service) settle(ctx context.Context, r Recovery, out client.Outcome) error {
	switch out.State {
	case wire.Held:
		return s.beginDelay(ctx, r, out)
	case wire.Done:
		return s.complete(ctx, r, out)
	case wire.Cancelled:
		return s.end(ctx, r, Cancelled)
	}
	return nil
}

// beginDelay writes that the delay of a recovery has begun, and that its contacts have to be mailed.
func (s *Service) beginDelay(ctx context.Context, r Recovery, out client.Outcome) error {
	res := out.Statement.Result
	if res == nil || res.Recovery == nil {
		return errors.New("the enclave's answer to a recovery names none")
	}
	from := r
	ready, err := time.Parse(time.RFC3339, res.Recovery.ReadyAt)
	if err != nil {
		return fmt.Errorf("reading a recovery: %w", err)
	}
	r.State, r.ReadyAt, r.EmailOnly, r.UpdatedAt = Pending, ready, res.Recovery.EmailOnly, s.c.Clock.Now()
	if r.Proof, err = signer.Text(out.Proof); err != nil {
		return err
	}
	return s.move(ctx, r, from.State, "recovery.begin", nil)
}

// complete writes the new passkey, and removes those that the enclave has removed.
func (s *Service) complete(ctx context.Context, r Recovery, out client.Outcome) error {
	res := out.Statement.Result
	if res == nil || res.Passkey == nil || res.Owners == nil {
		return errors.New("the enclave's answer to a recovery names no passkey and owners")
	}
	have, err := s.c.Store.Passkeys(ctx, r.WorkspaceID, r.SubOrganizationID)
	if err != nil {
		return err
	}
	key, err := passkey.Of(activity.Activity{
		WorkspaceID: r.WorkspaceID, SubOrganizationID: r.SubOrganizationID, Name: r.Label,
		Kind: string(wire.CreateAuthenticator), Body: r.Body,
	}, out)
	if err != nil {
		return err
	}
	at, err := signer.Said(out.Statement)
	if err != nil {
		return err
	}
	from := r.State
	r.State, r.UpdatedAt = Completed, s.c.Clock.Now()
	if r.Proof, err = signer.Text(out.Proof); err != nil {
		return err
	}
	return s.move(ctx, r, from, "recovery.complete", func(ctx context.Context, tx Tx) error {
		err := tx.InsertPasskey(ctx, key)
		for _, k := range have {
			if !owns(res.Owners, k.CredentialID) {
				err = errors.Join(err, tx.RemovePasskey(ctx, k.WorkspaceID, k.SubOrganizationID, k.CredentialID))
			}
		}
		return errors.Join(err, tx.SetRecoveryRule(ctx, r.WorkspaceID, r.SubOrganizationID,
			res.Owners.RecoveryPublicKey, res.Owners.EmailOnlyRecovery, at))
	})
}

func owns(all *wire.Owners, credentialID string) bool {
	for _, c := range all.Credentials {
		if c.CredentialID == credentialID {
			return true
		}
	}
	return false
}

// end writes that a recovery was cancelled or has expired.
func (s *Service) end(ctx context.Context, r Recovery, to State) error {
	from := r.State
	r.State, r.UpdatedAt = to, s.c.Clock.Now()
	action := ""
	if to == Cancelled {
		action = "recovery.cancel"
	}
	return s.move(ctx, r, from, action, nil)
}

// move writes a recovery's next state, once, with a job for what follows.
func (s *Service) move(ctx context.Context, r Recovery, from State, action string,
	more func(context.Context, Tx) error,
) error {
	if r.State == from {
		return nil
	}
	err := s.c.Store.Work(ctx, r.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		audit := command.Audit{Action: action, Resource: r.ID,
			Detail: map[string]string{"subOrganizationId": r.SubOrganizationID, "credentialId": r.CredentialID}}
		if err := tx.MoveRecovery(ctx, r, from, r.notice()); err != nil {
			return audit, err
		}
		if more != nil {
			if err := more(ctx, tx); err != nil {
				return audit, err
			}
		}
		return audit, tx.Enqueue(ctx, r.job())
	})
	if errors.Is(err, record.ErrStale) {
		return nil // another caller has already written the same result of the enclave
	}
	return err
}

// notice is the notice to mail for the state, in the form of Owed. There is none for an expired link.
func (r Recovery) notice() string {
	if r.State == Expired {
		return ""
	}
	return "," + string(r.State)
}
