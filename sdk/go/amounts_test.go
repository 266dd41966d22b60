package railkit_test

import (
	"encoding/json"
	"testing"

	railkit "github.com/railkit/railkit/sdk/go"
)

// An amount of whole USDC becomes one of millionths, which is a text in JSON as before.
func TestUSDC(t *testing.T) {
	for whole, want := range map[string]railkit.SmallestUnits{
		"25.50": "25500000", "0.000001": "1", "0": "0", "1000000": "1000000000000",
	} {
		if got, err := railkit.USDC(whole); err != nil || got != want {
			t.Errorf("%s: %s, %v", whole, got, err)
		}
	}
	for _, whole := range []string{"", "0.0000001", "-1", "1e3", "1,5", " 1", "0x1"} {
		if got, err := railkit.USDC(whole); err == nil {
			t.Errorf("%q is taken for %s", whole, got)
		}
	}
	raw, err := json.Marshal(railkit.X402Request{URL: "https://shop.example.com", MaxAmount: "10000"})
	if want := `{"url":"https://shop.example.com","maxAmount":"10000"}`; err != nil || string(raw) != want {
		t.Errorf("%s, %v", raw, err)
	}
}
