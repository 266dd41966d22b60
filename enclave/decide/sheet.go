package decide

import (
	"time"

	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// Bounds of a sheet. The host hands sheets in, and each that is taken is an entry
// of the journal, so that one of them has to be sheetPause newer than the last.
const (
	maxSheet   = 16 << 10
	maxPrices  = 100
	sheetAhead = time.Minute
	sheetPause = 10 * time.Second
)

// SheetRead is a price sheet that was read once, and only once.
type SheetRead struct {
	Sheet
	environment string
}

// ReadSheet reads the text of a sheet as strictly as a body. Whose it is has been
// checked before.
func ReadSheet(payload string) (SheetRead, error) {
	var in wire.Sheet
	if len(payload) > maxSheet {
		return SheetRead{}, refusal.ErrSheet.Msg("it is too large")
	}
	if err := strict([]byte(payload), &in); err != nil {
		return SheetRead{}, refusal.ErrSheet.Msg("it is not strict JSON of the known members").Because(err)
	}
	asOf, ok := millis(in.AsOfMs)
	expires, also := millis(in.ExpiresAtMs)
	if !ok || !also {
		return SheetRead{}, refusal.ErrSheet.Msg("its times are not decimal milliseconds")
	}
	if !expires.After(asOf) || expires.Sub(asOf) > wire.MaxSheetLife {
		return SheetRead{}, refusal.ErrSheet.Msg("it does not expire within 15 minutes after its time")
	}
	if err := checkPrices(in.Prices); err != nil {
		return SheetRead{}, err
	}
	if err := checkDataFees(in.DataFees); err != nil {
		return SheetRead{}, err
	}
	sheet := Sheet{AsOfMs: asOf.UnixMilli(), ExpiresAtMs: expires.UnixMilli(), Prices: in.Prices, DataFees: in.DataFees}
	return SheetRead{sheet, in.Environment}, nil
}

func checkPrices(all []wire.Price) error {
	if len(all) > maxPrices {
		return refusal.ErrSheet.Msg("it has too many prices")
	}
	seen := map[string]bool{}
	for _, p := range all {
		if seen[p.Asset] {
			return refusal.ErrSheet.Msg("an asset is in it twice")
		}
		seen[p.Asset] = true
		if _, ok := wire.ParsePrice(p.USD); !ok {
			return refusal.ErrSheet.Msg("a price is not a plain decimal of more than zero with at most 18 places")
		}
	}
	return nil
}

func checkDataFees(all []wire.DataFee) error {
	if len(all) > maxPrices {
		return refusal.ErrSheet.Msg("it has too many data fees")
	}
	seen := map[string]bool{}
	for _, f := range all {
		if seen[f.Chain] {
			return refusal.ErrSheet.Msg("the data fee of a network is in it twice")
		}
		seen[f.Chain] = true
		if _, ok := wire.ParseWeiPerByte(f.WeiPerByte); !ok {
			return refusal.ErrSheet.Msg(
				"a data fee is not a whole number of wei per byte, or not within bounds that make sense",
			)
		}
	}
	return nil
}

// TakeSheet judges a sheet. There is no event to be made where the newest one was
// taken only just before, or comes again.
func (b *priceBook) TakeSheet(in SheetRead, now time.Time) (e Event, wanted bool, err error) {
	switch ms := now.UnixMilli(); {
	case in.environment != string(b.listed.Environment):
		return e, false, refusal.ErrSheet.Msg("it is for another environment")
	case in.AsOfMs > ms+sheetAhead.Milliseconds():
		return e, false, refusal.ErrSheet.Msg("it is from the future")
	case in.ExpiresAtMs <= ms:
		return e, false, refusal.ErrSheet.Msg("it has expired")
	case in.AsOfMs < b.sheetMs:
		return e, false, refusal.ErrSheet.Msg("a newer one was taken already")
	case in.AsOfMs < b.sheetMs+sheetPause.Milliseconds():
		return e, false, nil
	}
	taken := in.Sheet
	if taken.Prices = b.known(in.Prices); len(taken.Prices) == 0 {
		return e, false, refusal.ErrSheet.Msg("it has no price of a listed asset")
	}
	taken.DataFees = b.charging(in.DataFees)
	return Event{Kind: EventPrices, TimeMs: now.UnixMilli(), Sheet: &taken}, true, nil
}
