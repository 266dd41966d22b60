package docs

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/price"
	"github.com/railkit/railkit/money"
)

func ledgerDoc(t *testing.T) string {
	t.Helper()
	return `# The ledger

Generated from the code (` + "`go generate ./docs`" + `): the example below is what the program books.

Each workspace has its own double-entry ledger. An amount above zero adds to what an account is owed, one below zero takes from it; a
transaction sums to zero in each currency. It is ` + "`pending`, `posted` or `voided`" +
		`: pending money is set aside and nobody's to spend; a
pending transaction is posted or voided once, with the entries that it was pended with. Nothing booked is ever changed. Amounts are
whole minor units, and what cannot be counted in 64 bits is refused.

## Accounts

| Account | What it is | Floor |
|---|---|---|
| ` + "`held:<withdrawal address>`" +
		` | arrived at the address, and no order's: dust, or a returned payment without a return address | 0 |
| ` + "`order:<order>`" + ` | an order's own: to be paid out, or owed back | 0 |
| ` + "`partner`" + ` | what the partner has taken and not yet paid out | — |
| ` + "`fx`" + ` | the position: one currency given, the other taken | — |
| ` + "`fx:gain`" + ` | what a rate moved between a quote and its payout; below zero it cost | — |
| ` + "`fees:platform`, `fees:network`" + ` | earned | — |
| ` + "`rounding`" + ` | less than the smallest unit of what was bought | — |
| ` + "`suspense`" +
		` | arrived and nobody's: the wrong token or chain, or what a partner gave too much; below zero: paid for a deposit that a reorg took away | — |
| ` + "`chain:<chain>`" + ` | the world outside on a network; what came in from it is below zero | — |
| ` + "`bank:<rail>`" + ` | the world outside on a rail: what was paid to it | — |

Accounts with a floor have a balance row, and the floor is a condition of the statement that changes it: of any number of writers none takes
what is not there. The others are touched by every order; they have no row that writers would queue for, and are summed up from a
checkpoint on when somebody asks. Which entries a checkpoint counts is marked on the entries themselves, so that one that commits late is
neither lost nor counted twice.

## One order, to the cent

100 USDC arrive without a quote, go to a bank in Mexico at 18.4075, and come back a day later.

` + example(t) + `
All accounts together are zero in both currencies after each step. ` + "`railkit admin reconcile`" +
		` checks that of every workspace.
`
}

// example runs an order and writes down what each event books.
func example(t *testing.T) string {
	t.Helper()
	o := order.Order{
		ID: "o", Type: order.OffRamp, Origin: order.FromDeposit, WithdrawAddressID: "w", ReturnAddress: "0x",
		Chain: "base", Source: money.USDC, Destination: money.MXN, Rail: fiat.SPEI,
	}
	sell, err := money.ParseRate("18.4075")
	if err != nil {
		t.Fatal(err)
	}
	d := &order.Deposit{TransferID: "t", Hash: "0x", Amount: money.Of(100_000_000, money.USDC), Required: 1}
	terms, err := price.Stock.OfGross(d.Amount, sell, money.MXN)
	if err != nil {
		t.Fatal(err)
	}
	rest := money.Of(terms.Gross.Minor-terms.Network.Minor-terms.Platform.Minor, money.USDC)
	lines := []string{"| Event | Transaction | Account | Amount |", "|---|---|---|---:|"}
	for _, e := range []order.Event{
		{Kind: order.DepositDetected, Deposit: d},
		{Kind: order.DepositConfirmed, Deposit: d},
		{Kind: order.PayoutReserved, Terms: &terms},
		{Kind: order.FiatSubmitted, Payout: &order.Payout{TransferID: "p"}},
		{Kind: order.FiatReceived, Net: terms.Net, Rate: sell},
		{Kind: order.PaymentReturned, Refunded: rest, Refund: &order.Refund{ID: "r", Reference: "RFD"}},
		{Kind: order.RefundReserved},
		{Kind: order.RefundSent, Refund: &order.Refund{TransferID: "q"}},
		{Kind: order.RefundDone, Refund: &order.Refund{TransferID: "q", Hash: "0x"}},
	} {
		e.At = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
		c, err := order.Apply(o, e)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, booked(c)...)
		o = c.Order
	}
	return strings.Join(lines, "\n") + "\n"
}

func booked(c order.Change) (lines []string) {
	event := "`" + string(c.Entry.Kind) + "`"
	if len(c.Ledger) == 0 {
		return []string{"| " + event + " | — | | |"}
	}
	for _, op := range c.Ledger {
		what := op.Kind + ", " + map[ledger.Do]string{
			ledger.Pend: "pending", ledger.Post: "posted", ledger.Void: "voided", ledger.Record: "at once",
		}[op.Do]
		for _, e := range op.Entries {
			lines = append(lines, fmt.Sprintf("| %s | %s | `%s` | %s %s |", event, what, e.Account, e.Amount,
				e.Amount.Currency.Upper()))
			event, what = "", ""
		}
	}
	return lines
}
