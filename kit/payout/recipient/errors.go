package recipient

import (
	"github.com/railkit/railkit/fault"
)

// ErrArchived is the error of a quote or withdrawal address for an archived recipient.
var ErrArchived = fault.Define(fault.Unprocessable, "recipient_archived", "Recipient is archived",
	"Nothing is paid to an archived recipient; make it active first")
