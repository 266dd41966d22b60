package decide

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// permitText is a permit of the sandbox's USDC on base, for spender.
func permitText(owner, spender string, chainID int) string {
	return fmt.Sprintf(`{"types":{"EIP712Domain":[{"name":"name","type":"string"},{"name":"chainId",`+
		`"type":"uint256"},{"name":"verifyingContract","type":"address"}],`+
		`"Permit":[{"name":"owner","type":"address"},{"name":"spender","type":"address"},{"name":"value",`+
		`"type":"uint256"},{"name":"nonce","type":"uint256"},{"name":"deadline","type":"uint256"}]},`+
		`"primaryType":"Permit","domain":{"name":"USDC","chainId":%d,`+
		`"verifyingContract":"0x036CbD53842c5426634e7929541eC2318f3dCF7e"},`+
		`"message":{"owner":"%s","spender":"%s","value":"1000000","nonce":0,"deadline":"9"}}`, chainID, owner, spender)
}

var spender = evm.Address{7}.String()

// message is a body that nobody has sent before.
func (c *club) message(kind, payload string) Request {
	return c.body(wire.SignMessage, wire.SignMessageParams{SignWith: c.address, Type: kind, Payload: payload})
}

func (c *club) ruled(r wire.Rules) {
	c.t.Helper()
	c.must(EventPolicy, "ann", c.body(wire.CreatePolicy, wire.CreatePolicyParams{WalletID: c.wallet, Rules: r}))
}

const hash = "0x00000000000000000000000000000000000000000000000000000000000000ff"

func TestMessageIsJournaledBeforeItIsSigned(t *testing.T) {
	for kind, payload := range map[string]string{
		wire.MessageText: "hello", wire.MessageHex: "0x00",
		wire.MessageTypedData: permitText(evm.Address{1}.String(), spender, 84532),
	} {
		c := newClub(t, "ann")
		r := c.message(kind, payload)
		d, err := c.judge("ann", r)
		if err != nil || d.Event.Kind != EventMessage {
			t.Fatalf("%s: %s, %v", kind, d.Event.Kind, err)
		}
		o, shown := d.Event.Message, c.preview(r)
		if o.SignWith != c.address || o.WalletID != c.wallet || chain.Hex(o.Digest) != shown.Message.Digest ||
			d.Event.Spend == nil || d.Event.Transaction != nil {
			t.Errorf("%s: %+v, shown %+v", kind, o, shown.Message)
		}
		c.apply(d.Event)
		if got := c.do("ann", r); got != "past" {
			t.Errorf("%s again: %s", kind, got)
		}
	}
}

func (c *club) preview(r Request) *wire.Preview {
	c.t.Helper()
	p, err := c.Preview(r, c.now)
	if err != nil {
		c.t.Fatal(err)
	}
	return p
}

func TestSigning_E12_RefusedMessages(t *testing.T) {
	c := newClub(t, "ann")
	for name, m := range map[string]wire.SignMessageParams{
		"unknown type":          {Type: "EIP712_V3", Payload: "{}"},
		"no type":               {Payload: "hello"},
		"no hex":                {Type: wire.MessageHex, Payload: "hello"},
		"half a byte":           {Type: wire.MessageHex, Payload: "0x0"},
		"no typed data":         {Type: wire.MessageTypedData, Payload: "hello"},
		"another environment's": {Type: wire.MessageTypedData, Payload: permitText(c.address, spender, 8453)},
		"31 bytes":              {Type: wire.MessageRawDigest, Payload: hash[:64]},
		"33 bytes":              {Type: wire.MessageRawDigest, Payload: hash + "00"},
		"digest without 0x":     {Type: wire.MessageRawDigest, Payload: hash[2:]},
		"an authorization":      {Type: "EIP7702_AUTHORIZATION", Payload: hash}, // E05
		"too large":             {Type: wire.MessageText, Payload: strings.Repeat("a", 64<<10+1)},
	} {
		m.SignWith = c.address
		r := c.body(wire.SignMessage, m)
		c.refused(name, refusal.ErrBody, "ann", r)
		if _, err := c.Preview(r, c.now); err == nil {
			t.Errorf("%s has a preview", name)
		}
	}
	c.refused("of nobody", refusal.ErrBody, "ann",
		c.body(wire.SignMessage, wire.SignMessageParams{SignWith: "ann", Type: wire.MessageText}))
	c.refused("of somebody else", refusal.ErrAccount, "ann",
		c.body(wire.SignMessage, wire.SignMessageParams{SignWith: spender, Type: wire.MessageText}))
}

// E12: what a policy can read it judges, what nobody can read it denies, and text
// for people it lets pass.
func TestSigning_E12_MessagesUnderPolicies(t *testing.T) {
	permit := permitText(evm.Address{1}.String(), spender, 84532)
	unknown := strings.Replace(strings.Replace(permit, `"Permit":[`, `"Order":[`, 1), `"primaryType":"Permit"`,
		`"primaryType":"Order"`, 1)
	other := evm.Address{8}.String()
	for name, x := range map[string]struct {
		kind, payload string
		rules         []wire.Rules
		want          EventKind
	}{
		"text": {wire.MessageText, "hello", []wire.Rules{{AllowedDestinations: []string{other},
			AllowedChains: []string{"base"}, MaxValueUSD: "1"}}, EventMessage},
		"text as bytes": {wire.MessageHex, "0x68656c6c6f",
			[]wire.Rules{{AllowedChains: []string{"base"}}}, EventMessage},
		"bytes": {wire.MessageHex, "0x00",
			[]wire.Rules{{AllowedTokens: []string{"USDC"}}}, EventDenied},
		"a hash, without rules": {wire.MessageHex, hash, nil, EventMessage},
		"a hash":                {wire.MessageHex, hash, []wire.Rules{{MaxValueUSD: "1000"}}, EventDenied},
		"a hash that can be read": {wire.MessageText, strings.Repeat("a", 32),
			[]wire.Rules{{MaxValueUSD: "1000"}}, EventDenied},
		"a permit": {wire.MessageTypedData, permit,
			[]wire.Rules{{AllowedDestinations: []string{spender}}}, EventMessage},
		"a permit for another": {wire.MessageTypedData, permit,
			[]wire.Rules{{AllowedDestinations: []string{other}}}, EventDenied},
		"a permit of no known price": {wire.MessageTypedData, permit,
			[]wire.Rules{{MaxValueUSD: "1000"}}, EventDenied},
		"a permit on another chain": {wire.MessageTypedData, permit,
			[]wire.Rules{{AllowedChains: []string{"polygon"}}}, EventDenied},
		"unknown data": {wire.MessageTypedData, unknown,
			[]wire.Rules{{AllowedChains: []string{"base"}}}, EventDenied},
		"unknown data, without rules": {wire.MessageTypedData, unknown, nil, EventMessage},
		"digest, without rules":       {wire.MessageRawDigest, hash, nil, EventDenied},
		"digest under a policy": {wire.MessageRawDigest, hash,
			[]wire.Rules{{AllowedChains: []string{"base"}}}, EventDenied},
		"digest, allowed": {wire.MessageRawDigest, hash,
			[]wire.Rules{{AllowRawDigests: true}}, EventMessage},
		"digest, allowed and forbidden": {wire.MessageRawDigest, hash,
			[]wire.Rules{{AllowRawDigests: true}, {MaxValueUSD: "1"}}, EventDenied},
	} {
		c := newClub(t, "ann")
		for _, r := range x.rules {
			c.ruled(r)
		}
		r := c.message(x.kind, x.payload)
		if got := c.do("ann", r); got != x.want {
			t.Errorf("%s: %s, want %s", name, got, x.want)
		}
		if got := c.do("ann", r); got != "past" {
			t.Errorf("%s again: %s", name, got)
		}
	}
}

// A message that nobody stamped waits, text too; and one over the threshold.
func TestSigning_E12_MessagesWait(t *testing.T) {
	c := governed(t, "1", "ann")
	c.must(EventMessage, "ann", c.message(wire.MessageText, "hello"))
	for name, x := range map[string]struct{ passkey, kind, payload string }{
		"text without a stamp":   {"", wire.MessageText, "hello"},
		"a permit without price": {"ann", wire.MessageTypedData, permitText(c.address, spender, 84532)},
		"a hash":                 {"ann", wire.MessageHex, hash},
	} {
		r := c.message(x.kind, x.payload)
		if got := c.do(x.passkey, r); got != EventHeld {
			t.Errorf("%s: %s", name, got)
		}
		c.must(EventVote, "ann", c.vote(r.Fingerprint))
		if got := c.do("", r); got != EventMessage {
			t.Errorf("%s, after the vote: %s", name, got)
		}
	}
}

// Where the users want it, every message waits for votes: a text that costs nothing
// too, which else is signed on one stamp, also with a threshold of 0.
func TestSigning_E12_MessagesIncluded(t *testing.T) {
	c := newClub(t, "ann")
	rule := wire.ApprovalConfig{Enabled: true, ThresholdUSD: "0", RequiredApprovers: "1"}
	c.must(EventConfig, "", c.body(wire.UpdateApprovalConfig, rule))
	c.must(EventMessage, "ann", c.message(wire.MessageText, "hello"))
	rule.IncludeMessages = true
	c.must(EventConfig, "", c.body(wire.UpdateApprovalConfig, rule)) // it tightens: nobody's stamp
	r := c.message(wire.MessageText, "hello")
	if w := c.preview(r).Waits; w == nil || w.Reason != wire.ReasonMessage {
		t.Errorf("shown as %+v", w)
	}
	c.must(EventHeld, "ann", r)
	if a := c.standing(r.Fingerprint); a.Reason != wire.ReasonMessage {
		t.Errorf("waits because of %s", a.Reason)
	}
	c.must(EventVote, "ann", c.vote(r.Fingerprint))
	c.must(EventMessage, "", r)
	rule.IncludeMessages = false
	c.must(EventHeld, "ann", c.body(wire.UpdateApprovalConfig, rule))
}

// A10: the preview has the whole message, and the digest that is signed.
func TestSigning_A10_PreviewOfMessages(t *testing.T) {
	c := newClub(t, "ann")
	text := c.preview(c.message(wire.MessageText, "hello\u202e"))
	if m := text.Message; m.Text != chain.Hex([]byte("hello\u202e")) || len(text.Warnings) != 1 || text.Chain != "" {
		t.Errorf("%+v %+v", text, m)
	}
	if m := c.preview(c.message(wire.MessageText, "hello")); m.Message.Text != "hello" ||
		len(m.Effects)+len(m.Warnings) != 0 || m.SignWith != c.address || m.ExpiresAt == "" {
		t.Errorf("%+v", m)
	}
	if m := c.preview(c.message(wire.MessageText, "0xff")).Message; m.Text != "0x30786666" {
		t.Errorf("text that looks like bytes: %+v", m)
	}
	if m := c.preview(c.message(wire.MessageHex, "0xFF")).Message; m.Text != "0xff" {
		t.Errorf("bytes: %+v", m)
	}
	typed := c.preview(c.message(wire.MessageTypedData, permitText(c.address, spender, 84532)))
	fields := []string{"owner: " + c.address, "spender: " + spender, "value: 1000000", "nonce: 0", "deadline: 9"}
	if m := typed.Message; m.Primary != "Permit" || !slices.Equal(m.Fields, fields) ||
		!strings.Contains(m.Domain, "chainId: 84532") || typed.Chain != "base" {
		t.Errorf("%+v %+v", typed, m)
	}
	if e := typed.Effects; len(e) != 1 || e[0].Kind != chain.Approve || e[0].Display != "1 USDC" ||
		e[0].Spender != spender || len(typed.Warnings) != 1 {
		t.Errorf("%+v", e)
	}
	digest := c.preview(c.message(wire.MessageRawDigest, hash))
	if digest.Message.Digest != hash || len(digest.Warnings) != 1 {
		t.Errorf("%+v", digest)
	}
}
