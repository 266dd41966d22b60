package fx_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/fx"
	"github.com/railkit/railkit/money"
)

// desk is a partner whose clock runs behind by age.
type desk struct {
	mu    sync.Mutex
	asked int
	slow  time.Duration
	age   time.Duration
	fails error
	other bool // answers with the rate of another pair
}

func (d *desk) Rate(ctx context.Context, from, to money.Currency) (fiat.Rate, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked++
	select {
	case <-time.After(d.slow):
	case <-ctx.Done():
		return fiat.Rate{}, ctx.Err()
	}
	if d.fails != nil {
		return fiat.Rate{}, d.fails
	}
	mid, err := money.ParseRate("18.5")
	if err != nil {
		return fiat.Rate{}, err
	}
	if d.other {
		to = money.EUR
	}
	return fiat.Rate{From: from, To: to, Midmarket: mid, Sell: mid.Less(50), At: time.Now().Add(-d.age)}, nil
}

func feed(d *desk) *fx.Feed {
	return fx.New(fx.Config{
		Source: d, Clock: clock.System{}, Log: slog.New(slog.DiscardHandler), Keep: 30 * time.Second,
		Oldest: 2 * time.Minute,
	})
}

func TestPayout_RatesAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &desk{slow: time.Second}
		f := feed(d)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if r, err := f.Rate(t.Context(), money.USDC, money.MXN); err != nil ||
					r.Sell.String() != "18.4075" || r.Spread() != 50 {
					t.Errorf("%+v, spread %d, %v", r, r.Spread(), err)
				}
			})
		}
		all.Wait()
		asked := func(what string, n int) {
			t.Helper()
			if _, err := f.Rate(t.Context(), money.USDC, money.MXN); err != nil || d.asked != n {
				t.Errorf("%s: asked %d times, want %d (%v)", what, d.asked, n, err)
			}
		}
		asked("twenty at once", 1)
		time.Sleep(28 * time.Second)
		asked("before half a minute", 1)
		time.Sleep(2 * time.Second)
		asked("after it", 2)
		if _, err := f.Rate(t.Context(), money.USDT, money.MXN); err != nil || d.asked != 3 {
			t.Errorf("another pair: asked %d times, %v", d.asked, err)
		}
	})
}

func TestPayout_RatesGetOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &desk{}
		f := feed(d)
		ask := func() (fx.Rate, error) { return f.Rate(t.Context(), money.USDC, money.MXN) }
		d.fails = fiat.ErrUnavailable
		if _, err := ask(); !errors.Is(err, fx.ErrStale) || !errors.Is(err, fiat.ErrUnavailable) {
			t.Errorf("none yet: %v", err)
		}
		d.fails = nil
		first, err := ask()
		if err != nil {
			t.Fatal(err)
		}
		d.fails = fiat.ErrBusy
		time.Sleep(2 * time.Minute)
		if r, err := ask(); err != nil || r != first {
			t.Errorf("the last one holds for two minutes: %+v, %v", r, err)
		}
		time.Sleep(time.Second)
		if _, err := ask(); !errors.Is(err, fx.ErrStale) {
			t.Errorf("and no longer: %v", err)
		}
		d.fails = nil
		for _, age := range []time.Duration{121 * time.Second, -121 * time.Second} {
			d.age = age
			if _, err := ask(); !errors.Is(err, fx.ErrStale) {
				t.Errorf("a desk that is %s behind: %v", age, err)
			}
		}
		d.age, d.other = 0, true
		if _, err := ask(); !errors.Is(err, fiat.ErrAnswer) {
			t.Errorf("another pair's: %v", err)
		}
	})
}

// The newest rate is asked for, once for all who wait for it.
func TestPayout_NewestRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &desk{slow: time.Second}
		f := feed(d)
		if _, err := f.Rate(t.Context(), money.USDC, money.MXN); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				if r, err := f.Newest(t.Context(), money.USDC, money.MXN); err != nil ||
					time.Since(r.FetchedAt) > time.Second {
					t.Errorf("%+v, %v", r, err)
				}
			})
		}
		all.Wait()
		if d.asked != 2 {
			t.Errorf("the desk was asked %d times", d.asked)
		}
		time.Sleep(time.Second)
		d.fails = fiat.ErrBusy
		if r, err := f.Newest(t.Context(), money.USDC, money.MXN); !errors.Is(err, fx.ErrStale) {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

// Who gives up does not keep the others waiting.
func TestPayout_RatesAndImpatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &desk{slow: time.Minute}
		f := feed(d)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				if _, err := f.Rate(ctx, money.USDC, money.MXN); !errors.Is(err, context.DeadlineExceeded) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		d.slow = 0
		if _, err := f.Rate(t.Context(), money.USDC, money.MXN); err != nil {
			t.Error(err)
		}
	})
}
