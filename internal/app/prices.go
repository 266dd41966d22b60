package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
)

// A sheet is fetched each minute or so, and after a failure sooner. The first one
// is waited for a moment, so that a server that answers has prices.
const (
	pricesEvery = time.Minute
	pricesRetry = 5 * time.Second
	pricesFirst = 3 * time.Second
)

// keepPrices hands the price signer's sheets to the enclave for as long as the
// server runs. The server can hold sheets back, and change nothing in them.
func (a *App) keepPrices(ctx context.Context) {
	if a.config.PricesURL == "" {
		a.config.Log.WarnContext(ctx, "no price signer is named: what is bounded in USD is denied")
		return
	}
	c := courier{url: a.config.PricesURL, enclave: a.enclave, log: a.config.Log}
	first, cancel := context.WithTimeout(ctx, pricesFirst)
	defer cancel()
	next := c.carry(first)
	a.running.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(next):
			}
			next = c.carry(ctx)
		}
	})
}

// courier carries sheets to the enclave, and says what is wrong when it begins
// and when it is over.
type courier struct {
	url     string
	enclave *client.Client
	log     *slog.Logger

	failing string // what was said last
	refused string
}

// carry brings one sheet, and tells when the next is due.
func (c *courier) carry(ctx context.Context) time.Duration {
	reply, err := c.bring(ctx)
	if err != nil {
		if text := err.Error(); text != c.failing && ctx.Err() == nil {
			c.failing = text
			c.log.ErrorContext(ctx, "the signer gets no prices; those that it has expire", "error", err)
		}
		return jittered(pricesRetry)
	}
	if c.failing != "" {
		c.failing = ""
		c.log.InfoContext(ctx, "the signer gets prices again")
	}
	c.tell(reply)
	return jittered(pricesEvery)
}

func (c *courier) bring(ctx context.Context) (wire.PricesReply, error) {
	sheet, err := FetchSheet(ctx, c.url)
	if err != nil {
		return wire.PricesReply{}, err
	}
	return c.enclave.Prices(ctx, sheet)
}

// tell logs which prices and data fees do not count, when that changes.
func (c *courier) tell(reply wire.PricesReply) {
	var refused []string
	for _, f := range reply.DataFees {
		if f.Refused != "" {
			refused = append(refused, "data fee of "+f.Chain+": "+f.Refused)
		}
	}
	for _, p := range reply.Assets {
		if p.Refused != "" {
			refused = append(refused, p.Asset+" "+p.USD+": "+p.Refused)
		}
	}
	if text := strings.Join(refused, "; "); text != c.refused {
		c.refused = text
		c.log.Warn("prices that do not count", "refused", refused)
	}
}

// jittered keeps the servers of one installation from asking all at once.
func jittered(d time.Duration) time.Duration {
	return d - d/10 + rand.N(d/5)
}

// maxSheet is more than a sheet of all assets needs.
const maxSheet = 64 << 10

// FetchSheet asks a price signer for its newest sheet. Whose it is, the enclave checks.
func FetchSheet(ctx context.Context, url string) (s wire.SignedSheet, err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(url, "/")+"/v1/sheet", nil)
	if err != nil {
		return s, errors.New("the price signer's URL is none")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return s, fmt.Errorf("the price signer does not answer: %w", errors.Unwrap(err)) // without the URL
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return s, fmt.Errorf("the price signer has no sheet: status %d", res.StatusCode)
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, maxSheet)).Decode(&s); err != nil || s.Payload == "" {
		return s, errors.New("what answers in the price signer's place has no sheet")
	}
	return s, nil
}
