package ceremony_test

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testenv"
	"github.com/railkit/railkit/internal/test/webtest"
)

// rule is a body about rules, what the signer says of it, and what has to be shown.
type rule struct {
	name, kind string
	activity   wire.ActivityType
	params     any
	preview    wire.Preview
	button     string
	danger     bool
	shown      []string
}

var (
	oldRules = wire.Rules{MaxValueUSD: "100", DailyUSD: "1000.5"}
	newRules = wire.Rules{
		MaxValueUSD: "2500", AllowedDestinations: []string{payee},
		AllowedChains: []string{"base"}, AllowedTokens: []string{"USDC"},
		AllowedContracts: []wire.AllowedContract{{Chain: "base", Address: usdc, Selectors: []string{"0xdeadbeef"}}},
	}
	delegated = wire.Rules{Delegation: &wire.Delegation{
		AnyRequest:          true,
		ExpiresAtMs:         "1893456000000",
		MaxValueUSD:         "5",
		DailyUSD:            "50",
		AllowedDestinations: []string{payee},
	}}
	payeesOnly = wire.Rules{PayeesOnly: true, PayeeCoolingHours: "24", Delegation: &wire.Delegation{
		AnyRequest: true, ExpiresAtMs: "1893456000000", MaxValueUSD: "5", DailyUSD: "50", PayeesOnly: true,
	}}
	key     = wire.Credential{CredentialID: "AQID", PublicKey: "pQECAw", UserID: "u2", Email: "bob@example.com"}
	pending = wire.RecoveryPending{
		RecoveryID: "r1", Email: "ada@example.com", CredentialID: "AQID", StartedAt: "2026-01-02T03:04:05.000Z",
		ReadyAt: "2026-01-05T03:04:05.000Z", EmailOnly: true,
	}
)

var rules = []rule{
	{"a new policy", "policy", wire.CreatePolicy, wire.CreatePolicyParams{WalletID: "w", Rules: newRules},
		wire.Preview{Policy: &wire.Policy{WalletID: "w", Rules: newRules}, WalletID: "w", WalletName: "Main"},
		"Add rules to wallet “Main”", false,
		[]string{"One transaction, at most $2,500", "To these addresses only", payee, "On these networks only base",
			"These tokens only USDC", "Calls that pass unread", "0xdeadbeef"}},
	{"a changed policy", "policy", wire.UpdatePolicy, wire.UpdatePolicyParams{PolicyID: "p", Rules: newRules},
		wire.Preview{Policy: &wire.Policy{
			ID: "p", WalletID: "w", Rules: newRules,
		}, Before: &oldRules, WalletName: "Main"}, "Change the rules of wallet “Main”", false,
		[]string{"$2,500 Until now: $100", "A day, at most no more Until now: $1,000.50", "Until now: no such rule"}},
	{"a policy that goes", "policy", wire.DeletePolicy, wire.DeletePolicyParams{PolicyID: "p"},
		wire.Preview{Before: &oldRules, WalletID: "w", WalletName: "Main"}, "Remove rules of wallet “Main”", true,
		[]string{"Read this first", "hold no more", "One transaction, at most no more Until now: $100"}},
	{"a delegation", "policy", wire.CreatePolicy, wire.CreatePolicyParams{WalletID: "w", Rules: delegated},
		wire.Preview{Policy: &wire.Policy{WalletID: "w", Rules: delegated}, WalletName: "Main"},
		"Add rules to wallet “Main”", true,
		[]string{"sign without a passkey", "Any request of the server can use this delegation",
			"on any request of the server: it asks for no key", "valid for 4 h at most",
			"at most $5 at a time, $50 a day", payee}},
	{"approvals", "config", wire.UpdateApprovalConfig,
		wire.ApprovalConfig{Enabled: true, ThresholdUSD: "100", RequiredApprovers: "2"},
		wire.Preview{ApprovalConfig: &wire.ApprovalConfig{Enabled: true, ThresholdUSD: "100", RequiredApprovers: "2"}},
		"Change when others have to agree", false,
		[]string{"Others have to agree Yes", "costs more than $100", "To every message and text No",
			"How many have to agree 2"}},
	{"no approvals", "config", wire.UpdateApprovalConfig, wire.ApprovalConfig{},
		wire.Preview{ApprovalConfig: &wire.ApprovalConfig{}, Waits: &wire.Approval{
			Reason: wire.ReasonLoosens, RequiredApprovers: "2",
		}}, "Change when others have to agree", true,
		[]string{"One passkey will be enough", "until 2 people agree", "It lifts a rule"}},
	{"another's passkey", "passkey", wire.CreateAuthenticator,
		wire.CreateAuthenticatorParams{Email: key.Email, Attestation: wire.Attestation{CredentialID: key.CredentialID}},
		wire.Preview{Passkey: &key}, "Add a passkey for bob@example.com", false, []string{"bob@example.com", "AQID"}},
	{"a passkey that goes", "passkey", wire.DeleteAuthenticator,
		wire.DeleteAuthenticatorParams{CredentialID: key.CredentialID},
		wire.Preview{Passkey: &key}, "Remove a passkey of bob@example.com", false, []string{"AQID"}},
	{"a price", "price", wire.OverridePrice, wire.OverridePriceParams{Asset: "ETH", USD: "4321.5"},
		wire.Preview{Price: &wire.Price{Asset: "ETH", USD: "4321.5"}}, "Believe that 1 ETH is $4,321.50", false,
		[]string{"One is worth $4,321.50"}},
	{"recovery by mail", "recovery", wire.UpdateRecovery,
		wire.UpdateRecoveryParams{RecoveryPublicKey: "02ab", EmailOnlyRecovery: true},
		wire.Preview{Recovery: &wire.UpdateRecoveryParams{RecoveryPublicKey: "02ab", EmailOnlyRecovery: true}},
		"Change how you are recovered", true,
		[]string{"whoever runs the server, can then take the wallets", "A mail alone recovers you Yes"}},
	{"no recovery", "recovery", wire.UpdateRecovery, wire.UpdateRecoveryParams{},
		wire.Preview{Recovery: &wire.UpdateRecoveryParams{}}, "Change how you are recovered", true,
		[]string{"No recovery code will work any more"}},
	{"the end of a recovery", "recovery", wire.CancelRecovery, wire.CancelRecoveryParams{RecoveryID: "r1"},
		wire.Preview{Cancels: &pending}, "Cancel the recovery", false,
		[]string{"ada@example.com", "The passkey that will not come AQID"}},
	{"a text", "message", wire.SignMessage,
		wire.SignMessageParams{SignWith: payer, Type: wire.MessageText, Payload: "x"},
		wire.Preview{SignWith: payer, Message: &wire.Message{
			Type: wire.MessageText, Text: "Log in\u202e\nto <b>x</b>", Digest: "0xabcd",
		}}, "Sign a message", false,
		[]string{"Kind Text", `Log in\u{202E}`, "to <b>x</b>", "0x\nabcd"}},
	{"typed data", "message", wire.SignMessage,
		wire.SignMessageParams{SignWith: payer, Type: wire.MessageTypedData, Payload: "{}"},
		wire.Preview{
			SignWith: payer, Chain: "base", ChainName: "Base Sepolia", ChainID: "84532",
			Message: &wire.Message{
				Type:    wire.MessageTypedData,
				Domain:  "USDC, version 2",
				Primary: "Permit",
				Fields:  []string{"owner: 0x1", "value\n: 2"},
				Digest:  "0xabcd",
			},
			Effects: []chain.Effect{{Kind: chain.Approve, Asset: usdc, Symbol: "USDC", Decimals: 6, From: payer,
				Spender: payee, Amount: "5000000", Contract: usdc}},
		}, "Sign a message and allow spending 5 USDC", false,
		[]string{"Made for USDC, version 2", "Type Permit", "owner: 0x1", `value\u{000A}: 2`,
			"Who may take it", "Base Sepolia"}},
	{"a payee that comes", "payee", wire.AddPayee, wire.AddPayeeParams{Name: maria.Name, Chain: maria.Chain,
		Address: payee, Kind: maria.Kind, BankAccount: maria.BankAccount},
		wire.Preview{Payee: &maria, Chain: "base", ChainName: "Base Sepolia", ChainID: "84532"},
		"Add payee “María García”", false,
		[]string{"Stands for Bank account Owner of the account María García López Bank BBVA México", payee,
			"Account ending 6789 Currency MXN Network Base Sepolia", "signer cannot know whose address this is",
			"railkit verify-address asks the payment partner itself"}},
	{"a payee that goes", "payee", wire.RemovePayee, wire.RemovePayeeParams{PayeeID: maria.ID},
		wire.Preview{Payee: &maria, Chain: "base", Warnings: []string{"requests become void"}},
		"Remove payee “María García”", true,
		[]string{"Read this first Requests become void.", payee, "What ends What waits for votes"}},
	{"payees only", "policy", wire.CreatePolicy, wire.CreatePolicyParams{WalletID: "w", Rules: payeesOnly},
		wire.Preview{Policy: &wire.Policy{WalletID: "w", Rules: payeesOnly}, WalletName: "Main"},
		"Add rules to wallet “Main”", true,
		[]string{"Pays only who is in your book of payees Yes", "Pays a new payee after 24 hours",
			"at a time, $50 a day to your payees only, and to those that are added later as well"}},
	{"a hash", "message", wire.SignMessage,
		wire.SignMessageParams{SignWith: payer, Type: wire.MessageRawDigest, Payload: "0xabcd"},
		wire.Preview{SignWith: payer, Message: &wire.Message{Type: wire.MessageRawDigest, Digest: "0xabcd"}},
		"Sign a hash", true,
		[]string{"Nobody can read what this hash is of"}},
}

// previews gives a body's preview the body's own expiry.
func (e *signer) previewOf(body string, p wire.Preview) wire.Proof {
	p.ExpiresAt = shown(body).ExpiresAt
	return e.previewAs(body, p)
}

// flat is what the page shows, in one line.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

func TestSigning_A10_PageShowsRules(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	passkey := b.givePasskey()
	for _, r := range testenv.Sample(t, rules, 5) {
		body := newBody(r.activity, r.params)
		stamp := h.asks(r.kind, body, passkey)
		h.set(func() { stamp["preview"] = h.signer.previewOf(body, r.preview) })
		b.Go(h.link())
		text := flat(b.Wait("ready"))
		plain := strings.ReplaceAll(text, " ", "")
		for _, want := range r.shown {
			if !strings.Contains(plain, strings.ReplaceAll(flat(want), " ", "")) {
				t.Errorf("%s: %q is not shown in\n%s", r.name, want, text)
			}
		}
		if got := b.button(); got != r.button {
			t.Errorf("%s: the button says %q", r.name, got)
		}
		if got := b.Eval("document.querySelector('.actions button').className") == "danger"; got != r.danger {
			t.Errorf("%s: danger is %v", r.name, got)
		}
	}
}

// What body and preview both name has to be the same.
func TestSigning_A10_PageRefusesOtherRules(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	passkey := b.givePasskey()
	other := key
	other.CredentialID = "AQIE"
	for name, c := range testenv.SampleMap(t, map[string]struct {
		of     int // of rules
		change func(*wire.Preview)
	}{
		"rules":      {0, func(p *wire.Preview) { p.Policy = &wire.Policy{Rules: oldRules} }},
		"passkey":    {6, func(p *wire.Preview) { p.Passkey = &other }},
		"price":      {8, func(p *wire.Preview) { p.Price = &wire.Price{Asset: "USDC", USD: "1"} }},
		"recovery":   {9, func(p *wire.Preview) { p.Recovery = &wire.UpdateRecoveryParams{RecoveryPublicKey: "02cd"} }},
		"message":    {12, func(p *wire.Preview) { p.Message = &wire.Message{Type: wire.MessageHex, Digest: "0x"} }},
		"held alone": {0, func(p *wire.Preview) { p.Held = &wire.Preview{} }},
	}, 2) {
		r := rules[c.of]
		body, p := newBody(r.activity, r.params), r.preview
		c.change(&p)
		stamp := h.asks(r.kind, body, passkey)
		h.set(func() { stamp["preview"] = h.signer.previewOf(body, p) })
		b.Go(h.link())
		if text := b.Wait("unverified"); !strings.Contains(text, "preview") {
			t.Errorf("%s: the page says\n%s", name, text)
		}
	}
}

func TestSigning_A10_PageShowsCostAndWaits(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	body := transferBody(payee)
	stamp := h.asks("transaction", body, b.givePasskey())
	p := shown(body)
	p.CostUSD, p.Waits = "1234.5", &wire.Approval{Reason: wire.ReasonThreshold, RequiredApprovers: "1"}
	h.set(func() {
		stamp["preview"] = h.signer.previewAs(body, p)
		h.finish = func(request) (int, any) {
			return 202, object{"approvalId": "a", "status": "pending_approval", "expiresAt": p.ExpiresAt}
		}
	})
	b.Go(h.link())
	webtest.Contains(t, flat(b.Wait("ready")), "Costs, with the highest fee $1,234.50", "until one person agrees",
		"It costs more than one may spend alone")
	b.press()
	webtest.Contains(t, b.Wait("done"), "waits for the approval of others")
}

// What the rules refuse cannot be stamped here.
func TestSigning_A10_PageShowsADenial(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	body := transferBody(payee)
	stamp := h.asks("transaction", body, b.givePasskey())
	p := shown(body)
	p.Denial = &wire.Denial{Rule: "maxValueUsd", Field: "value", Observed: "25.51", Limit: "20"}
	h.set(func() { stamp["preview"] = h.signer.previewAs(body, p) })
	b.Go(h.link())
	webtest.Contains(t, b.Wait("denied"), "The rules refuse this now", "“maxValueUsd”: value is 25.51. It allows: 20.")
	if b.button() != "undefined" {
		t.Error("there is a way on")
	}
}

// A recovery that its owner may not know of is told before anything else.
func TestSigning_R06_PageTellsOfARecovery(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	body := transferBody(payee)
	stamp := h.asks("transaction", body, b.givePasskey())
	st := h.signer.statement(stamp["preview"].(wire.Proof))
	st.RecoveryPending = &pending
	h.set(func() { stamp["preview"] = h.signer.sign(st) })
	b.Go(h.link())
	text := b.Wait("ready")
	webtest.Contains(t, text, "Somebody is recovering this account", "ada@example.com", "A mail was enough", "cancel")
	if strings.Index(text, "Somebody is recovering") > strings.Index(text, payee[2:6]) {
		t.Error("it is not told first")
	}
}

// waiting is a vote for a transfer that waits.
func (h *host) waiting(passkey string) (body string, p wire.Preview, stamp object) {
	held := transferBody(payee)
	vote := wire.ApproveActivityParams{Fingerprint: wire.Fingerprint(held), PolicySet: "ab"}
	body = newBody(wire.ApproveActivity, vote)
	does := shown(held)
	does.CostUSD = "25.51"
	p = wire.Preview{Held: &does, Approves: &wire.Approval{
		Fingerprint: vote.Fingerprint, PolicySet: vote.PolicySet, Activity: wire.SignIntent,
		Reason: wire.ReasonThreshold, RequesterUserID: "u1", RequiredApprovers: "2",
		ExpiresAt: clock.ISO(time.Now().Add(24 * time.Hour)),
		Votes:     []wire.Vote{{UserID: "u3", Email: "carol@example.com"}},
	}}
	stamp = h.asks("approval", body, passkey)
	h.set(func() {
		stamp["preview"] = h.signer.previewOf(body, p)
		stamp["state"] = h.signer.state(wire.Statement{Kind: wire.KindState,
			OrganizationID: organization, State: &wire.Result{
				Owners: &wire.Owners{Credentials: []wire.Credential{
					{UserID: "u1", Email: "ada@example.com"}, {UserID: "u2", Email: "bob@example.com"},
				}},
			}})
	})
	return body, p, stamp
}

func TestSigning_A10_PageApproves(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	body, p, _ := h.waiting(b.givePasskey())
	standing := *p.Approves
	standing.Approved = true
	standing.Votes = append(standing.Votes, wire.Vote{UserID: "u2", Email: "bob@example.com"})
	h.set(func() {
		h.finish = func(request) (int, any) {
			return 201, object{
				"status": "approved", "vote": h.signer.result(body, wire.Result{Approval: &standing}),
				"transaction": object{"status": "broadcast", "txHash": "0x" + strings.Repeat("5d", 32)},
			}
		}
	})
	b.Go(h.link())
	webtest.Contains(t, flat(b.Wait("ready")), "Asked by ada@example.com",
		"Why it waits It costs more than one may spend alone", "Agreed so far 1 of 2 carol@example.com",
		"What it does", "25500000 in the smallest unit", "Costs, with the highest fee $25.51", "0x 90F7")
	if got := b.button(); got != "Approve: send 25.50 USDC" {
		t.Errorf("the button says %q", got)
	}
	b.press()
	webtest.Contains(t, flat(b.Wait("done")), "You have agreed", "That was the last vote it needed",
		"2 of 2 carol@example.com bob@example.com", "on its way to the chain")
	if h.stamps()[0].Stamp == nil {
		t.Error("no stamp came")
	}
}

// Declining a vote takes no passkey, and says that others can still agree. The names of the server are marked as such.
// Where the server leads to another origin than it names, there is no way back.
func TestSigning_A10_PageDeclines(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	h.waiting(b.givePasskey())
	h.set(func() {
		h.opening["workspaceName"], h.opening["walletName"] = "Example <b>Payments</b>", "Treasury"
		h.finish = func(request) (int, any) { return 200, object{"status": "declined"} }
		h.back = object{"origin": "https://app.example.com", "url": "https://app.example.com.evil.example/?id=1"}
	})
	b.Go(h.link())
	webtest.Contains(t, flat(b.Wait("ready")), "Workspace Example <b>Payments</b> Wallet Treasury",
		"In the words of the server: the signer does not vouch for these names")
	b.Do(chromedp.Click(chromedp.CSS("button.quiet")))
	webtest.Contains(t, b.Text(), "Decline: send 25.50 USDC", "Your passkey is not needed", "the votes of others")
	b.Do(chromedp.SendKeys(chromedp.CSS("textarea"), "Not this month"))
	b.press()
	webtest.Contains(t, b.Wait("done"), "You have declined", "your vote is not counted")
	if got := b.Eval("document.querySelectorAll('#page .actions').length"); got != "0" {
		t.Errorf("%s ways back", got)
	}
	got := h.stamps()[0]
	if got.Stamp != nil || got.Decline == nil || got.Decline.Reason != "Not this month" {
		t.Errorf("came %+v", got)
	}
}

// A host that shows one request and hands in a vote for another is refused, and so
// is a count that the signer did not make.
func TestSigning_A10_PageRefusesAWrongVote(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	passkey := b.givePasskey()
	for name, lie := range testenv.SampleMap(t, map[string]func(p *wire.Preview){
		"another request":   func(p *wire.Preview) { p.Approves.Fingerprint = "sha256:00" },
		"other rules":       func(p *wire.Preview) { p.Approves.PolicySet = "cd" },
		"nothing about it":  func(p *wire.Preview) { p.Held = nil },
		"no request at all": func(p *wire.Preview) { p.Approves = nil },
	}, 2) {
		body, p, stamp := h.waiting(passkey)
		lie(&p)
		h.set(func() { stamp["preview"] = h.signer.previewOf(body, p) })
		b.Go(h.link())
		if text := b.Wait("unverified"); !strings.Contains(text, "preview") {
			t.Errorf("%s: the page says\n%s", name, text)
		}
	}
	for name, answer := range map[string]func(body string, standing wire.Approval) object{
		"no proof": func(string, wire.Approval) object { return object{"status": "approved"} },
		"of another request": func(body string, a wire.Approval) object {
			a.Fingerprint = "sha256:00"
			return object{"status": "approved", "vote": h.signer.result(body, wire.Result{Approval: &a})}
		},
	} {
		body, p, _ := h.waiting(passkey)
		h.set(func() { h.finish = func(request) (int, any) { return 201, answer(body, *p.Approves) } })
		b.Go(h.link())
		b.Wait("ready")
		b.press()
		if text := b.Wait("unverified"); !strings.Contains(text, "It may have been done") {
			t.Errorf("%s: the page says\n%s", name, text)
		}
	}
}

// adds opens a ceremony for a further passkey. What comes of it is the body that
// another passkey stamps, with a link of its own.
func (h *host) adds(email, credential string, swap func(*wire.Credential)) {
	h.registers(email)
	h.set(func() {
		h.opening["kind"] = "add"
		h.finish = func(r request) (int, any) {
			made := h.registration(email, r)["proof"].(wire.Proof)
			passkey := h.signer.statement(made).Result.Owners.Credentials[0]
			body := newBody(wire.CreateAuthenticator, wire.CreateAuthenticatorParams{Attestation: *r.Attestation})
			swap(&passkey)
			h.next = object{"kind": "passkey", "environment": "sandbox",
				"expiresAt": shown(body).ExpiresAt, "stamp": object{
					"body": body, "preview": h.signer.previewOf(body, wire.Preview{Passkey: &passkey}),
					"rpId": "localhost", "allowCredentials": []object{{"type": "public-key", "id": credential}},
				}}
			h.finish = func(request) (int, any) {
				return 201, object{"proof": h.signer.result(body, wire.Result{Passkey: &passkey})}
			}
			return 200, object{"ceremonyUrl": h.link(), "expiresAt": shown(body).ExpiresAt}
		}
	})
}

// Both steps on one page: it knows which passkey it has just made.
func TestSigning_S16_PageAddsAPasskey(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		swap func(*wire.Credential)
		ends string
	}{
		"the one that was made": {func(*wire.Credential) {}, "done"},
		"another key":           {func(c *wire.Credential) { c.PublicKey = "AQ" }, "unverified"},
	} {
		h, b := newHost(t), newTab(t)
		h.adds("ada@example.com", b.givePasskey(), c.swap)
		b.Go(h.link())
		webtest.Contains(t, b.Wait("ready"), "Create a further passkey", "ada@example.com")
		b.press()
		apptest.Eventually(t, "the second step", func() bool { return strings.Contains(b.Text(), "Now add it") })
		h.set(func() { h.opening = h.next })
		b.press()
		if c.ends == "done" {
			apptest.Eventually(t, "the body", func() bool { return b.button() == "Add a passkey for ada@example.com" })
			b.press()
		}
		text := b.Wait(c.ends)
		if c.ends != "done" && !strings.Contains(text, "another than the one that was just made") {
			t.Errorf("%s: the page says\n%s", name, text)
		}
	}
}
