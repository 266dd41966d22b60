package stories_test

import (
	"crypto/ecdh"
	"crypto/rand"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
	railkit "github.com/railkit/railkit/sdk/go"
)

// An agent knows itself, its workspace's keys know it, and nobody else does.
func TestAgents_Status(t *testing.T) {
	t.Parallel()
	w := newAgentWorld(t)
	mine, theirs := w.tenant(auth.Agents), w.tenant(auth.Agents)
	b, sibling, foreign := w.bot(mine.owner, "Buyer"), w.bot(mine.owner, "Seller"), w.bot(theirs.owner, "Buyer")
	want := railkit.AgentState{AgentID: b.id, Status: "active"}
	if got, err := w.client(b).Status(t.Context()); err != nil || *got != want {
		t.Errorf("by itself: %+v, %v", got, err)
	}
	if got, err := w.ClientWith(mine.key).Agents.Status(t.Context(),
		strings.ToUpper(b.id)); err != nil || *got != want {
		t.Errorf("by a key: %+v, %v", got, err)
	}
	_, err := w.ClientWith(theirs.key).Agents.Status(t.Context(), b.id)
	wantError(t, "by a foreign key", err, 404, "not_found")

	byAgent := func(of string) apptest.Answer {
		path := "/v1/agents/" + of + "/status"
		return w.Do("", http.MethodGet, path, "", b.signed("GET", path, "", 0)...)
	}
	byKey := func(of string) apptest.Answer { return w.Do(mine.key, http.MethodGet, "/v1/agents/"+of+"/status", "") }
	wantCode(t, "a sibling", byAgent(sibling.id), 403, "own_resources_only")
	balance := "/v1/agents/" + sibling.id + "/wallet-balance"
	wantCode(t, "a sibling's balance", w.Do("", http.MethodGet, balance, "", b.signed("GET", balance, "", 0)...), 403,
		"own_resources_only")
	for _, ask := range []func(string) apptest.Answer{byAgent, byKey} {
		unknown, other := uuid.NewString(), foreign.id
		a, b, c := ask(unknown), ask(other), ask("x")
		wantCode(t, "unknown", a, 404, "not_found")
		wantCode(t, "not an id", c, 404, "not_found")
		if bare(a, unknown) != bare(b, other) {
			t.Errorf("unknown and foreign differ:\n%s%s", a.Body, b.Body)
		}
	}
}

// bare is an answer without what names the request.
func bare(a apptest.Answer, id string) string {
	at, _ := a.Field("timestamp").(string)
	return strings.NewReplacer(id, "", at, "").Replace(a.Body)
}

func TestAgents_RefusedOverHTTP(t *testing.T) {
	t.Parallel()
	w := newAgentWorld(t)
	mine, closed := w.tenant(auth.Agents), w.tenant()
	b, shut := w.bot(mine.owner, "Buyer"), w.bot(closed.owner, "Buyer")
	path := b.status()
	good := b.signed("GET", path, "", 0)
	call := func(headers ...string) apptest.Answer { return w.Do("", http.MethodGet, path, "", headers...) }
	wantCode(t, "none", call(), 401, "authorization_missing")
	for i := 0; i < len(good); i += 2 {
		part := append(append([]string{}, good[:i]...), good[i+2:]...)
		wantCode(t, "without "+good[i], call(part...), 401, "invalid_auth")
		wantCode(t, "only "+good[i], call(good[i:i+2]...), 401, "invalid_auth")
	}
	wantCode(t, "another's secret", call(bot{b.id, shut.secret}.signed("GET", path, "", 0)...), 401, "invalid_auth")
	wantCode(t, "unknown", call(bot{uuid.NewString(), b.secret}.signed("GET", path, "", 0)...), 401, "invalid_auth")
	wantCode(t, "early", call(b.signed("GET", path, "", 90)...), 401, "expired_timestamp")
	wantCode(t, "late", call(b.signed("GET", path, "", -90)...), 401, "expired_timestamp")
	wantCode(t, "of another path", call(b.signed("GET", shut.status(), "", 0)...), 401, "invalid_auth")
	wantCode(t, "with a key as well", w.Do(mine.key, http.MethodGet, path, "", good...), 401, "authorization_twice")
	wantCode(t, "module", w.Do("", http.MethodGet, shut.status(), "", shut.signed("GET", shut.status(), "", 0)...),
		403, "module_inactive")
	wantCode(t, "not for agents", w.Do("", http.MethodGet, "/v1/signing/wallets", "",
		b.signed("GET", "/v1/signing/wallets", "", 0)...), 401, "authorization_missing")
	a := call(good...)
	if a.Status != 200 || a.Header.Get("RateLimit-Policy") != `"standard";q=100;w=60` {
		t.Errorf("the good one: %d %s %v", a.Status, a.Body, a.Header)
	}
	if a := w.Do("", http.MethodGet, path+"?integratorId="+uuid.NewString(), "",
		b.signed("GET", path, "", 0)...); a.Status != 403 {
		t.Errorf("for another workspace: %d %s", a.Status, a.Body)
	}
	if said := w.Log.String(); strings.Contains(said, good[5]) || strings.Contains(said, b.secret) {
		t.Error("the log has a signature or a secret")
	}
}

// What a killed signer has forgotten it refuses: the real program, by its socket.
func TestAgents_ReplayAfterTheSignerIsKilled(t *testing.T) {
	t.Parallel()
	w := newAgentWorld(t)
	b := w.bot(w.tenant(auth.Agents).owner, "Buyer")
	request := func(seconds int64, body string) wire.VerifyAgentRequest {
		h := b.signed("POST", "/v1/agents/events/batch", body, seconds)
		return wire.VerifyAgentRequest{
			AgentID:   b.id,
			Method:    "POST",
			Path:      "/v1/agents/events/batch",
			Timestamp: h[3],
			BodyHash:  wire.Digest(body),
			MAC:       h[5],
		}
	}
	var writes []wire.VerifyAgentRequest
	for _, seconds := range []int64{1, 5, 30, 59} { // a timestamp of the signer's first second is refused
		writes = append(writes, request(seconds, "{}"))
		if _, err := w.signer.VerifyAgent(t.Context(), writes[len(writes)-1]); err != nil {
			t.Fatalf("the first time: %v", err)
		}
	}
	old := w.EnclavePID()
	w.KillEnclave()
	apptest.Eventually(t, "another signer", func() bool {
		_, err := w.signer.Info(t.Context())
		return err == nil && w.EnclavePID() != old
	})
	for i, q := range writes {
		if a, err := w.signer.VerifyAgent(t.Context(), q); err == nil {
			t.Errorf("write %d was accepted again, of %s", i, a.AgentID)
		}
	}
	if _, err := w.client(b).Status(t.Context()); err != nil {
		t.Errorf("a read: %v", err)
	}
	calm := w.bot(w.tenant(auth.Agents).owner, "Calm")
	b = calm
	apptest.Eventually(t, "a new write", func() bool {
		_, err := w.signer.VerifyAgent(t.Context(), request(0, "{}"))
		return err == nil
	})
}

// A secret that is sealed to its owner is no secret of the host's.
func TestAgents_SecretSealedToItsOwner(t *testing.T) {
	t.Parallel()
	w := newAgentWorld(t)
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	out := w.create(w.tenant(auth.Agents).owner, "Buyer", railkit.AgentRecipient(key.PublicKey()))
	secret, err := railkit.OpenAgentSecret(key, out.Statement)
	if err != nil || out.AgentSecret != "" {
		t.Fatalf("%v, or also in clear", err)
	}
	if _, err := w.client(bot{out.Statement.Result.Agent.ID, secret}).Status(t.Context()); err != nil {
		t.Error(err)
	}
	other := out.Statement
	other.Environment = "production"
	if _, err := railkit.OpenAgentSecret(key, other); err == nil {
		t.Error("opened as that of another environment")
	}
}
