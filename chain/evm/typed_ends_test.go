package evm

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Every form that is understood says until when it is good, by a member that it
// has; the later of two ends counts, and what never ends has none.
func TestSigning_TypedDataEnds(t *testing.T) {
	_, usdc := base(t)
	for form, f := range typedForms {
		d := TypedData{Contract: usdc, form: form, values: typedValues{}}
		if f.at != (Address{}) {
			d.Contract = f.at
		}
		for i, path := range append(slices.Clone(f.ends), f.nonce) {
			name := path[strings.LastIndex(path, ".")+1:]
			if !regexp.MustCompile(`(uint256|uint48|bytes32) ` + name + `[,)]`).MatchString(form) {
				t.Errorf("%s has no %s", form, name)
			}
			d.values[strings.Replace(path, "[]", "[0]", 1)] = strconv.Itoa(100 + i)
			if strings.Contains(path, "[]") {
				d.values[strings.Replace(path, "[]", "[1]", 1)] = strconv.Itoa(200 + i)
			}
		}
		want := map[string]int64{"PermitSingle": 101, "PermitBatch": 201}[form[:strings.Index(form, "(")]]
		if got, ok := d.End(); !ok || got != max(want, 100) {
			t.Errorf("%s ends at %d, %v", form, got, ok)
		}
		if got := d.Nonces(); len(got) != 1+strings.Count(f.nonce, "[]") {
			t.Errorf("%s has the nonces %v", form, got)
		}
		d.values[f.ends[0]] = maxUint256.String()
		if got, ok := d.End(); ok {
			t.Errorf("%s, for ever: ends at %d", form, got)
		}
		d.values[f.ends[0]] = "0"
		if _, ok := d.End(); ok == (form == daiPermit) {
			t.Errorf("%s, with an end of 0: %v", form, ok)
		}
		d.Contract = Address{}
		if _, ok := d.End(); ok || d.Nonces() != nil {
			t.Errorf("%s for no contract has an end", form)
		}
	}
	witness := "PermitWitnessTransferFrom" + typedWitness + "Order witness)Order(uint8 n)" + typedPermitted
	d := TypedData{Contract: permit2, form: witness, values: typedValues{"deadline": "9", "nonce": "1"}}
	if got, ok := d.End(); !ok || got != 9 || !slices.Equal(d.Nonces(), []string{"1"}) {
		t.Errorf("with a witness: %d, %v", got, ok)
	}
}
