// Package prices is the price signer: it reads what assets are worth from a
// feed, holds it against common sense, and signs it for the enclave.
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

// A Feed tells what one whole unit of each asset is worth in USD, as decimal text.
type Feed func(context.Context) (map[string]string, error)

// Bounds of what a feed answers, and of how long it may take.
const (
	maxAnswer  = 64 << 10
	maxWaiting = 10 * time.Second
)

// Table is the sandbox's: prices that nobody asked a market for.
func Table(context.Context) (map[string]string, error) {
	return map[string]string{"ETH": "3000", "POL": "0.5", "AVAX": "30", "USDC": "1", "USDT": "1"}, nil
}

// File reads a JSON file each time, so that who writes it needs no restart.
func File(path string) Feed {
	return func(context.Context) (map[string]string, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("reading the feed's file: %w", err)
		}
		defer f.Close()
		return read(f)
	}
}

// HTTP asks a URL. The URL may hold a key, so no error repeats it.
func HTTP(address string) Feed {
	client := &http.Client{
		Timeout:       maxWaiting,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // to where SafeURL has not looked
	}
	return func(ctx context.Context) (map[string]string, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return nil, errors.New("the feed's URL is none")
		}
		res, err := client.Do(req)
		if err != nil {
			return nil, fmt.Errorf("asking the feed: %w", withoutURL(err))
		}
		defer res.Body.Close()
		if res.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("the feed answers with status %d", res.StatusCode)
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

// read takes an object of assets; a price is a number or text. A number is taken
// as its digits stand there.
func read(from io.Reader) (map[string]string, error) {
	raw, err := io.ReadAll(io.LimitReader(from, maxAnswer+1))
	if err != nil {
		return nil, fmt.Errorf("reading the feed: %w", withoutURL(err))
	}
	if len(raw) > maxAnswer {
		return nil, errors.New("the feed's answer is too large")
	}
	var values map[string]json.RawMessage
	if json.Unmarshal(raw, &values) != nil {
		return nil, errors.New("the feed's answer is no JSON object of assets")
	}
	all := map[string]string{}
	for asset, value := range values {
		text := string(bytes.TrimSpace(value))
		if text != "" && text[0] == '"' && json.Unmarshal(value, &text) != nil {
			return nil, errors.New("the feed's answer is no JSON object of prices")
		}
		all[asset] = text
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
