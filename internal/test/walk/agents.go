package walk

import (
	"net/http"
	"strconv"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/rest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// Agent is an agent of a workspace.
type Agent struct{ ID, Secret string }

// Agent makes one.
func (w *World) Agent() Agent {
	w.T.Helper()
	made, err := w.client().Agents.Create(w.context(), w.Owner().Passkey, w.newAgent())
	if err != nil {
		w.T.Fatal(err)
	}
	return Agent{made.AgentID, made.AgentSecret}
}

func (w *World) newAgent() railkit.AgentRequest {
	return railkit.AgentRequest{
		Name: w.name("Agent"), SubOrganizationID: w.Owner().Sub.SubOrganizationID, ChainID: 84532,
		Budget: railkit.AgentBudget{InfraMonthlyUSD: "50", TokensMonthlyUSD: "200", PaymentsMonthlyUSDC: "10"},
	}
}

// Sign gives the headers of a request, in pairs.
func (a Agent) Sign(method, path, body string) []string {
	return a.signAt(time.Now().Unix(), method, path, body)
}

func (a Agent) signAt(second int64, method, path, body string) []string {
	at := strconv.FormatInt(second, 10)
	mac := wire.AgentMAC(a.Secret, wire.AgentMessage(method, path, at, wire.Digest(body)))
	return []string{"X-Agent-Id", a.ID, "X-Request-Timestamp", at, "X-Agent-Auth", mac}
}

const agentsPath = "/v1/agents"

func (w *World) agentPath() string { return agentsPath + "/" + w.Agent().ID }

func getAgentStatus(w *World) Request { return w.get(w.agentPath() + "/status") }

func prepareAgent(w *World) Request { return w.post(agentsPath+"/prepare", w.newAgent()) }

// stamps is a body as its owner's passkey has stamped it.
func (w *World) stamps(p railkit.Prepared) railkit.SignedActivity {
	w.T.Helper()
	signed, err := p.Stamp(w.Owner().Passkey)
	if err != nil {
		w.T.Fatal(err)
	}
	return signed
}

func confirmAgentUser(w *World) Request {
	w.T.Helper()
	var p railkit.PreparedAgent
	w.must(prepareAgent(w), &p)
	return w.post(agentsPath+"/confirm-user", map[string]any{
		"agentRequestId": p.AgentRequestID, "signedActivity": w.stamps(p.Prepared),
	})
}

// unfinished is an agent without limits.
func (w *World) unfinished() (p railkit.PreparedAgentPolicies) {
	w.T.Helper()
	w.must(confirmAgentUser(w), &p)
	return p
}

func confirmAgentPolicies(w *World) Request {
	w.T.Helper()
	p := w.unfinished()
	return w.post(agentsPath+"/confirm-policies", map[string]any{
		"policiesRequestId": p.PoliciesRequestID, "signedActivity": w.stamps(p.Prepared),
	})
}

func prepareAgentPolicies(w *World) Request {
	return w.post(agentsPath+"/"+w.unfinished().AgentID+"/prepare-policies", nil)
}

func deleteAgent(w *World) Request {
	return w.by(http.MethodDelete, agentsPath+"/"+w.unfinished().AgentID, nil)
}

func setAgentBudget(w *World) Request {
	return w.post(w.agentPath()+"/budget", map[string]any{"perTxUsdc": 1})
}

func rotateAgentSecret(w *World) Request {
	return w.stampedly(w.post(w.agentPath()+"/rotate", nil), nil)
}

func pauseAgent(w *World) Request { return w.post(w.agentPath()+"/pause", nil) }

func resumeAgent(w *World) Request {
	w.T.Helper()
	path := w.agentPath()
	w.must(w.post(path+"/pause", nil), &railkit.AgentChange{})
	return w.stampedly(w.post(path+"/resume", nil), nil)
}

func killAgent(w *World) Request { return w.post(w.agentPath()+"/kill", nil) }

func setAgentStatus(w *World) Request {
	return w.by(http.MethodPatch, w.agentPath()+"/status", map[string]any{"status": "draining"})
}

func setKillSwitch(w *World) Request {
	body := map[string]any{"on": false, "subOrganizationId": w.Owner().Sub.SubOrganizationID}
	return w.stampedly(w.post(agentsPath+"/kill-switch", body), body)
}

// payingAgent is an agent with money that may pay anybody.
func (w *World) payingAgent() Agent {
	w.T.Helper()
	w.must(setIntegratorAgentLimits(w), nil)
	req := w.newAgent()
	req.AnyRecipient = true
	made, err := w.client().Agents.Create(w.context(), w.Owner().Passkey, req)
	if err != nil {
		w.T.Fatal(err)
	}
	got, err := w.client().Agents.Get(w.context(), made.AgentID)
	if err != nil {
		w.T.Fatal(err)
	}
	for asset, amount := range map[string]string{"native": "0.1", "USDC": "5"} {
		if _, err := w.client().Sandbox.Faucet(w.context(), railkit.FaucetRequest{
			Chain: "base", Address: got.WalletAddress, Asset: asset, Amount: amount,
		}); err != nil {
			w.T.Fatal(err)
		}
	}
	return Agent{made.AgentID, made.AgentSecret}
}

func signAgentTransaction(w *World) Request {
	w.T.Helper()
	a := w.payingAgent()
	r := w.post(agentsPath+"/"+a.ID+"/sign-transaction", railkit.AgentPayment{
		ActionType: "payment", Amount: "10000", Destination: w.Owner().Address.Address, TokenMint: "USDC",
		Cluster: "base",
	})
	r.Authorization, r.Agent = "", &Signer{Agent: a}
	return r
}

// payX402 signs for an older agent, which asks its seller by itself.
func payX402(w *World) Request {
	w.T.Helper()
	a := w.payingAgent()
	r := w.post(agentsPath+"/"+a.ID+"/x402-pay", toOwner(w))
	r.Authorization, r.Agent = "", &Signer{Agent: a}
	return r
}

// x402Payments is where the payments of an agent are that has made one, and the id of that.
func (w *World) x402Payments() (path, id string) {
	w.T.Helper()
	a := w.payingAgent()
	own, err := railkit.NewAgentClient(railkit.AgentConfig{BaseURL: w.App.BaseURL, AgentID: a.ID, Secret: a.Secret})
	if err != nil {
		w.T.Fatal(err)
	}
	made, err := own.PayX402(w.context(), toOwner(w))
	if err != nil {
		w.T.Fatal(err)
	}
	return agentsPath + "/" + a.ID + "/x402-payments", made.Payment.ID
}

// toOwner is an offer of the workspace's owner, as older agents send it.
func toOwner(w *World) railkit.X402Request {
	return railkit.X402Request{PaymentRequirement: &rest.X402Requirement{
		Amount: "0.01", Currency: "USDC", Network: "base", Recipient: w.Owner().Address.Address,
	}}
}

func createAgentWallet(w *World) Request {
	w.T.Helper()
	w.must(setIntegratorAgentLimits(w), nil)
	req, most := w.newAgent(), 10
	req.MaxWallets = &most
	made, err := w.client().Agents.Create(w.context(), w.Owner().Passkey, req)
	if err != nil {
		w.T.Fatal(err)
	}
	r := w.post(agentsPath+"/wallets", map[string]any{"walletName": w.name("Wallet")})
	r.Authorization, r.Agent = "", &Signer{Agent: Agent{made.AgentID, made.AgentSecret}}
	return r
}

func listX402Payments(w *World) Request {
	w.T.Helper()
	path, _ := w.x402Payments()
	return w.get(path)
}

func getX402Payment(w *World) Request {
	w.T.Helper()
	path, id := w.x402Payments()
	return w.get(path + "/" + id)
}
