package takeover

import (
	"fmt"
	"slices"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/enclave/wire"
)

var (
	solSponsor   = named("sponsor")
	solAlikeUSDC = named("a mint that looks alike")
)

// alikeOf is an owner's token account of the mint that looks alike.
func alikeOf(owner solana.Address) string {
	return solana.AssociatedAddress(owner, solAlikeUSDC, solana.TokenProgram).String()
}

// solOffer is what the actor says that a seller on Solana wants.
func solOffer(micro int, change ...func(o *wire.AgentX402Params)) wire.AgentX402Params {
	o := wire.AgentX402Params{
		Chain: "solana", Transfer: chain.Sponsored, To: solShop.String(), Amount: fmt.Sprint(micro),
		Facilitator: solSponsor.String(), Memo: fmt.Sprintf("order-%d", arrivals.Add(1)),
	}
	for _, c := range change {
		c(&o)
	}
	return o
}

// fromSolShop are the words of an agent that has read an offer, in the first form.
func fromSolShop(micro int, cluster string) string {
	return fmt.Sprintf(`{"resource_url":"https://shop.example/a","amount":"%d","recipient":"%s","cluster":"%s",`+
		`"memo":"order-0"}`, micro, solShop, cluster)
}

// requiredOnSolana are those of an older agent, which names who pays the fee.
func requiredOnSolana(usdc, currency string) string {
	return fmt.Sprintf(`{"paymentRequirement":{"amount":"%s","currency":"%s","network":"solana","recipient":"%s",`+
		`"feePayer":"%s","memo":"order-0"}}`, usdc, currency, solShop, solSponsor)
}

func withMemo(text string) func(o *wire.AgentX402Params) {
	return func(o *wire.AgentX402Params) { o.Memo = text }
}

func paidTo(payee string) func(o *wire.AgentX402Params) {
	return func(o *wire.AgentX402Params) { o.To = payee }
}

func feeOf(sponsor string) func(o *wire.AgentX402Params) {
	return func(o *wire.AgentX402Params) { o.Facilitator = sponsor }
}

// soldOnSolana hands in a request under an offer, with what the host adds.
func (b *bot) soldOnSolana(a asking, o wire.AgentX402Params, blockhash string) {
	_, _, _ = b.owner.h.outcome(wire.MSubmit, wire.SubmitRequest{
		Body: b.offered(a, o), Stamp: &wire.Stamp{HeaderName: wire.AgentStamp, HeaderValue: a.MAC},
		Volatile: &wire.Volatile{Blockhash: named(blockhash).String(), LastHeight: "500"},
	})
}

// buysOnSolana is a purchase that the agent means.
func (b *bot) buysOnSolana(text string, o wire.AgentX402Params) {
	a := b.means(b.wants(text))
	b.soldOnSolana(a, o, a.MAC)
}

// shopsOnSolana is an agent that buys at the shop's host, and has an account on Solana.
func (p *person) shopsOnSolana() *bot { return p.employsOnSolana("0.5", shopping()) }

// trickedOnSolana is an attack by an offer of 2 USDC that is not what the agent asked for.
func trickedOnSolana(text string, change ...func(o *wire.AgentX402Params)) func(*host) {
	return func(h *host) { h.newcomer().shopsOnSolana().buysOnSolana(text, solOffer(2_000_000, change...)) }
}

// isPurchase reports whether a transaction is what an agent wants to buy, as the actor's offer says that it is sold:
// one transfer, of the mint that is meant, to the payee's own account, for a fee that somebody else pays who is in
// nothing of it and who is nobody of the same owners.
func (l *ledger) isPurchase(
	p purse, by key, x solSigned, w *purchase, limits *wire.AgentLimits, o wire.AgentX402Params,
) bool {
	if w == nil || !x.understood || x.lasts || x.signers != 2 || x.keys[1] != by || len(x.moves) != 1 ||
		len(x.opened) > 0 || len(x.memos) != 1 || limits == nil || !w.at(limits.AllowedHosts) {
		return false
	}
	sponsor, m, payee := x.keys[0], x.moves[0], keyOf(o.To)
	isOr := func(named string, k key) bool { return named == "" || keyOf(named) == k }
	return l.solana.purses[sponsor].org != p.org && !slices.Contains(x.named, sponsor) && isOr(w.sponsor, sponsor) &&
		m.mint == key(solUSDC) && m.decimals == 6 && m.by == by && ofOwner(m.from, by, m.mint) && m.pays(payee) &&
		m.amount > 0 && m.amount <= w.most && isOr(w.recipient, payee) && (w.memo == "" || w.memo == x.memos[0]) &&
		slices.Contains([]string{"", "solana", "devnet"}, w.network)
}

// solanaPurchases are those on what agents buy there, by what the host chooses: offer, sponsor, memo and blockhash.
var solanaPurchases = []attack{
	{"L21", "more than the agent would pay", "x402Amount",
		trickedOnSolana(atShop(2_000_000), func(o *wire.AgentX402Params) { o.Amount = "2000001" })},
	{"L21", "another owner than the payee whom the agent names", "x402Recipient",
		trickedOnSolana(fromSolShop(2_000_000, "solana"), withMemo("order-0"), paidTo(solRobber.String()))},
	{"L21", "another owner than the payee whom an older agent names", "x402Recipient",
		trickedOnSolana(requiredOnSolana("2", "USDC"), withMemo("order-0"), paidTo(solRobber.String()))},
	{"L21", "the payee's account of a mint that looks alike", "sponsoredAccount",
		trickedOnSolana(atShop(2_000_000), paidTo(alikeOf(solShop)))},
	{"L21", "an account of the robber as a payee", "sponsoredAccount", trickedOnSolana(atShop(2_000_000),
		paidTo(solana.AssociatedAddress(solRobber, solUSDC, solana.TokenProgram).String()))},
	{"L21", "USDC for what costs tokens that look alike", "sponsoredCurrency",
		trickedOnSolana(requiredOnSolana("2", solAlikeUSDC.String()), withMemo("order-0"))},
	{"L21", "a second transfer", "sponsoredSecond",
		trickedOnSolana(atShop(2_000_000), withMemo(solRobber.String()))},
	{"L21", "an allowance beside the transfer", "sponsoredApprove",
		trickedOnSolana(atShop(2_000_000), withMemo(solRobber.String()))},
	{"L21", "the account given away with the transfer", "sponsoredAuthority",
		trickedOnSolana(atShop(2_000_000), withMemo(solRobber.String()))},
	{"L21", "a memo too many", "sponsoredMemos", trickedOnSolana(atShop(2_000_000))},
	{"L21", "another memo than the agent names", "sponsoredMemo",
		trickedOnSolana(fromSolShop(2_000_000, "solana"), withMemo("order-1"))},
	{"L21", "another sponsor than the agent names", "sponsoredNamed", trickedOnSolana(
		requiredOnSolana("2", "USDC"), withMemo("order-0"), feeOf(solRobber.String()))},
	{"L21", "another cluster than the signer's", "agentCluster",
		trickedOnSolana(fromSolShop(2_000_000, "mainnet-beta"), withMemo("order-0"))},
	{"L21", "a host that the agent's owner does not allow", "x402Host",
		trickedOnSolana(strings.Replace(atShop(2_000_000), "shop.example", "shop.example.evil", 1))},
	{"L21", "its fee from another account of the owner", "sponsoredOwners", func(h *host) {
		p := h.onSolana()
		p.shopsOnSolana().buysOnSolana(atShop(2_000_000), solOffer(2_000_000, feeOf(p.own.String())))
	}},
	{"L21", "its fee from the agent itself", "sponsoredOwners", func(h *host) {
		b := h.newcomer().shopsOnSolana()
		b.buysOnSolana(atShop(2_000_000), solOffer(2_000_000, feeOf(b.onSolana)))
	}},
	{"L21", "fees of strangers from an agent that may pay them, and its tokens", "settleNamed", func(h *host) {
		b := h.newcomer().shopsOnSolana()
		p := &solPerson{person: b.owner, own: mustAddress(b.onSolana)}
		p.wallet = b.wallet
		p.settles(asLent)
		p.unasked(p.bytes(nil, solana.TransferToken(p.own, solRobber, solUSDC, 2_000_000, 6)))
	}},
	{"L21", "one request under two offers", "agentOnce", func(h *host) {
		b := h.newcomer().shopsOnSolana()
		a := b.means(b.wants(atShop(2_000_000)))
		b.soldOnSolana(a, solOffer(2_000_000), "block")
		b.soldOnSolana(a, solOffer(2_000_000, paidTo(solRobber.String())), "later")
	}},
	{"L21", "one message for two requests", "solanaTold", func(h *host) {
		b := h.newcomer().shopsOnSolana()
		o := solOffer(2_000_000)
		for i := range 2 {
			b.soldOnSolana(b.means(b.wants(atShop(2_000_000+i))), o, "block")
		}
	}},
	{"L21", "an agent's month in purchases on two networks", "agentMonth", func(h *host) {
		b := h.newcomer().shopsOnSolana()
		for i := range 2 {
			b.buysOnSolana(atShop(4_000_000+i), solOffer(4_000_000))
			b.buys(atShop(4_000_002+i), offer(4_000_000))
		}
	}},
	{"L21", "a purchase of a killed agent", "agentKilled", func(h *host) {
		b := h.newcomer().shopsOnSolana()
		b.becomes(wire.AgentKilled)
		b.buysOnSolana(atShop(2_000_000), solOffer(2_000_000))
	}},
}
