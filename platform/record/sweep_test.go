package record

import (
	"errors"
	"testing"

	"github.com/railkit/railkit/fault"
)

var errAway = &fault.Error{Kind: fault.Unavailable, Code: "away"}

// One row of a hundred that fails keeps no other from its turn for good, whatever it fails with: ten sweeps reach all.
func TestEach_OneRowHoldsNoOther(t *testing.T) {
	for _, failure := range []error{errAway, errors.New("broken")} {
		rows, reached := make([]int, 100), map[int]bool{}
		for i := range rows {
			rows[i] = i
		}
		for range 10 {
			err := Each(rows, func(row int) error {
				if row == 0 {
					return failure
				}
				reached[row] = true
				return nil
			})
			if !errors.Is(err, failure) {
				t.Fatal(err)
			}
		}
		if len(reached) != len(rows)-1 {
			t.Errorf("%v: %d rows had their turn", failure, len(reached))
		}
	}
}

// Where all fail alike, because what they wait for is away, it is asked three times and not a hundred.
func TestEach_StopsWhereAllFailAlike(t *testing.T) {
	asked := 0
	err := Each(make([]int, 100), func(int) error { asked++; return errAway })
	if !errors.Is(err, errAway) || asked != 3 {
		t.Errorf("asked %d times: %v", asked, err)
	}
	if err := Each(nil, func(int) error { return errAway }); err != nil {
		t.Error(err)
	}
}
