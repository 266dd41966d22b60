package agent_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/approval"
	"github.com/railkit/railkit/kit/signing/plan"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	railkit "github.com/railkit/railkit/sdk/go"
)

// agentPays has the signer sign a payment of an agent to ana, or hold it, and writes the rows that the server keeps of
// such a one: the transaction, not sent, and its approval.
func agentPays(t *testing.T, a *apptest.App, o apptest.Owner, made *railkit.AgentChange, micro string) (id string) {
	t.Helper()
	path, at := "/v1/agents/"+made.AgentID+"/sign-transaction", strconv.FormatInt(time.Now().Unix(), 10)
	request := `{"action_type":"payment","amount":"` + micro + `","destination":"` + ana +
		`","token_mint":"USDC","cluster":"base"}`
	body := apptest.ActivityBody(t, o.Sub.SubOrganizationID, wire.AgentPayment, wire.AgentPaymentParams{
		AgentCall: wire.AgentCall{AgentID: made.AgentID, Method: "POST", Path: path, Timestamp: at, Request: request},
		GasLimit:  "65000", MaxTotalFee: "130000000000000",
	})
	mac := wire.AgentMAC(made.AgentSecret, wire.AgentMessage("POST", path, at, wire.Digest(request)))
	c := client.New(a.EnclaveSock, a.EnclaveKey)
	defer c.Close()
	shown, st, err := c.Preview(ctx, body)
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.Submit(ctx, wire.SubmitRequest{
		Body: body, Stamp: &wire.Stamp{HeaderName: wire.AgentStamp, HeaderValue: mac},
		Volatile: &wire.Volatile{MaxFeePerGas: "2000000000", MaxPriorityFeePerGas: "1000000000", NonceFloor: "0"},
	}, wire.Fingerprint(body))
	if err != nil {
		t.Fatal(err)
	}
	return keepPayment(t, a, o, body, shown, st.Preview, out)
}

func keepPayment(
	t *testing.T, a *apptest.App, o apptest.Owner, body string, proof wire.Proof, shown *wire.Preview,
	out client.Outcome,
) string {
	t.Helper()
	preview, err := signer.Text(proof)
	if err != nil {
		t.Fatal(err)
	}
	now, effect := time.Now().UTC(), shown.Effects[0]
	r := transaction.Transaction{
		WorkspaceID: a.Keys.WorkspaceID, ID: record.NewID(), SubOrganizationID: o.Sub.SubOrganizationID,
		WalletID: "local-" + shown.WalletID, Type: plan.TransferToken, From: effect.From, To: effect.To,
		Amount: strings.TrimSuffix(effect.Display, " USDC"), TokenAddress: effect.Asset, TokenSymbol: "USDC",
		Chain: "base", ChainID: 84532, Body: body, Fingerprint: wire.Fingerprint(body), Preview: preview, Fee: "{}",
		State: transaction.AwaitingApproval, Held: true,
		CreatedAt: now, UpdatedAt: now, ExpiresAt: now.Add(time.Minute),
	}
	if out.State == wire.Done {
		change, err := r.SignedChange(out, now)
		if err != nil {
			t.Fatal(err)
		}
		r.Apply(transaction.Pending, change)
	}
	err = a.Store.Signing().Work(ctx, r.WorkspaceID, func(ctx context.Context, tx signing.Tx) (command.Audit, error) {
		if out.State == wire.Held {
			held, err := approval.Of(approval.Approval{
				WorkspaceID: r.WorkspaceID, Kind: approval.SubjectTransaction, Subject: r.ID}, out, now)
			if err != nil {
				return command.Audit{}, err
			}
			if err := tx.InsertApproval(ctx, held); err != nil {
				return command.Audit{}, err
			}
		}
		return command.Audit{Action: "agent.payment", Resource: r.ID}, tx.InsertTransaction(ctx, r)
	})
	if err != nil {
		t.Fatal(err)
	}
	return r.ID
}

// What was signed for an agent and not sent is listed after its kill, with its amount, until the owner's passkey has
// made it worthless on the chain.
func TestSigning_AgentExposure(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	made, err := c.Agents.Create(ctx, alice.Passkey, agentOf(alice, "Exposed"))
	if err != nil {
		t.Fatal(err)
	}
	if x, err := c.Agents.Exposure(ctx, made.AgentID); err != nil || x.OpenExposureUSDC != "0" ||
		len(x.Transactions) != 0 || !x.Complete {
		t.Errorf("before: %+v, %v", x, err)
	}
	id := agentPays(t, a, alice, made, "250000")
	if _, err := c.Agents.Kill(ctx, made.AgentID); err != nil {
		t.Fatal(err)
	}
	x, err := c.Agents.Exposure(ctx, made.AgentID)
	if err != nil || x.Status != "killed" || x.OpenExposureUSDC != "0.25" || len(x.Transactions) != 1 {
		t.Fatalf("after the kill: %+v, %v", x, err)
	}
	at := x.Transactions[0]
	if at.TransactionID != id || at.AmountUSDC != "0.25" || len(at.Void.Prepare) != 1 ||
		at.Void.Prepare[0].Replaces != id || at.Void.Prepare[0].Type != "void" {
		t.Errorf("listed: %+v", at)
	}

	w, err := c.Agents.Wallet(ctx, made.AgentID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Sandbox.Faucet(ctx, railkit.FaucetRequest{
		Chain: "base", Address: w.Address, Asset: "native", Amount: "1"}); err != nil {
		t.Fatal(err)
	}
	old, err := c.Transactions.Get(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	void, err := c.Transactions.Void(ctx, alice.Passkey, old)
	if err != nil {
		t.Fatal(err)
	}
	confirmed(t, a, c, void.TransactionID)
	if x, err := c.Agents.Exposure(ctx, made.AgentID); err != nil || x.OpenExposureUSDC != "0" ||
		len(x.Transactions) != 0 {
		t.Errorf("void: %+v, %v", x, err)
	}
	if _, err := c.Agents.Exposure(ctx, "11111111-1111-4111-8111-111111111111"); !railkit.IsNotFound(err) {
		t.Errorf("of no agent: %v", err)
	}
}
