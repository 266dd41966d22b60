package takeover

import (
	"bytes"
	"slices"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/enclave/wire"
)

// solTerms is an attack with terms that go beyond what was stamped.
func solTerms(change func(*wire.Volatile)) func(*host) {
	return func(h *host) {
		p := h.onSolana()
		body := p.solPays()
		p.hands(body, p.agree(body), around(change))
	}
}

// underRules is an attack with exact bytes on a wallet that pays the shop only.
func underRules(tables []solana.Lookup, all func(p *solPerson) []solana.Instruction) func(*host) {
	return func(h *host) {
		p := h.onSolana().shopOnly()
		p.exactly(p.bytes(tables, all(p)...))
	}
}

// beside is an attack with an instruction that stands behind a payment to the shop.
func beside(i func(p *solPerson) solana.Instruction) func(*host) {
	return underRules(nil, func(p *solPerson) []solana.Instruction {
		return []solana.Instruction{p.coin(1), i(p)}
	})
}

func ofProgram(program string, data ...byte) func(p *solPerson) solana.Instruction {
	return func(p *solPerson) solana.Instruction { return p.ofProgram(program, data...) }
}

// system is the number of an instruction of the System program, and what follows.
func system(number byte, more ...byte) []byte { return append([]byte{number, 0, 0, 0}, more...) }

// misspelt is an attack with the bytes of a payment in another spelling, which some readers take.
func misspelt(change func(p *solPerson, raw []byte) []byte) func(*host) {
	return func(h *host) {
		p := h.onSolana()
		p.exactly(change(p, p.bytes(nil, p.coin(1))))
	}
}

// solanaAttacks are those on keys of Solana.
var solanaAttacks = slices.Concat(solanaOnce, solanaBytes, solanaExposed, solanaKeys, solanaAgents,
	solanaSettles, solanaPurchases)

// advances is a nonce account of the robber's.
func (p *solPerson) advances() solana.Instruction {
	return solana.Instruction{Program: solana.SystemProgram, Accounts: []solana.Account{
		{Address: solRobber, Written: true}, {Address: named("hashes")}, {Address: p.own, Signs: true},
	}, Data: system(solana.SystemAdvanceNonce)}
}

// solanaOnce are those that have a payment made otherwise than it was stamped, or more often.
var solanaOnce = []attack{
	{"L10", "a priority fee above the maximum", "fee",
		solTerms(func(v *wire.Volatile) { v.Priority = "900000000" })},
	{"L10", "an account for the payee at the cost of the payer", "solanaRent",
		solTerms(func(v *wire.Volatile) { v.Rent = "2039280" })},
	{"L10", "a rent of hundreds of dollars", "solanaDollars",
		byDollars(func(x *wire.SignIntentParams) { x.MaxRent = "3000000000" })},
	{"L10", "a fee of hundreds of dollars", "solanaDollars",
		byDollars(func(x *wire.SignIntentParams) { x.MaxTotalFee = "3000000000" })},
	{"L10", "coins for a mint", "solanaPayee", func(h *host) {
		p := h.onSolana()
		body := p.body(wire.SignIntent, wire.SignIntentParams{
			SignWith: p.own.String(), Chain: "solana", ChainID: "devnet", To: solUSDC.String(), Value: "5",
			Data: "0x", GasLimit: "60000", MaxTotalFee: "10000",
		})
		p.hands(body, p.agree(body), around(asTold))
	}},
	{"L11", "a second message for a body that has expired", "once", func(h *host) {
		p := h.onSolana()
		body := p.solPays()
		stamp := p.agree(body)
		p.hands(body, stamp, around(asTold))
		p.hands(body, stamp, around(later))
	}},
	{"L12", "one message for two bodies", "solanaTold", func(h *host) {
		p := h.onSolana()
		for range 2 {
			body := p.solPays()
			p.hands(body, p.agree(body), around(asTold))
		}
	}},
	{"L13", "a payment that takes the place of another", "solanaReplaces", func(h *host) {
		p := h.onSolana()
		first := p.solPays()
		p.hands(first, p.agree(first), around(asTold))
		params := p.solPayment()
		params.Replaces = &wire.ReplacedParams{Fingerprint: wire.Fingerprint(first), Nonce: "0"}
		second := p.body(wire.SignIntent, params) // it would be made beside the first
		p.hands(second, p.agree(second), around(later))
	}},
}

func later(v *wire.Volatile) { v.Blockhash = named("later").String() }

// solanaBytes are those with exact bytes that do more than the rules of the wallet allow, or another thing than they
// show.
var solanaBytes = []attack{
	{"L01", "accounts that are in a table on the chain", "solanaTables",
		underRules([]solana.Lookup{{Table: solRobber, Written: []uint8{1}}},
			func(p *solPerson) []solana.Instruction { return []solana.Instruction{p.coin(1)} })},
	{"L02", "one benign instruction and the account given away", "solanaUnknown",
		beside(func(p *solPerson) solana.Instruction {
			return p.ofToken(append([]byte{solana.TokenSetAuthority, 2, 1}, solRobber[:]...))
		})},
	{"L02", "one benign instruction and a program of a stranger", "solanaUnknown",
		beside(func(p *solPerson) solana.Instruction {
			return p.ofProgram(named("a program").String(), 1)
		})},
	{"L02", "one benign instruction and an allowance for the robber", "solanaApprove",
		beside(func(p *solPerson) solana.Instruction {
			i := p.ofToken(amountOf(solana.TokenApproveChecked, 5e6), solUSDC, solRobber)
			i.Accounts[2].Written, i.Accounts = false, i.Accounts[:4]
			return i
		})},
	{"L03", "a token account of the robber under the name of the shop", "solanaOwner",
		underRules(nil, func(p *solPerson) []solana.Instruction {
			his := solana.AssociatedAddress(solRobber, solUSDC, solana.TokenProgram)
			return []solana.Instruction{p.ofToken(amountOf(solana.TokenTransferChecked, 5e6), solUSDC, his)}
		})},
	{"L03", "a token account closed for the robber", "solanaUnknown",
		beside(func(p *solPerson) solana.Instruction {
			return p.ofToken([]byte{solana.TokenCloseAccount}, solRobber)
		})},
	{"L03", "tokens that are burnt", "solanaUnknown",
		beside(func(p *solPerson) solana.Instruction {
			return p.ofToken(amountOf(solana.TokenBurnChecked, 5e6), solUSDC)
		})},
	{"L03", "a transfer of Token-2022", "solanaUnknown",
		beside(ofProgram(
			"TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb", amountOf(solana.TokenTransferChecked, 5e6)...))},
	{"L03", "the key itself assigned to a program", "solanaUnknown",
		beside(func(p *solPerson) solana.Instruction {
			i := p.ofProgram(solana.SystemProgram.String(), system(solana.SystemAssign, solRobber[:]...)...)
			i.Accounts = i.Accounts[1:]
			return i
		})},
	{"L03", "an account opened for a program of the robber", "destinations",
		beside(func(p *solPerson) solana.Instruction {
			return solana.Instruction{Program: solana.SystemProgram, Accounts: []solana.Account{
				{Address: p.own, Signs: true, Written: true}, {Address: solRobber, Signs: true, Written: true},
			}, Data: system(solana.SystemCreateAccount, append(append([]byte{0, 0, 9, 0, 0, 0, 0, 0},
				make([]byte, 8)...), solRobber[:]...)...)}
		})},
	{"L03", "coins taken out of a nonce account", "solanaUnknown",
		beside(ofProgram(solana.SystemProgram.String(),
			system(solana.SystemWithdrawNonce, 0, 0, 9, 0, 0, 0, 0, 0)...))},
	{"L03", "a stake of which the robber becomes the owner", "solanaUnknown",
		beside(ofProgram("Stake11111111111111111111111111111111111111",
			append(system(1, solRobber[:]...), 1, 0, 0, 0)...))},
	{"L03", "another code for a program", "solanaUnknown",
		beside(ofProgram(
			"BPFLoaderUpgradeab1e11111111111111111111111", system(3)...))},
	{"L04", "a priority fee as a way out", "gas", func(h *host) {
		p := h.onSolana()
		p.must(wire.CreatePolicy, wire.CreatePolicyParams{WalletID: p.wallet, Rules: wire.Rules{MaxValueUSD: "1"}})
		p.exactly(p.bytes(nil,
			solana.SetUnits(solana.MaxUnits), solana.SetPrice(1_000_000_000), p.coin(1)))
	}},
	{"L04", "a key that is there twice", "solanaTwice",
		misspelt(func(p *solPerson, _ []byte) []byte {
			other := named("other")
			raw := p.bytes(nil, p.coin(1), solana.TransferCoin(p.own, other, 1))
			return bytes.ReplaceAll(raw, other[:], solShop[:])
		})},
	{"L04", "a length in more bytes than it needs", "solanaMinimal",
		misspelt(func(_ *solPerson, raw []byte) []byte {
			return bytes.Replace(raw, []byte{12, 2, 0, 0, 0}, []byte{0x8c, 0, 2, 0, 0, 0}, 1)
		})},
	{"L04", "bytes behind the end", "solanaTail",
		misspelt(func(_ *solPerson, raw []byte) []byte {
			return append(raw, 0)
		})},
	{"L15", "a message that can be sent at any later time", "solanaDurable",
		underRules(nil, func(p *solPerson) []solana.Instruction {
			return []solana.Instruction{p.advances(), p.coin(1)}
		})},
	{"L15", "two keys of one signer in one transaction", "solanaBoth",
		underRules(nil,
			func(p *solPerson) []solana.Instruction {
				return []solana.Instruction{p.coin(1), solana.TransferCoin(p.second, solShop, 1)}
			})},
}

// ownHeight is how far the chain is by the owner's own node: below the last height of what is signed here.
const ownHeight = "400"

// exposed is an attack on somebody who takes a delegation back and asks what of it may still land. He believes no
// answer that rests on a height above that of his own node.
func exposed(change func(*wire.Volatile), said ...string) func(*host) {
	return func(h *host) {
		p := h.onSolana()
		id := p.lends()
		p.hands(p.exact(p.bytes(nil, solana.TransferToken(p.own, solShop, solUSDC, 1e6, 6))), nil, around(change))
		p.must(wire.DeletePolicy, wire.DeletePolicyParams{PolicyID: id})
		q := wire.LentRequest{PolicyID: id}
		for _, height := range said {
			q.Finalized = append(q.Finalized, wire.FinalizedHeight{Chain: "solana", Height: height})
		}
		var proof wire.Proof
		if err := h.call(wire.MState, wire.StateRequest{OrganizationID: p.org, Lent: &q}, &proof); err != nil {
			h.t.Fatal(err)
		}
		st, _ := decode[wire.Statement]([]byte(proof.Payload))
		if st.State == nil || st.State.Lent == nil || len(st.State.Lent.Senders) == 0 {
			h.t.Fatalf("nothing was lent: %s", proof.Payload)
		}
		higher := func(f wire.FinalizedHeight) bool { return f.Height != ownHeight }
		if lent := st.State.Lent; len(lent.Signed) == 0 && !slices.ContainsFunc(lent.Finalized, higher) {
			h.ledger.violated("what may still land is said to be over")
		}
	}
}

// solanaExposed are those that hide what was signed without a passkey.
var solanaExposed = []attack{
	{"L14", "an exposure that a lying height ends", "solanaHeightTold", exposed(asTold, "900")},
	{"L14", "an exposure that ends below its last height", "solanaHeight", exposed(asTold, ownHeight)},
	{"L14", "an exposure that ends without a height", "solanaClock", exposed(asTold)},
	{"L14", "an exposure whose last height nobody said", "solanaNoHeight",
		exposed(func(v *wire.Volatile) { v.LastHeight = "" }, ownHeight)},
}

// solanaKeys are those that have a key sign for something else.
var solanaKeys = []attack{
	{"L16", "a text that is the message of a transaction", "solanaText", func(h *host) {
		p := h.onSolana()
		message := p.bytes(nil, p.coin(1))[1+64:]
		body := p.body(wire.SignMessage, wire.SignMessageParams{
			SignWith: p.own.String(), Type: wire.MessageHex, Payload: chain.Hex(message),
		})
		_, _, _ = h.submit(body, p.agree(body))
	}},
	{"L17", "a second network whose messages name none", "solanaSecond", func(h *host) {
		own := takeOver(h.t, h.signer.program, h.signer.mutant)
		own.ledger = h.ledger
		p := own.onSolana()
		own.signer.stop()
		_ = own.signer.try("amend", "--data", own.signer.data, "--unseal-file", own.signer.secret, "--yes", "--network",
			`{"slug":"solana_two","name":"Solana Two","kind":"solana","cluster":"testnet","confirmations":1,`+
				`"native":{"symbol":"SOL","decimals":9}}`)
		own.start()
		params := p.solPayment()
		params.Chain, params.ChainID = "solana_two", "testnet"
		body := p.body(wire.SignIntent, params) // it would be as good on the first network
		p.hands(body, p.agree(body), around(asTold))
	}},
	{"X04", "a path in another spelling", "path", func(h *host) {
		p := h.onSolana()
		for _, a := range p.account("m/44'/501'/00'/0'") {
			if a.Address == p.own.String() {
				h.ledger.violated("one key is two accounts")
			}
		}
	}},
	{"X04", "a path with a step that is not hardened", "pathHardened", func(h *host) {
		if len(h.onSolana().account("m/44'/501'/7'/0")) > 0 {
			h.ledger.violated("a key that no other program derives from the same words")
		}
	}},
}

// employsOnSolana makes an agent whose wallet has an account on Solana, and whose payments may cost so much beside.
func (p *person) employsOnSolana(maxFeeUSD string, change ...func(l *wire.AgentLimits)) *bot {
	p.h.t.Helper()
	b := p.employs(allowance(append(change, func(l *wire.AgentLimits) {
		l.AllowedChains, l.MaxFeeUSD = []string{"base", "solana"}, maxFeeUSD
	})...))
	form := solana.Family{}.Form()
	_, r := p.must(wire.CreateWalletAccounts, wire.CreateWalletAccountsParams{
		WalletID: b.wallet, Accounts: []wire.AccountParams{{
			Curve: form.Curve, PathFormat: form.PathFormat, Path: form.PathOf(0), AddressFormat: form.AddressFormat,
		}},
	})
	b.onSolana = r.Accounts[0].Address
	p.h.ledger.solPurse(keyOf(b.onSolana), purse{p.org, b.wallet})
	return b
}

// paysOnSolana has a request of the agent's handed in as the host likes.
func (b *bot) paysOnSolana(a asking, change func(*wire.AgentPaymentParams, *wire.Volatile)) {
	v := around(func(v *wire.Volatile) { v.Blockhash = named(a.text + a.MAC).String() })
	body := b.enclosed(a, func(p *wire.AgentPaymentParams) {
		p.GasLimit, p.MaxTotalFee = "60000", "10000"
		change(p, &v)
	})
	_, _, _ = b.owner.h.outcome(wire.MSubmit, wire.SubmitRequest{
		Body: body, Stamp: &wire.Stamp{HeaderName: wire.AgentStamp, HeaderValue: a.MAC}, Volatile: &v,
	})
}

func (b *bot) asksOnSolana(micro int, to solana.Address) asking {
	return b.means(b.draft(paymentIn(micro, to.String(), "USDC", "solana")))
}

func (*bot) plainly(*wire.AgentPaymentParams, *wire.Volatile) {}

// solanaAgents are those on agents that pay there.
var solanaAgents = []attack{
	{"L19", "an agent that pays for accounts without end", "agentOpens", func(h *host) {
		b := h.newcomer().employsOnSolana("0.1")
		b.paysOnSolana(b.asksOnSolana(1, solShop), func(p *wire.AgentPaymentParams, v *wire.Volatile) {
			p.MaxRent, v.Rent = "2039280", "2039280"
		})
	}},
	{"L19", "an agent's month on two networks", "agentMonth", func(h *host) {
		b := h.newcomer().employsOnSolana("0.5")
		for i := range 2 {
			_, _ = b.handed(b.asks(4_000_000+i, shop))
			b.paysOnSolana(b.asksOnSolana(4_000_000+i, solShop), b.plainly)
		}
	}},
	{"L19", "a request of an agent under another blockhash", "agentOnce", func(h *host) {
		b := h.newcomer().employsOnSolana("0.5")
		a := b.asksOnSolana(1, solShop)
		b.paysOnSolana(a, b.plainly)
		b.paysOnSolana(a, func(_ *wire.AgentPaymentParams, v *wire.Volatile) { later(v) })
	}},
	{"L19", "an agent's payment for another cluster", "agentCluster", func(h *host) {
		b := h.newcomer().employsOnSolana("0.5")
		b.paysOnSolana(b.means(b.draft(paymentIn(1, solShop.String(), "USDC", "mainnet-beta"))), b.plainly)
	}},
	{"L19", "an agent's payment in a mint that is spelt alike", "agentMint", func(h *host) {
		b := h.newcomer().employsOnSolana("0.5")
		alike := strings.ToLower(solUSDC.String())
		b.paysOnSolana(b.means(b.draft(paymentIn(1, solShop.String(), alike, "solana"))), b.plainly)
	}},
	{"L19", "a payee on Solana where the agent's recipients are on EVM", "agentFamily", func(h *host) {
		b := h.newcomer().employsOnSolana("0.5")
		l := allowance(toTheShopOnly, func(l *wire.AgentLimits) { l.AllowedChains = []string{"base", "solana"} })
		b.owner.must(wire.SetAgentLimits, wire.SetAgentLimitsParams{AgentID: b.id, Limits: l})
		b.paysOnSolana(b.asksOnSolana(1, solRobber), b.plainly)
	}},
}
