package payout_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/railkit/railkit/kit/payout/batch"
	"github.com/railkit/railkit/rest"
)

// A batch of as many rows as may be, to as many bank accounts: how long its preview takes, and how long all of its
// orders in one transaction.
func BenchmarkBatch(b *testing.B) {
	r := newRig(b)
	var in rest.BatchRequest
	for i := range batch.Most {
		r.recipient, r.account = r.payee(fmt.Sprint("Ana ", i))
		r.address("")
		in.Rows = append(in.Rows, rest.BatchPayment{
			Reference: fmt.Sprint("INV-", i), BeneficiaryID: r.recipient.ID, Amount: "100", Currency: "USDC",
		})
	}
	var previews, executions time.Duration
	for b.Loop() {
		begun := time.Now()
		p := r.batch(r.Batches.Preview(b.Context(), call(), in))
		previewed := time.Now()
		if done := r.executed(p); len(done.Rows) != batch.Most {
			b.Fatalf("%d rows", len(done.Rows))
		}
		previews, executions = previews+previewed.Sub(begun), executions+time.Since(previewed)
	}
	b.ReportMetric(previews.Seconds()/float64(b.N), "s/preview")
	b.ReportMetric(executions.Seconds()/float64(b.N), "s/execution")
}
