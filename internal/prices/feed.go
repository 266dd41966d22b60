// Package prices is the price signer: it reads what assets are worth, and what
// networks take for data, from a feed, holds it against common sense, and signs it
// for the enclave.
package prices

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"
)

// A Feed tells what things cost now.
type Feed func(context.Context) (Reading, error)

// Reading is what a feed tells, as decimal text.
type Reading struct {
	Prices   map[string]string // by asset: USD for one whole unit
	DataFees map[string]string // by network: most of the coin's smallest unit for one byte
}

// dataFees is the member of a feed's answer that is no asset.
const dataFees = "dataFees"

// Bounds of what a feed answers, and of how long it may take.
const (
	maxAnswer  = 64 << 10
	maxWaiting = 10 * time.Second
)

// Table is the sandbox's: prices that nobody asked a market for, and data fees of at
// least three times what the devnet's GasPriceOracle says, which no chain there takes, and what Tron's takes.
func Table(context.Context) (Reading, error) {
	return Reading{
		Prices: map[string]string{
			"ETH": "3000", "POL": "0.5", "AVAX": "30", "SOL": "150", "TRX": "0.3", "USDC": "1", "USDT": "1",
		},
		DataFees: map[string]string{"base": "40000000", "optimism": "80000000", "tron": "3000"},
	}, nil
}

// File reads a JSON file each time, so that who writes it needs no restart.
func File(path string) Feed {
	return func(context.Context) (Reading, error) {
		f, err := os.Open(path)
		if err != nil {
			return Reading{}, fmt.Errorf("reading the feed's file: %w", err)
		}
		defer f.Close()
		return read(f)
	}
}

// HTTP asks a URL. The URL may hold a key, so no error repeats it.
func HTTP(address string) Feed {
	client := &http.Client{
		Timeout: maxWaiting,
		// To where SafeURL has not looked.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return func(ctx context.Context) (Reading, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return Reading{}, errors.New("the feed's URL is none")
		}
		res, err := client.Do(req)
		if err != nil {
			return Reading{}, fmt.Errorf("asking the feed: %w", withoutURL(err))
		}
		defer res.Body.Close()
		if res.StatusCode != http.StatusOK {
			return Reading{}, fmt.Errorf("the feed answers with status %d", res.StatusCode)
		}
		return read(res.Body)
	}
}

func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// read takes an object of assets, with an object of networks among them. A price or a
// fee is a number or text. A number is taken as its digits stand there.
func read(from io.Reader) (Reading, error) {
	raw, err := io.ReadAll(io.LimitReader(from, maxAnswer+1))
	if err != nil {
		return Reading{}, fmt.Errorf("reading the feed: %w", withoutURL(err))
	}
	if len(raw) > maxAnswer {
		return Reading{}, errors.New("the feed's answer is too large")
	}
	var values map[string]json.RawMessage
	if json.Unmarshal(raw, &values) != nil {
		return Reading{}, errors.New("the feed's answer is no JSON object of assets")
	}
	var networks map[string]json.RawMessage
	if fees, ok := values[dataFees]; ok && json.Unmarshal(fees, &networks) != nil {
		return Reading{}, errors.New("the feed's dataFees is no JSON object of networks")
	}
	delete(values, dataFees)
	r := Reading{}
	if r.Prices, err = texts(values); err == nil {
		r.DataFees, err = texts(networks)
	}
	return r, err
}

func texts(values map[string]json.RawMessage) (map[string]string, error) {
	all := map[string]string{}
	for name, value := range values {
		text := string(bytes.TrimSpace(value))
		if text != "" && text[0] == '"' && json.Unmarshal(value, &text) != nil {
			return nil, errors.New("the feed's answer is no JSON object of prices")
		}
		all[name] = text
	}
	return all, nil
}

// SafeURL reports whether nobody on the way can change what a URL answers: https,
// or http of this machine.
func SafeURL(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback())
}
