package recipient

import (
	"github.com/railkit/railkit/fault"
)

// ErrArchived is a setup for a recipient who is paid nothing.
var ErrArchived = fault.Define(fault.Unprocessable, "recipient_archived", "Recipient is archived",
	"Nothing is paid to an archived recipient; make it active first")
