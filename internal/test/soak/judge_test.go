package soak

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/internal/test/testwait"
	railkit "github.com/railkit/railkit/sdk/go"
)

// judge compares our books, the partner's and the chain.
func (w *world) judge() {
	w.t.Helper()
	orders := w.orders()
	w.reconciled(orders)
	var theirs control.Trial
	testwait.Until(w.t, "the partner tells its ledger", func() (ok bool) {
		var err error
		theirs, err = w.Partner.Ledger(w.t.Context(), "")
		return err == nil
	})
	if !theirs.Balanced {
		w.t.Errorf("the partner's own ledger does not balance: %+v", theirs.Accounts)
	}
	w.stories(orders)
	came := w.arrivals()
	w.deposits(orders, theirs.Deposits, came)
	for _, wrong := range payouts(orders, theirs.Payouts) {
		w.t.Error(wrong)
	}
}

func (w *world) orders() (all []railkit.Order) {
	w.t.Helper()
	testwait.Until(w.t, "the server lists all orders", func() bool {
		all = nil
		for o, err := range w.Client().Orders.All(w.t.Context(), railkit.OrderListOptions{}) {
			if err != nil {
				return false
			}
			all = append(all, o)
		}
		return true
	})
	return all
}

// stories counts what happened to the orders, by the events of their timelines. One in error says why.
func (w *world) stories(orders []railkit.Order) {
	w.t.Helper()
	events := map[string]int{}
	for _, o := range orders {
		var detail *railkit.OrderDetail
		testwait.Until(w.t, "the server tells of "+o.Reference, func() (ok bool) {
			var err error
			detail, err = w.Client().Orders.Get(w.t.Context(), o.ID)
			return err == nil
		})
		for _, e := range detail.Timeline {
			events[e.Type]++
		}
		if o.Status == "error" && o.Failure == nil {
			w.t.Errorf("it does not say why: %s", describe(o))
		}
	}
	w.t.Logf("%d orders, events: %v", len(orders), events)
}

// reconciled has the operator's command compare all books, until nothing is under way between them. It may find the
// receivables that the orders have, and nothing else.
func (w *world) reconciled(orders []railkit.Order) {
	w.t.Helper()
	owed := map[string]bool{}
	for _, o := range orders {
		if o.PayIn != nil && o.PayIn.Receivable != "" {
			owed[o.Reference] = true
		}
	}
	for deadline := time.Now().Add(testwait.Bound); ; time.Sleep(time.Second) { // between two looks
		out, err := w.admin("reconcile")
		found, others := 0, 0
		for line := range strings.Lines(string(out)) {
			fields := strings.Fields(line)
			if len(fields) < 3 || fields[0] != w.Keys.WorkspaceID {
				continue
			}
			if fields[1] == "receivable" && owed[strings.TrimSuffix(fields[2], ",")] {
				found++
			} else {
				others++
			}
		}
		if others == 0 && found == len(owed) && (err != nil) == (found > 0) && bytes.Contains(out, []byte("# ")) {
			w.t.Logf("%d receivables\n%s", found, out)
			return
		}
		if time.Now().After(deadline) {
			w.t.Errorf("the books differ, and %d receivables are known: %v\n%s", len(owed), err, out)
			return
		}
	}
}

// deposits compares each bank transfer that the partner has with our one order of it, and with the coins that the chain
// has for it: one transaction, unless the partner sends twice.
func (w *world) deposits(orders []railkit.Order, theirs []control.DepositCount, came map[string][]arrival) {
	w.t.Helper()
	ours := map[string]railkit.Order{}
	for _, o := range orders {
		if o.PayIn == nil {
			continue
		}
		if other, twice := ours[o.PayIn.PartnerDepositID]; twice {
			w.t.Errorf("%s and %s are of one bank transfer", o.Reference, other.Reference)
		}
		ours[o.PayIn.PartnerDepositID] = o
	}
	explained := map[string]bool{}
	for _, d := range theirs {
		o, known := ours[d.ID]
		delete(ours, d.ID)
		f, err := w.Partner.FindDeposit(w.t.Context(), d.ID)
		if err != nil || !known {
			w.t.Errorf("deposit %s: an order of ours %v, %v", d.ID, known, err)
			continue
		}
		for _, hash := range f.Hashes {
			if explained[fiat.OnChain(hash)] {
				w.t.Errorf("%s: %s is for another deposit too", o.Reference, hash)
			}
			explained[fiat.OnChain(hash)] = true
		}
		if wrong := compare(o, d, f, came); wrong != "" {
			w.t.Errorf("%s: %s\n%+v\n%+v", describe(o), wrong, d, f)
		}
	}
	for id, o := range ours {
		w.t.Errorf("the partner does not know %s of %s", id, o.Reference)
	}
	w.strangers(orders, explained, came)
}

// compare says what does not fit between an order, the partner's deposit and the chain.
func compare(o railkit.Order, d control.DepositCount, f control.Deposit, came map[string][]arrival) string {
	most := 1
	if cents(o) == sentTwice {
		most = 2
	}
	switch {
	case d.Paid > most || len(f.Hashes) > most || d.Returned > 1:
		return "the partner paid or returned it too often"
	case o.PayIn.Amount != f.Amount && minor(o.PayIn.Amount, o.PayIn.Currency) != minor(f.Amount, f.Currency):
		return "another amount of fiat"
	case (d.Returned > 0) != (o.PayIn.Status == "returned"):
		return "it went back for one side only"
	case o.PayIn.Status == "returned" && d.Paid == 0 && o.PayIn.Receivable != "":
		return "a receivable, though no coins left"
	case o.Type != "on_ramp" || !o.PayIn.SettlementFinal:
		return ""
	case d.Paid < 1:
		return "coins are final that the partner did not send"
	}
	hash, found := fiat.OnChain(o.PayIn.SettlementTxHash), false
	for _, h := range f.Hashes {
		found = found || fiat.SameOnChain(h, hash)
	}
	if !found {
		return "settled by a transaction that the partner sent for another deposit"
	}
	if got := came[hash]; len(got) != 1 || got[0].minor != minor(o.NetAmount, "usdc") {
		return fmt.Sprintf("the wallet got %+v", got)
	}
	return ""
}

// strangers are coins that came to the wallets for no deposit: refunds of payouts, and those of its first day.
func (w *world) strangers(orders []railkit.Order, explained map[string]bool, came map[string][]arrival) {
	w.t.Helper()
	for _, o := range orders {
		if hash := fiat.OnChain(o.References.RefundTxHash); hash != "" {
			if explained[hash] {
				w.t.Errorf("%s was refunded by the coins of another order", o.Reference)
			}
			explained[hash] = true
		}
	}
	others := 0
	for hash, all := range came {
		if !explained[hash] {
			others++
			w.t.Logf("%s brought %+v, for no deposit", hash, all)
		}
	}
	if others != len(chains) {
		w.t.Errorf("%d transactions brought coins for no deposit and no refund, %d before it began", others, len(chains))
	}
}

// payouts compares what left the partner and stayed away with what our orders say of it: once for each bank that was
// paid, and each refund. The partner's references are an order's or a refund's, and the number of the attempt.
func payouts(orders []railkit.Order, theirs []control.Payout) (wrong []string) {
	ours, left := map[string]int{}, map[string]int{}
	of := map[string]railkit.Order{}
	for _, o := range orders {
		if of[o.Reference] = o; o.Status == "completed" && o.Type != "on_ramp" {
			ours[o.Reference]++
		}
		if o.Refund == nil {
			continue
		}
		if of[o.Refund.Reference] = o; o.Refund.Status == "completed" {
			ours[o.Refund.Reference]++
		}
	}
	for _, p := range theirs {
		reference, _, _ := strings.Cut(p.Reference, ":")
		left[reference] += p.Paid - p.Returned
		if _, known := of[reference]; !known {
			wrong = append(wrong, fmt.Sprintf("the partner has %+v, and no order is called so", p))
		}
	}
	for reference, o := range of {
		if got, want := left[reference], ours[reference]; got != want {
			line := fmt.Sprintf("%s was paid %d times for good, not %d: %s", reference, got, want, describe(o))
			wrong = append(wrong, line)
		}
	}
	slices.Sort(wrong)
	return wrong
}
