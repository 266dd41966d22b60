package apptest

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/sdk/go/passkey"
)

// ActivityBody is a body of now, as it is stamped. It lives for 15 minutes.
func ActivityBody(t testing.TB, organizationID string, kind wire.ActivityType, params any) string {
	t.Helper()
	now := time.Now()
	return JSON(t, wire.Body{
		Type: kind, Environment: "sandbox", OrganizationID: organizationID, ActivityID: uuid.NewString(),
		TimestampMs: strconv.FormatInt(now.UnixMilli(), 10),
		ExpiresAtMs: strconv.FormatInt(now.Add(15*time.Minute).UnixMilli(), 10), Parameters: []byte(JSON(t, params)),
	})
}

// AgentLimits let an agent pay anybody on Base: 10 USDC a month, 1 USDC at once, and above 0.5 USDC with approval.
func AgentLimits() wire.AgentLimits {
	return wire.AgentLimits{
		InfraMonthlyUSD: "50", TokensMonthlyUSD: "200", PaymentsMonthlyUSDC: "10", PerTxUSDC: "1",
		ApprovalThresholdUSDC: "0.5", MaxFeeUSD: "1", AllowedChains: []string{"base"}, AnyRecipient: true,
	}
}

// Signing is a sub-organization whose bodies are handed to the signer itself, past the server.
type Signing struct {
	Signer         *client.Client
	OrganizationID string
	Stamp          func(body string, allow ...string) (passkey.Stamp, error)
}

// Submit stamps a body and hands it in.
func (s Signing) Submit(t testing.TB, kind wire.ActivityType, params any) client.Outcome {
	t.Helper()
	body := ActivityBody(t, s.OrganizationID, kind, params)
	stamp, err := s.Stamp(body)
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.Signer.Submit(context.Background(),
		wire.SubmitRequest{Body: body, Stamp: &stamp}, wire.Fingerprint(body))
	if err != nil {
		t.Fatalf("%s: %v", kind, err)
	}
	return out
}

// Agent makes an agent and activates it. Its secret is for the recipient, or in clear where there is none.
func (s Signing) Agent(t testing.TB, name, recipient string) client.Outcome {
	t.Helper()
	made := s.Submit(t, wire.CreateAgent, wire.CreateAgentParams{AgentName: name})
	return s.Submit(t, wire.ActivateAgent, wire.ActivateAgentParams{
		AgentID: made.Statement.Result.Agent.ID, Limits: AgentLimits(), RecipientPublicKey: recipient,
	})
}
