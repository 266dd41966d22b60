package enclave

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/journal"
	"github.com/railkit/railkit/enclave/keystore"
	"github.com/railkit/railkit/enclave/wire"
)

// BenchmarkStart is a start by full replay and one from a checkpoint, of the same
// folder in the same run: what counts is their ratio.
func BenchmarkStart(b *testing.B) {
	for _, entries := range []int{10_000, 100_000} {
		b.Run("entries="+strconv.Itoa(entries), func(b *testing.B) {
			w := newWorldWith(b, Options{every: 1 << 40})
			w.fill(entries)
			w.open()
			w.checkpointNow()
			if err := w.Close(); err != nil {
				b.Fatal(err)
			}
			cp := w.read(checkpointFile)
			var replay, shortcut time.Duration
			for b.Loop() {
				_ = os.Remove(w.file(checkpointFile))
				replay += w.start(uint64(entries))
				w.write(checkpointFile, cp)
				shortcut += w.start(0)
			}
			perStart := func(d time.Duration) float64 { return d.Seconds() / float64(b.N) }
			b.ReportMetric(perStart(replay), "replay-s")
			b.ReportMetric(perStart(shortcut), "checkpoint-s")
			b.ReportMetric(replay.Seconds()/shortcut.Seconds(), "ratio")
			b.ReportMetric(float64(entries)/perStart(replay), "replay-entries/s")
			b.ReportMetric(float64(entries)/perStart(shortcut), "checkpoint-entries/s")
		})
	}
}

// start opens the folder and says how long that took; it must decode that many
// entries, and at most those of some starts more.
func (w *world) start(decoded uint64) time.Duration {
	w.t.Helper()
	begin := time.Now()
	w.open()
	took := time.Since(begin)
	if w.replayed < decoded || w.replayed > decoded+1000 {
		w.t.Fatalf("%d entries were decoded, want about %d", w.replayed, decoded)
	}
	if err := w.Close(); err != nil {
		w.t.Fatal(err)
	}
	return took
}

// fill puts signed transactions into the journal as if they had been stamped, and
// leaves the folder closed.
func (w *world) fill(entries int) (owner, wire.Account) {
	w.t.Helper()
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	sample := w.must(alice, w.fresh(alice, wire.SignIntent, payment(account.Address)))
	e, _, err := w.entry(mustUint(w.t, sample.Seq))
	if err != nil {
		w.t.Fatal(err)
	}
	tx, err := evm.DecodeUnsigned(e.Transaction.Unsigned)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		w.t.Fatal(err)
	}
	w.append(entries, func(i int) decide.Event {
		next, order := e, *e.Transaction
		tx.Nonce = uint64(i + 1)
		order.Nonce, order.Unsigned = tx.Nonce, tx.Unsigned()
		next.Fingerprint, next.Transaction = wire.Fingerprint(strconv.Itoa(i)), &order
		return next
	})
	return alice, account
}

// append writes events into the closed folder.
func (w *world) append(n int, event func(i int) decide.Event) {
	w.t.Helper()
	sealer, err := keystore.ParseSecret(w.secret)
	if err != nil {
		w.t.Fatal(err)
	}
	g, err := LoadGenesis(w.dir, sealer)
	if err != nil {
		w.t.Fatal(err)
	}
	j, err := journal.Open(journal.Options{
		Dir: w.dir, Key: [32]byte(g.JournalKey), Binding: binding(g.Environment, g.Hash()),
	}, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	for i := range n {
		raw, err := json.Marshal(event(i))
		if err == nil {
			_, err = j.Append(raw)
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		w.t.Fatal(err)
	}
}

func mustUint(t testing.TB, text string) uint64 {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// BenchmarkSubmit is one stamped intent, from the body to the proof, with its
// entry on disk: by a call, and through the socket, where the client verifies the
// proof as well. They run in turns, so that both see the same machine.
func BenchmarkSubmit(b *testing.B) {
	w := newWorld(b)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	through := w.client(w.serve(os.Getuid()))
	direct := func(q wire.SubmitRequest) error { _, err := w.Submit(q); return err }
	socket := func(q wire.SubmitRequest) error {
		_, err := through.Submit(b.Context(), q, wire.Fingerprint(q.Body))
		return err
	}
	ways := []func(wire.SubmitRequest) error{direct, socket}
	for _, callers := range []int{1, 8} {
		b.Run("c="+strconv.Itoa(callers), func(b *testing.B) {
			turn := 4 * callers
			took := [2][]float64{} // microseconds of a call, by turn
			cpu := [2]float64{}
			var ratios []float64
			for n := 0; n*turn < b.N; n++ {
				for _, way := range []int{n % 2, 1 - n%2} {
					stamped := w.payments(alice, account.Address, turn) // the stamp is the client's work
					used, begin := cpuTime(b), time.Now()
					inParallel(b, callers, stamped, ways[way])
					took[way] = append(took[way], float64(time.Since(begin).Microseconds())/float64(turn))
					cpu[way] += float64((cpuTime(b) - used).Microseconds()) / float64(turn)
				}
				ratios = append(ratios, took[1][n]/took[0][n])
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(ratios), "ratio")
			b.ReportMetric(slices.Min(took[1])/slices.Min(took[0]), "fastest-ratio")
			b.ReportMetric(cpu[1]/cpu[0], "cpu-ratio")
			for way, name := range []string{"direct", "socket"} {
				b.ReportMetric(slices.Min(took[way]), name+"-fastest-us")
				b.ReportMetric(median(took[way]), name+"-us")
				b.ReportMetric(cpu[way]/float64(len(took[way])), name+"-cpu-us")
			}
		})
	}
}

// cpuTime is what this process has used of the processors.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func inParallel(b *testing.B, callers int, all []wire.SubmitRequest, submit func(wire.SubmitRequest) error) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for {
				i := next.Add(1) - 1
				if i >= int64(len(all)) {
					return
				}
				if err := submit(all[i]); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// BenchmarkSign is an order's signature, verified as it is made, and what a recovery of its key would take beside it.
func BenchmarkSign(b *testing.B) {
	w := newWorld(b)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	st := w.must(alice, w.fresh(alice, wire.SignIntent, payment(account.Address)))
	e, _, err := w.entry(mustUint(b, st.Seq))
	if err != nil {
		b.Fatal(err)
	}
	var sign, recover time.Duration
	for b.Loop() {
		begin := time.Now()
		signed, err := w.sign(*e.Transaction)
		sign += time.Since(begin)
		if err != nil {
			b.Fatal(err)
		}
		raw, err := chain.ParseHex(signed.SignedTransaction)
		if err != nil {
			b.Fatal(err)
		}
		begin = time.Now()
		if _, err := evm.Recover(raw); err != nil {
			b.Fatal(err)
		}
		recover += time.Since(begin)
	}
	b.ReportMetric(float64(sign.Microseconds())/float64(b.N), "sign-us")
	b.ReportMetric(float64(recover.Microseconds())/float64(b.N), "recovery-us")
}

// BenchmarkPolicy is one stamped payment from the body to the proof, of a wallet
// with rules and of one without: what the rules cost is the difference. They run
// in turns, so that both see the same machine.
func BenchmarkPolicy(b *testing.B) {
	for _, callers := range []int{1, 8, 32} {
		b.Run("c="+strconv.Itoa(callers), func(b *testing.B) {
			w, alice, plain := funded(b)
			ruled := w.wallet(alice, "Ruled")
			w.policy(alice, ruled.WalletID, wire.Rules{
				MaxValueUSD: "1000", DailyUSD: "1000000000", MonthlyUSD: "1000000000",
				AllowedDestinations: []string{stranger, receiver}, AllowedChains: []string{"base"},
				AllowedTokens: []string{"USDC"},
			})
			took := map[bool][]float64{} // seconds of each turn
			const turn = 64
			for done := 0; done < b.N; done += turn {
				for _, rules := range []bool{done/turn%2 == 0, done/turn%2 != 0} {
					from := map[bool]string{false: plain.Address, true: ruled.Address}[rules]
					stamped := w.payments(alice, from, min(turn, b.N-done))
					begin := time.Now()
					inParallel(b, callers, stamped, func(q wire.SubmitRequest) error {
						_, err := w.Submit(q)
						return err
					})
					took[rules] = append(took[rules], time.Since(begin).Seconds()/float64(len(stamped)))
				}
			}
			off, on := median(took[false]), median(took[true])
			b.ReportMetric(1/off, "off-sig/s")
			b.ReportMetric(1/on, "on-sig/s")
			b.ReportMetric(100*(on/off-1), "cost-%")
		})
	}
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// payments are stamped before the clock runs: the stamp is the client's work.
func (w *world) payments(o owner, from string, n int) []wire.SubmitRequest {
	all := make([]wire.SubmitRequest, n)
	for i := range all {
		body := w.body(w.fresh(o, wire.SignIntent, payment(from)))
		all[i] = wire.SubmitRequest{Body: body, Stamp: w.stamp(o, body), Volatile: volatile(0)}
	}
	return all
}
