package sandbox_test

import (
	"net/http"
	"slices"
	"testing"
)

// The list of all liquidation addresses has those of every customer, newest first, page by page.
func TestPartner_AllLiquidationAddresses(t *testing.T) {
	t.Parallel()
	p := open(t)
	var made []string
	for range 3 {
		made = append(made, p.setup().liquidation)
	}
	slices.Reverse(made)
	first := list(p.got("/v0/liquidation_addresses?limit=2"))
	rest := list(p.got("/v0/liquidation_addresses?limit=2&starting_after=" + made[1]))
	var listed []string
	for _, one := range append(first, rest...) {
		listed = append(listed, text(one, "id"))
	}
	if len(first) != 2 || !slices.Equal(listed, made) {
		t.Errorf("listed are %v, made %v", listed, made)
	}
	p.key = "another"
	p.refused("key", http.MethodGet, "/v0/liquidation_addresses", nil, 401, "unauthorized", "")
}
