package canary_test

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// agent is a program with a secret of its own.
type agent struct{ id, secret string }

// agents makes one agent whose secret is answered, and one whose secret is sealed
// to its owner. The API has no way to either yet, so that the signer is asked.
func (p *platform) agents(o *owner) agent {
	p.t.Helper()
	open := p.createAgent(o, "Buyer", "")
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	p.must(err)
	sealed := p.createAgent(o, "Seller", railkit.AgentRecipient(key.PublicKey()))
	secret, err := railkit.OpenAgentSecret(key, sealed.Statement)
	p.must(err)
	for _, a := range []agent{
		{sealed.Statement.Result.Agent.ID, secret}, {open.Statement.Result.Agent.ID, open.AgentSecret},
	} {
		_, err := p.ofAgent(a).Status(context.Background())
		p.must(err)
		p.agentSecrets = append(p.agentSecrets, a.secret)
	}
	return agent{open.Statement.Result.Agent.ID, open.AgentSecret}
}

func (p *platform) createAgent(o *owner, name, recipient string) client.Outcome {
	p.t.Helper()
	signer := client.New(p.socket, p.enclave.Facts().Text("identityKey"))
	defer signer.Close()
	return apptest.Signing{
		Signer: signer, OrganizationID: o.organization, Stamp: o.Stamp,
	}.Agent(p.t, name, recipient)
}

func (p *platform) ofAgent(a agent) *railkit.AgentClient {
	c, err := railkit.NewAgentClient(railkit.AgentConfig{
		BaseURL: p.baseURL(), AgentID: a.id, Secret: a.secret, Retry: railkit.Retry{Attempts: 1},
		HTTPClient: &http.Client{Transport: p.answers, Timeout: time.Minute},
	})
	p.must(err)
	return c
}

// agentsFaults are requests of an agent that are wrong, with its secret where they are.
func (p *platform) agentsFaults(a agent) {
	path := "/v1/agents/" + a.id + "/status"
	at := strconv.FormatInt(time.Now().Unix(), 10)
	good := wire.AgentMAC(a.secret, wire.AgentMessage("GET", path, at, wire.Digest("")))
	for _, h := range [][3]string{
		{a.secret, good, at}, {a.id, a.secret, at}, {a.id, good, a.secret}, {a.id, good, "1700000000"},
		{uuid.NewString(), good, at}, {a.id, good[1:], at},
	} {
		p.do("GET", path, "", "Authorization", "", "X-Agent-Id", h[0], "X-Agent-Auth", h[1],
			"X-Request-Timestamp", h[2])
	}
	p.do("GET", path, "", "X-Agent-Id", a.id, "X-Agent-Auth", good, "X-Request-Timestamp", at) // with a key as well
	for _, wrong := range []string{"ApiKey " + a.secret, "Bearer " + a.secret, a.secret} {
		p.do("GET", path, "", "Authorization", wrong)
	}
	// Not kept: every answer names the path that was asked for.
	res, err := http.Get(p.baseURL() + "/v1/agents/" + a.secret + "/status")
	p.must(err)
	_ = res.Body.Close()
}

// askStatus calls as the agent, and keeps the error where that fails.
func (p *platform) askStatus(a agent) {
	_, err := p.ofAgent(a).Status(context.Background())
	p.answers.failed(err)
}
