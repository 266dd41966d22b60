package action_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/railkit/railkit/kit/widget/action"
)

// A call begins with the selector that its function's ABI makes: these are those of public contracts.
func TestWidget_SelectorOfAFunction(t *testing.T) {
	for name, c := range map[string]struct{ inputs, want string }{
		"transfer": {`[{"type":"address"},{"type":"uint"}]`, "a9059cbb"},
		// SwapRouter02, a tuple; and Multicall3, an array of them.
		"exactInputSingle": {`[{"type":"tuple","components":[{"type":"address"},{"type":"address"},{"type":"uint24"},
			{"type":"address"},{"type":"uint256"},{"type":"uint256"},{"type":"uint160"}]}]`, "04e45aaf"},
		"aggregate3": {`[{"type":"tuple[]","components":[{"type":"address"},{"type":"bool"},{"type":"bytes"}]}]`,
			"82ad56cb"},
	} {
		a := action.Action{
			FunctionName: name,
			ABI: json.RawMessage(`[{"type":"event","name":"` + name + `"},{"type":"function","name":"` + name +
				`","inputs":` + c.inputs + `}]`),
		}
		if got, ok := a.Selector(); !ok || fmt.Sprintf("%x", got) != c.want {
			t.Errorf("%s: %x", name, got)
		}
	}
}
