package agent_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// solWorld is an application with a chain of Solana of its own, and an owner with money there.
type solWorld struct {
	*apptest.App
	chain *apptest.Solana
	t     *testing.T
	c     *railkit.Client
	alice apptest.Owner // her address is on Solana
}

func newSolWorld(t *testing.T, options ...apptest.Option) *solWorld {
	t.Helper()
	w := &solWorld{t: t, chain: apptest.NewSolana(t)}
	w.App = apptest.Rig(t, append(options, w.chain.Nodes)...)
	w.c = w.Client()
	w.alice = w.Register(w.c, "alice@example.com")
	var err error
	if w.alice.Wallet, err = w.c.Wallets.Create(ctx, w.alice.Passkey, railkit.PrepareWalletRequest{
		WalletName: "Alice", SubOrganizationID: w.alice.Sub.SubOrganizationID,
	}); err != nil {
		t.Fatal(err)
	}
	if w.alice.Address, err = w.c.Addresses.Create(ctx, w.alice.Passkey, railkit.PrepareAccountRequest{
		WalletID: w.alice.Wallet.WalletID, Chain: "solana",
	}); err != nil {
		t.Fatal(err)
	}
	w.chain.Faucet(w.alice.Address.Address, "native", "1")
	w.chain.Faucet(w.alice.Address.Address, "USDC", "100")
	return w
}

// onSolana asks for an agent in the Solana dialect: no network is named. It pays one payee there.
func (w *solWorld) onSolana(name string) railkit.AgentRequest {
	req := agentOf(w.alice, name)
	req.ChainID, req.WalletAddress, req.AllowedRecipients = 0, w.alice.Address.Address, []string{solanas}
	return req
}

// payer makes an agent, with 5 USDC and 0.1 SOL where its request is for Solana.
func (w *solWorld) payer(req railkit.AgentRequest) payer {
	w.t.Helper()
	p := w.broke(req)
	w.chain.Faucet(p.from, "native", "0.1")
	w.chain.Faucet(p.from, "USDC", "5")
	return p
}

// broke is an agent whose wallet is empty.
func (w *solWorld) broke(req railkit.AgentRequest) payer {
	w.t.Helper()
	made, err := w.c.Agents.Create(ctx, w.alice.Passkey, req)
	if err != nil {
		w.t.Fatalf("%v\n%s", err, w.Log)
	}
	own, err := railkit.NewAgentClient(railkit.AgentConfig{
		BaseURL: w.BaseURL, AgentID: made.AgentID, Secret: made.AgentSecret,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return payer{own, made, w.addressOn(made.AgentID, "solana")}
}

// addressOn is where an agent pays from on a network, as its view tells.
func (w *solWorld) addressOn(id, network string) string {
	w.t.Helper()
	got, err := w.c.Agents.Get(ctx, id)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, a := range got.Addresses {
		if a.Network == network {
			return a.Address
		}
	}
	return ""
}

// toSolana pays the payee this many micro-USDC.
func toSolana(micro railkit.SmallestUnits) railkit.AgentPayment {
	return railkit.AgentPayment{
		ActionType: "payment", Amount: micro, Destination: solanas, TokenMint: "USDC", Cluster: "solana",
	}
}

// becomes waits for a status, and gives the transaction.
func (w *solWorld) becomes(id, status string) *railkit.Transaction {
	w.t.Helper()
	var tx *railkit.Transaction
	apptest.Eventually(w.t, "the transaction is "+status, func() bool {
		var err error
		tx, err = w.c.Transactions.Get(ctx, id)
		return err == nil && tx.Status == status
	})
	return tx
}

// payeeHas wants the payee to have so many micro-USDC.
func (w *solWorld) payeeHas(want uint64) {
	w.t.Helper()
	if _, micro := w.chain.Held(solanas); micro != want {
		w.t.Errorf("the payee has %d, want %d", micro, want)
	}
}

// An agent whose request names no network is one on Solana: its owner funds it with USDC, which shows the rent of its
// token account, and with SOL for fees. Then it pays, by each name of network and token, and its views tell of it.
func TestAgents_Solana(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t)
	p := w.broke(w.onSolana("Buyer"))
	got, err := w.c.Agents.Get(ctx, p.made.AgentID)
	if err != nil || len(got.Addresses) != 1 || got.WalletAddress != p.from || strings.HasPrefix(p.from, "0x") ||
		strings.Join(got.Limits.AllowedChains, " ") != "solana" {
		t.Fatalf("made %+v, %v", got, err)
	}
	fund := railkit.FundAgentRequest{Amount: "5", From: w.alice.Address.Address, Network: "solana"}
	prepared, err := w.c.Agents.PrepareFunding(ctx, p.made.AgentID, fund)
	if err != nil || prepared.Fee.MaxRent == "" || prepared.To != p.from {
		t.Fatalf("prepared %+v, %v", prepared, err)
	}
	funded, err := w.c.Agents.ConfirmFunding(ctx, p.made.AgentID, prepared.FundRequestID,
		*stampedBy(t, w.alice)(&prepared.Prepared, nil))
	if err != nil || funded.LastHeight == 0 {
		t.Fatalf("funded %+v, %v\n%s", funded, err, w.Log)
	}
	w.becomes(funded.TransactionID, "confirmed")
	if _, err := p.Pay(ctx, toSolana("10000")); code(err) != "insufficient_balance" || !names(err, "too little SOL") {
		t.Errorf("without SOL: %v", err)
	}
	coins, err := w.c.Transactions.Send(ctx, w.alice.Passkey, railkit.PrepareTransactionRequest{
		Type: railkit.TransferNative, SignWith: w.alice.Address.Address, Network: "solana", To: p.from, Amount: "0.05",
	})
	if err != nil {
		t.Fatal(err)
	}
	w.becomes(coins.TransactionID, "confirmed")
	if b, err := p.Balance(ctx); err != nil || b.BalanceUSDC != "5" || b.Networks[0].Native != "0.05" ||
		b.Networks[0].NativeCoin != "SOL" || b.Networks[0].Address != p.from || b.Networks[0].ChainID != 0 {
		t.Errorf("its balance is %+v, %v", b, err)
	}
	paid := w.pays(p)
	w.payeeHas(30000)
	w.told(p, paid)
}

// pays has an agent pay by each name of the network and the token, and refuses what names neither.
func (w *solWorld) pays(p payer) (last *railkit.Transaction) {
	w.t.Helper()
	for _, change := range []func(*railkit.AgentPayment){
		func(*railkit.AgentPayment) {},
		func(q *railkit.AgentPayment) { q.Cluster = "devnet" },
		func(q *railkit.AgentPayment) { q.TokenMint = w.chain.Mint },
	} {
		q := toSolana("10000")
		change(&q)
		paid, err := p.Pay(ctx, q)
		if err != nil || paid.Network != "solana" || paid.From != p.from || paid.To != solanas || paid.Nonce != nil ||
			paid.LastHeight == 0 || len(paid.TxHash) < 80 || paid.Signature != paid.SignedTransaction {
			w.t.Fatalf("paid %+v, %v\n%s", paid, err, w.Log)
		}
		last = w.becomes(paid.TransactionID, "confirmed")
	}
	for field, change := range map[string]func(*railkit.AgentPayment){
		"cluster":     func(q *railkit.AgentPayment) { q.Cluster = "mainnet-beta" },
		"token_mint":  func(q *railkit.AgentPayment) { q.TokenMint = strings.ToLower(w.chain.Mint) },
		"destination": func(q *railkit.AgentPayment) { q.Destination = ana },
	} {
		q := toSolana("10000")
		change(&q)
		if _, err := p.Pay(ctx, q); code(err) != "validation_failed" || !names(err, field) {
			w.t.Errorf("%s: %v", field, err)
		}
	}
	other := toSolana("10000")
	other.Destination = w.alice.Address.Address
	if _, err := p.Pay(ctx, other); code(err) != "agent_not_allowed" {
		w.t.Errorf("to somebody else: %v", err)
	}
	return last
}

// told looks at what the owner is told of three payments.
func (w *solWorld) told(p payer, paid *railkit.Transaction) {
	w.t.Helper()
	if b, err := p.Budget(ctx); err != nil || b.Layers.Payments.Spent != "0.03" || b.Layers.Infra.Spent != "0.0003" {
		w.t.Errorf("its budget is %+v, %v", b, err)
	}
	if a, err := p.Analytics(ctx, railkit.PeriodDay); err != nil || a.Layers.Payments.Count != 3 ||
		a.Layers.Payments.Spent != "0.03" {
		w.t.Errorf("its analytics are %+v, %v", a, err)
	}
	record, err := w.c.Agents.Audit(ctx, p.made.AgentID, railkit.AgentAuditOptions{Type: "payment", Status: "success"})
	found := false
	for _, e := range record.Items {
		found = found || e.Detail["txHash"] == paid.TxHash
	}
	if err != nil || !found {
		w.t.Errorf("its record has no %s: %+v, %v", paid.TxHash, record, err)
	}
}

// A payment that waits for its owner is made with his vote: the blockhash of when it was asked for is dead by then.
func TestAgents_SolanaApprovalOutlivesABlockhash(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t)
	p := w.payer(w.onSolana("Patient"))
	var queued *railkit.QueuedError
	if _, err := p.Pay(ctx, toSolana("600000")); !errors.As(err, &queued) || queued.Code != "approval_required" {
		t.Fatalf("above the threshold: %v", err)
	}
	w.chain.Control("a", "dev_mine", 400)
	if _, err := w.c.Approvals.Approve(ctx, w.alice.Passkey, queued.ApprovalID, func(p *railkit.Preview) error {
		if e := p.Effects[len(p.Effects)-1]; p.AgentName != "Patient" || e.To != solanas || e.Amount != "600000" ||
			p.MaxRent == "" {
			t.Errorf("the owner is shown %+v", p)
		}
		return nil
	}); err != nil {
		t.Fatalf("%v\n%s", err, w.Log)
	}
	a, err := p.Approval(ctx, queued.ApprovalID, 0)
	if err != nil || a.Transaction == nil || a.Transaction.TxHash == "" {
		t.Fatalf("%+v, %v\n%s", a, err, w.Log)
	}
	w.becomes(a.Transaction.TransactionID, "confirmed")
	w.payeeHas(600000)
}

// A payment that no block took in time is asked for again under another key, and paid once; under the first key there
// is the first answer. Both count, since only the host could tell that the first one failed.
func TestAgents_SolanaExpiredIsPaidAgain(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t)
	p := w.payer(w.onSolana("Again"))
	for _, node := range []string{"a", "b"} {
		w.chain.Control(node, "dev_setView", map[string]any{"loses": true})
	}
	key := railkit.WithIdempotencyKey(ctx, uuid.NewString())
	first, err := p.Pay(key, toSolana("10000"))
	if err != nil {
		t.Fatalf("%v\n%s", err, w.Log)
	}
	w.chain.Die(first.SignedTransaction)
	if tx := w.becomes(first.TransactionID, "failed"); tx.Reason != railkit.ReasonBlockhashExpired {
		t.Errorf("expired: %+v", tx)
	}
	for _, node := range []string{"a", "b"} {
		w.chain.Control(node, "dev_setView", map[string]any{})
	}
	if again, err := p.Pay(key, toSolana("10000")); err != nil || again.TransactionID != first.TransactionID {
		t.Errorf("under the same key: %+v, %v", again, err)
	}
	second, err := p.Pay(ctx, toSolana("10000"))
	if err != nil {
		t.Fatal(err)
	}
	w.becomes(second.TransactionID, "confirmed")
	w.payeeHas(10000)
	if b, err := p.Budget(ctx); err != nil || b.Layers.Payments.Spent != "0.02" {
		t.Errorf("its budget is %+v, %v", b, err)
	}
}

// The signer signs, and the server's commit fails. The agent asks again under its key, long after the blockhash died in
// the signer's answer: it gets the payment that was signed, and nothing is paid twice.
func TestAgents_SolanaLostAnswerPaysOnce(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t, apptest.WithoutSweeper())
	p := w.payer(w.onSolana("Lost"))
	key := railkit.WithIdempotencyKey(ctx, uuid.NewString())
	allow := refuse(t, w.App, "UPDATE", "transactions", "")
	if _, err := p.Pay(key, toSolana("20000")); err == nil {
		t.Fatal("the commit did not fail")
	}
	allow()
	paid, err := p.Pay(key, toSolana("20000"))
	if err != nil || paid.TxHash == "" {
		t.Fatalf("again: %+v, %v\n%s", paid, err, w.Log)
	}
	w.becomes(paid.TransactionID, "confirmed")
	w.payeeHas(20000)
}

// One request under one key, many times at once, pays once.
func TestAgents_SolanaPaysOnceAtOnce(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t)
	p := w.payer(w.onSolana("Hasty"))
	key := railkit.WithIdempotencyKey(ctx, uuid.NewString())
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := p.Pay(key, toSolana("20000")); err != nil && code(err) != "idempotency_key_in_flight" {
				t.Errorf("one of them: %v", err)
			}
		})
	}
	all.Wait()
	paid, err := p.Pay(key, toSolana("20000"))
	if err != nil {
		t.Fatal(err)
	}
	w.becomes(paid.TransactionID, "confirmed")
	w.payeeHas(20000)
}

// A kill ends payments on Solana. What was signed before is listed with its last height until a final block is above
// it, and no clock and nothing that is sent in its place ends it earlier.
func TestAgents_SolanaExposureEndsByHeight(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t)
	p := w.payer(w.onSolana("Killed"))
	for _, node := range []string{"a", "b"} {
		w.chain.Control(node, "dev_setView", map[string]any{"loses": true})
	}
	paid, err := p.Pay(ctx, toSolana("250000"))
	if err != nil {
		t.Fatal(err)
	}
	for _, halt := range []string{"draining", "suspended", "killed"} {
		change := railkit.AgentStatusChange{Status: halt}
		if _, err := w.c.Agents.SetStatus(ctx, p.made.AgentID, change); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Pay(ctx, toSolana("1")); code(err) != "agent_not_active" && code(err) != "agent_killed" {
			t.Errorf("%s: %v", halt, err)
		}
	}
	x, err := w.c.Agents.Exposure(ctx, p.made.AgentID)
	if err != nil || x.OpenExposureUSDC != "0.25" || len(x.Transactions) != 1 || x.Transactions[0].LastHeight == nil ||
		*x.Transactions[0].LastHeight != paid.LastHeight || len(x.Transactions[0].Void.Prepare) != 0 {
		t.Fatalf("after the kill: %+v, %v", x, err)
	}
	w.chain.Die(paid.SignedTransaction)
	apptest.Eventually(t, "nothing can leave any more", func() bool {
		x, err := w.c.Agents.Exposure(ctx, p.made.AgentID)
		return err == nil && x.OpenExposureUSDC == "0" && len(x.Finalized) == 1
	})
	w.payeeHas(0)
}

// An agent may pay on both families, each from the address of its own. A recipient of one is none of the other.
func TestAgents_SolanaBesideEVM(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t)
	req := w.onSolana("Both")
	req.AllowedChains, req.AllowedRecipients = []string{"base", "solana"}, []string{ana}
	p := w.payer(req)
	evm := w.addressOn(p.made.AgentID, "base")
	if at, err := w.c.Agents.Wallet(ctx, p.made.AgentID); err != nil || len(at.Networks) != 2 || at.Address != evm ||
		!strings.HasPrefix(evm, "0x") || at.Networks[1].Address != p.from {
		t.Errorf("its wallet is %+v, %v", at, err)
	}
	if _, err := p.Pay(ctx, toSolana("10000")); code(err) != "agent_not_allowed" {
		t.Errorf("to who is not among its recipients: %v", err)
	}
	if b, err := p.Balance(ctx); err != nil || b.BalanceUSDC != "5" || len(b.Networks) != 2 {
		t.Errorf("its balance is %+v, %v", b, err)
	}
	for asset, amount := range map[string]string{"native": "0.1", "USDC": "1"} {
		if _, err := w.c.Sandbox.Faucet(ctx, railkit.FaucetRequest{
			Chain: "base", Address: evm, Asset: asset, Amount: amount,
		}); err != nil {
			t.Fatal(err)
		}
	}
	if paid, err := p.Pay(ctx, toAna("10000")); err != nil || paid.From != evm {
		t.Errorf("on Base: %+v, %v", paid, err)
	}
}

// An agent of EVM networks that shall pay on Solana too needs an account there, which its owner's passkey adds: until
// then payments and fundings say so, and after it both are made.
func TestAgents_SolanaIsAddedLater(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t)
	req := agentOf(w.alice, "Older")
	req.AllowedRecipients = []string{ana, solanas}
	p := w.broke(req)
	more := railkit.AgentBudgetChange{AgentReach: railkit.AgentReach{AllowedChains: []string{"base", "solana"}}}
	more.SignedActivity = stampedBy(t, w.alice)(w.c.Agents.PrepareBudget(ctx, p.made.AgentID, more))
	if _, err := w.c.Agents.SetBudget(ctx, p.made.AgentID, more); err != nil {
		t.Fatal(err)
	}
	fund := railkit.FundAgentRequest{Amount: "5", From: w.alice.Address.Address, Network: "solana"}
	_, payErr := p.Pay(ctx, toSolana("10000"))
	r := w.Do(w.Keys.BenchKey, "POST", "/v1/agents/"+p.made.AgentID+"/fund/prepare", apptest.JSON(t, fund))
	if !names(payErr, "accounts/prepare") || r.Status != 400 || !strings.Contains(r.Body, "accounts/prepare") {
		t.Errorf("without an account: %v, %d %s", payErr, r.Status, r.Body)
	}
	is, err := w.c.Agents.Wallet(ctx, p.made.AgentID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.c.Addresses.Create(ctx, w.alice.Passkey, railkit.PrepareAccountRequest{
		WalletID: is.WalletID, Chain: "solana",
	}); err != nil {
		t.Fatal(err)
	}
	from := w.addressOn(p.made.AgentID, "solana")
	w.chain.Faucet(from, "native", "0.1")
	funded, err := w.c.Agents.Fund(ctx, w.alice.Passkey, p.made.AgentID, fund)
	if err != nil || funded.To != from {
		t.Fatalf("%+v, %v\n%s", funded, err, w.Log)
	}
	w.becomes(funded.TransactionID, "confirmed")
	paid, err := p.Pay(ctx, toSolana("10000"))
	if err != nil {
		t.Fatal(err)
	}
	w.becomes(paid.TransactionID, "confirmed")
	w.payeeHas(10000)
}
