package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/app"
)

// checkPrices looks which prices count in the signer. Without one, all that is
// bounded in USD is denied.
func checkPrices(url string, all []wire.AssetPrice) []finding {
	var found []finding
	for _, p := range all {
		if p.Refused == "" {
			continue
		}
		what := p.Asset
		if p.USD != "" {
			what += " at " + p.USD + " USD of " + p.AsOf
		}
		found = append(found, finding{warning, "prices", what + " does not count: " + p.Refused})
	}
	if len(found) == 0 {
		return []finding{{fine, "prices", fmt.Sprintf("the signer has a fresh price of all %d assets", len(all))}}
	}
	if len(found) == len(all) && url == "" {
		return nil // which checkPriceSigner says
	}
	if len(found) == len(all) {
		return []finding{{failure, "prices", "the signer has no price that counts: what is bounded in USD is denied"}}
	}
	return append(found, finding{
		note, "prices",
		"one that moved too far counts again when it is near, when an owner stamps it, " +
			"or when the signer is started with --accept-prices",
	})
}

// checkDataFees looks whether the signer knows what data costs where networks charge for
// it. Without that, what is bounded in USD is denied there.
func checkDataFees(url string, all []wire.NetworkDataFee) []finding {
	if url == "" {
		return nil // which checkPriceSigner says
	}
	var found []finding
	for _, f := range all {
		if f.Refused != "" {
			found = append(found, finding{
				warning, "prices",
				"data fee of " + f.Chain + " does not count: " + f.Refused + "; what is bounded in USD is denied there",
			})
		}
	}
	return found
}

// checkPriceSigner asks the price signer itself: what the signer has from it lasts
// for minutes after it has gone.
func checkPriceSigner(ctx context.Context, t target) []finding {
	if t.PricesURL == "" {
		return []finding{{warning, "sheet", "no --prices-url names a price signer: what is bounded in USD is denied"}}
	}
	ctx, cancel := context.WithTimeout(ctx, dial)
	defer cancel()
	if _, err := app.FetchSheet(ctx, t.PricesURL); err != nil {
		return []finding{{failure, "sheet", fmt.Sprintf("%s: what the signer has expires within %v", cli.OneLine(err),
			wire.MaxSheetLife.Round(time.Minute))}}
	}
	return []finding{{fine, "sheet", "the price signer has one"}}
}
