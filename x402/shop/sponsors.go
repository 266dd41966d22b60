package shop

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/x402"
)

// Sponsors tells who pays the network's fee of what a facilitator settles: Extra.FeePayer of offers on Solana. It is
// remembered for a minute, and longer while the facilitator does not answer.
type Sponsors struct {
	asks  supports
	clock clock.Clock

	mu     sync.Mutex
	known  map[string]string // by NetworkID
	failed error             // why nothing is known
	until  time.Time
}

// supports is a facilitator that tells what it settles, as Client does.
type supports interface {
	Supported(ctx context.Context) (x402.Supported, error)
}

// SponsorsOf makes one; nil for a facilitator that does not tell what it settles.
func SponsorsOf(f Facilitator, c clock.Clock) *Sponsors {
	asks, ok := f.(supports)
	if !ok {
		return nil
	}
	return &Sponsors{asks: asks, clock: c}
}

// How long an answer is remembered, and that there was none.
const (
	rememberSponsors = time.Minute
	rememberFailure  = 5 * time.Second
)

// Of is the account that pays the fee on a network; "" where the facilitator settles nothing there, or needs none.
func (s *Sponsors) Of(ctx context.Context, n chain.Network) (address string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.clock.Now().Before(s.until) {
		s.ask(ctx)
	}
	if s.known == nil {
		return "", fmt.Errorf("asking for who pays the fee: %w", s.failed)
	}
	return s.known[x402.NetworkID(n)], nil
}

// ask asks the facilitator. One that does not answer is not asked again for some seconds: each of those who want to
// know would wait as long.
func (s *Sponsors) ask(ctx context.Context) {
	told, err := s.asks.Supported(ctx)
	keep := rememberSponsors
	switch {
	case err == nil:
		s.known = sponsorsIn(told)
	case s.known == nil:
		s.failed, keep = err, rememberFailure
	}
	s.until = s.clock.Now().Add(keep)
}

// ErrSponsor says that nothing can be sold on a network, since nobody pays the fee there.
var ErrSponsor = errors.New("the facilitator settles nothing on this network")

// SponsorOn is who pays the fee of what is sold on a network; "" on EVM networks, where it is the facilitator's own
// matter. A nil s knows nobody.
func SponsorOn(ctx context.Context, s *Sponsors, n chain.Network) (address string, err error) {
	switch {
	case n.Kind == chain.EVM:
		return "", nil
	case s == nil:
		return "", ErrSponsor
	}
	if address, err = s.Of(ctx, n); err == nil && address == "" {
		err = ErrSponsor
	}
	return address, err
}

func sponsorsIn(told x402.Supported) map[string]string {
	known := map[string]string{}
	for _, k := range told.Kinds {
		if k.Version == x402.V2.Version() && k.Scheme == x402.Exact && k.Extra != nil && k.Extra.FeePayer != "" {
			known[k.Network] = k.Extra.FeePayer
		}
	}
	return known
}
