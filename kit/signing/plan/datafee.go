package plan

import (
	"context"
	"sync"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/signer"
)

// sheetEvery is how often a server hands a price sheet to the enclave: within it there is nothing new to hear.
const sheetEvery = time.Minute

// dataFees keeps what the enclave says of data fees, so that it is asked once for each price sheet and not for each
// transaction. What is kept only tells early that a balance is too low; the enclave signs by what it knows itself.
type dataFees struct {
	enclave signer.Enclave
	clock   clock.Clock

	mu    sync.Mutex
	kept  []wire.NetworkDataFee
	until time.Time
}

func (d *dataFees) now(ctx context.Context) ([]wire.NetworkDataFee, error) {
	now := d.clock.Now()
	d.mu.Lock()
	kept, good := d.kept, now.Before(d.until)
	d.mu.Unlock()
	if good {
		return kept, nil
	}
	info, err := d.enclave.Info(ctx)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept, d.until = info.DataFees, keepUntil(info.DataFees, now)
	return info.DataFees, nil
}

// keepUntil is when the enclave is asked again: once there is another sheet, or these fees have expired. Fees of which
// one does not count are not kept: the sheet that mends it may come at any time.
func keepUntil(fees []wire.NetworkDataFee, now time.Time) time.Time {
	until := now.Add(sheetEvery)
	for _, f := range fees {
		expires, err := time.Parse(time.RFC3339, f.ExpiresAt)
		if err != nil || f.Refused != "" {
			return time.Time{}
		}
		if expires.Before(until) {
			until = expires
		}
	}
	return until
}
