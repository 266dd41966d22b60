package railkit

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
)

// What the enclave shows of a swap's loss is held to the caller's limit, to the hundredth of a percent.
func TestMatch_Slippage(t *testing.T) {
	trade := []chain.Effect{{Kind: chain.Transfer}, {Kind: chain.Receive, Ends: 1}}
	for name, c := range map[string]struct {
		said     *wire.Slippage
		most     json.Number
		unpriced bool
		percent  string
		unknown  string
	}{
		"nothing lost":      {said: &wire.Slippage{Percent: "0"}},
		"the usual":         {said: &wire.Slippage{Percent: "3"}},
		"a hundredth more":  {said: &wire.Slippage{Percent: "3.01"}, percent: "3.01"},
		"the caller's own":  {said: &wire.Slippage{Percent: "49"}, most: "49.00"},
		"a lower limit":     {said: &wire.Slippage{Percent: "0.51"}, most: "0.5", percent: "0.51"},
		"none at all":       {said: &wire.Slippage{Percent: "0.01"}, most: "0", percent: "0.01"},
		"no price":          {said: &wire.Slippage{Unknown: "no price of WETH"}, unknown: "no price of WETH"},
		"no price, 100 %":   {said: &wire.Slippage{Unknown: "no price"}, most: "100", unknown: "no price"},
		"no price, as said": {said: &wire.Slippage{Unknown: "no price of WETH"}, unpriced: true},
		"an older enclave":  {unknown: "the enclave does not say"},
		"as said of it":     {unpriced: true},
		"with a price":      {said: &wire.Slippage{Percent: "4"}, unpriced: true, percent: "4"},
	} {
		e := expectation{PrepareTransactionRequest: PrepareTransactionRequest{
			MaxSlippagePercent: c.most, UnpricedSwap: c.unpriced,
		}}
		err := e.matchSlippage(&Preview{Effects: trade, Slippage: c.said})
		var lossy *SlippageError
		if got := errors.As(err, &lossy); got != (c.percent != "" || c.unknown != "") || !got && err != nil ||
			got && (lossy.Percent != c.percent || lossy.Unknown != c.unknown) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var e expectation
	if err := e.matchSlippage(&Preview{Effects: trade[:1]}); err != nil {
		t.Errorf("a transfer: %v", err)
	}
	if err := e.matchSlippage(&Preview{Effects: trade, Slippage: &wire.Slippage{Percent: "-1"}}); !IsTampered(err) {
		t.Errorf("no number: %v", err)
	}
	e.Type = SignExact
	for _, wrong := range []json.Number{"x", "1.001", "-1"} {
		e.MaxSlippagePercent = wrong
		if e.bound() == nil {
			t.Errorf("a limit of %s", wrong)
		}
	}
}
