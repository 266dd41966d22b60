package batch

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/text"
)

// The codes of issues that are no error of another call.
const (
	codeRequired  = "required"
	codeMalformed = "malformed"
	codeTwice     = "reference_twice"
	codePaidTwice = "payment_twice" // a warning
)

// How many characters a row's own reference may have, and any other text of a row.
const (
	mostReference = 64
	mostText      = 200
)

// about is an issue of a row.
func about(r rest.BatchRow, field, code, message string) rest.BatchIssue {
	return rest.BatchIssue{
		Row: r.Row, Line: r.Line, Reference: shownReference(r.Reference), Field: field, Code: code, Message: message,
	}
}

// shownReference is a reference that may be shown; any other is left out.
func shownReference(reference string) string {
	if wrongText("", reference, mostReference) != "" {
		return ""
	}
	return reference
}

// fieldOf is the field of a row that an error of another call is about.
var fieldOf = map[string]string{
	"recipient_not_found": "beneficiaryId", "recipient_archived": "beneficiaryId",
	"bank_account_missing": "beneficiaryAccountId", "bank_account_not_usable": "beneficiaryAccountId",
	"withdraw_address_missing": "chain",
}

// validation begins the message of an error about one field.
const validation = "Validation failed: "

// aboutFault is an issue of a row for which a quote would be refused with a fault.
func aboutFault(r rest.BatchRow, f *fault.Error) rest.BatchIssue {
	field, known := fieldOf[f.Code]
	if !known {
		field = "amount"
	}
	code, message := f.Code, f.Message
	if rest, is := strings.CutPrefix(message, validation); is {
		field, _, _ = strings.Cut(rest, " ")
		code, message = codeMalformed, rest
	}
	if available, is := f.Details["have"]; is {
		message += fmt.Sprintf(
			": %v of %v %v are free at the withdrawal address", available, f.Details["need"], f.Details["asset"],
		)
	}
	return about(r, field, code, message)
}

// unread are the issues of a row's texts, before anything is looked up.
func unread(r rest.BatchRow, in rest.BatchPayment) (all []rest.BatchIssue) {
	for _, c := range columns {
		value, most := *c.field(&in), mostText
		if c.name == "reference" {
			most = mostReference
		}
		if value == "" && slices.Contains(needed, c.name) {
			all = append(all, about(r, c.name, codeRequired, c.name+" is required"))
		}
		if wrong := wrongText(c.name, value, most); wrong != "" {
			all = append(all, about(r, c.name, codeMalformed, wrong))
		}
	}
	if token := strings.ToLower(in.Token); token != "" && token != "usdc" && token != "usdt" {
		all = append(all, about(r, "token", codeMalformed, "token must be usdc or usdt"))
	}
	return all
}

// wrongText says what is wrong with a text of a row, or nothing.
func wrongText(field, value string, most int) string {
	switch {
	case utf8.RuneCountInString(value) > most:
		return fmt.Sprintf("%s must have at most %d characters", field, most)
	case !text.Visible(value):
		return field + " must have visible characters only"
	}
	return ""
}

// holds are the reasons why a batch does not pay a bank account that a single quote may be made for: the order would
// wait in review, for hours perhaps, and nobody who sends a thousand payments sees that.
var holds = map[account.Hold]string{
	account.HoldFrozen:     "A member froze the bank account: it is paid once a member unfreezes it",
	account.HoldCooling:    "The bank account is new or was changed: it is paid from %s on, or once a member confirms it",
	account.HoldBeingMoved: "A change of the bank account is not registered with the payment partner yet",
}

// held are the issues of a row whose bank account is not paid now.
func held(r rest.BatchRow, a account.Account, now time.Time) []rest.BatchIssue {
	hold := a.Payable(now)
	message, known := holds[hold]
	if !known {
		return nil
	}
	if hold == account.HoldCooling {
		message = fmt.Sprintf(message, clock.ISO(a.PayableAt))
	}
	return []rest.BatchIssue{about(r, "beneficiaryAccountId", string(hold), message)}
}
