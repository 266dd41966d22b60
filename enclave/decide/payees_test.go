package decide

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/enclave/policy"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// maria is where the payments of these tests go: see payment.
const (
	routerOfBase = "0x8Ac2bCbE7F97ab90955696341f9D99806f9e7E34"
	burnAddress  = "0x000000000000000000000000000000000000dEaD"
)

var maria = evm.Address{2}.String()

func payeeNamed(name, address string) wire.AddPayeeParams {
	return wire.AddPayeeParams{Name: name, Chain: "base", Address: address, Kind: wire.WalletPayee}
}

var mariasBank = wire.AddPayeeParams{
	Name: "María García", Chain: "base", Address: maria, Kind: wire.BankAccountPayee,
	BankAccount: &wire.PayeeBankAccount{Owner: "María García", Bank: "BBVA México", LastFour: "6789", Currency: "MXN"},
}

func (c *club) adding(p wire.AddPayeeParams) Request { return c.body(wire.AddPayee, p) }

// knows adds a payee under the first user's stamp and gives its id.
func (c *club) knows(p wire.AddPayeeParams) string {
	c.t.Helper()
	c.must(EventPayee, "ann", c.adding(p))
	book := c.book()
	return book[len(book)-1].ID
}

func (c *club) removing(id string) Request {
	return c.body(wire.RemovePayee, wire.RemovePayeeParams{PayeeID: id})
}

func (c *club) book() []wire.Payee {
	c.t.Helper()
	r, err := c.Describe(wire.StateRequest{OrganizationID: c.org, Payees: true}, c.now)
	if err != nil {
		c.t.Fatal(err)
	}
	return r.Payees
}

func TestPayees_AddedUnderAStampOrVotes(t *testing.T) {
	c := newClub(t, "ann", "ben")
	c.must(EventHeld, "", c.adding(payeeNamed("Unstamped", spender)))
	id := c.knows(mariasBank)
	if book := c.book(); len(book) != 1 || book[0].Name != "María García" || book[0].BankAccount.LastFour != "6789" {
		t.Errorf("the book is %+v", book)
	}
	c.must(EventConfig, "ann", c.body(wire.UpdateApprovalConfig, config(true, "2")))
	add, remove := c.adding(payeeNamed("Carol", spender)), c.removing(id)
	c.must(EventHeld, "ann", add)
	c.must(EventHeld, "ann", remove)
	if len(c.book()) != 1 {
		t.Fatal("one vote short, and the book has changed")
	}
	for _, r := range []Request{add, remove} {
		c.must(EventVote, "ann", c.vote(r.Fingerprint))
		c.must(EventVote, "ben", c.vote(r.Fingerprint))
	}
	c.must(EventPayee, "", add)
	c.must(EventPayeeRemoved, "", remove)
	if book := c.book(); len(book) != 1 || book[0].Name != "Carol" {
		t.Errorf("after the votes the book is %+v", book)
	}
}

func TestPayees_NoneDuringARecovery(t *testing.T) {
	c := newClub(t, "ann")
	id := c.knows(mariasBank)
	c.organizations[c.org].recovery = &Recovery{}
	c.refused("adding", refusal.ErrRecovering, "ann", c.adding(payeeNamed("Carol", spender)))
	c.refused("removing", refusal.ErrRecovering, "ann", c.removing(id))
}

func TestPayees_RefusedBodies(t *testing.T) {
	c := newClub(t, "ann")
	c.knows(mariasBank)
	with := func(change func(*wire.AddPayeeParams)) wire.AddPayeeParams {
		p := payeeNamed("Carol", spender)
		change(&p)
		return p
	}
	bank := func(change func(*wire.PayeeBankAccount)) wire.AddPayeeParams {
		return with(func(p *wire.AddPayeeParams) {
			b := *mariasBank.BankAccount
			change(&b)
			p.Kind, p.BankAccount = wire.BankAccountPayee, &b
		})
	}
	for names, p := range map[string]wire.AddPayeeParams{
		"name is empty":        with(func(p *wire.AddPayeeParams) { p.Name = "" }),
		"name has a character": with(func(p *wire.AddPayeeParams) { p.Name = "Car\u3164ol" }),
		"name has a char":      with(func(p *wire.AddPayeeParams) { p.Name = "\ufe0f" }),
		"chain is no network":  with(func(p *wire.AddPayeeParams) { p.Chain = "moon" }),
		"address is not an address": with(func(p *wire.AddPayeeParams) {
			p.Address = strings.ToLower("0x00000000000000000000000000000000000000AA")
		}),
		"address is the zero address": with(func(p *wire.AddPayeeParams) {
			p.Address = evm.Address{}.String()
		}),
		"address is that of the router of uniswap": with(func(p *wire.AddPayeeParams) { p.Address = routerOfBase }),
		"address is that of a burn address": with(func(p *wire.AddPayeeParams) {
			p.Address, p.Kind, p.BankAccount = burnAddress, wire.BankAccountPayee, mariasBank.BankAccount
		}),
		"kind is none of":        with(func(p *wire.AddPayeeParams) { p.Kind = "friend" }),
		"bankAccount is missing": with(func(p *wire.AddPayeeParams) { p.Kind = wire.BankAccountPayee }),
		"bankAccount stands only": with(func(p *wire.AddPayeeParams) {
			p.BankAccount = mariasBank.BankAccount
		}),
		"bankAccount.owner":    bank(func(b *wire.PayeeBankAccount) { b.Owner = " " }),
		"bankAccount.bank":     bank(func(b *wire.PayeeBankAccount) { b.Bank = "" }),
		"bankAccount.lastFour": bank(func(b *wire.PayeeBankAccount) { b.LastFour = "67890" }),
		"bankAccount.currency": bank(func(b *wire.PayeeBankAccount) { b.Currency = "peso" }),
	} {
		_, err := c.judge("ann", c.adding(p))
		if !errors.Is(err, refusal.ErrBody) || !strings.Contains(err.Error(), names) {
			t.Errorf("%s: %v", names, err)
		}
		if _, err := c.Preview(c.adding(p), c.now); !errors.Is(err, refusal.ErrBody) {
			t.Errorf("%s: a preview of it: %v", names, err)
		}
	}
	contract := payeeNamed("Exchange", routerOfBase)
	contract.Kind = wire.ContractPayee
	c.must(EventPayee, "ann", c.adding(contract))
	c.refused("a name that looks the same", refusal.ErrPayeeName, "ann", c.adding(payeeNamed("MARÍA GARCÍA", spender)))
	c.refused("a second name", refusal.ErrPayeeAddress, "ann", c.adding(payeeNamed("Carol", maria)))
	c.refused("an unknown one", refusal.ErrPayee, "ann", c.removing("none"))
	elsewhere := payeeNamed("María García on Polygon", maria)
	elsewhere.Chain = "polygon"
	c.must(EventPayee, "ann", c.adding(elsewhere))
}

// An American account number of five digits shows two, a Pix key the end of an e-mail address.
func TestPayees_EndsOfAccountNumbers(t *testing.T) {
	for end, taken := range map[string]bool{
		"6789": true, "0A1z": true, "89": true, "7": true, ".com": true, "m@br": true,
		"": false, "67890": false, "6 89": false, "678\n": false, "678\u00e9": false, "678\u200b": false,
	} {
		c := newClub(t, "ann")
		p := mariasBank
		b := *p.BankAccount
		b.LastFour = end
		p.BankAccount = &b
		if _, err := c.judge("ann", c.adding(p)); (err == nil) != taken {
			t.Errorf("%q: %v", end, err)
		}
	}
}

func TestPayees_NamesThatLookAlike(t *testing.T) {
	c := newClub(t, "ann")
	c.knows(payeeNamed("PayPal", spender))
	for i, name := range []string{
		"paypal", "PAYPA1", "Pay Pal", "PayPal ", "\u0420\u0430y\u0420\u0430l", "PayPaI", "Pay-Pal", "PayPal.",
		"Pay, Pal", "Pay_Pal", "PayPal\u00ae", "Pay Pals",
	} {
		_, err := c.judge("ann", c.adding(payeeNamed(name, evm.Address{9, byte(i)}.String())))
		taken := errors.Is(err, refusal.ErrPayeeName) || errors.Is(err, refusal.ErrBody)
		if taken != (name != "Pay Pals") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestPayees_FullBook(t *testing.T) {
	c := newClub(t, "ann")
	book := c.organizations[c.org].payees
	for i := range 500 {
		p := payeeNamed(
			"payee "+strings.Repeat("x", i/26)+string(rune('a'+i%26)), evm.Address{5, byte(i >> 8), byte(i)}.String(),
		)
		e := wire.Payee{ID: p.Name, Name: p.Name, Chain: p.Chain, Address: p.Address}
		c.apply(Event{Kind: EventPayee, OrganizationID: c.org, Payee: &e})
	}
	if n := len(book.Active()); n != 500 {
		t.Fatalf("%d payees", n)
	}
	c.refused("the 501st", refusal.ErrBody, "ann", c.adding(payeeNamed("Carol", spender)))
	c.must(EventPayeeRemoved, "ann", c.removing("payee a"))
	c.must(EventPayee, "ann", c.adding(payeeNamed("Carol", spender)))
}

// The preview of a payment names its payee. The stamp is for the name then, not for 40 hex digits.
func TestPayees_NamedInPreviews(t *testing.T) {
	c := newClub(t, "ann")
	r := c.payment()
	if got := c.preview(r).Counterparties; len(got) != 1 || got[0].Payee != nil || got[0].Address != maria {
		t.Errorf("before: %+v", got)
	}
	id := c.knows(mariasBank)
	got := c.preview(r)
	if len(got.Counterparties) != 1 || got.Counterparties[0].Payee.Name != "María García" || warned(got, maria) {
		t.Errorf("a payee: %+v, %q", got.Counterparties, got.Warnings)
	}
	c.must(EventPayeeRemoved, "ann", c.removing(id))
	gone := c.preview(r)
	if at := gone.Counterparties[0]; at.Payee != nil || at.Was == nil || !warned(gone, "was the payee María García") {
		t.Errorf("removed: %+v, %q", at, gone.Warnings)
	}
	permit := c.preview(c.message(wire.MessageTypedData, permitText(c.address, spender, 84532)))
	if len(permit.Counterparties) != 1 || permit.Counterparties[0].Address != spender {
		t.Errorf("a permit: %+v", permit.Counterparties)
	}
	if text := c.preview(c.message(wire.MessageText, "hello")); len(text.Counterparties) != 0 {
		t.Errorf("a text: %+v", text.Counterparties)
	}
}

// A plain transfer to an address that gives nothing back is warned of, whatever the rules, and denied under any.
func TestPayees_StrandedMoneyIsWarnedOf(t *testing.T) {
	c := newClub(t, "ann")
	pay := func(to, data string) Request {
		return c.body(wire.SignIntent, wire.SignIntentParams{
			SignWith: c.address, Chain: "base", ChainID: "84532", To: to, Value: "1", Data: data, GasLimit: "21000",
			MaxTotalFee: "9",
		})
	}
	id := c.knows(wire.AddPayeeParams{Name: "Vault", Chain: "base", Address: maria, Kind: wire.ContractPayee})
	for what, r := range map[string]Request{
		"the router of uniswap": pay(routerOfBase, "0x"), "a burn address": pay(burnAddress, "0x"),
		"the sender": pay(c.address, "0x"), "a contract in the book of payees": pay(maria, "0x"),
	} {
		got := c.preview(r)
		if at := got.Counterparties[0]; at.Known == nil || at.Known.Name != what || got.Denial != nil ||
			!warned(got, at.Address+" is "+what+", ") {
			t.Errorf("%s: %+v, %q, %+v", what, at.Known, got.Warnings, got.Denial)
		}
	}
	for what, r := range map[string]Request{
		"a call": pay(routerOfBase, "0x12345678"), "somebody": pay(spender, "0x"),
	} {
		if got := c.preview(r); got.Counterparties[0].Known != nil || warned(got, "gives nothing back") {
			t.Errorf("%s: %+v, %q", what, got.Counterparties[0], got.Warnings)
		}
	}
	c.must(EventPayeeRemoved, "ann", c.removing(id))
	if got := c.preview(pay(maria, "0x")).Counterparties[0]; got.Known != nil {
		t.Errorf("after it was removed: %+v", got)
	}
	c.must(EventPolicy, "ann", c.body(wire.CreatePolicy, wire.CreatePolicyParams{
		WalletID: c.wallet, Rules: wire.Rules{AllowedDestinations: []string{routerOfBase}},
	}))
	denied := pay(routerOfBase, "0x")
	if got := c.preview(denied); got.Denial == nil || got.Denial.Rule != policy.KnownContract ||
		!warned(got, "the router of uniswap") {
		t.Errorf("under rules: %+v, %q", got.Denial, got.Warnings)
	}
	c.must(EventDenied, "ann", denied)
}

func warned(p *wire.Preview, words string) bool {
	return slices.ContainsFunc(p.Warnings, func(w string) bool { return strings.Contains(w, words) })
}

func TestPayees_OtherNetworkAndOwnWallet(t *testing.T) {
	c := newClub(t, "ann")
	elsewhere := payeeNamed("Exchange", maria)
	elsewhere.Chain = "polygon"
	c.knows(elsewhere)
	got := c.preview(c.payment())
	if at := got.Counterparties[0]; at.Payee != nil || len(at.Elsewhere) != 1 ||
		!warned(got, "is the payee Exchange on polygon, and no payee on base") {
		t.Errorf("on another network: %+v, %q", at, got.Warnings)
	}
	c.organizations[c.org].wallets[0].Name = "Treasury"
	own := c.preview(c.message(wire.MessageTypedData, permitText(c.address, c.address, 84532)))
	if own.Counterparties[0].OwnWallet != "Treasury" {
		t.Errorf("an own wallet: %+v", own.Counterparties)
	}
}

// Address poisoning: an address that is like a payee's where people look, and another one.
func TestPayees_LookAlikeAddress(t *testing.T) {
	const known = "0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B"
	like := evm.Address{0xab, 0x58, 18: 0xec, 19: 0x9b}.String()
	c := newClub(t, "ann")
	id := c.knows(payeeNamed("Carol", known))
	permit := c.message(wire.MessageTypedData, permitText(c.address, like, 84532))
	got := c.preview(permit)
	if at := got.Counterparties[0]; len(at.LooksLike) != 1 || at.LooksLike[0].Name != "Carol" ||
		!warned(got, like+" is not Carol: its address begins and ends like "+known) {
		t.Errorf("a look-alike: %+v, %q", at, got.Warnings)
	}
	add := c.adding(payeeNamed("Dave", like))
	if !warned(c.preview(add), "is not Carol") {
		t.Errorf("adding it: %q", c.preview(add).Warnings)
	}
	c.must(EventPayeeRemoved, "ann", c.removing(id))
	if !warned(c.preview(permit), "is not Carol") {
		t.Error("a removed payee's address is imitated as well, and nothing warns")
	}
	own := evm.Address{0: 1, 10: 9}.String() // as that of the club's wallet
	if got := c.preview(c.message(
		wire.MessageTypedData, permitText(c.address, own, 84532),
	)); !warned(got, own+" is not ") {
		t.Errorf("like an own address: %+v, %q", got.Counterparties[0], got.Warnings)
	}
}

// A preview of rules says whose the addresses are that they name: a payee with its network, an own wallet. One that can
// be mistaken for a payee's is warned of, and of a stranger nothing is said.
func TestPayees_NamedInRules(t *testing.T) {
	const known = "0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B"
	like := evm.Address{0xab, 0x58, 18: 0xec, 19: 0x9b}.String()
	c := newClub(t, "ann")
	c.knows(payeeNamed("Carol", known))
	c.organizations[c.org].wallets[0].Name = "Treasury"
	got := c.preview(c.body(wire.CreatePolicy, wire.CreatePolicyParams{
		WalletID: c.wallet, Rules: wire.Rules{
			AllowedDestinations: []string{known, spender, like},
			Delegation: &wire.Delegation{
				AnyRequest: true, ExpiresAtMs: strconv.FormatInt(c.now.Add(time.Hour).UnixMilli(), 10),
				MaxValueUSD: "1", DailyUSD: "1", AllowedDestinations: []string{known, c.address},
			},
		},
	}))
	if all := got.Counterparties; len(all) != 3 || len(all[0].Elsewhere) != 1 || all[0].Elsewhere[0].Name != "Carol" ||
		all[0].Elsewhere[0].Chain != "base" || len(all[0].LooksLike) != 0 || all[1].Address != like ||
		all[2].OwnWallet != "Treasury" {
		t.Errorf("%+v", all)
	}
	if !warned(got, like+" is not Carol") || warned(got, "no payee on") || warned(got, spender) {
		t.Errorf("%q", got.Warnings)
	}
}

func TestPayees_NameOfBefore(t *testing.T) {
	c := newClub(t, "ann")
	id := c.knows(mariasBank)
	c.must(EventPayeeRemoved, "ann", c.removing(id))
	if p := c.preview(c.adding(mariasBank)); len(p.Warnings) != 0 {
		t.Errorf("the same again: %q", p.Warnings)
	}
	if p := c.preview(c.adding(payeeNamed("MARÍA GARCÍA", spender))); !warned(p, "stood for another address") {
		t.Errorf("the name with another address: %q", p.Warnings)
	}
}

// An address that its owners removed comes back under another name.
func TestPayees_AddressOfBefore(t *testing.T) {
	c := newClub(t, "ann")
	c.must(EventPayeeRemoved, "ann", c.removing(c.knows(payeeNamed("Swindler", spender))))
	p := c.preview(c.adding(payeeNamed("Carol", spender)))
	if !warned(p, spender+" was the payee Swindler until ") || p.Counterparties[0].Was == nil {
		t.Errorf("warnings: %q", p.Warnings)
	}
}

func TestPayees_OnlyPayees(t *testing.T) {
	c := newClub(t, "ann")
	c.ruled(wire.Rules{PayeesOnly: true})
	c.must(EventDenied, "ann", c.payment())
	id := c.knows(mariasBank)
	c.must(EventTransaction, "ann", c.payment())
	c.must(EventPayeeRemoved, "ann", c.removing(id))
	r := c.payment()
	d, err := c.judge("ann", r)
	if err != nil || d.Event.Denial == nil || d.Event.Denial.Rule != "payeesOnly" || d.Event.Denial.Observed != maria {
		t.Errorf("a removed payee is paid: %+v, %v", d.Event.Denial, err)
	}
	elsewhere := payeeNamed("Exchange", maria)
	elsewhere.Chain = "polygon"
	c.knows(elsewhere)
	c.must(EventDenied, "ann", c.payment())
}

func TestPayees_Cooling(t *testing.T) {
	c := newClub(t, "ann")
	c.ruled(wire.Rules{PayeesOnly: true, PayeeCoolingHours: "24"})
	id := c.knows(mariasBank)
	c.now = c.now.Add(24*time.Hour - time.Millisecond)
	d, err := c.judge("ann", c.payment())
	if err != nil || d.Event.Denial == nil || d.Event.Denial.Rule != "payeeCoolingHours" ||
		d.Event.Denial.Payee != "María García" {
		t.Fatalf("a millisecond too early: %+v, %v", d.Event.Denial, err)
	}
	c.now = c.now.Add(time.Millisecond)
	c.must(EventTransaction, "ann", c.payment())
	c.must(EventPayeeRemoved, "ann", c.removing(id))
	c.knows(mariasBank)
	c.must(EventDenied, "ann", c.payment()) // it cools again
}

// A payment may wait already when its payee is added: those who vote then are shown the name, too.
func TestPayees_AddedAndRemovedWhileAPaymentWaits(t *testing.T) {
	c := newClub(t, "ann", "ben")
	pay := c.payment()
	c.must(EventHeld, "", pay)
	id := c.knows(mariasBank)
	c.must(EventVote, "ben", c.vote(pay.Fingerprint))
	c.must(EventPayeeRemoved, "ann", c.removing(id))
	c.refused("the payment", refusal.ErrApprovalVoid, "", pay)
}

func TestPayees_UnderADelegation(t *testing.T) {
	c := newClub(t, "ann")
	c.ruled(wire.Rules{Delegation: &wire.Delegation{
		AnyRequest: true, ExpiresAtMs: strconv.FormatInt(c.now.Add(time.Hour).UnixMilli(), 10), MaxValueUSD: "5",
		DailyUSD: "5", PayeesOnly: true,
	}})
	const words = "pays this payee without a passkey"
	if p := c.preview(c.adding(mariasBank)); !warned(p, words) {
		t.Errorf("nothing warns of the delegation: %q", p.Warnings)
	}
	d := c.organizations[c.org].policies[0].Rules.Delegation
	for address, reached := range map[string]bool{maria: true, spender: false} {
		d.AllowedDestinations = []string{address}
		if p := c.preview(c.adding(mariasBank)); warned(p, words) != reached {
			t.Errorf("a delegation to payees among %s: %q", address, p.Warnings)
		}
	}
	d.AllowedDestinations = nil
	c.now = c.now.Add(time.Hour)
	if p := c.preview(c.adding(mariasBank)); warned(p, words) {
		t.Errorf("a delegation that has ended is warned of: %q", p.Warnings)
	}
}

// Whoever voted was shown the name. Without the payee the votes are for something else.
func TestPayees_RemovedWhileAPaymentWaits(t *testing.T) {
	c := governed(t, "2", "ann", "ben", "cid")
	add := c.adding(mariasBank)
	c.must(EventHeld, "ann", add)
	c.must(EventVote, "ann", c.vote(add.Fingerprint))
	c.must(EventVote, "ben", c.vote(add.Fingerprint))
	c.must(EventPayee, "", add)
	pay, other := c.payment(), c.message(wire.MessageTypedData, permitText(c.address, spender, 84532))
	c.must(EventHeld, "ann", pay)
	c.must(EventHeld, "ann", other)
	c.must(EventVote, "ann", c.vote(pay.Fingerprint))
	remove := c.removing(c.book()[0].ID)
	if !warned(c.preview(remove), "become void") {
		t.Error("nothing warns of the payment that becomes void")
	}
	c.must(EventHeld, "cid", remove)
	c.must(EventVote, "ben", c.vote(remove.Fingerprint))
	c.must(EventVote, "cid", c.vote(remove.Fingerprint))
	c.must(EventPayeeRemoved, "", remove)
	c.refused("a vote", refusal.ErrApprovalVoid, "ben", c.vote(pay.Fingerprint))
	c.refused("the payment", refusal.ErrApprovalVoid, "", pay)
	c.must(EventVote, "ben", c.vote(other.Fingerprint))
}

func TestPayees_RebuiltFromASavedState(t *testing.T) {
	c := newClub(t, "ann")
	c.ruled(wire.Rules{PayeesOnly: true, PayeeCoolingHours: "1"})
	id := c.knows(payeeNamed("Carol", spender))
	c.must(EventPayeeRemoved, "ann", c.removing(id))
	c.knows(mariasBank)
	raw, err := c.Save("v1")
	if err != nil {
		t.Fatal(err)
	}
	if c.State, err = Restore(constants(), "v1", raw); err != nil {
		t.Fatal(err)
	}
	c.must(EventDenied, "ann", c.payment()) // still cooling
	c.refused("the name", refusal.ErrPayeeName, "ann", c.adding(payeeNamed("maría garcía", spender)))
	if !warned(c.preview(c.adding(payeeNamed("Carol", evm.Address{8}.String()))), "stood for another address") {
		t.Error("the removed payee is forgotten")
	}
	c.now = c.now.Add(time.Hour)
	c.must(EventTransaction, "ann", c.payment())
}
