package enclave

import (
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/sdk/go/passkey"
)

// posing answers a challenge of the host's own with somebody else's credential: an
// attestation of "none" signs nothing.
func (w *world) posing(email, challenge string, as wire.Attestation) wire.Attestation {
	own := w.attest(email, challenge, passkey.New(origin))
	own.CredentialID, own.AttestationObject = as.CredentialID, as.AttestationObject
	return own
}

// The passkey of a recovery that waits is nobody else's, or the recovery would fail at
// its end, three days later. Once the recovery is over, its passkey is free, or its user's.
func TestSigning_R06_WaitingPasskeyIsReserved(t *testing.T) {
	for name, end := range map[string]func(w *timed, alice owner, waits *wire.RecoveryPending, body string) (free bool){
		"done": func(w *timed, alice owner, _ *wire.RecoveryPending, body string) bool {
			w.delay()
			w.in(wire.Done, body, owner{org: alice.org})
			return false
		},
		"cancelled by a passkey": func(w *timed, alice owner, waits *wire.RecoveryPending, _ string) bool {
			w.done(w.cancellation(alice, waits.RecoveryID), alice)
			return true
		},
		"cancelled by its body": func(w *timed, _ owner, waits *wire.RecoveryPending, _ string) bool {
			if _, err := w.Cancel(wire.FingerprintRequest{Fingerprint: waits.Fingerprint}); err != nil {
				w.t.Fatal(err)
			}
			return true
		},
	} {
		w := newTimed(t)
		codes := map[string]code{"alice@example.com": newCode(t), "mallory@example.com": newCode(t)}
		alice := w.registerWith("alice@example.com", codes["alice@example.com"])
		mallory := w.registerWith("mallory@example.com", codes["mallory@example.com"])
		r := w.rescue(alice, "alice@example.com").by(codes["alice@example.com"])
		body := r.body()
		waits := w.in(wire.Held, body, r.org).Result.Recovery
		register := func() error {
			ch := w.challenge("eve@example.com")
			p := wire.CreateSubOrganizationParams{
				WorkspaceID: workspaceID, Email: "eve@example.com", Challenge: ch,
				Attestation: w.posing("eve@example.com", ch, r.p.Attestation),
			}
			_, err := w.submit(w.body(wire.Body{
				Type: wire.CreateSubOrganization, Environment: "sandbox", ActivityID: uuid.NewString(),
				Parameters: w.json(p),
			}), owner{})
			return err
		}
		for range 2 {
			refused(t, name+": registered", register(), refusal.ErrCredentialTaken)
			ch := w.challenge("mallory@example.com")
			p := wire.CreateAuthenticatorParams{
				Challenge: ch, Attestation: w.posing("mallory@example.com", ch, r.p.Attestation),
			}
			add := w.body(w.fresh(mallory, wire.CreateAuthenticator, p))
			_, err := w.preview(add)
			refused(t, name+": previewed in another organization", err, refusal.ErrCredentialTaken)
			_, err = w.submit(add, mallory)
			refused(t, name+": added in another organization", err, refusal.ErrCredentialTaken)
			other := w.rescue(mallory, "mallory@example.com")
			other.p.Attestation.CredentialID, other.p.Attestation.AttestationObject = r.p.Attestation.CredentialID,
				r.p.Attestation.AttestationObject
			_, err = w.submit(other.by(codes["mallory@example.com"]).body(), other.org)
			refused(t, name+": of another recovery", err, refusal.ErrCredentialTaken)
			w.checkpointNow()
			w.reopen()
		}
		if free := end(w, alice, waits, body); free {
			w.reopen()
			if err := register(); err != nil {
				t.Errorf("%s: registered afterwards: %v", name, err)
			}
		} else {
			refused(t, name+": registered afterwards", register(), refusal.ErrCredentialTaken)
		}
	}
}
