package takeover

import (
	"github.com/railkit/railkit/enclave/wire"
)

// wantsWallet is a request for a wallet that the agent means.
func (b *bot) wantsWallet(text string) asking {
	a := b.draft(text)
	a.Path = "/v1/agents/wallets"
	return b.means(a)
}

// opens hands in a request for a wallet, as one with this body.
func (b *bot) opens(a asking, text string) {
	stamp := &wire.Stamp{HeaderName: wire.AgentStamp, HeaderValue: a.MAC}
	if a.MAC == "" {
		stamp = nil
	}
	body := b.owner.body(wire.AgentWallet, wire.AgentWalletParams{AgentCall: wire.AgentCall{
		AgentID: a.AgentID, Method: a.Method, Path: a.Path, Timestamp: a.Timestamp, Request: text, HTTP: a.HTTP,
	}})
	_, _, _ = b.owner.h.submit(body, stamp)
}

func twoWallets(l *wire.AgentLimits) { l.MaxWallets = "2" }

// agentWallets are the attacks by which an agent makes wallets: B09.
var agentWallets = []attack{
	{"B09", "a wallet that no agent signed for", "agentNoStamp", hired(twoWallets, func(b *bot) {
		a := b.draft("")
		a.Path = "/v1/agents/wallets"
		b.opens(a, "")
	})},
	{"B09", "a wallet by a signature for a payment", "agentWalletPath", hired(twoWallets, func(b *bot) {
		b.opens(b.means(b.draft("{}")), "{}")
	})},
	{"B09", "two wallets by one signature", "agentOnce", hired(twoWallets, func(b *bot) {
		a := b.wantsWallet("{}")
		b.opens(a, "{}")
		b.opens(a, "{}")
	})},
	{"B09", "two wallets by a signature over no body", "agentEmpty", hired(twoWallets, func(b *bot) {
		a := b.wantsWallet("")
		b.opens(a, "")
		b.opens(a, "{}")
	})},
	{"B09", "a wallet more than the agent may make", "agentWallets", hired(twoWallets, func(b *bot) {
		for _, text := range []string{`{"walletName":"One"}`, `{"walletName":"Two"}`, `{"walletName":"Three"}`} {
			b.opens(b.wantsWallet(text), text)
		}
	})},
	{"B09", "a wallet of a paused agent", "agentHalted", hired(twoWallets, func(b *bot) {
		b.becomes(wire.AgentSuspended)
		b.opens(b.wantsWallet(""), "")
	})},
}
