package enclave

import (
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

const sponsor = "2q7pyhPwAwZ3QMfZrnAbDhnh9mDUqycszcpf86VgQxhF"

// buyingOnSolana is a world whose agent may pay at shop.example on Solana.
func buyingOnSolana(t *testing.T) (p *paying, address string) {
	p = newPaying(t)
	l := limits()
	l.AllowedHosts, l.AllowedChains = []string{"shop.example"}, []string{"base", "solana"}
	p.did(p.stamped(p.alice, wire.SetAgentLimits, wire.SetAgentLimitsParams{AgentID: p.id, Limits: l}))
	return p, p.onSolana(p.alice, p.agentIs(p.bot, wire.AgentActive).WalletID).Address
}

// offerOnSolana is what a seller of 0.01 USDC asks for.
func offerOnSolana() wire.AgentX402Params {
	return wire.AgentX402Params{
		Chain: "solana", Transfer: chain.Sponsored, To: solanaPayee, Amount: "10000", Facilitator: sponsor,
		Memo: "order-1",
	}
}

// buysOnSolana is a request of the agent, under an offer, and with what the host adds when it is signed.
func (p *paying) buysOnSolana(request string, o wire.AgentX402Params, blockhash string) wire.SubmitRequest {
	p.t.Helper()
	q := p.buys(request, o)
	q.Volatile = &wire.Volatile{Blockhash: blockhash, LastHeight: "500"}
	return q
}

func (p *paying) spent(want string) {
	p.t.Helper()
	if got := p.agentIs(p.bot, wire.AgentActive).Payments.Spent; got != want {
		p.t.Errorf("spent %s, want %s", got, want)
	}
}

// What is signed is the transaction of the scheme, in our slot alone: the sponsor's stays open. It is given again for
// the same body, whatever blockhash comes with it and also after a restart, and counted once.
func TestAgents_X402SignsOnSolana(t *testing.T) {
	p, address := buyingOnSolana(t)
	q := p.buysOnSolana(wanted, offerOnSolana(), solanaBlock)
	out := p.did(q)
	made := p.statement(out.Proof).Result.Transaction
	if made == nil || made.SignWith != address || made.TxHash != "" || made.LastHeight != "500" {
		t.Fatalf("%+v", made)
	}
	raw, err := chain.ParseHex(made.SignedTransaction)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := solana.DecodeTransaction(raw)
	if err != nil || len(tx.Signatures) != 2 || tx.Signatures[0] != (solana.Signature{}) || tx.Verify() != nil {
		t.Fatalf("%+v, %v", tx, err)
	}
	want, err := solana.Sponsored{
		Sponsor: mustSolana(sponsor), Source: mustSolana(address), Destination: mustSolana(solanaPayee),
		Mint: mustSolana(solanaUSDC), Decimals: 6, Amount: 10_000, Memo: "order-1", Blockhash: mustSolana(solanaBlock),
	}.Message()
	signed, also := tx.Message.Encode()
	if meant, err2 := want.Encode(); err != nil || also != nil || err2 != nil || string(meant) != string(signed) {
		t.Errorf("signed %+v, want %+v", tx.Message, want)
	}
	p.spent("0.01")
	p.checkpointNow()
	p.reopen()
	q.Volatile.Blockhash = solanaPayee
	if again, err := p.Submit(q); err != nil || *again.Proof != *out.Proof {
		t.Errorf("again: %+v, %v", again, err)
	}
	p.spent("0.01")
}

// The host chooses among offers, and within what the agent signed and the owner stamped. It adds a blockhash and
// nothing else.
func TestAgents_X402LyingHostOnSolana(t *testing.T) {
	p, address := buyingOnSolana(t)
	owners := p.onSolana(p.alice, p.wallet(p.alice, "Main").WalletID).Address
	byRecipient := `{"resource_url":"` + shop + `","amount":"10000","recipient":"` + solanaPayee +
		`","cluster":"devnet","memo":"order-1"}`
	older := `{"paymentRequirement":{"amount":"0.01","currency":"USDC","network":"solana","recipient":"` +
		solanaPayee + `"}}`
	type params = *wire.AgentX402Params
	for name, c := range map[string]struct {
		request string
		change  func(o params)
	}{
		"more than the agent allows":   {wanted, func(o params) { o.Amount = "10001" }},
		"another recipient":            {byRecipient, func(o params) { o.To = sponsor }},
		"another recipient, older":     {older, func(o params) { o.To = sponsor }},
		"another memo":                 {byRecipient, func(o params) { o.Memo = "order-2" }},
		"another network":              {byRecipient, func(o params) { *o = offer() }},
		"a token account":              {wanted, func(o params) { o.To = derived(address) }},
		"the mint":                     {wanted, func(o params) { o.To = solanaUSDC }},
		"the agent itself":             {wanted, func(o params) { o.To = address }},
		"the agent's fee":              {wanted, func(o params) { o.Facilitator = address }},
		"the fee of the owner":         {wanted, func(o params) { o.Facilitator = owners }},
		"the fee of a token account":   {wanted, func(o params) { o.Facilitator = derived(address) }},
		"the fee of the payee's":       {wanted, func(o params) { o.Facilitator = derived(solanaPayee) }},
		"the fee of the mint":          {wanted, func(o params) { o.Facilitator = solanaUSDC }},
		"no sponsor":                   {wanted, func(o params) { o.Facilitator = "" }},
		"no memo":                      {wanted, func(o params) { o.Memo = "" }},
		"a long memo":                  {wanted, func(o params) { o.Memo = strings.Repeat("m", 257) }},
		"a nonce":                      {wanted, func(o params) { o.Nonce = nonceOf(1) }},
		"a time":                       {wanted, func(o params) { o.Seconds = "60" }},
		"typed data":                   {wanted, func(o params) { o.Transfer = "eip3009" }},
		"a transaction on EVM":         {wanted, func(o params) { o.Chain, o.To = "base", receiver }},
		"a memo of typed data":         {wanted, func(o params) { *o = offer(); o.Memo = "order-1" }},
		"a host that is not allowed":   {strings.Replace(wanted, "shop.", "chop.", 1), nil},
		"a cluster that is not served": {strings.Replace(byRecipient, "devnet", "testnet", 1), nil},
	} {
		o := offerOnSolana()
		if c.change != nil {
			c.change(&o)
		}
		if out, err := p.Submit(p.buysOnSolana(c.request, o, solanaBlock)); err == nil {
			t.Errorf("%s: %s", name, out.State)
		}
	}
	for name, v := range map[string]*wire.Volatile{
		"no blockhash": {}, "no volatile": nil, "a height that is none": {Blockhash: solanaBlock, LastHeight: "x"},
	} {
		q := p.buysOnSolana(wanted, offerOnSolana(), solanaBlock)
		q.Volatile = v
		if out, err := p.Submit(q); err == nil {
			t.Errorf("%s: %s", name, out.State)
		}
	}
	p.spent("0")
	for i, request := range []string{wanted, byRecipient, older} {
		if out := p.did(p.buysOnSolana(request, offerOnSolana(), []string{solanaBlock, solanaPayee, sponsor}[i])); out.
			State != wire.Done {
			t.Errorf("%s: %s", request, out.State)
		}
	}
	p.spent("0.03")
}

func derived(owner string) string {
	return solana.AssociatedAddress(mustSolana(owner), mustSolana(solanaUSDC), solana.TokenProgram).String()
}

// One request of the agent is one message: neither another blockhash nor another body makes a second one, and the same
// message is not signed for two requests.
func TestAgents_X402OneMessageOnSolana(t *testing.T) {
	p, _ := buyingOnSolana(t)
	q := p.buysOnSolana(wanted, offerOnSolana(), solanaBlock)
	p.did(q)
	again := q
	again.Body = strings.Replace(q.Body, "order-1", "order-2", 1)
	again.Volatile = &wire.Volatile{Blockhash: solanaPayee, LastHeight: "600"}
	_, err := p.Submit(again)
	refused(t, "the same request, with another memo", err, refusal.ErrAgentOnce)
	next := p.buysOnSolana(wanted, offerOnSolana(), solanaBlock)
	_, err = p.Submit(next)
	refused(t, "the same message for another request", err, refusal.ErrAlreadySigned)
	next.Volatile.Blockhash = solanaPayee
	p.did(next)
	p.spent("0.02") // both count: the first may still land
}

// What is above the threshold waits for the passkey, which sees whom it pays. The message is made with the vote: no
// blockhash lives as long as people think.
func TestAgents_X402WaitsOnSolana(t *testing.T) {
	p, _ := buyingOnSolana(t)
	o := offerOnSolana()
	o.Amount = "600000"
	q := p.buysOnSolana(strings.Replace(wanted, "10000", "600000", 1), o, solanaBlock)
	preview, err := p.Preview(wire.PreviewRequest{Body: q.Body})
	if err != nil {
		t.Fatal(err)
	}
	shown := p.statement(&preview).Preview
	if len(shown.Effects) != 1 || shown.Effects[0].To != solanaPayee || shown.Effects[0].Display != "0.6 USDC" ||
		shown.Resource != shop || shown.MaxTotalFee != "" || shown.FeeDisplay != "" || shown.Seconds != "" {
		t.Errorf("%+v", shown)
	}
	q.Volatile = nil
	if out := p.did(q); out.State != wire.Held {
		t.Fatal(out.State)
	}
	p.advance(4 * time.Minute)
	if _, err := p.vote(q.Body, p.alice); err != nil {
		t.Fatal(err)
	}
	out := p.did(wire.SubmitRequest{Body: q.Body, Volatile: &wire.Volatile{Blockhash: solanaPayee, LastHeight: "900"}})
	raw, err := chain.ParseHex(p.statement(out.Proof).Result.Transaction.SignedTransaction)
	tx, also := solana.DecodeTransaction(raw)
	if err != nil || also != nil || solana.Address(tx.Blockhash).String() != solanaPayee {
		t.Errorf("%v, %v, %+v", err, also, tx)
	}
}

// After the kill there is no signature. What was signed before is listed, with what it moves, until the host names a
// final height above its last one.
func TestAgents_X402ExposureOnSolana(t *testing.T) {
	p, address := buyingOnSolana(t)
	p.did(p.buysOnSolana(wanted, offerOnSolana(), solanaBlock))
	p.did(p.stamped(p.alice, wire.SetAgentStatus, wire.SetAgentStatusParams{AgentID: p.id, Status: wire.AgentKilled}))
	if out, err := p.Submit(p.buysOnSolana(wanted, offerOnSolana(), solanaPayee)); err == nil {
		t.Errorf("after the kill: %s", out.State)
	}
	listed := func(height string) []wire.LentSigning {
		t.Helper()
		q := &wire.LentRequest{AgentID: p.id, Finalized: []wire.FinalizedHeight{{Chain: "solana", Height: height}}}
		proof, err := p.State(wire.StateRequest{OrganizationID: p.alice.org, Lent: q})
		if err != nil {
			t.Fatal(err)
		}
		return p.statement(&proof).State.Lent.Signed
	}
	p.checkpointNow()
	p.reopen()
	p.advance(24 * time.Hour) // no clock ends it
	all := listed("500")
	if len(all) != 1 || all[0].USDC().Int64() != 10_000 || all[0].Transaction.SignWith != address ||
		all[0].Effects[0].To != solanaPayee || all[0].Transaction.LastHeight != "500" || all[0].Standing {
		t.Fatalf("%+v", all)
	}
	if all := listed("501"); len(all) != 0 {
		t.Errorf("%+v", all)
	}
}
