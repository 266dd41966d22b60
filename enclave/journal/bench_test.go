package journal

import (
	"strconv"
	"sync"
	"testing"
)

// BenchmarkAppendWait is what one confirmed entry costs, alone and among others.
func BenchmarkAppendWait(b *testing.B) {
	for _, callers := range []int{1, 8, 64} {
		b.Run("c="+strconv.Itoa(callers), func(b *testing.B) {
			j, _ := mustOpen(b, options(b))
			payload := make([]byte, 1024)
			turns := make(chan struct{}, callers)
			var wg sync.WaitGroup
			for range callers {
				wg.Go(func() {
					for range turns {
						p, err := j.Append(payload)
						if err == nil {
							err = j.Wait(p.Seq)
						}
						if err != nil {
							b.Error(err)
						}
					}
				})
			}
			for b.Loop() {
				turns <- struct{}{}
			}
			close(turns)
			wg.Wait()
		})
	}
}

func BenchmarkReplay(b *testing.B) {
	o := options(b)
	j, _ := mustOpen(b, o)
	const entries = 20000
	for range entries {
		if _, err := j.Append(make([]byte, 1024)); err != nil {
			b.Fatal(err)
		}
	}
	mustClose(b, j)
	for b.Loop() {
		j, got := mustOpen(b, o)
		if len(got) != entries {
			b.Fatal(len(got))
		}
		mustClose(b, j)
	}
	b.ReportMetric(float64(entries)*float64(b.N)/b.Elapsed().Seconds(), "entries/s")
}
