package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/bridge"
)

// proof says what an answer is worth.
const proof = `The partner's answer proves that the address belongs to the customer that it names, and where the partner forwards
what arrives there. It cannot prove which bank account is paid in the end: the Railkit server orders each payment out
of the partner's wallet later, with a key of its own. That key can also make a customer with your name and mail
address: go on only if the customer id is the one in the partner's dashboard, and the destination is yours.
`

// finding is what the partner says of an address.
type finding struct {
	bridge.Route
	owner bridge.Identity
	leads string // to where, in words
	doubt error  // why nobody should pay to it; nil: nothing that the partner says speaks against it
}

// examine asks the partner whose an address is and where it leads.
func (q question) examine(ctx context.Context, c *bridge.Client, r bridge.Route) (f finding, err error) {
	f.Route, f.Address = r, q.address // the partner may spell it in another case
	if f.owner, err = c.Identity(ctx, r.CustomerID); err != nil {
		return f, trouble(err)
	}
	switch {
	case r.WalletID != "":
		err = q.toWallet(ctx, c, &f)
	case r.AccountID != "":
		err = toBank(ctx, c, &f)
	case r.PrefundedID != "":
		f.leads = "the prefunded account " + r.PrefundedID
		f.doubt = errors.New("the address leads to a prefunded account, and Railkit makes no such addresses: do not pay to it")
	case r.ToAddress != "":
		f.leads = "the blockchain address " + r.ToAddress + ", which is not the partner's"
		f.doubt = errors.New("the address leads to another blockchain address, and Railkit makes no such addresses: " +
			"do not pay to it")
	default:
		f.leads = fmt.Sprintf("the partner does not say: look into its dashboard (rail %s, as %s)",
			cmp.Or(r.Rail, "unknown"), cmp.Or(r.ToCurrency, "unknown"))
	}
	if f.doubt == nil && r.State != "" && r.State != "active" {
		f.doubt = errors.New("the partner has this address, but it is not active: do not pay to it")
	}
	return f, err
}

// toWallet is where the addresses lead that Railkit makes.
func (q question) toWallet(ctx context.Context, c *bridge.Client, f *finding) error {
	w, err := c.Wallet(ctx, f.CustomerID, f.WalletID)
	switch {
	case errors.Is(err, fiat.ErrNotFound):
		f.leads = "wallet " + f.WalletID
		f.doubt = errors.New("the address leads to a wallet that is not this customer's: do not pay to it")
		return nil
	case err != nil:
		return trouble(err)
	}
	f.leads = fmt.Sprintf("wallet %s of this customer at the partner (%s on %s)", w.ID, w.Address, w.Chain)
	if f.ToAddress != "" && q.family.Lookup(f.ToAddress) != q.family.Lookup(w.Address) {
		f.doubt = fmt.Errorf("the address leads to %s, which is not the address of the wallet: do not pay to it",
			cli.Printable(f.ToAddress))
	}
	return nil
}

func toBank(ctx context.Context, c *bridge.Client, f *finding) error {
	b, err := c.BankAccount(ctx, f.CustomerID, f.AccountID)
	switch {
	case errors.Is(err, fiat.ErrNotFound):
		f.leads = "bank account " + f.AccountID
		f.doubt = errors.New("the address leads to a bank account that is not this customer's: do not pay to it")
		return nil
	case err != nil:
		return trouble(err)
	}
	f.leads = fmt.Sprintf("the bank account of %s at %s that ends in %s",
		cmp.Or(b.OwnerName, "(no name)"), cmp.Or(b.BankName, "(no bank)"), cmp.Or(b.LastFour, "(not told)"))
	return nil
}

// report prints what was found. Its error is all that speaks against the address.
func (q question) report(w io.Writer, found []finding) error {
	fmt.Fprintf(w, "The partner at %s has this address.\n\n", q.partner)
	var doubts []error
	for _, f := range found {
		f.print(w)
		doubts = append(doubts, f.doubt)
	}
	fmt.Fprint(w, proof)
	return errors.Join(doubts...)
}

func (f finding) print(w io.Writer) {
	made := "(not told)"
	if !f.CreatedAt.IsZero() {
		made = f.CreatedAt.Format("2006-01-02 15:04 UTC")
	}
	for _, line := range [][2]string{
		{"address", f.Address}, {"network", f.Chain}, {"currency", f.Currency},
		{"customer", cmp.Or(f.owner.Name, "(no name)") + ", " + cmp.Or(f.owner.Email, "(no mail address)")},
		{"customer id", f.CustomerID}, {"leads to", f.leads},
		{"made", made}, {"state", cmp.Or(f.State, "(not told)")}, {"id", f.ID},
	} {
		fmt.Fprintf(w, "  %-12s %s\n", line[0], cli.Printable(line[1]))
	}
	fmt.Fprintln(w)
}
