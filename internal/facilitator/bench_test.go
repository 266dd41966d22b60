package facilitator_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/internal/test/npmtest"
	"github.com/railkit/railkit/internal/test/x402test"
	"github.com/railkit/railkit/x402"
	"github.com/railkit/railkit/x402/shop"
)

// The facilitator beside that of @x402/core and @x402/evm, over HTTP, on one node, with the same checks: both run the
// call that settles, also before they settle. Rounds of the two alternate. Of verifications it reports how many times
// theirs ours are in a second, by 8 callers; of settlements, one after the other, the median times in milliseconds.
func BenchmarkBesideNPM(b *testing.B) {
	packages := npmtest.InstallX402(b)
	c := x402test.NewChain(b)
	gas, buyer, seller := x402test.NewKey(b), c.Buyer("100"), x402test.NewKey(b).Address
	c.Give(gas.Address, "native", "1")
	ours := c.Facilitator().Client(b)
	err := packages.Facilitate(c.Devnet.RPCURL(x402test.Slug), chain.Hex(gas.Secret), func(port int) error {
		theirs, err := shop.NewClient(fmt.Sprintf("http://127.0.0.1:%d", port), shop.Timeouts{})
		if err != nil {
			return err
		}
		pay := func() x402.Request {
			r, _, _ := c.Pay(buyer, c.Offer("10000", seller))
			return r
		}
		b.Run("verify", func(b *testing.B) { verifyBeside(b, ours, theirs, pay) })
		b.Run("settle", func(b *testing.B) { settleBeside(b, ours, theirs, pay) })
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

func verifyBeside(b *testing.B, ours, theirs *shop.Client, pay func() x402.Request) {
	const each, callers = 25, 8
	r := pay()
	round := func(f *shop.Client) time.Duration {
		began := time.Now()
		var all sync.WaitGroup
		for range callers {
			all.Go(func() {
				for range each {
					if v, err := f.Verify(b.Context(), r); err != nil || !v.Valid {
						b.Errorf("%+v %v", v, err)
					}
				}
			})
		}
		all.Wait()
		return time.Since(began)
	}
	_, _ = round(ours), round(theirs) // neither is measured cold
	var own, other []time.Duration
	for b.Loop() {
		own, other = append(own, round(ours)), append(other, round(theirs))
	}
	b.ReportMetric(float64(median(other))/float64(median(own)), "times-theirs")
	b.ReportMetric(each*callers/median(own).Seconds(), "ours/s")
	b.ReportMetric(each*callers/median(other).Seconds(), "theirs/s")
}

func settleBeside(b *testing.B, ours, theirs *shop.Client, pay func() x402.Request) {
	one := func(f *shop.Client) time.Duration {
		r := pay()
		began := time.Now()
		if receipt, err := f.Settle(b.Context(), r); err != nil || !receipt.Success {
			b.Errorf("%+v %v", receipt, err)
		}
		return time.Since(began)
	}
	_, _ = one(ours), one(theirs)
	var own, other []time.Duration
	for b.Loop() {
		own, other = append(own, one(ours)), append(other, one(theirs))
	}
	b.ReportMetric(float64(median(own).Milliseconds()), "ours-ms")
	b.ReportMetric(float64(median(other).Milliseconds()), "theirs-ms")
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}
