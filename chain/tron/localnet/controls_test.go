package localnet_test

import "testing"

// The path itself takes the controls that every chain of the sandbox has, by JSON-RPC; a gift's name gives once.
func TestControls_JSONRPC(t *testing.T) {
	t.Parallel()
	n := start(t)
	type reply struct {
		ID     int
		Result any
		Error  *struct{ Message string }
	}
	ask := func(method string, params ...any) (r reply) {
		t.Helper()
		n.ask("/", object{"jsonrpc": "2.0", "id": 7, "method": method, "params": params}, &r)
		if r.ID != 7 {
			t.Errorf("%s: %+v", method, r)
		}
		return r
	}
	first := ask("dev_faucet", alice.String(), "native", "3", "once")
	again := ask("dev_faucet", alice.String(), "native", "3", "once")
	if has, _ := n.sun("/wallet", alice); has != 3_000_000 || first.Result == nil || first.Result != again.Result {
		t.Errorf("%+v %+v, and there are %d sun", first, again, has)
	}
	before := n.head("/wallet").BlockHeader.RawData.Number
	if r := ask("dev_mine", 20); r.Error != nil {
		t.Errorf("%+v", r)
	}
	if now := n.head("/wallet").BlockHeader.RawData.Number; now < before+20 {
		t.Errorf("block %d, and it was %d", now, before)
	}
	for _, r := range []reply{
		ask("dev_faucet", alice.String(), "native", "-3"), ask("eth_chainId"), ask("dev_mine", 1, 2, 3),
		ask("dev_mine", "x"),
	} {
		if r.Error == nil || r.Error.Message == "" {
			t.Errorf("%+v", r)
		}
	}
}
