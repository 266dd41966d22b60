package walk

import (
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/passkey"
)

const recoveryPath = "/v1/signing/recovery"

// lost is a new user with a recovery code, and the passkey that he has after all.
func (w *World) lost() (l *apptest.Lost, email string, key *passkey.Authenticator) {
	w.T.Helper()
	key = passkey.New(w.App.Origin)
	email = w.email()
	ch, err := w.client().SubOrganizations.Challenge(w.context(), email)
	if err != nil {
		w.T.Fatal(err)
	}
	made, err := passkey.Browser{Authenticator: key}.Create(ch.Options)
	if err != nil {
		w.T.Fatal(err)
	}
	l = w.App.Lose(w.Key, "", "")
	var sub railkit.Registration
	w.must(w.post("/v1/signing/passkeys/register", railkit.RegisterRequest{
		Email: email, Name: "Test", EncodedChallenge: ch.EncodedChallenge, Attestation: made,
		RecoveryPublicKey: l.CodeKey(),
	}), &sub)
	l.SubOrganizationID, l.UserID = sub.SubOrganizationID, sub.UserID
	return l, email, key
}

func initiateRecovery(w *World) Request {
	l, email, _ := w.lost()
	return w.post(recoveryPath+"/initiate", map[string]string{"email": email, "targetPublicKey": l.TargetKey()})
}

func (w *World) answeredRecovery() (sync Request, id string, key *passkey.Authenticator) {
	w.T.Helper()
	l, email, key := w.lost()
	id, _, bundle := l.Link(email)
	_, body := l.Answer(id, bundle)
	return w.post(recoveryPath+"/sync", body), id, key
}

func syncRecovery(w *World) Request {
	r, _, _ := w.answeredRecovery()
	return r
}

func cancelRecovery(w *World) Request {
	w.T.Helper()
	sync, id, key := w.answeredRecovery()
	w.must(sync, nil)
	return w.stampedBy(key, w.post(recoveryPath+"/"+id+"/cancel", nil), map[string]any{})
}

func updateRecovery(w *World) Request {
	w.T.Helper()
	l, _, key := w.lost()
	return w.stampedBy(key, w.by("PATCH", recoveryPath, nil), map[string]any{
		"subOrganizationId": l.SubOrganizationID, "emailOnlyRecovery": true,
	})
}
