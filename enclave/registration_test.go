package enclave

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/sdk/go/passkey"
)

func TestSigning_S16_Registration(t *testing.T) {
	w := newWorld(t)
	key := passkey.New(origin)
	body := w.registration("alice@example.com", key)
	first, err := w.Submit(wire.SubmitRequest{Body: body})
	if err != nil {
		t.Fatal(err)
	}
	st := w.statement(first.Proof)
	made := key.Credentials()[0]
	if got := st.Result.Owners.Credentials[0]; got.CredentialID != made.ID || got.PublicKey != made.PublicKey ||
		got.Email != "alice@example.com" {
		t.Errorf("the proof names %+v, the passkey is %+v", got, made)
	}
	again, err := w.Submit(wire.SubmitRequest{Body: body})
	if err != nil || *again.Proof != *first.Proof {
		t.Errorf("the same body again: %v", err)
	}

	ch, err := w.Challenge(wire.ChallengeRequest{WorkspaceID: workspaceID, Email: "bob@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	foreign := w.registrationOf("carol@example.com", ch.Challenge, passkey.New(origin))
	_, err = w.Submit(wire.SubmitRequest{Body: foreign})
	refused(t, "another e-mail's challenge", err, refusal.ErrChallenge)
	made2 := "A" + ch.Challenge[1:]
	if made2 == ch.Challenge {
		made2 = "B" + ch.Challenge[1:]
	}
	_, err = w.Submit(wire.SubmitRequest{Body: w.registrationOf("bob@example.com", made2, passkey.New(origin))})
	refused(t, "a challenge that was never issued", err, refusal.ErrChallenge)
	good := w.registrationOf("bob@example.com", ch.Challenge, passkey.New(origin))
	swapped := strings.Replace(good, workspaceID, "22222222-2222-4222-8222-222222222222", 1)
	_, err = w.Submit(wire.SubmitRequest{Body: swapped})
	refused(t, "another workspace", err, refusal.ErrChallenge)
	_, err = w.Submit(wire.SubmitRequest{
		Body: w.registrationOf("bob@example.com", ch.Challenge, passkey.New("http://localhost:9999")),
	})
	refused(t, "another origin", err, refusal.ErrStamp)
	if _, err := w.Submit(wire.SubmitRequest{Body: good}); err != nil {
		t.Fatalf("bob: %v", err)
	}
	_, err = w.Submit(wire.SubmitRequest{Body: w.registrationOf("bob@example.com", ch.Challenge, passkey.New(origin))})
	refused(t, "a challenge twice", err, refusal.ErrChallenge)
	_, err = w.Submit(wire.SubmitRequest{Body: w.registration("bob@example.com", passkey.New(origin))})
	refused(t, "an e-mail twice", err, refusal.ErrEmailTaken)
}

func TestSigning_S10_CredentialTwice(t *testing.T) {
	w := newWorld(t)
	first := w.registration("alice@example.com", passkey.New(origin))
	if _, err := w.Submit(wire.SubmitRequest{Body: first}); err != nil {
		t.Fatal(err)
	}
	// Bob's ceremony with alice's credential: an attestation of "none" signs nothing,
	// so a host can put any credential under any challenge of its own.
	ch, err := w.Challenge(wire.ChallengeRequest{WorkspaceID: workspaceID, Email: "bob@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	own := w.registrationOf("bob@example.com", ch.Challenge, passkey.New(origin))
	var body, alices wire.Body
	var params, alicesParams wire.CreateSubOrganizationParams
	for raw, to := range map[string][2]any{own: {&body, &params}, first: {&alices, &alicesParams}} {
		if err := json.Unmarshal([]byte(raw), to[0]); err != nil {
			t.Fatal(err)
		}
	}
	for raw, to := range map[*json.RawMessage]any{&body.Parameters: &params, &alices.Parameters: &alicesParams} {
		if err := json.Unmarshal(*raw, to); err != nil {
			t.Fatal(err)
		}
	}
	params.Attestation.CredentialID, params.Attestation.AttestationObject = alicesParams.Attestation.CredentialID,
		alicesParams.Attestation.AttestationObject
	body.Parameters = w.json(params)
	_, err = w.Submit(wire.SubmitRequest{Body: w.body(body)})
	refused(t, "alice's credential for bob", err, refusal.ErrCredentialTaken)
}

func TestSigning_ChallengesAreBounded(t *testing.T) {
	c := newChallenges()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	var first, last issued
	for i := range perWorkspace + 1 {
		ch, err := c.issue(workspaceID, "alice@example.com", now)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = ch
		}
		last = ch
	}
	if c.find(workspaceID, first.text) != nil || c.find(workspaceID, last.text) == nil {
		t.Error("the oldest challenge did not make room for the newest")
	}
	for i := 1; i < maxWorkspaces; i++ {
		if _, err := c.issue(strconv.Itoa(i), "alice@example.com", now); err != nil {
			t.Fatal(err)
		}
	}
	_, err := c.issue("one more", "alice@example.com", now)
	refused(t, "one workspace too many", err, errBusy)
	if _, err := c.issue("one more", "alice@example.com", now.Add(challengeLife)); err != nil {
		t.Errorf("after the others expired: %v", err)
	}
	if len(c.byRef) != 1 {
		t.Errorf("%d workspaces are remembered, want 1", len(c.byRef))
	}
}
