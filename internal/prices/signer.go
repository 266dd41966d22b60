package prices

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
)

// Every is how often the feed is read and a new sheet signed.
const Every = 30 * time.Second

// Config is what a signer needs.
type Config struct {
	Environment chain.Environment
	Key         *ecdsa.PrivateKey
	Feed        Feed
	Log         *slog.Logger
	Now         func() time.Time // nil: the machine's clock
}

// Signer signs what its feed says, and keeps the newest sheet.
type Signer struct {
	config   Config
	assets   map[string]bool // listed ones; true of a stablecoin
	charging []string        // networks that charge for data

	mu      sync.Mutex
	sheet   wire.SignedSheet
	expires time.Time
	missing []string // why listed assets and networks are not in the sheet
}

// New makes a signer of the assets that an environment's networks list, and of what
// they charge for data.
func New(c Config) *Signer {
	s := &Signer{config: c, assets: map[string]bool{}}
	if c.Now == nil {
		s.config.Now = time.Now
	}
	for _, n := range chain.Networks(c.Environment) {
		s.assets[n.Native.Symbol] = false
		if n.DataFee {
			s.charging = append(s.charging, n.Slug)
		}
		for _, t := range n.Tokens {
			if t.Wraps == "" { // what wraps a coin has that coin's price
				s.assets[t.Symbol] = true
			}
		}
	}
	return s
}

// Run signs a new sheet from time to time, until the context ends.
func (s *Signer) Run(ctx context.Context) {
	tick := time.NewTicker(Every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := s.Renew(ctx); err != nil && ctx.Err() == nil {
			s.config.Log.ErrorContext(ctx, "no new price sheet; the last one is served until it expires", "error", err)
		}
	}
}

var errNoPrice = errors.New("the feed has no price that can be signed")

// Renew reads the feed and signs a sheet of all prices and data fees that make sense.
// One that does not is left out: the enclave keeps the last one until it expires.
func (s *Signer) Renew(ctx context.Context) error {
	feed, err := s.config.Feed(ctx)
	if err != nil {
		return err
	}
	prices, missing := s.sensible(feed.Prices)
	fees, without := s.sensibleFees(feed.DataFees)
	missing = append(missing, without...)
	for _, m := range missing {
		s.config.Log.WarnContext(ctx, "a price or data fee is not signed", "why", m)
	}
	if len(prices) == 0 {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.missing = missing
		return errNoPrice
	}
	now := s.config.Now()
	expires := now.Add(wire.MaxSheetLife)
	signed, err := wire.SignSheet(s.config.Key, wire.Sheet{
		Environment: string(s.config.Environment),
		Prices:      prices,
		DataFees:    fees,
		AsOfMs:      strconv.FormatInt(now.UnixMilli(), 10),
		ExpiresAtMs: strconv.FormatInt(now.UnixMilli()+wire.MaxSheetLife.Milliseconds(), 10),
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sheet, s.expires, s.missing = signed, expires, missing
	return nil
}

// Sheet is the newest one, if it has not expired.
func (s *Signer) Sheet() (wire.SignedSheet, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sheet, s.config.Now().Before(s.expires)
}

// Missing says which listed assets and data fees are not in the newest sheet, and why.
func (s *Signer) Missing() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.missing)
}

func (s *Signer) sensible(feed map[string]string) (prices []wire.Price, missing []string) {
	for _, asset := range s.sorted() {
		if why := doubt(feed[asset], s.assets[asset]); why != "" {
			missing = append(missing, asset+": "+why)
			continue
		}
		prices = append(prices, wire.Price{Asset: asset, USD: feed[asset]})
	}
	return prices, missing
}

func (s *Signer) sensibleFees(feed map[string]string) (fees []wire.DataFee, missing []string) {
	for _, slug := range s.charging {
		if _, ok := wire.ParseWeiPerByte(feed[slug]); !ok {
			missing = append(missing,
				fmt.Sprintf("data fee of %s: the feed does not have a whole number of wei from %d to %d",
					slug, wire.MinWeiPerByte, wire.MaxWeiPerByte))
			continue
		}
		fees = append(fees, wire.DataFee{Chain: slug, WeiPerByte: feed[slug]})
	}
	return fees, missing
}

func (s *Signer) sorted() []string {
	all := make([]string, 0, len(s.assets))
	for asset := range s.assets {
		all = append(all, asset)
	}
	slices.Sort(all)
	return all
}

// pegPercent is how far a stablecoin may be from one USD.
const pegPercent = 5

// doubt is why a price is not to be signed, "" where there is none.
func doubt(usd string, stable bool) string {
	if usd == "" {
		return "the feed does not have it"
	}
	worth, ok := wire.ParsePrice(usd)
	if !ok {
		return "the feed's price is no plain decimal of more than zero with at most 18 places"
	}
	one := big.NewRat(1, 1)
	if off := new(big.Rat).Sub(worth, one); stable && off.Abs(off).Cmp(big.NewRat(pegPercent, 100)) > 0 {
		return fmt.Sprintf("a stablecoin that is more than %d %% from one USD", pegPercent)
	}
	return ""
}
