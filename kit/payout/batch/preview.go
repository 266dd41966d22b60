package batch

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/quote"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// preview is a batch while its rows are checked.
type preview struct {
	content Content
	rows    []Row
	quotes  []quote.Quote // of the rows that are right
	checked []candidate   // all rows
	wrong   int           // rows
	sums    *sums

	references map[string]int  // own reference: the first row with it
	payments   map[payment]int // the first row with it
}

// payment is what two rows have in common that may be one by mistake.
type payment struct {
	recipientID string
	amount      money.Amount
}

// Preview checks and prices all rows, and stores them with their prices.
func (s *Service) Preview(ctx context.Context, cmd *command.Command, in rest.BatchRequest) (command.Answer, error) {
	if len(in.Rows) == 0 || len(in.Rows) > Most {
		return command.Answer{}, fault.Field("rows", fmt.Sprintf("must have 1 to %d items", Most))
	}
	workspaceID := cmd.Principal.WorkspaceID
	p := preview{sums: newSums(), references: map[string]int{}, payments: map[payment]int{}}
	checker := s.quotes.Checker(workspaceID)
	for i, row := range in.Rows {
		if err := s.check(ctx, &p, checker, i+1, row); err != nil {
			return command.Answer{}, err
		}
	}
	p.content.Sources, p.content.Destinations, p.content.Addresses = p.sums.views()
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		now, until, err := s.quotes.Life(ctx, tx)
		if err != nil {
			return command.Reply{}, err
		}
		paid, err := repeats(ctx, tx, workspaceID, p.checked, now)
		if err != nil {
			return command.Reply{}, err
		}
		b, err := s.insert(ctx, tx, workspaceID, p, paid, now, until)
		return command.Reply{
			Status: 201, Message: "Batch previewed", Data: detail(b, p.rows, b.CreatedAt),
			Audit: command.Audit{Action: "batch.preview", Resource: b.ID, Detail: map[string]string{
				"rows": fmt.Sprint(b.RowCount), "wrongRows": fmt.Sprint(b.WrongRows),
				"paidBefore": fmt.Sprint(len(paid)),
			}},
		}, err
	})
}

// check adds a row to the preview. It fails only if the server cannot check it.
func (s *Service) check(
	ctx context.Context, p *preview, checker *quote.Checker, n int, in rest.BatchPayment,
) error {
	row, pays := Row{N: n, Shown: shown(n, in)}, payment{}
	defer func() { p.checked = append(p.checked, candidate{row.Shown, pays}) }()
	issues := unread(row.Shown, in)
	readable := !slices.ContainsFunc(issues, func(i rest.BatchIssue) bool { return i.Field != "reference" })
	issues = append(issues, p.sameReference(row.Shown)...)
	if readable {
		checked, wrong, err := checker.Check(ctx, input(in))
		if err != nil {
			return err
		}
		for _, f := range wrong {
			issues = append(issues, aboutFault(row.Shown, f))
		}
		if len(wrong) == 0 {
			issues = append(issues, held(row.Shown, checked.Account, s.clock.Now())...)
			pays = payment{checked.Quote.RecipientID, checked.Quote.Asked}
			p.warnOfTwins(row.Shown, pays)
		}
		if len(issues) == 0 {
			return p.add(row, checked)
		}
	}
	p.rows = append(p.rows, row)
	p.content.Errors = append(p.content.Errors, issues...)
	p.wrong++ // a row without an issue was added above
	return nil
}

// add adds a row that is right.
func (p *preview) add(row Row, checked quote.Checked) error {
	row.QuoteID = checked.Quote.ID
	if err := price(&row.Shown, checked.Quoted); err != nil {
		return err
	}
	p.rows, p.quotes = append(p.rows, row), append(p.quotes, checked.Quote)
	if err := p.sums.add(checked.Quote.Terms); err != nil {
		return err
	}
	if checked.Funded {
		return nil
	}
	return p.sums.await(checked.Address, checked.Quote.Terms.Gross)
}

// sameReference is an issue where an earlier row has the row's own reference.
func (p *preview) sameReference(r rest.BatchRow) []rest.BatchIssue {
	if r.Reference == "" {
		return nil
	}
	first, twice := p.references[r.Reference]
	if !twice {
		p.references[r.Reference] = r.Row
		return nil
	}
	return []rest.BatchIssue{
		about(r, "reference", codeTwice, fmt.Sprintf("Row %d has the same reference", first)),
	}
}

// warnOfTwins adds a warning where an earlier row pays the same amount to the same recipient.
func (p *preview) warnOfTwins(r rest.BatchRow, same payment) {
	first, twice := p.payments[same]
	if !twice {
		p.payments[same] = r.Row
		return
	}
	p.content.Warnings = append(p.content.Warnings, about(
		r, "amount", codePaidTwice, fmt.Sprintf("Row %d pays the same amount to the same recipient", first),
	))
}

// input is what a quote asks for in place of a row.
func input(in rest.BatchPayment) rest.QuoteRequest {
	return rest.QuoteRequest{
		BeneficiaryID: in.BeneficiaryID, BeneficiaryAccountID: in.BeneficiaryAccountID,
		Amount: rest.Number(in.Amount), Currency: in.Currency, Chain: in.Chain, Token: strings.ToLower(in.Token),
	}
}

// insert stores a batch. Rows and quotes end at one instant. The quotes of a batch that cannot be executed are not
// stored.
func (s *Service) insert(
	ctx context.Context, tx Tx, workspaceID string, p preview, paid []rest.BatchIssue, now, until time.Time,
) (Batch, error) {
	b := Batch{
		WorkspaceID: workspaceID, ID: record.NewID(), Status: Ready, RowCount: len(p.rows), WrongRows: p.wrong,
		Content: p.content, CreatedAt: now, ExpiresAt: until,
	}
	b.Content.Warnings = append(slices.Clone(p.content.Warnings), paid...) // the transaction may run again
	if p.wrong > 0 {
		b.Status = Invalid
	}
	if err := tx.InsertBatch(ctx, b, p.rows); err != nil || b.Status == Invalid {
		return b, err
	}
	for _, q := range p.quotes {
		q.CreatedAt, q.ExpiresAt = b.CreatedAt, b.ExpiresAt
		if err := tx.InsertQuote(ctx, q); err != nil {
			return b, err
		}
	}
	return b, nil
}
