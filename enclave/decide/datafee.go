package decide

import (
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
)

// dataFee is what is known of the data fee of a network, in wei per byte. Only one that
// is too low is dangerous: it would count less against a limit than the chain takes. So
// a higher one counts at once, and a lower one down to half of its anchor, which moves to
// what counts once in anchorLife at most. Example: after 80,000,000 an hour ago a sheet
// with 1,000 counts as 40,000,000.
type dataFee struct {
	signed      int64 // newest signed
	asOfMs      int64
	expiresAtMs int64
	anchor      int64
	anchorMs    int64 // enclave's clock
}

func (f dataFee) counts() int64 {
	return max(f.signed, f.anchor/2)
}

func (f dataFee) fresh(now time.Time) bool { return now.UnixMilli() < f.expiresAtMs }

const warnDataFee = "data fee not known: beside the fee this network charges for each byte of the transaction, " +
	"and no signed price sheet says how much"

// dataFee is the most that the network takes for the bytes of what is signed; nil where
// it takes nothing, or nobody can tell now. Policies tell the two apart by the network.
func (b *priceBook) dataFee(x signing, now time.Time) *big.Int {
	f, ok := b.dataFees[x.Network.Slug]
	if x.dataBytes == 0 || !x.Network.DataFee || !ok || !f.fresh(now) {
		return nil
	}
	return new(big.Int).Mul(big.NewInt(int64(x.dataBytes)), big.NewInt(f.counts()))
}

// showDataFee says in a preview what the bytes may cost beside the gas.
func (x signing) showDataFee(p *wire.Preview) {
	switch {
	case x.DataFee != nil:
		native := x.Network.Native
		p.DataFee, p.DataDisplay = x.DataFee.String(), chain.FormatUnits(x.DataFee, native.Decimals)+" "+native.Symbol
	case x.dataBytes > 0 && x.Network.DataFee:
		p.Warnings = append(p.Warnings, warnDataFee)
	}
}

// DataFees tells of every network that charges for data what is known of it.
func (b *priceBook) DataFees(now time.Time) []wire.NetworkDataFee {
	all := []wire.NetworkDataFee{}
	for _, n := range b.listed.Networks {
		if n.DataFee {
			all = append(all, b.dataFeeOf(n.Slug, now))
		}
	}
	return all
}

func (b *priceBook) dataFeeOf(slug string, now time.Time) wire.NetworkDataFee {
	f, ok := b.dataFees[slug]
	if !ok {
		return wire.NetworkDataFee{DataFee: wire.DataFee{Chain: slug}, Refused: "no signed data fee yet"}
	}
	shown := wire.NetworkDataFee{
		DataFee: wire.DataFee{Chain: slug, WeiPerByte: strconv.FormatInt(f.counts(), 10)},
		AsOf:    clock.ISO(time.UnixMilli(f.asOfMs)), ExpiresAt: clock.ISO(time.UnixMilli(f.expiresAtMs)),
	}
	if !f.fresh(now) {
		shown.Refused = "expired"
	}
	return shown
}

// takeDataFees takes the data fees of a sheet. The first one of a network is its anchor.
func (b *priceBook) takeDataFees(e Event) error {
	for _, signed := range e.Sheet.DataFees {
		f, ok := b.dataFees[signed.Chain], false
		if f.signed, ok = wire.ParseWeiPerByte(signed.WeiPerByte); !ok {
			return errNoDataFee
		}
		f.asOfMs, f.expiresAtMs = e.Sheet.AsOfMs, e.Sheet.ExpiresAtMs
		if e.TimeMs-f.anchorMs >= anchorLife.Milliseconds() {
			f.anchor, f.anchorMs = f.counts(), e.TimeMs
		}
		b.dataFees[signed.Chain] = f
	}
	return nil
}

// charging are the data fees of listed networks that charge one.
func (b *priceBook) charging(all []wire.DataFee) []wire.DataFee {
	return slices.DeleteFunc(slices.Clone(all), func(f wire.DataFee) bool {
		n, _ := chain.WithSlug(b.listed.Networks, f.Chain)
		return !n.DataFee
	})
}
