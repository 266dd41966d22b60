package enclave

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/wire"
)

// fleet is a thousand agents of ten owners.
type fleet struct {
	*world
	owners []owner
	agents [][]bot
}

func newFleet(b *testing.B) *fleet {
	f := &fleet{world: newWorld(b)}
	f.prices(time.Now(), market)
	for n := range 10 {
		o := f.register(fmt.Sprintf("owner%d@example.com", n))
		var bots []bot
		for i := range maxFleet {
			bots = append(bots, f.bot(o, "Agent "+strconv.Itoa(i)))
		}
		f.owners, f.agents = append(f.owners, o), append(f.agents, bots)
	}
	return f
}

const maxFleet = 100 // agents of one owner

// BenchmarkAgentPayment has a thousand agents pay in turn, from their request to the signature. The floor is the
// signing of a transfer that a passkey stamped, in turns with it.
func BenchmarkAgentPayment(b *testing.B) {
	f := newFleet(b)
	account := f.wallet(f.owners[0], "Main")
	took := map[string][]float64{}
	submit := func(name string, q wire.SubmitRequest) {
		begin := time.Now()
		if _, err := f.Submit(q); err != nil {
			b.Fatal(err)
		}
		took[name] = append(took[name], float64(time.Since(begin).Microseconds()))
	}
	for n := range b.N {
		o := n % len(f.owners)
		bot := f.agents[o][n/len(f.owners)%maxFleet]
		at := strconv.FormatInt(time.Now().Unix(), 10)
		submit("agent", f.asked(f.owners[o], bot, at, paymentRequest(strconv.Itoa(1+n%1000), receiver)))
		submit("passkey", f.payments(f.owners[0], account.Address, 1)[0])
	}
	b.ReportMetric(0, "ns/op")
	for name, all := range took {
		slices.Sort(all)
		b.ReportMetric(all[len(all)/2], name+"-p50-us")
		b.ReportMetric(all[len(all)*99/100], name+"-p99-us")
	}
}
