package ceremony_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/asn1"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/web/ceremony"
)

const (
	organization = "3e7a1c9e-51a8-4d7a-8d59-0f5ad0b5b7a1"
	payer        = "0x3CFa4B1b3dd5e6e2A0f2c0a1E9d2b7C3F4a5791a"
	payee        = "0x90F79bf6EB2c4f870365E785982E1f101E93b906"
	usdc         = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
)

// signer is an identity key and a journal that is a number. It states whatever a
// test wants: what the page must refuse has to be signed as well.
type signer struct {
	private *ecdsa.PrivateKey
	seq     uint64
	forked  uint64 // entry from which on the journal is another one; 0: none
}

func newSigner(t *testing.T) *signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return &signer{private: key, seq: 41}
}

func (e *signer) key() string { return wire.CompressP256(&e.private.PublicKey) }

func (e *signer) pin() ceremony.Pin {
	return ceremony.Pin{IdentityKey: e.key(), RPID: "localhost", Environment: "sandbox"}
}

func (e *signer) sign(st wire.Statement) wire.Proof {
	p, err := wire.SignStatement(e.private, st)
	if err != nil {
		panic(err) // our own types always encode
	}
	return p
}

func (e *signer) state(st wire.Statement) wire.Proof {
	st.Environment, st.Seq, st.Head, st.Time = "sandbox", strconv.FormatUint(
		e.seq, 10,
	), e.head(e.seq), clock.ISO(time.Now())
	return e.sign(st)
}

func (e *signer) head(seq uint64) string {
	text := strconv.FormatUint(seq, 10)
	if e.forked > 0 && seq >= e.forked {
		text += " again"
	}
	head := sha256.Sum256([]byte(text))
	return hex.EncodeToString(head[:])
}

// journal states the heads at these entries; false where there is none yet.
func (e *signer) journal(seqs []string) (wire.Proof, bool) {
	st := wire.Statement{Kind: wire.KindJournal}
	for _, text := range seqs {
		seq, err := strconv.ParseUint(text, 10, 64)
		if err != nil || seq > e.seq {
			return wire.Proof{}, false
		}
		st.Heads = append(st.Heads, wire.JournalHead{Seq: text, Head: e.head(seq)})
	}
	return e.state(st), true
}

// statement is what a proof says.
func (e *signer) statement(p wire.Proof) wire.Statement {
	var st wire.Statement
	if err := json.Unmarshal([]byte(p.Payload), &st); err != nil {
		panic(err) // it was made here
	}
	return st
}

// signText signs what no statement would say.
func (e *signer) signText(t *testing.T, payload string) wire.Proof {
	t.Helper()
	return wire.Proof{
		Payload: payload, Signature: e.rawSignature(t, []byte("railkit proof v1\n"+payload)), PublicKey: e.key(),
	}
}

func (e *signer) rawSignature(t *testing.T, message []byte) string {
	t.Helper()
	digest := sha256.Sum256(message)
	der, err := e.private.Sign(nil, digest[:], crypto.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	var sig struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(der, &sig); err != nil {
		t.Fatal(err)
	}
	raw := make([]byte, 64)
	sig.R.FillBytes(raw[:32])
	sig.S.FillBytes(raw[32:])
	return base64.RawURLEncoding.EncodeToString(raw)
}

// preview states what a body does, as the signer would.
func (e *signer) preview(body string) wire.Proof { return e.previewAs(body, shown(body)) }

func (e *signer) previewAs(body string, shown wire.Preview) wire.Proof {
	b := parse(body)
	return e.state(wire.Statement{
		Kind: wire.KindPreview, OrganizationID: b.OrganizationID, Fingerprint: wire.Fingerprint(body),
		Activity: b.Type, Preview: &shown,
	})
}

// result states what a body did, one journal entry later.
func (e *signer) result(body string, r wire.Result) wire.Proof {
	e.seq++
	b := parse(body)
	return e.state(wire.Statement{
		Kind: wire.KindResult, OrganizationID: b.OrganizationID, Fingerprint: wire.Fingerprint(body),
		Activity: b.Type, Result: &r,
	})
}

func parse(body string) wire.Body {
	var b wire.Body
	if err := json.Unmarshal([]byte(body), &b); err != nil {
		panic(err) // it was made here
	}
	return b
}

// shown is the preview of a body of this test's making.
func shown(body string) wire.Preview {
	b := parse(body)
	ms, _ := strconv.ParseInt(b.ExpiresAtMs, 10, 64)
	p := wire.Preview{ExpiresAt: clock.ISO(time.UnixMilli(ms))}
	if b.Type == wire.CreateWallet {
		var w wire.CreateWalletParams
		_ = json.Unmarshal(b.Parameters, &w) // it was made here
		p.WalletName, p.WalletID = w.WalletName, uuid.NewString()
		return p
	}
	if strings.Contains(string(b.Type), "AGENT") || b.Type == wire.SetKillSwitch {
		return shownAgent(b, p)
	}
	if b.Type != wire.SignIntent {
		return p // the test says the rest
	}
	var i wire.SignIntentParams
	_ = json.Unmarshal(b.Parameters, &i) // it was made here
	p.SignWith, p.Chain, p.ChainName, p.ChainID = i.SignWith, i.Chain, "Base Sepolia", i.ChainID
	p.MaxTotalFee, p.FeeDisplay = i.MaxTotalFee, "0.000042 ETH"
	p.Effects = []chain.Effect{{
		Kind: chain.Transfer, Asset: usdc, Symbol: "USDC", Decimals: 6, From: payer, To: i.Transfer.To,
		Amount: i.Transfer.Amount, Display: "25.5 USDC", Contract: usdc,
	}}
	return p
}

// agentParams are those of all bodies about agents.
type agentParams struct {
	Limits             *wire.AgentLimits
	Status             wire.AgentStatus
	RecipientPublicKey string
	On                 *bool
}

// shownAgent is the preview of a body about the agent “Buyer”, which works within buyerLimits.
func shownAgent(b wire.Body, p wire.Preview) wire.Preview {
	var asked agentParams
	_ = json.Unmarshal(b.Parameters, &asked) // it was made here
	if b.Type == wire.SetKillSwitch {
		p.KillSwitch = asked.On
		return p
	}
	before := buyerLimits
	a := wire.Agent{
		ID: "a", Name: "Buyer", WalletID: "w", Status: wire.AgentActive, Limits: &before,
		CreatedAt: "2026-11-01T10:00:00.000Z",
	}
	p.AgentName, p.AgentID, p.RecipientPublicKey = a.Name, a.ID, asked.RecipientPublicKey
	p.Agent, p.AgentBefore = &a, &before
	switch b.Type {
	case wire.CreateAgent, wire.DeleteAgent:
		a.Status, a.Limits, p.AgentBefore, p.AgentDeleted = wire.AgentPending, nil, nil, b.Type == wire.DeleteAgent
	case wire.ActivateAgent:
		a.Limits, p.AgentBefore, p.NewSecret = asked.Limits, nil, true
	case wire.SetAgentLimits:
		a.Limits = asked.Limits
	case wire.SetAgentStatus:
		a.Status = asked.Status
	case wire.RotateAgentSecret:
		p.NewSecret = true
	}
	return p
}

// buyerLimits are what the agent of these tests may do.
var buyerLimits = wire.AgentLimits{
	InfraMonthlyUSD: "50", TokensMonthlyUSD: "0", PaymentsMonthlyUSDC: "10", PerTxUSDC: "1",
	ApprovalThresholdUSDC: "0.5", MaxFeeUSD: "0.05",
	AllowedChains: []string{"base"}, AllowedRecipients: []string{payee}, AllowedHosts: []string{"shop.example"},
}

func transferBody(to string) string {
	return newBody(wire.SignIntent, wire.SignIntentParams{
		SignWith: payer, Chain: "base", ChainID: "84532", To: usdc, Value: "0", Data: "0x", GasLimit: "65000",
		MaxTotalFee: "42000000000000", Transfer: &wire.TransferParams{Token: usdc, To: to, Amount: "25500000"},
	})
}

func walletBody(name string) string {
	return newBody(wire.CreateWallet, wire.CreateWalletParams{WalletName: name, MnemonicLength: "12"})
}

func newBody(kind wire.ActivityType, params any) string {
	raw, err := json.Marshal(params)
	if err != nil {
		panic(err) // our own types always encode
	}
	now := time.Now()
	body, err := json.Marshal(wire.Body{
		Type: kind, Environment: "sandbox", OrganizationID: organization, ActivityID: uuid.NewString(),
		TimestampMs: strconv.FormatInt(now.UnixMilli(), 10),
		ExpiresAtMs: strconv.FormatInt(now.Add(15*time.Minute).UnixMilli(), 10), Parameters: raw,
	})
	if err != nil {
		panic(err) // our own types always encode
	}
	return string(body)
}
