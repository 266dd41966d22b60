package apptest

import "testing"

// Prices are there from the beginning, can be moved, and are a test's to spoil.
func TestPrices(t *testing.T) {
	a := New(t)
	if p := a.Prices(t, map[string]string{"ETH": "3100"}); p["ETH"].USD != "3100" || p["ETH"].Refused != "" || p["USDC"].USD != "1" || p["USDC"].Refused != "" {
		t.Errorf("after the first change: %+v", p)
	}
	if p := a.Prices(t, map[string]string{"ETH": "9000", "USDC": "1.01"}); p["ETH"].Refused == "" || p["USDC"].Refused != "" {
		t.Errorf("after a jump: %+v", p)
	}
	for range 15 {
		a.Prices(t, Market)
	}
}
