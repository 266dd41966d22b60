package plan

import (
	"context"
	"errors"
	"math/big"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/signer"
)

// feesOf is an enclave that is asked for nothing but its data fees.
type feesOf struct {
	signer.Enclave
	fee   wire.NetworkDataFee
	err   error
	asked int
}

func (e *feesOf) Info(context.Context) (wire.InfoReply, error) {
	e.asked++
	return wire.InfoReply{DataFees: []wire.NetworkDataFee{e.fee}}, e.err
}

// The enclave is asked for data fees once for each price sheet, and again where one does not count.
func TestDataFeesAreAskedForOncePerSheet(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	e := &feesOf{}
	of := func(wei, refused string, life time.Duration) {
		e.fee = wire.NetworkDataFee{
			DataFee:   wire.DataFee{Chain: "base", WeiPerByte: wei},
			ExpiresAt: clock.ISO(now.Add(life)), Refused: refused,
		}
	}
	p := New(e, nil, nil, nil, clock.Func(func() time.Time { return now }))
	base := chain.Network{Slug: "base", DataFee: true}
	for _, step := range []struct {
		what   string
		change func()
		fee    int64
		asked  int // by now
	}{
		{"the first", func() { of("5000", "", 15*time.Minute) }, 5000, 1},
		{"within the minute", func() { of("7000", "", 15*time.Minute); now = now.Add(sheetEvery - 1) }, 5000, 1},
		{"the next sheet", func() { now = now.Add(1) }, 7000, 2},
		{"no answer", func() { now, e.err = now.Add(sheetEvery), errors.New("away") }, 0, 3},
		{"an answer again, soon to expire", func() { e.err = nil; of("8000", "", time.Second) }, 8000, 4},
		{"before it expires", func() { of("9000", "", time.Hour); now = now.Add(time.Second - 1) }, 8000, 4},
		{"expired", func() { now = now.Add(1) }, 9000, 5},
		{"refused", func() { now = now.Add(sheetEvery); of("1000", "old", time.Hour) }, 0, 6},
		{"refused no more", func() { of("1000", "", time.Hour) }, 1000, 7},
	} {
		step.change()
		if got := p.weiPerByte(t.Context(), base); got.Cmp(big.NewInt(step.fee)) != 0 || e.asked != step.asked {
			t.Errorf("%s: %s after %d questions, want %d after %d", step.what, got, e.asked, step.fee, step.asked)
		}
	}
	if p.weiPerByte(t.Context(), chain.Network{Slug: "ethereum"}); e.asked != 7 {
		t.Error("asked for a network that charges for no data")
	}
}
