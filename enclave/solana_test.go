package enclave

import (
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
)

const (
	solanaUSDC  = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"
	solanaPayee = "9B5XszUGdMaxCZ7uSQhPzdks5ZQSmWxrmzCSvtJ6Ns6g"
	solanaBlock = "EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N"
)

// onSolana adds an account on Solana to a wallet.
func (w *world) onSolana(o owner, walletID string) wire.Account {
	w.t.Helper()
	form := solana.Family{}.Form()
	return w.must(o, w.fresh(o, wire.CreateWalletAccounts, wire.CreateWalletAccountsParams{
		WalletID: walletID, Accounts: []wire.AccountParams{{
			Curve: form.Curve, PathFormat: form.PathFormat, Path: form.PathOf(0), AddressFormat: form.AddressFormat,
		}},
	})).Result.Accounts[0]
}

// paysOnSolana is a payment of 1 USDC, with an account for the payee.
func paysOnSolana(from string) wire.SignIntentParams {
	call, err := solana.Family{}.Transfer(chain.Token{Address: solanaUSDC, Decimals: 6}, solanaPayee, big.NewInt(1e6))
	if err != nil {
		panic(err)
	}
	return wire.SignIntentParams{
		SignWith: from, Chain: "solana", ChainID: "devnet", To: solanaPayee, Value: "0", Data: chain.Hex(call.Data),
		GasLimit: "60000", MaxTotalFee: "10000", MaxRent: "2100000",
	}
}

func recently() *wire.Volatile {
	return &wire.Volatile{
		Blockhash: solanaBlock, Version: "v1", Units: "50000", LoadedBytes: "200000", Priority: "1000",
		Rent: "2039280", LastHeight: "500",
	}
}

// What is signed on Solana is what was previewed, it verifies under the account's address, and the proof says which
// heights it can land at, also after a restart.
func TestSolana_L10_SignedAsPreviewed(t *testing.T) {
	w := newWorld(t)
	w.prices(time.Now(), map[string]string{"SOL": "150", "USDC": "1"})
	alice := w.register("alice@example.com")
	account := w.onSolana(alice, w.wallet(alice, "Main").WalletID)
	body := w.body(w.fresh(alice, wire.SignIntent, paysOnSolana(account.Address)))
	shown, err := w.preview(body)
	if err != nil || len(shown.Effects) != 2 || shown.Effects[1].Display != "1 USDC" ||
		shown.ChainName != "Solana Devnet" || shown.FeeDisplay != "0.00001 SOL" || shown.DataFee != "" ||
		shown.Nonce != "" || len(shown.Warnings) != 0 {
		t.Fatalf("the preview is %+v, %v", shown, err)
	}
	submit := wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body), Volatile: recently()}
	out, err := w.Submit(submit)
	if err != nil {
		t.Fatal(err)
	}
	made := w.statement(out.Proof).Result.Transaction
	raw, err := chain.ParseHex(made.SignedTransaction)
	if err != nil {
		t.Fatal(err)
	}
	tx, _, err := solana.Family{}.DecodeSigned(raw, "")
	if err != nil || made.LastHeight != "500" || made.Nonce != "" || made.ChainID != "devnet" ||
		made.TxHash != (solana.Family{}).ID(raw) || tx.Signers[0] != account.Address {
		t.Errorf("signed %+v as %+v, %v", tx, made, err)
	}
	n, _ := chain.WithSlug(w.genesis.Networks, "solana")
	if got := (solana.Family{}).Effects(n, account.Address, tx.Call); got[1] != shown.Effects[1] {
		t.Errorf("signed %+v, previewed %+v", got, shown.Effects)
	}
	w.checkpointNow()
	w.reopen()
	submit.Volatile.Blockhash = solanaPayee
	if again, err := w.Submit(submit); err != nil || *again.Proof != *out.Proof {
		t.Errorf("after a restart, with another blockhash: %+v, %v", again, err)
	}
}

// A text is signed in its envelope, which names the signer, and its proof tells the bytes that were.
func TestSolana_L16_TextIsSignedInItsEnvelope(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account := w.onSolana(alice, w.wallet(alice, "Main").WalletID)
	made := w.must(alice, w.fresh(alice, wire.SignMessage, wire.SignMessageParams{
		SignWith: account.Address, Type: wire.MessageText, Payload: "hello",
	})).Result.Signature
	payload, err := chain.ParseHex(made.Digest)
	signature, also := solana.ParseSignature(made.Signature)
	if err != nil || also != nil || !strings.HasPrefix(string(payload), "\xffsolana offchain") ||
		!strings.HasSuffix(string(payload), "hello") ||
		(solana.Family{}).Verify(account.Address, payload, signature[:]) != nil {
		t.Errorf("%+v, %v, %v", made, err, also)
	}
}

// While a recovery waits, a payment on Solana that needs votes is refused, and what waited for votes before is void.
func TestSolana_L18_Recovery(t *testing.T) {
	w := newTimed(t)
	code := newCode(t)
	alice := w.registerWith("alice@example.com", code)
	account := w.onSolana(alice, w.wallet(alice, "Main").WalletID)
	w.consent(alice, "1")
	pays := func() string { return w.body(w.fresh(alice, wire.SignIntent, paysOnSolana(account.Address))) }
	submit := func(body string) (wire.OutcomeReply, error) {
		return w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body), Volatile: recently()})
	}
	waited := pays()
	if a, err := submit(waited); err != nil || a.State != wire.Held {
		t.Fatalf("%s, %v", a.State, err)
	}
	r := w.rescue(alice, "alice@example.com").by(code)
	pending := w.in(wire.Held, r.body(), r.org).RecoveryPending
	if _, err := w.vote(waited, alice); err == nil {
		t.Error("what waited has a vote")
	}
	_, err := w.Submit(wire.SubmitRequest{Body: waited, Volatile: recently()})
	refused(t, "what waited", err, refusal.ErrApprovalVoid)
	_, err = submit(pays())
	refused(t, "a payment that needs votes", err, refusal.ErrRecovering)
	w.in(wire.Done, w.cancellation(alice, pending.RecoveryID), alice)
	if a, err := submit(pays()); err != nil || a.State != wire.Held {
		t.Errorf("after the recovery: %s, %v", a.State, err)
	}
}

// A preview warns of what only people can judge, on Solana as on EVM.
func TestSolana_L10_PreviewWarns(t *testing.T) {
	w := newWorld(t)
	w.prices(time.Now(), map[string]string{"SOL": "150", "USDC": "1"})
	alice := w.register("alice@example.com")
	account := w.onSolana(alice, w.wallet(alice, "Main").WalletID)
	derived := solana.AssociatedAddress(mustSolana(solanaPayee), mustSolana(solanaUSDC), solana.TokenProgram)
	unlisted := chain.Token{Address: solanaBlock, Decimals: 6}
	transfer, err := solana.Family{}.Transfer(unlisted, solanaPayee, big.NewInt(1))
	if err != nil {
		t.Fatal(err)
	}
	for what, tc := range map[string]struct {
		change func(p *wire.SignIntentParams)
		want   []string // how the warnings begin
	}{
		"a listed token": {func(*wire.SignIntentParams) {}, nil},
		"a token nobody listed": {
			func(p *wire.SignIntentParams) { p.Data = chain.Hex(transfer.Data) }, []string{"unlisted token"},
		},
		"an owner without a key": {
			func(p *wire.SignIntentParams) { p.To = derived.String() }, []string{derived.String() + ": no key can"},
		},
	} {
		p := paysOnSolana(account.Address)
		tc.change(&p)
		shown, err := w.preview(w.body(w.fresh(alice, wire.SignIntent, p)))
		if err != nil || !slices.EqualFunc(shown.Warnings, tc.want, strings.HasPrefix) {
			t.Errorf("%s: warnings %q, want %q: %v", what, shown.Warnings, tc.want, err)
		}
	}
}

// solanaBuyer is an agent that may pay anybody on Solana, with its account there.
func solanaBuyer(t *testing.T) (p *paying, account wire.Account) {
	p = newPaying(t)
	p.advance(11 * time.Second)
	p.prices(*p.now.Load(), map[string]string{"SOL": "150", "USDC": "1"})
	l := limits()
	l.AllowedChains = []string{"base", "solana"}
	p.did(p.stamped(p.alice, wire.SetAgentLimits, newLimits(p.bot, l)))
	return p, p.onSolana(p.alice, p.agentIs(p.bot, wire.AgentActive).WalletID)
}

// asksOnSolana is a payment as the agent signs it, with an account for the payee at up to so many lamports.
func (p *paying) asksOnSolana(micro, to, token, cluster, maxRent string) wire.SubmitRequest {
	p.t.Helper()
	p.advance(time.Second)
	path, at := "/v1/agents/"+p.id+"/sign-transaction", p.at(0)
	request := `{"action_type":"payment","amount":"` + micro + `","destination":"` + to + `","token_mint":"` + token +
		`","cluster":"` + cluster + `"}`
	q := p.signed("POST", path, at, request)
	body := p.body(p.fresh(p.alice, wire.AgentPayment, wire.AgentPaymentParams{
		AgentCall: wire.AgentCall{AgentID: p.id, Method: "POST", Path: path, Timestamp: q.Timestamp, Request: request},
		GasLimit:  "60000", MaxTotalFee: "10000", MaxRent: maxRent,
	}))
	v := recently()
	v.Blockhash = solana.Address{1, byte(p.now.Load().Unix())}.String()
	if maxRent == "" {
		v.Rent = ""
	}
	return wire.SubmitRequest{
		Body: body, Stamp: &wire.Stamp{HeaderName: wire.AgentStamp, HeaderValue: q.MAC}, Volatile: v,
	}
}

// An agent pays USDC on Solana from its wallet's account there, within its limits, and nothing else.
func TestSolana_L18_AgentsPay(t *testing.T) {
	p, account := solanaBuyer(t)
	for _, cluster := range []string{"solana", "devnet"} {
		tx := p.statement(p.did(p.asksOnSolana("10000", solanaPayee, solanaUSDC, cluster, "")).Proof).Result.Transaction
		raw, _ := chain.ParseHex(tx.SignedTransaction)
		if read, _, err := (solana.Family{}).DecodeSigned(raw, ""); err != nil || read.To != solanaPayee ||
			tx.SignWith != account.Address || tx.Chain != "solana" || tx.LastHeight != "500" {
			t.Fatalf("%s: %+v, %+v, %v", cluster, tx, read, err)
		}
	}
	if got := p.agentIs(p.bot, wire.AgentActive).Payments.Spent; got != "0.02" {
		t.Errorf("spent %s", got)
	}
	p.did(p.asksOnSolana("10000", solanaPayee, "USDC", "solana", "2039280"))
	much := p.asksOnSolana("600000", solanaPayee, "USDC", "solana", "")
	if out := p.did(much); out.State != wire.Held {
		t.Errorf("above its threshold: %s", out.State)
	}
	if shown, err := p.preview(much.Body); err != nil || len(shown.Effects) != 1 || shown.AgentID != p.id ||
		shown.Effects[0].Display != "0.6 USDC" || shown.FeeDisplay != "0.00001 SOL" {
		t.Errorf("its preview: %+v, %v", shown, err)
	}
	for what, tc := range map[string]struct {
		q    wire.SubmitRequest
		want *fault.Error
	}{
		"more than at once": {
			p.asksOnSolana("1000001", solanaPayee, "USDC", "solana", ""), refusal.ErrAgentBudget,
		},
		"an account above its fee": {
			p.asksOnSolana("1", solanaPayee, "USDC", "solana", "9000000"), refusal.ErrAgentRule,
		},
		"SOL":                       {p.asksOnSolana("1", solanaPayee, "SOL", "solana", ""), refusal.ErrBody},
		"a payee of EVM":            {p.asksOnSolana("1", receiver, "USDC", "solana", ""), refusal.ErrBody},
		"a payee that is a mint":    {p.asksOnSolana("1", solanaUSDC, "USDC", "solana", ""), refusal.ErrBody},
		"a payee that is the agent": {p.asksOnSolana("1", account.Address, "USDC", "solana", ""), refusal.ErrBody},
		"a cluster of production":   {p.asksOnSolana("1", solanaPayee, "USDC", "mainnet-beta", ""), refusal.ErrBody},
		"rent on an EVM network":    {p.asksOnSolana("1", receiver, "USDC", "base", "1"), refusal.ErrBody},
	} {
		_, err := p.Submit(tc.q)
		refused(t, what, err, tc.want)
	}
}

// An agent without an account on Solana does not pay there, and no agent pays where its owner does not allow it.
func TestSolana_L18_AgentsPayWhereTheyMay(t *testing.T) {
	p := newPaying(t)
	_, err := p.Submit(p.asksOnSolana("1", solanaPayee, "USDC", "solana", ""))
	refused(t, "without an account", err, refusal.ErrBody)
	p.onSolana(p.alice, p.agentIs(p.bot, wire.AgentActive).WalletID)
	_, err = p.Submit(p.asksOnSolana("1", solanaPayee, "USDC", "solana", ""))
	refused(t, "on Solana, which is not among its chains", err, refusal.ErrAgentRule)
}

// What was signed for an agent on Solana is listed, also after the kill, until a finalized height above its last one.
func TestSolana_L14_AgentsAreKilled(t *testing.T) {
	p, _ := solanaBuyer(t)
	p.did(p.asksOnSolana("10000", solanaPayee, "USDC", "solana", ""))
	p.did(p.stamped(p.alice, wire.SetAgentStatus, wire.SetAgentStatusParams{AgentID: p.id, Status: wire.AgentKilled}))
	_, err := p.Submit(p.asksOnSolana("10000", solanaPayee, "USDC", "solana", ""))
	refused(t, "after the kill", err, refusal.ErrAgentKilled)
	p.checkpointNow()
	p.reopen()
	for height, want := range map[string]int{"500": 1, "501": 0} {
		said := []wire.FinalizedHeight{{Chain: "solana", Height: height}}
		proof, err := p.State(wire.StateRequest{OrganizationID: p.alice.org, Lent: &wire.LentRequest{
			AgentID: p.id, Finalized: said,
		}})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.statement(&proof).State.Lent; len(got.Signed) != want || !slices.Equal(got.Finalized, said) {
			t.Errorf("at %s: %+v", height, got)
		}
	}
}

func mustSolana(text string) solana.Address {
	a, err := solana.ParseAddress(text)
	if err != nil {
		panic(err)
	}
	return a
}
