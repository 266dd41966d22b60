package action

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/railkit/railkit/chain/evm"
)

// abiParam is one parameter of a function, as an ABI names it.
type abiParam struct {
	Type       string
	Components []abiParam // of a tuple
}

// Selector is the beginning of the data of every call that an action of type blockchain makes: the first four bytes of
// the hash of its function's name and types.
func (a Action) Selector() ([]byte, bool) {
	var abi []struct {
		Type, Name string
		Inputs     []abiParam
	}
	if json.Unmarshal(a.ABI, &abi) != nil {
		return nil, false
	}
	for _, f := range abi {
		if f.Type == "function" && f.Name == a.FunctionName {
			hash := evm.Keccak256([]byte(f.Name + typesOf(f.Inputs)))
			return slices.Clone(hash[:4]), true
		}
	}
	return nil, false
}

// typesOf is "(address,(uint256,bytes)[])".
func typesOf(params []abiParam) string {
	all := make([]string, len(params))
	for i, p := range params {
		all[i] = canonical(p)
	}
	return "(" + strings.Join(all, ",") + ")"
}

func canonical(p abiParam) string {
	if suffix, tuple := strings.CutPrefix(p.Type, "tuple"); tuple {
		return typesOf(p.Components) + suffix
	}
	base, suffix, array := strings.Cut(p.Type, "[")
	if base == "uint" || base == "int" {
		base += "256"
	}
	if array {
		return base + "[" + suffix
	}
	return base
}
