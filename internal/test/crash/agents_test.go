package crash_test

import (
	"fmt"
	"strconv"
	"time"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/internal/test/apptest"
)

// makeAgent asks the signer itself: the API has no way to it yet. However often
// the body has to come, it makes one agent with one secret, which is told until
// the agent was heard of.
func makeAgent(w *world, arm func()) {
	signer := client.New(w.EnclaveSock, w.EnclaveKey)
	defer signer.Close()
	q := w.agentBody(signer)
	arm()
	first := w.submit(signer, q)
	if again := w.submit(signer, q); again.Proof != first.Proof || again.AgentSecret != first.AgentSecret ||
		first.AgentSecret == "" {
		w.t.Errorf("made as %s and again as %s, or with another secret, or with none",
			first.Proof.Payload, again.Proof.Payload)
	}
	w.until("an agent's read", func() error {
		_, err := signer.VerifyAgent(w.t.Context(), ofAgent(first, "GET"))
		return err
	})
	if after := w.submit(signer, q); after.Proof != first.Proof || after.AgentSecret != "" {
		w.t.Error("another proof, or the secret again, once the agent was heard of")
	}
}

// writeAsAgent signs a write anew until one is accepted: what became of one that
// met a death, nobody knows any more. The one that was accepted is so once.
func writeAsAgent(w *world, arm func()) {
	signer := client.New(w.EnclaveSock, w.EnclaveKey)
	defer signer.Close()
	made := w.submit(signer, w.agentBody(signer))
	arm()
	var q wire.VerifyAgentRequest
	w.until("an agent's write", func() error {
		q = ofAgent(made, "POST")
		_, err := signer.VerifyAgent(w.t.Context(), q)
		return err
	})
	w.until("the end of a replay", func() error {
		_, err := signer.VerifyAgent(w.t.Context(), q)
		if f, _ := fault.As(err); f != nil &&
			(f.Code == refusal.ErrAgentAuth.Code || f.Code == refusal.ErrAgentAgain.Code) {
			return nil
		}
		if err == nil {
			w.t.Fatal("a write was accepted twice")
		}
		return err
	})
}

// agentBody is a body that activates a new agent.
func (w *world) agentBody(signer *client.Client) wire.SubmitRequest {
	w.t.Helper()
	w.made++
	made := w.submit(signer, w.stampedBody(wire.CreateAgent, wire.CreateAgentParams{
		AgentName: fmt.Sprintf("Agent %d", w.made),
	}))
	return w.stampedBody(wire.ActivateAgent, wire.ActivateAgentParams{
		AgentID: made.Statement.Result.Agent.ID, Limits: apptest.AgentLimits(),
	})
}

func (w *world) stampedBody(kind wire.ActivityType, params any) wire.SubmitRequest {
	w.t.Helper()
	body := apptest.ActivityBody(w.t, w.owner.Sub.SubOrganizationID, kind, params)
	stamp, err := w.owner.Passkey.Stamp(body)
	if err != nil {
		w.t.Fatal(err)
	}
	return wire.SubmitRequest{Body: body, Stamp: &stamp}
}

func (w *world) submit(signer *client.Client, q wire.SubmitRequest) (out client.Outcome) {
	w.t.Helper()
	w.until("an agent", func() (err error) {
		out, err = signer.Submit(w.t.Context(), q, wire.Fingerprint(q.Body))
		return err
	})
	return out
}

// ofAgent is a request that the agent signs now.
func ofAgent(made client.Outcome, method string) wire.VerifyAgentRequest {
	const path = "/v1/agents/events/batch"
	at, hash := strconv.FormatInt(time.Now().Unix(), 10), wire.Digest("")
	return wire.VerifyAgentRequest{
		AgentID: made.Statement.Result.Agent.ID, Method: method, Path: path, Timestamp: at, BodyHash: hash,
		MAC: wire.AgentMAC(made.AgentSecret, wire.AgentMessage(method, path, at, hash)),
	}
}
