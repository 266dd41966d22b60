// Package fx keeps the partner's rates for half a minute, and refuses those that
// are older than a price may be.
package fx

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"sync"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
)

// ErrStale says that there is no rate of which one knows that it still holds.
var ErrStale = errors.New("fx: no rate is fresh enough")

// Source is the desk whose rates they are.
type Source interface {
	Rate(ctx context.Context, from, to money.Currency) (fiat.Rate, error)
}

// Rate is the desk's rate, and when it was asked for.
type Rate struct {
	fiat.Rate
	FetchedAt time.Time
}

// Spread is what the desk keeps of the middle rate, in basis points, rounded up.
func (r Rate) Spread() int64 {
	mid, ok := new(big.Rat).SetString(r.Midmarket.String())
	sell, also := new(big.Rat).SetString(r.Sell.String())
	if !ok || !also {
		return 0
	}
	part := new(big.Rat).Quo(new(big.Rat).Sub(mid, sell), mid)
	part.Mul(part, big.NewRat(10_000, 1))
	n, rest := new(big.Int).DivMod(part.Num(), part.Denom(), new(big.Int))
	if rest.Sign() != 0 {
		n.Add(n, big.NewInt(1))
	}
	return n.Int64()
}

// Config makes a Feed.
type Config struct {
	Source Source
	Clock  clock.Clock
	Log    *slog.Logger
	Keep   time.Duration // how long a rate is not asked for again
	Oldest time.Duration // how old a rate may be by the desk's own clock
}

// Feed hands out rates.
type Feed struct {
	Config
	mu    sync.Mutex
	pairs map[pair]*slot
}

type pair struct{ from, to money.Currency }

// slot is one pair. Who holds turn asks the desk; the others wait for its answer.
type slot struct {
	turn chan struct{}
	last Rate
}

// New makes a feed.
func New(c Config) *Feed { return &Feed{Config: c, pairs: map[pair]*slot{}} }

// Rate is the pair's rate: the one of the last half minute, or a new one. Where
// the desk gives none, the last one holds for as long as it is fresh.
func (f *Feed) Rate(ctx context.Context, from, to money.Currency) (Rate, error) {
	return f.since(ctx, from, to, f.Clock.Now().Add(-f.Keep), true)
}

// Newest is a rate that is asked for now: what is paid at it is to cost just that.
func (f *Feed) Newest(ctx context.Context, from, to money.Currency) (Rate, error) {
	return f.since(ctx, from, to, f.Clock.Now(), false)
}

// since gives a rate that was asked for at an instant, or later; or else the last.
func (f *Feed) since(ctx context.Context, from, to money.Currency, at time.Time, orLast bool) (Rate, error) {
	s := f.slot(pair{from, to})
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return Rate{}, ctx.Err()
	}
	now := f.Clock.Now()
	fetched := s.last.FetchedAt
	if !s.last.Sell.IsZero() && !fetched.Before(at) && !fetched.After(now) && f.fresh(s.last, now) {
		return s.last, nil
	}
	r, err := f.ask(ctx, from, to, now)
	if err == nil {
		s.last = r
		return r, nil
	}
	if orLast && !s.last.Sell.IsZero() && f.fresh(s.last, now) {
		f.Log.WarnContext(ctx, "the last rate is used once more", "from", from, "to", to, "error", err)
		return s.last, nil
	}
	return Rate{}, fmt.Errorf("%w: %w", ErrStale, err)
}

func (f *Feed) slot(p pair) *slot {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, ok := f.pairs[p]
	if !ok {
		s = &slot{turn: make(chan struct{}, 1)}
		f.pairs[p] = s
	}
	return s
}

func (f *Feed) ask(ctx context.Context, from, to money.Currency, now time.Time) (Rate, error) {
	got, err := f.Source.Rate(ctx, from, to)
	if err != nil {
		return Rate{}, err
	}
	r := Rate{got, now}
	switch {
	case got.From != from || got.To != to || got.Sell.IsZero() || got.Midmarket.IsZero():
		return Rate{}, fmt.Errorf("the rate of another pair, or none: %w", fiat.ErrAnswer)
	case !f.fresh(r, f.Clock.Now()):
		return Rate{}, fmt.Errorf("the desk's rate is of %s", clock.ISO(got.At))
	}
	return r, nil
}

// fresh tells whether a rate may be used. One from far ahead says that a clock is
// wrong, and then nobody knows how old it is.
func (f *Feed) fresh(r Rate, now time.Time) bool {
	age := now.Sub(r.At)
	return age <= f.Oldest && age >= -f.Oldest
}
