// Package payouttest is what every engine behind store must do with the rows of the payout kit.
package payouttest

import (
	"testing"

	"github.com/railkit/railkit/store/storetest"
)

// bench is one database under test.
type bench struct{ *storetest.Bench }

// Run runs the suite.
func Run(t *testing.T, open storetest.Open) {
	for _, part := range []map[string]func(*testing.T, *bench){
		recipientTests,
		bankAccountTests,
		quoteTests,
		batchTests,
		offRampTests,
		depositTests,
		inviteTests,
		orderTests,
		measureTests,
		paidTests,
		ledgerTests,
		statementTests,
		bookTests,
		matchingTests,
		noticeTests,
	} {
		storetest.RunEach(t, open, part, func(b *storetest.Bench) *bench { return &bench{b} })
	}
}
