package lending

import (
	"errors"
	"math/big"
	"slices"
	"testing"
)

// What is asked at once is answered in order, and no error is lost.
func TestWidget_LendingAsksAtOnce(t *testing.T) {
	odd := errors.New("odd")
	got, err := each([]int{1, 2, 3, 4}, func(n int) (int, error) {
		if n == 3 {
			return 0, odd
		}
		return 10 * n, nil
	})
	if !slices.Equal(got, []int{10, 20, 0, 40}) || !errors.Is(err, odd) {
		t.Errorf("%v, %v", got, err)
	}
	for up, want := range []string{"unavailable", "degraded", "healthy"} {
		if got := healthOf(up, 2); got != want {
			t.Errorf("%d of 2 are %s", up, got)
		}
	}
}

// A rate is a part of one with six digits, and for people percent with two.
func TestWidget_LendingRates(t *testing.T) {
	for text, want := range map[string][2]string{
		"0":                            {"0", "0.00%"},
		"55000000000000000000000000":   {"0.055", "5.50%"},
		"27512345678901234567890123":   {"0.027512", "2.75%"},
		"1234000000000000000000000000": {"1.234", "123.40%"},
	} {
		rate, _ := new(big.Int).SetString(text, 10)
		if got := [2]string{part(rate), percent(rate)}; got != want {
			t.Errorf("%s is %v", text, got)
		}
	}
}
