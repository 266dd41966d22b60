package chain

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseUnits(t *testing.T) {
	for _, c := range []struct {
		text     string
		decimals int
		want     string
	}{
		{"0", 6, "0"}, {"0.0", 6, "0"}, {"1", 6, "1000000"}, {"25.50", 6, "25500000"}, {"25.5", 6, "25500000"},
		{"0.000001", 6, "1"}, {"9007199254740993", 0, "9007199254740993"},
		{"1.000000000000000001", 18, "1000000000000000001"},
		{"115792089237316195423570985008687907853269984665640564039457584007913129639935", 0,
			"115792089237316195423570985008687907853269984665640564039457584007913129639935"},
	} {
		got, err := ParseUnits(c.text, c.decimals)
		if err != nil || got.String() != c.want {
			t.Errorf("%s: %v %v", c.text, got, err)
		}
	}
}

func TestSigning_E10_AmountsAreStrict(t *testing.T) {
	for name, c := range map[string]struct {
		text     string
		decimals int
	}{
		"empty": {"", 6}, "minus": {"-1", 6}, "plus": {"+1", 6}, "exponent": {"1e18", 18}, "hex": {"0x1", 6},
		"leading zero": {"01", 6}, "two leading zeros": {"00", 6}, "no whole": {".5", 6}, "no fraction": {"5.", 6},
		"only a point": {".", 6}, "two points": {"1.2.3", 6}, "comma": {"1,5", 6}, "thousands": {"1_000", 6},
		"space": {" 1", 6}, "newline": {"1\n", 6}, "too precise": {"0.0000001", 6},
		"zeros too precise": {"1.0000000", 6}, "fraction of none": {"1.0", 0},
		"257 bits": {
			"115792089237316195423570985008687907853269984665640564039457584007913129639936", 0,
		},
		"scaled up beyond 256 bits": {"1" + strings.Repeat("0", 70), 18}, "too long": {strings.Repeat("9", 79), 0},
		"other digits": {"١٢", 6}, "NaN": {"NaN", 6}, "Inf": {"Inf", 6}, "decimals below zero": {"1", -1},
		"absurd decimals": {"1", 1 << 30},
	} {
		if got, err := ParseUnits(c.text, c.decimals); !errors.Is(err, ErrAmount) {
			t.Errorf("%s: %v %v", name, got, err)
		}
	}
}

func TestFormatUnits(t *testing.T) {
	for _, c := range []struct {
		n        *big.Int
		decimals int
		want     string
	}{
		{nil, 6, "0"}, {big.NewInt(0), 6, "0"}, {big.NewInt(1), 6, "0.000001"}, {big.NewInt(25500000), 6, "25.5"},
		{big.NewInt(1000000), 6, "1"}, {big.NewInt(100), 0, "100"}, {big.NewInt(-25500000), 6, "-25.5"},
		{big.NewInt(123), 2, "1.23"}, {big.NewInt(5), -3, "5"},
	} {
		if got := FormatUnits(c.n, c.decimals); got != c.want {
			t.Errorf("%v: %s, want %s", c.n, got, c.want)
		}
	}
}

func TestUnitsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, decimals := bigDrawn(t, 32, "n"), rapid.IntRange(0, 40).Draw(t, "decimals")
		if back, err := ParseUnits(FormatUnits(n, decimals), decimals); err != nil || back.Cmp(n) != 0 {
			t.Fatalf("%v became %v: %v", n, back, err)
		}
	})
}

func bigDrawn(t *rapid.T, bytesMost int, name string) *big.Int {
	return new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), 0, bytesMost).Draw(t, name))
}
