package railkit

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/railkit/railkit/rest"
)

// Bodies of the API: see package rest for their fields.
type (
	TokenBalance  = rest.TokenBalance
	TokenMovement = rest.TokenMovement
)

// BalancesService tells what any address has, and what went to and from it, as the networks' nodes say.
type BalancesService struct{ c *Client }

// Token reads what an address has of USDC or USDT on a network.
func (s *BalancesService) Token(ctx context.Context, network, address, symbol string) (*TokenBalance, error) {
	q := url.Values{"chain": {network}, "address": {address}, "symbol": {symbol}}
	return data[TokenBalance](ctx, s.c, http.MethodGet, "/v1/balance/token?"+q.Encode(), nil)
}

// Activity lists an address's transfers of USDC, newest first: those of the last days, which is 7 where it is 0, and of
// the network's last 10,000 blocks, but no more than limit, which is 50 where it is 0.
func (s *BalancesService) Activity(
	ctx context.Context, network, address string, days, limit int,
) ([]TokenMovement, error) {
	q := url.Values{"chain": {network}, "address": {address}}
	if days != 0 {
		q.Set("days", strconv.Itoa(days))
	}
	if limit != 0 {
		q.Set("limit", strconv.Itoa(limit))
	}
	all, err := data[[]TokenMovement](ctx, s.c, http.MethodGet, "/v1/balance/activity?"+q.Encode(), nil)
	if err != nil {
		return nil, err
	}
	return *all, nil
}
