package batch

import "github.com/railkit/railkit/fault"

// The errors of batches.
var (
	errInvalid = fault.Define(fault.Unprocessable, "batch_invalid", "The batch has wrong rows and cannot be executed",
		"`details.errors` has what is wrong with each row: correct the rows and have a new batch previewed")
	errChanged = fault.Define(fault.Unprocessable, "batch_changed",
		"Something has changed since the preview: no row was executed",
		"`details.errors` has the rows that cannot be paid any more, such as those of a recipient that was archived or an account that was frozen, and rows that were paid since. No order was made: have a new batch previewed")
	errPaidBefore = fault.Define(fault.Unprocessable, "batch_paid_before",
		"Rows of the batch were paid before: no row was executed",
		"`details.errors` has these rows, which the preview marked. If they are to be paid again, execute the batch with `payAgain` true; else leave them out and have a new batch previewed")
	errExpired = fault.Define(fault.Unprocessable, "batch_expired", "The prices of the batch have expired",
		"The time of the batch is over, by the database's clock: have a new one previewed")
	errCanceled = fault.Define(fault.Conflict, "batch_canceled", "The batch was canceled",
		"A canceled batch cannot be executed: have a new one previewed")
	errExecuted = fault.Define(fault.Conflict, "batch_executed", "The batch was executed",
		"An executed batch cannot be canceled. Orders that still wait for their deposit can be canceled one by one")
)
