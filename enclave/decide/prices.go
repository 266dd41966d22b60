package decide

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/policy"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// A price counts while it is within coinMoves or tokenMoves (percent) of its
// anchor: what it was when the anchor was set, which happens once in anchorLife
// at most. Every listed token is a stablecoin, or has the price of the coin that it
// wraps. An organization may let a price count all the same, for overrideLife or
// until the anchor moves.
const (
	coinMoves    = 30
	tokenMoves   = 5
	anchorLife   = time.Hour
	overrideLife = 24 * time.Hour
)

// priceBook is what price signers said of what coins, tokens and bytes on a chain are worth, and how much of it counts.
type priceBook struct {
	quotes   map[string]*quote  // by asset
	dataFees map[string]dataFee // by network
	sheetMs  int64              // of the newest price sheet
	listed   *Constants
}

func newPriceBook(listed *Constants) priceBook {
	return priceBook{map[string]*quote{}, map[string]dataFee{}, 0, listed}
}

// forget takes the book back to before the first sheet.
func (b *priceBook) forget() {
	b.sheetMs = 0
	clear(b.quotes)
	clear(b.dataFees)
}

// quote is what is known of the price of an asset.
type quote struct {
	usd         string // newest signed
	asOfMs      int64
	expiresAtMs int64
	anchor      string
	anchorMs    int64 // enclave's clock
	worth       *big.Rat
	counts      bool // usd is near enough to the anchor
}

// override is an organization's word that an asset is worth about this much.
type override struct {
	usd      string
	anchorMs int64 // of the anchor that it stands against
	untilMs  int64
}

// prices are those that count for the organization now.
func (b *priceBook) prices(org *organization, now time.Time) policy.Prices {
	return func(symbol string) (policy.Price, bool) {
		q, ok := b.quotes[symbol]
		if !ok || !q.fresh(now) || !q.counts && !b.overridden(org, symbol, now) {
			return policy.Price{}, false
		}
		return policy.Price{USD: new(big.Rat).Set(q.worth)}, true
	}
}

func (q *quote) fresh(now time.Time) bool { return now.UnixMilli() < q.expiresAtMs }

func (b *priceBook) overridden(org *organization, asset string, now time.Time) bool {
	o, ok := org.overrides[asset]
	q := b.quotes[asset]
	return ok && now.UnixMilli() < o.untilMs && o.anchorMs == q.anchorMs && near(q.worth, o.usd, b.moves(asset))
}

// moves is how many percent the price of an asset may be off; 0 of an unknown one.
func (b *priceBook) moves(asset string) int64 {
	percent := int64(0)
	for _, n := range b.listed.Networks {
		if slices.ContainsFunc(n.Tokens, func(t chain.Token) bool { return t.Symbol == asset && t.Wraps == "" }) {
			return tokenMoves
		}
		if n.Native.Symbol == asset {
			percent = coinMoves
		}
	}
	return percent
}

// near reports whether an amount is within some percent of another.
func near(worth *big.Rat, of string, percent int64) bool {
	base, ok := wire.ParsePrice(of)
	if !ok {
		return false
	}
	off := new(big.Rat).Sub(worth, base)
	return off.Abs(off).Cmp(base.Mul(base, big.NewRat(percent, 100))) <= 0
}

// Prices tells of every listed asset what is known of its price.
func (b *priceBook) Prices(now time.Time) []wire.AssetPrice {
	assets := map[string]bool{}
	for _, n := range b.listed.Networks {
		assets[n.Native.Symbol] = true
		for _, t := range n.Tokens {
			if t.Wraps == "" {
				assets[t.Symbol] = true
			}
		}
	}
	all := make([]wire.AssetPrice, 0, len(assets))
	for _, asset := range slices.Sorted(maps.Keys(assets)) {
		all = append(all, b.priceOf(asset, now))
	}
	return all
}

func (b *priceBook) priceOf(asset string, now time.Time) wire.AssetPrice {
	q, ok := b.quotes[asset]
	if !ok {
		return wire.AssetPrice{Price: wire.Price{Asset: asset}, Refused: "no signed price yet"}
	}
	p := wire.AssetPrice{
		Price: wire.Price{Asset: asset, USD: q.usd},
		AsOf:  clock.ISO(time.UnixMilli(q.asOfMs)), ExpiresAt: clock.ISO(time.UnixMilli(q.expiresAtMs)),
	}
	switch {
	case !q.fresh(now):
		p.Refused = "expired"
	case !q.counts:
		p.Refused = fmt.Sprintf("more than %d %% from %s USD", b.moves(asset), q.anchor)
	}
	return p
}

// decideOverride lets a price count that moved too far. Only one that the price
// signer names now can be let through: nobody makes up a price.
func overridePrice(c call, p *wire.OverridePriceParams) (Event, error) {
	if _, ok := wire.ParsePrice(p.USD); !ok {
		return Event{}, refusal.ErrBody.Msg("usd is not a plain decimal of more than zero")
	}
	q, ok := c.quotes[p.Asset]
	if !ok || !q.fresh(c.now) || !near(q.worth, p.USD, c.moves(p.Asset)) {
		return Event{}, refusal.ErrPrice
	}
	return c.change(Event{Kind: EventOverride, Price: &wire.Price{Asset: p.Asset, USD: p.USD}}, true)
}

// showOverride shows the price that is signed, which is the one to be believed.
func showOverride(c call, p *wire.OverridePriceParams) (*wire.Preview, error) {
	e, err := overridePrice(c.as(actor{voted: true}), p)
	if err != nil {
		return nil, err
	}
	waits, err := c.wouldWait(true)
	return &wire.Preview{Price: e.Price, Waits: waits}, err
}

func applyOverride(s *State, org *organization, e Event) error {
	q := s.quotes[e.Price.Asset]
	if q == nil {
		return errNoRule
	}
	org.overrides[e.Price.Asset] = override{
		usd: e.Price.USD, anchorMs: q.anchorMs, untilMs: e.TimeMs + overrideLife.Milliseconds(),
	}
	return nil
}

// take takes the prices of a sheet. The first price of a coin is its
// anchor. A token is anchored at one USD from the beginning.
func (b *priceBook) take(e Event) error {
	b.sheetMs = e.Sheet.AsOfMs
	for _, p := range e.Sheet.Prices {
		next, moves := quote{anchor: "1"}, b.moves(p.Asset)
		if have := b.quotes[p.Asset]; have != nil {
			next = *have
		} else if moves == coinMoves {
			next.anchor = p.USD
		}
		next.usd, next.asOfMs, next.expiresAtMs = p.USD, e.Sheet.AsOfMs, e.Sheet.ExpiresAtMs
		if err := next.read(moves); err != nil {
			return err
		}
		if next.counts && e.TimeMs-next.anchorMs >= anchorLife.Milliseconds() {
			next.anchor, next.anchorMs = next.usd, e.TimeMs
		}
		b.quotes[p.Asset] = &next
	}
	return b.takeDataFees(e)
}

// read works out what follows from the texts.
func (q *quote) read(moves int64) error {
	worth, ok := wire.ParsePrice(q.usd)
	if !ok {
		return errNoPrice
	}
	q.worth, q.counts = worth, near(worth, q.anchor, moves)
	return nil
}

// AcceptPrices is the operator's word that the newest signed prices and data fees are
// right. It is wanted where one of them does not count.
func (b *priceBook) AcceptPrices(now time.Time) (e Event, wanted bool) {
	for _, q := range b.quotes {
		wanted = wanted || !q.counts
	}
	for _, f := range b.dataFees {
		wanted = wanted || f.counts() != f.signed
	}
	return Event{Kind: EventPricesAccepted, TimeMs: now.UnixMilli()}, wanted
}

// accept anchors everything where it is signed now.
func (b *priceBook) accept(e Event) error {
	for asset, q := range b.quotes {
		next := *q
		next.anchor, next.anchorMs, next.counts = q.usd, e.TimeMs, true
		b.quotes[asset] = &next
	}
	for slug, f := range b.dataFees {
		f.anchor, f.anchorMs = f.signed, e.TimeMs
		b.dataFees[slug] = f
	}
	return nil
}

// known are the prices of listed assets. Others may be in a sheet: a price signer
// may be newer than the networks that were sealed.
func (b *priceBook) known(all []wire.Price) []wire.Price {
	return slices.DeleteFunc(slices.Clone(all), func(p wire.Price) bool { return b.moves(p.Asset) == 0 })
}
