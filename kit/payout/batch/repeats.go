package batch

import (
	"context"
	"fmt"
	"time"

	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/rest"
)

// The codes of warnings without whose payAgain a batch is not executed.
const (
	codeReferencePaid = "reference_paid"
	codePaidBefore    = "paid_before"
)

// recently is how long ago the same amount to the same recipient counts as the row's own payment: less than any month,
// so that a wage of each month is not marked.
const recently = 27 * 24 * time.Hour

// Earlier is a payment that was made before, by an executed row of a batch or by a single quote. Canceled, expired and
// returned ones are none.
type Earlier struct {
	Reference      string // the row's own; "" where it has none
	RecipientID    string
	Asked          money.Amount
	OrderReference string
	At             time.Time
}

// EarlierTx reads earlier payments.
type EarlierTx interface {
	// HoldBatches keeps other calls that execute a batch of the workspace waiting until the transaction ends: of two
	// batches with the same rows the second one sees what the first one paid.
	HoldBatches(ctx context.Context, workspaceID string) error
	// PaidReferences lists earlier rows of batches with these references.
	PaidReferences(ctx context.Context, workspaceID string, references []string) ([]Earlier, error)
	// PaidRecipients lists earlier payments to these recipients since an instant.
	PaidRecipients(ctx context.Context, workspaceID string, recipientIDs []string, since time.Time) ([]Earlier, error)
}

// candidate is a row that may have been paid before. A wrong row has a reference only.
type candidate struct {
	shown rest.BatchRow
	pays  payment
}

// repeats are the rows that were paid before: those whose reference is that of an earlier row, and those that pay the
// same amount to the same recipient as a recent payment, unless both have references, which then are two.
func repeats(
	ctx context.Context, tx EarlierTx, workspaceID string, rows []candidate, now time.Time,
) (all []rest.BatchIssue, err error) {
	var references, recipients []string
	for _, r := range rows {
		references = append(references, shownReference(r.shown.Reference))
		recipients = append(recipients, r.pays.recipientID)
	}
	named, err := tx.PaidReferences(ctx, workspaceID, distinct(references))
	if err != nil {
		return nil, err
	}
	recent, err := tx.PaidRecipients(ctx, workspaceID, distinct(recipients), now.Add(-recently))
	if err != nil {
		return nil, err
	}
	byReference, byPayment := map[string]Earlier{}, map[payment][]Earlier{}
	for _, e := range named {
		byReference[e.Reference] = e
	}
	for _, e := range recent {
		same := payment{e.RecipientID, e.Asked}
		byPayment[same] = append(byPayment[same], e)
	}
	for _, r := range rows {
		own := shownReference(r.shown.Reference)
		if e, paid := byReference[own]; paid && own != "" {
			all = append(all, about(r.shown, "reference", codeReferencePaid, fmt.Sprintf(
				"Order %s of %s is of a row with the same reference", e.OrderReference, e.day())))
		} else if e, paid := sameReferenceOrNone(byPayment[r.pays], own); paid {
			all = append(all, about(r.shown, "amount", codePaidBefore, fmt.Sprintf(
				"Order %s of %s is of the same amount to the same recipient", e.OrderReference, e.day())))
		}
	}
	return all, nil
}

// sameReferenceOrNone finds an earlier payment that has not another reference than the row.
func sameReferenceOrNone(all []Earlier, reference string) (Earlier, bool) {
	for _, e := range all {
		if e.Reference == "" || reference == "" {
			return e, true
		}
	}
	return Earlier{}, false
}

func (e Earlier) day() string { return e.At.UTC().Format(time.DateOnly) }

// distinct leaves out empty texts and all but one of equal ones.
func distinct(all []string) (some []string) {
	seen := map[string]bool{"": true}
	for _, one := range all {
		if !seen[one] {
			seen[one] = true
			some = append(some, one)
		}
	}
	return some
}

// isRepeat tells whether a warning is about a row that was paid before.
func isRepeat(i rest.BatchIssue) bool { return i.Code == codeReferencePaid || i.Code == codePaidBefore }

// countRepeats counts the warnings about rows that were paid before, one for each such row.
func countRepeats(warnings []rest.BatchIssue) (n int) {
	for _, w := range warnings {
		if isRepeat(w) {
			n++
		}
	}
	return n
}

// mayRepeat is nil if the rows of a batch that were paid before may be paid again: the preview marked each of them, and
// the caller says payAgain.
func mayRepeat(paid, marked []rest.BatchIssue, payAgain bool) error {
	known := map[int]bool{}
	for _, w := range marked {
		known[w.Row] = known[w.Row] || isRepeat(w)
	}
	var since []rest.BatchIssue
	for _, p := range paid {
		if !known[p.Row] {
			since = append(since, p)
		}
	}
	switch {
	case len(since) > 0:
		return errChanged.With("errors", since)
	case len(paid) > 0 && !payAgain:
		return errPaidBefore.With("errors", paid)
	}
	return nil
}
