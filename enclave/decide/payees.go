package decide

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/payee"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/text"
)

var (
	isLastFour = regexp.MustCompile(`^[!-~]{1,4}$`)
	isCurrency = regexp.MustCompile(`^[A-Z]{3}$`)
)

// addPayee binds an address to a name. It loosens: where a policy has payeesOnly, the address can be paid then.
func addPayee(c call, p *wire.AddPayeeParams) (Event, error) {
	if err := c.checkPayee(p); err != nil {
		return Event{}, err
	}
	made := wire.Payee{
		ID: newID(c.sub.Fingerprint, "payee"), Name: p.Name, Chain: p.Chain, Address: p.Address, Kind: p.Kind,
		BankAccount: p.BankAccount, AddedAt: clock.ISO(c.now),
	}
	return c.change(Event{Kind: EventPayee, Payee: &made}, true)
}

// removePayee takes a payee out of the book. It loosens as well: else a server alone could free a payee's name,
// and have the owner bind it to another address.
func removePayee(c call, p *wire.RemovePayeeParams) (Event, error) {
	have, ok := c.org.payees.Get(p.PayeeID)
	if !ok {
		return Event{}, refusal.ErrPayee
	}
	gone := have.Payee
	gone.RemovedAt = clock.ISO(c.now)
	return c.change(Event{Kind: EventPayeeRemoved, Payee: &gone}, true)
}

func (c call) checkPayee(p *wire.AddPayeeParams) error {
	if err := checkName("name", p.Name); err != nil {
		return err
	}
	if err := c.checkPayeeAddress(p); err != nil {
		return err
	}
	if err := checkPayeeKind(p); err != nil {
		return err
	}
	if other, taken := c.org.payees.Confused(p.Name); taken {
		return refusal.ErrPayeeName.Msg(other.Name)
	}
	if other, taken := c.org.payees.Find(p.Chain, p.Address); taken {
		return refusal.ErrPayeeAddress.Msg(other.Name)
	}
	if len(c.org.payees.Active()) >= payee.Most {
		return refusal.ErrBody.Msg(fmt.Sprintf("the sub-organization has %d payees, the most there can be", payee.Most))
	}
	return nil
}

// checkPayeeAddress holds the address to the one spelling of its network, which is also the one of all previews.
func (c *Constants) checkPayeeAddress(p *wire.AddPayeeParams) error {
	network, ok := chain.WithSlug(c.Networks, p.Chain)
	f, known := families.Of(network.Kind)
	if !ok || !known {
		return refusal.ErrBody.Msg("chain is no network of this environment")
	}
	if canonical, err := f.ParseAddress(p.Address); err != nil || canonical != p.Address {
		return refusal.ErrBody.Msg("address is not an address of " + network.Name + " in " + families.CanonicalForms())
	}
	if err := f.CheckPayee(p.Address); err != nil {
		return refusal.ErrBody.Msg("address " + err.Error())
	}
	if k, found := chain.KnownAt(network, p.Address); found && p.Kind != wire.ContractPayee {
		return refusal.ErrBody.Msg(
			"address is that of " + k.Name + ", which only a payee of the kind contract can have")
	}
	return nil
}

func checkPayeeKind(p *wire.AddPayeeParams) error {
	switch p.Kind {
	case wire.WalletPayee, wire.ContractPayee:
		if p.BankAccount != nil {
			return refusal.ErrBody.Msg("bankAccount stands only beside the kind bank_account")
		}
		return nil
	case wire.BankAccountPayee:
		return checkBankAccount(p.BankAccount)
	}
	return refusal.ErrBody.Msg("kind is none of wallet, bank_account and contract")
}

func checkBankAccount(b *wire.PayeeBankAccount) error {
	if b == nil {
		return refusal.ErrBody.Msg("bankAccount is missing")
	}
	if err := checkName("bankAccount.owner", b.Owner); err != nil {
		return err
	}
	if err := checkName("bankAccount.bank", b.Bank); err != nil {
		return err
	}
	if !isLastFour.MatchString(b.LastFour) {
		return refusal.ErrBody.Msg("bankAccount.lastFour is not one to four ASCII characters that can be seen")
	}
	if !isCurrency.MatchString(b.Currency) {
		return refusal.ErrBody.Msg("bankAccount.currency is not a currency of three capital letters")
	}
	return nil
}

// showPayee shows the payee that is to be added or removed, and what its owners may overlook.
func showPayee[P any](judge func(call, *P) (Event, error)) func(call, *P) (*wire.Preview, error) {
	return func(c call, p *P) (*wire.Preview, error) {
		e, err := judge(c.as(actor{voted: true}), p)
		if err != nil {
			return nil, err
		}
		shown := &wire.Preview{Payee: e.Payee, Chain: e.Payee.Chain}
		if n, ok := chain.WithSlug(c.Networks, e.Payee.Chain); ok {
			shown.ChainName, shown.ChainID = n.Name, n.ID()
		}
		if e.Kind == EventPayee {
			shown.Counterparties = c.describeNewPayee(*e.Payee)
			shown.Warnings = c.warnNewPayee(*e.Payee)
			shown.Warnings = append(shown.Warnings, warnCounterparties(shown.Counterparties, e.Payee.Chain)...)
		} else if c.org.awaited(*e.Payee) {
			shown.Warnings = []string{"requests that wait for votes to pay it become void"}
		}
		shown.Waits, err = c.wouldWait(true)
		return shown, err
	}
}

// describeNewPayee is what the book says of an address that is to be added: for whose it can be mistaken, and under
// which other name it was removed.
func (c call) describeNewPayee(p wire.Payee) []wire.Counterparty {
	known := c.org.payees.Counterparty(p.Chain, p.Address, c.org.ownAddresses())
	said := wire.Counterparty{Address: p.Address, LooksLike: known.LooksLike}
	if was := known.Was; was != nil && !text.Confusable(was.Name, p.Name) {
		said.Was = was
	}
	if len(said.LooksLike) == 0 && said.Was == nil {
		return nil
	}
	return []wire.Counterparty{said}
}

func (c call) warnNewPayee(p wire.Payee) (warnings []string) {
	if before, ok := c.org.payees.Before(p); ok {
		warnings = append(warnings, fmt.Sprintf("the name %s stood for another address until %s: %s on %s",
			before.Name, before.RemovedAt, before.Address, before.Chain))
	}
	for _, rules := range c.org.policies {
		if d := rules.Rules.Delegation; d != nil && reaches(*d, p, c.now) {
			warnings = append(warnings, fmt.Sprintf(
				"a delegation of the wallet %s pays this payee without a passkey, within its limits",
				c.wallets[rules.WalletID].Name,
			))
		}
	}
	return warnings
}

// reaches reports whether a delegation that has not ended can pay a payee because it is in the book.
func reaches(d wire.Delegation, p wire.Payee, now time.Time) bool {
	until, ok := millis(d.ExpiresAtMs)
	return ok && now.Before(until) && d.PayeesOnly &&
		(len(d.AllowedDestinations) == 0 || slices.Contains(d.AllowedDestinations, p.Address))
}

// ownAddresses are the addresses of the organization's wallets, with the wallets' names.
func (o *organization) ownAddresses() (all []wire.Resemblance) {
	for _, w := range o.wallets {
		for _, a := range w.accounts {
			all = append(all, wire.Resemblance{Name: w.Name, Address: a.Address})
		}
	}
	return all
}

// counterparties are all addresses that a signing pays, allows to take something, or calls, each once.
func (x signing) counterparties() (all []string) {
	for _, e := range x.Effects {
		for _, address := range []string{e.To, e.Spender, x.Called(e)} {
			if address != "" && !slices.Contains(all, address) {
				all = append(all, address)
			}
		}
	}
	return all
}

// described is what the book says of each counterparty of a signing.
func (c call) described(x signing) (all []wire.Counterparty) {
	own := c.org.ownAddresses()
	for _, address := range x.counterparties() {
		said := c.org.payees.Counterparty(x.Network.Slug, address, own)
		if k, stranded := x.StrandedAt(address); stranded {
			said.Known = &k
		}
		all = append(all, said)
	}
	return all
}

// warnCounterparties tells in words what a reader of the addresses may overlook.
func warnCounterparties(all []wire.Counterparty, network string) (warnings []string) {
	for _, c := range all {
		if c.Known != nil {
			warnings = append(warnings, c.Known.Said(c.Address))
		}
		for _, other := range c.LooksLike {
			warnings = append(warnings, fmt.Sprintf(
				"%s is not %s: its address begins and ends like %s, and is another one",
				c.Address, other.Name, other.Address,
			))
		}
		for _, p := range c.Elsewhere {
			warnings = append(warnings, fmt.Sprintf("%s is the payee %s on %s, and no payee on %s",
				c.Address, p.Name, p.Chain, network))
		}
		if c.Was != nil {
			warnings = append(warnings, fmt.Sprintf("%s was the payee %s until %s, when it was removed",
				c.Address, c.Was.Name, c.Was.RemovedAt))
		}
	}
	return warnings
}

// pays reports whether a request that waits for votes pays a payee. It may have been no payee yet when the request was
// made: whoever voted later was shown the name.
func (h *hold) pays(p wire.Payee) bool {
	return h.Chain == p.Chain && slices.Contains(h.Pays, p.Address)
}

// awaited reports whether a request to pay a payee waits for votes.
func (o *organization) awaited(p wire.Payee) bool {
	for _, h := range o.held {
		if !h.void && h.pays(p) {
			return true
		}
	}
	return false
}

func applyPayee(_ *State, org *organization, e Event) error {
	org.payees.Add(payee.Entry{Payee: *e.Payee, AddedMs: e.TimeMs})
	return nil
}

// applyPayeeRemoved also makes void what waits for votes to pay the payee: its voters were shown the name.
func applyPayeeRemoved(_ *State, org *organization, e Event) error {
	org.payees.Remove(e.Payee.ID, e.Payee.RemovedAt)
	for _, h := range org.held {
		h.void = h.void || h.pays(*e.Payee)
	}
	return nil
}
