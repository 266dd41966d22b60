package orderview

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"regexp"
	"strings"

	"github.com/railkit/railkit/rest"
)

// columns are the columns of a CSV export, in their order. docs/payouts.md explains each.
var columns = []struct {
	name string
	of   func(rest.Order) string
}{
	{"reference", func(o rest.Order) string { return o.Reference }},
	{"id", func(o rest.Order) string { return o.ID }},
	{"type", func(o rest.Order) string { return o.Type }},
	{"status", func(o rest.Order) string { return o.Status }},
	{"createdAt", func(o rest.Order) string { return o.CreatedAt }},
	{"updatedAt", func(o rest.Order) string { return o.UpdatedAt }},
	{"completedAt", func(o rest.Order) string { return o.CompletedAt }},
	{"recipientName", func(o rest.Order) string { return o.RecipientName }},
	{"accountLast4", func(o rest.Order) string { return o.Destination.AccountLast4 }},
	{"rail", func(o rest.Order) string { return o.Destination.Rail }},
	{"sourceAmount", func(o rest.Order) string { return o.Source.Amount }},
	{"sourceCurrency", func(o rest.Order) string { return o.Source.Currency }},
	{"chain", func(o rest.Order) string { return o.Source.Chain }},
	{"networkFee", func(o rest.Order) string { return fee(o, "network") }},
	{"platformFee", func(o rest.Order) string { return fee(o, "platform") }},
	{"rate", func(o rest.Order) string { return o.Rate }},
	{"destinationAmount", func(o rest.Order) string { return o.Destination.Amount }},
	{"destinationCurrency", func(o rest.Order) string { return o.Destination.Currency }},
	{"depositTxHash", func(o rest.Order) string { return o.References.DepositTxHash }},
	{"bankReference", bankReference},
	{"refundReference", func(o rest.Order) string { return refund(o).Reference }},
	{"refundStatus", func(o rest.Order) string { return refund(o).Status }},
	{"refundAmount", func(o rest.Order) string { return refund(o).Amount }},
	{"refundTxHash", func(o rest.Order) string { return refund(o).TxHash }},
	{"failureCode", func(o rest.Order) string { return failure(o).Code }},
	{"failureReason", func(o rest.Order) string { return failure(o).Message }},
}

// fee is the order's fee of that kind, in the currency of its source.
func fee(o rest.Order, kind string) string {
	for _, f := range o.Fees {
		if f.Kind == kind {
			return f.Amount
		}
	}
	return ""
}

// bankReference is what the rail calls the payment. An order has one rail, and each rail one such name.
func bankReference(o rest.Order) string {
	return cmp.Or(o.References.TrackingKey, o.References.IMAD, o.References.TraceNumber)
}

// refund is the order's refund, or an empty one.
func refund(o rest.Order) rest.Refund {
	if o.Refund == nil {
		return rest.Refund{}
	}
	return *o.Refund
}

// failure is why the order's money did not arrive, or nothing.
func failure(o rest.Order) rest.OrderFailure {
	if o.Failure == nil {
		return rest.OrderFailure{}
	}
	return *o.Failure
}

// writeCSV writes a line for each order, as RFC 4180 has it. The first part has the header line.
func writeCSV(to *bytes.Buffer, views []rest.Order, first bool) error {
	lines := csv.NewWriter(to)
	lines.UseCRLF = true
	line := make([]string, len(columns))
	if first {
		for i, c := range columns {
			line[i] = c.name
		}
		_ = lines.Write(line) // Error, below, has what went wrong
	}
	for _, v := range views {
		for i, c := range columns {
			line[i] = Cell(c.of(v))
		}
		_ = lines.Write(line)
	}
	lines.Flush()
	if err := lines.Error(); err != nil {
		return fmt.Errorf("writing orders: %w", err)
	}
	return nil
}

// formula matches a text that a spreadsheet may run: one that begins with a sign of a formula, also
// a full-width one, or behind blanks and controls, which some spreadsheets drop. Apostrophes before the
// sign match too, so that a reader who removes one apostrophe gets the text back.
var formula = regexp.MustCompile(`^(['\s\p{Z}\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]|'*[\t\r\n])`)

var oneLineEnd = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// Cell is a text that a spreadsheet shows and does not run: an apostrophe before it makes it text
// (OWASP, CSV Injection). Line ends within it become CRLF when they are written.
func Cell(text string) string {
	text = oneLineEnd.Replace(text)
	if formula.MatchString(text) {
		return "'" + text
	}
	return text
}
