package payouttest

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/statement"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store/storetest"
)

var statementTests = map[string]func(*testing.T, *bench){
	"Statements":     testStatements,
	"StatementPages": testStatementPages,
}

// history is what a random history leaves, for its statements to be held against.
type history struct {
	*bench
	*rand.Rand
	service  *statement.Service
	from, to time.Time
	accounts map[string][]ledger.Account // of each recipient and deposit account
}

const clabe = "d-1" // a deposit account

// newHistory makes orders of two recipients, each of which goes as far as chance has it, and deposits of no order.
func newHistory(t *testing.T, b *bench, seed uint64) *history {
	t.Helper()
	h := &history{
		bench: b, Rand: rand.New(rand.NewPCG(seed, 7)), service: statement.New(b.payout()),
		from: storetest.Start.Truncate(24 * time.Hour), accounts: map[string][]ledger.Account{},
	}
	h.to = h.from.AddDate(0, 0, 9)
	for _, r := range []string{"r-1", "r-2"} {
		address := "w-of-" + r
		b.recipients(t, newRecipient(storetest.Ours, r))
		storetest.OK(t, b.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
			a := withdrawAddress(storetest.Ours, address)
			a.RecipientID, a.BankAccountID = r, "b-of-"+r
			return tx.InsertWithdrawAddress(ctx, a)
		}))
		h.accounts[r] = []ledger.Account{ledger.Held(address)}
		for i := range 12 {
			h.order(t, fmt.Sprint(r, "-o", i), r, address)
		}
		for i := range 3 {
			h.dust(t, fmt.Sprint("drain:", r, i), address)
		}
	}
	b.made(t, depositAccount(storetest.Ours, clabe, "wallet-1"))
	for i := range 8 {
		h.payIn(t, fmt.Sprint(clabe, "-o", i))
	}
	return h
}

// payIn walks a deposit of 5,000.00 MXN at the deposit account, until chance ends it.
func (h *history) payIn(t *testing.T, id string) {
	t.Helper()
	sent, at := money.Of(500_000, money.MXN), h.from.Add(time.Duration(h.Int64N(int64(9*24*time.Hour))))
	h.accounts[clabe] = append(h.accounts[clabe], ledger.Order(id))
	p := &order.PayIn{AccountID: clabe, PartnerAccountID: "va", DepositID: "p-" + id, Amount: sent, Rail: fiat.SPEI}
	coins := *p
	coins.Coins, coins.Fee, coins.Hash = money.Of(268_520_000, money.USDC), money.Of(5_500, money.MXN), "0x"+id
	events := []order.Event{
		{Kind: order.FiatArrived, By: order.Partner, PayIn: p},
		{Kind: order.CoinsSubmitted, By: order.Partner, PayIn: &coins, Network: money.Of(3_000, money.MXN)},
	}
	if h.IntN(3) == 0 {
		events[1] = order.Event{Kind: order.PayInReturn, By: order.Partner, Refunded: sent}
	}
	o := order.Order{
		WorkspaceID: storetest.Ours, ID: id, Reference: "ONR-" + id, Type: order.OnRamp, Origin: order.FromAccount,
		WalletID: "w", Chain: "base", Address: "0xw", Source: money.MXN, Destination: money.USDC, Rail: fiat.SPEI,
	}
	for _, e := range events[:1+h.IntN(2)] {
		at = at.Add(time.Duration(h.Int64N(int64(20 * time.Hour))))
		e.At = at
		o = h.walk(t, o, e)
	}
}

// order walks an order over several days, until chance ends it.
func (h *history) order(t *testing.T, id, recipientID, address string) {
	t.Helper()
	at := h.from.Add(time.Duration(h.Int64N(int64(9 * 24 * time.Hour))))
	o, seen := Deposited(storetest.Ours, id, address, at)
	o.RecipientID = recipientID
	if h.IntN(3) == 0 {
		o.ReturnAddress = "" // what comes back stays at the withdrawal address
	}
	h.accounts[recipientID] = append(h.accounts[recipientID], ledger.Order(id))
	o = h.walk(t, o, seen)
	refund := &order.Refund{ID: "f-" + id, Reference: "RFD-" + id, TransferID: "x-" + id, Hash: "0x9"}
	events := append(Paid(o, at),
		order.Event{
			Kind: order.PaymentReturned, By: order.Partner, Failure: &order.Failure{Code: "R03", Message: "closed"},
			Refund: refund, Refunded: money.Of(99_250_000, money.USDC),
		},
		order.Event{Kind: order.RefundReserved, By: order.System},
		order.Event{Kind: order.RefundSent, By: order.Partner, Refund: refund},
		order.Event{Kind: order.RefundDone, By: order.Partner, Refund: refund},
	)
	for _, e := range events[:h.IntN(len(events)+1)] {
		if o.Status == order.Error {
			return
		}
		at = at.Add(time.Duration(h.Int64N(int64(20 * time.Hour))))
		if e.At = at; h.IntN(6) == 0 {
			e.At = at.Truncate(24 * time.Hour) // the first instant of a day
		}
		o = h.walk(t, o, e)
	}
}

// dust comes to an address and is no order's.
func (h *history) dust(t *testing.T, ref, address string) {
	t.Helper()
	op := move(ledger.Record, ref, "chain:base", ledger.Held(address), 1+h.Int64N(1_000_000))
	op.Kind = "drain"
	at := h.from.Add(time.Duration(h.Int64N(int64(9 * 24 * time.Hour))))
	storetest.OK(t, h.pay(t.Context(), func(ctx context.Context, tx payout.Tx) error {
		return tx.Book(ctx, storetest.Ours, at, op)
	}))
}

// scopeOf is a recipient's, the deposit account's, or for "" the workspace's.
func scopeOf(whose string) statement.Scope {
	if whose == clabe {
		return statement.Scope{WorkspaceID: storetest.Ours, DepositAccountID: clabe}
	}
	return statement.Scope{WorkspaceID: storetest.Ours, RecipientID: whose}
}

func (h *history) statement(t *testing.T, whose string, from, to time.Time, daily bool) rest.AccountStatement {
	t.Helper()
	days, err := statement.Days(from.Format(time.DateOnly), to.Format(time.DateOnly))
	storetest.OK(t, err)
	got, err := h.service.Get(t.Context(), scopeOf(whose), days, daily)
	storetest.OK(t, err)
	return got
}

// held is what the ledger's balances say of somebody's accounts, or of all.
func (h *history) held(t *testing.T, whose string) map[string]string {
	t.Helper()
	sums := map[string]string{}
	for _, c := range []money.Currency{money.USDC, money.MXN} {
		sum := money.Of(0, c)
		for _, a := range h.allAccounts(whose) {
			got, err := h.payout().Balance(t.Context(), storetest.Ours, a, c)
			storetest.OK(t, err)
			sum.Minor += got.Posted.Minor
		}
		if (c == money.MXN) == (whose == clabe) || whose == "" {
			sums[string(c)] = sum.String()
		}
	}
	return sums
}

func (h *history) allAccounts(whose string) []ledger.Account {
	if whose != "" {
		return h.accounts[whose]
	}
	return slices.Concat(h.accounts["r-1"], h.accounts["r-2"], h.accounts[clabe])
}

func openings(s rest.AccountStatement) map[string]string {
	all := map[string]string{}
	for _, b := range s.Balances {
		all[b.Currency] = b.Opening
	}
	return all
}

func closings(s rest.AccountStatement) map[string]string {
	all := map[string]string{}
	for _, b := range s.Balances {
		all[b.Currency] = b.Closing
	}
	return all
}

func minor(t *testing.T, text, currency string) int64 {
	t.Helper()
	a, err := money.Parse(text, money.Currency(currency))
	storetest.OK(t, err)
	return a.Minor
}

// adds wants opening + in - out - fees = closing, and the lines to be those sums.
func adds(t *testing.T, s rest.AccountStatement) {
	t.Helper()
	all := slices.Clone(s.Balances)
	for _, d := range s.Days {
		all = append(all, d.Balances...)
	}
	for _, b := range all {
		n := func(text string) int64 { return minor(t, text, b.Currency) }
		if n(b.Opening)+n(b.MoneyIn)-n(b.MoneyOut)-n(b.Fees) != n(b.Closing) {
			t.Errorf("%+v does not add up", b)
		}
	}
	sums, balances := map[string][3]int64{}, openings(s)
	for i, l := range s.Lines {
		n := func(text string) int64 { return minor(t, text, l.Currency) }
		sum := sums[l.Currency]
		sums[l.Currency] = [3]int64{sum[0] + n(l.MoneyIn), sum[1] + n(l.MoneyOut), sum[2] + n(l.Fees)}
		balances[l.Currency] = l.Balance
		if i > 0 && l.At < s.Lines[i-1].At || l.Kind == string(statement.Other) ||
			(l.Reference == "") != (l.OrderID == "") {
			t.Errorf("line %d: %+v", i, l)
		}
	}
	for _, b := range s.Balances {
		n := func(text string) int64 { return minor(t, text, b.Currency) }
		storetest.Equal(t, "sums of the lines in "+b.Currency, sums[b.Currency],
			[3]int64{n(b.MoneyIn), n(b.MoneyOut), n(b.Fees)})
	}
	storetest.Equal(t, "balances after the last lines", balances, closings(s))
}

// Of random histories: statements add up, begin where the one before ended, and end with what the ledger holds; those
// of the recipients and the deposit account are together that of the workspace.
func testStatements(t *testing.T, b *bench) {
	seed := rand.Uint64N(1_000_000)
	t.Log("seed", seed) // told if the test fails
	h := newHistory(t, b, seed)
	last := h.to.AddDate(0, 0, 20)
	for _, whose := range []string{"", "r-1", "r-2", clabe} {
		whole := h.statement(t, whose, h.from, last, whose == "")
		adds(t, whole)
		for currency, opening := range openings(whole) {
			storetest.Equal(t, "the first opening", minor(t, opening, currency), 0)
		}
		storetest.Equal(t, "held for "+cmp.Or(whose, "all"), closings(whole), h.held(t, whose))
		for range 4 {
			cut := h.from.AddDate(0, 0, h.IntN(12))
			before := h.statement(t, whose, h.from.AddDate(0, 0, -3), cut, false)
			after := h.statement(t, whose, cut.AddDate(0, 0, 1), last, whose == "")
			adds(t, before)
			adds(t, after)
			storetest.Equal(t, "lines of both parts", before.LinesTotal+after.LinesTotal, whole.LinesTotal)
			for currency, closing := range closings(before) {
				storetest.Equal(t, "opening after "+before.To, openings(after)[currency], closing)
			}
			storetest.Equal(t, "closing", closings(after), closings(whole))
		}
	}
	future := h.statement(t, "", last.AddDate(0, 1, 0), last.AddDate(0, 1, 0), true)
	empty := rest.AccountStatement{Balances: future.Days[0].Balances}
	storetest.Equal(t, "an empty day", closings(empty), h.held(t, ""))
	adds(t, future)
	storetest.Equal(t, "lines of an empty day", future.LinesTotal, 0)
	theirs, err := h.payout().StatementOpening(
		t.Context(), statement.Scope{WorkspaceID: storetest.Theirs}, last,
	)
	storetest.OK(t, err)
	storetest.Equal(t, "another workspace's", len(theirs), 0)
}

// Moves are read page by page, and each comes once.
func testStatementPages(t *testing.T, b *bench) {
	h := newHistory(t, b, 42)
	in := statement.Span{From: h.from, To: h.to.AddDate(0, 0, 20)}
	for _, scope := range []statement.Scope{scopeOf(""), scopeOf("r-2"), scopeOf(clabe)} {
		all, err := h.payout().StatementMoves(t.Context(), scope, in, nil, 1000)
		storetest.OK(t, err)
		var paged []statement.Move
		var after *statement.Cursor
		for {
			page, err := h.payout().StatementMoves(t.Context(), scope, in, after, 3)
			storetest.OK(t, err)
			if len(page) == 0 {
				break
			}
			paged = append(paged, page...)
			after = &page[len(page)-1].Cursor
		}
		storetest.Equal(t, "paged", paged, all)
		if len(all) < 8 {
			t.Errorf("only %d moves", len(all))
		}
	}
}
