package localnet_test

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/tron"
	"github.com/railkit/railkit/chain/tron/localnet"
)

var trx, token = network.Native, network.Tokens[0]

// TRX that is sent arrives. The first that an account gets opens it, for 1.1 TRX that the sender burns; what comes
// later costs bandwidth, which is free within 600 bytes a day.
func TestCoin(t *testing.T) {
	t.Parallel()
	n := start(t)
	n.gives(alice, "native", "100")
	if _, open := n.sun("/wallet", bob); open {
		t.Fatal("bob's account is there")
	}
	raw, id := n.pays(trx, bob, 5_000_000, asIs)
	if code := n.sends("", raw); code != "SUCCESS" {
		t.Fatal(code)
	}
	first := n.info("/wallet", id)
	if first.Fee != 1_100_000 || first.Receipt.NetFee != 100_000 || first.Result != "" || first.BlockNumber == 0 {
		t.Errorf("%+v", first)
	}
	raw, id = n.pays(trx, bob, 1_000_000, asIs)
	n.sends("", raw)
	if again := n.info("/wallet", id); again.Fee != 0 || again.Receipt.NetUsage != int64(len(raw)+64) {
		t.Errorf("%d bytes: %+v", len(raw), again)
	}
	raw, _ = n.pays(trx, bob, 2_000_000, asIs)
	n.sends("", raw)
	raw, id = n.pays(trx, bob, 3_000_000, asIs) // 600 bytes are not enough for three
	n.sends("", raw)
	paid := n.info("/wallet", id)
	if want := int64(len(raw)+64) * 1_000; paid.Receipt.NetFee != want || paid.Fee != want {
		t.Errorf("%+v", paid)
	}
	left, _ := n.sun("/wallet", alice)
	has, open := n.sun("/wallet", bob)
	if !open || has != 11_000_000 || left != 100_000_000-11_000_000-1_100_000-paid.Fee {
		t.Errorf("alice has %d, bob %d", left, has)
	}
	var resource struct{ FreeNetLimit, FreeNetUsed, EnergyLimit int64 }
	n.ask("/wallet/getaccountresource", object{"address": alice.String(), "visible": true}, &resource)
	if resource.FreeNetLimit != 600 || resource.FreeNetUsed < 400 || resource.EnergyLimit != 0 {
		t.Errorf("%+v", resource)
	}
}

// A token moves, and costs twice the energy where the payee had none. transfer returns false all the same: that it
// worked the event says, and the result of the receipt.
func TestToken(t *testing.T) {
	t.Parallel()
	n := start(t)
	n.gives(alice, "native", "100")
	n.gives(alice, "USDT", "25.5")
	var energy []int64
	for range 2 {
		raw, id := n.pays(token, bob, 1_500_000, asIs)
		if code := n.sends("", raw); code != "SUCCESS" {
			t.Fatal(code)
		}
		i := n.info("/wallet", id)
		energy = append(energy, i.Receipt.EnergyUsageTotal)
		if i.Receipt.Result != "SUCCESS" || i.Receipt.EnergyFee != i.Receipt.EnergyUsageTotal*100 ||
			i.Fee != i.Receipt.EnergyFee+i.Receipt.NetFee {
			t.Errorf("%+v", i)
		}
		if len(i.ContractResult) != 1 || i.ContractResult[0] != strings.Repeat("0", 64) {
			t.Errorf("it returns %v", i.ContractResult)
		}
		if len(i.Log) != 1 || len(i.Log[0].Topics) != 3 || i.Log[0].Data != fmt.Sprintf("%064x", 1_500_000) ||
			i.Log[0].Topics[2] != fmt.Sprintf("%064x", bob[:]) || len(i.Log[0].Address) != 40 {
			t.Errorf("%+v", i.Log)
		}
	}
	if energy[0] < 100_000 || energy[0] > 160_000 || energy[1] < 50_000 || energy[1] > 80_000 {
		t.Errorf("energy %v", energy)
	}
	if has := n.tokens("/wallet", bob); has != "3000000" {
		t.Errorf("bob has %s", has)
	}
	if _, open := n.sun("/wallet", bob); open {
		t.Error("tokens have opened an account")
	}
	var would struct {
		EnergyUsed int64 `json:"energy_used"`
		Logs       []object
	}
	n.ask("/wallet/triggerconstantcontract", n.transferOf(bob, 1), &would)
	if would.EnergyUsed != energy[1] || len(would.Logs) != 1 || n.tokens("/wallet", bob) != "3000000" {
		t.Errorf("%+v, and the call took %d", would, energy[1])
	}
}

// transferOf asks what a transfer of alice's would do.
func (n *net) transferOf(to tron.Address, amount int64) object {
	return object{
		"owner_address": alice.String(), "contract_address": usdt, "function_selector": "transfer(address,uint256)",
		"parameter": fmt.Sprintf("%064x%064x", to[:], amount), "visible": true,
	}
}

// A call that fails is in a block and costs: what it used where the contract refuses, all that fee_limit buys where
// that is not enough, and never the tokens.
func TestFailures(t *testing.T) {
	t.Parallel()
	n := start(t)
	n.gives(alice, "native", "100")
	n.gives(alice, "USDT", "10")
	raw, id := n.pays(token, bob, 99_000_000, asIs)
	if code := n.sends("", raw); code != "SUCCESS" {
		t.Fatal(code)
	}
	reverted := n.info("/wallet", id)
	if r := reverted.Receipt; r.Result != "REVERT" || r.EnergyUsageTotal == 0 || r.EnergyUsageTotal > 50_000 ||
		reverted.Result != "FAILED" || !strings.HasPrefix(reverted.ContractResult[0], "08c379a0") {
		t.Errorf("%+v", reverted)
	}
	raw, id = n.pays(token, bob, 1_000_000, func(r *tron.Raw) { r.FeeLimit = 3_000_000 })
	n.sends("", raw)
	empty := n.info("/wallet", id)
	if r := empty.Receipt; r.Result != "OUT_OF_ENERGY" || r.EnergyFee != 3_000_000 || r.EnergyUsageTotal != 30_000 ||
		len(empty.Log) > 0 {
		t.Errorf("%+v", empty)
	}
	if has := n.tokens("/wallet", bob); has != "0" {
		t.Errorf("bob has %s", has)
	}
	var would struct {
		Result struct {
			Result  bool
			Message string
		}
		Transaction struct{ Ret []struct{ Ret string } }
	}
	n.ask("/wallet/triggerconstantcontract", n.transferOf(bob, 99_000_000), &would)
	words, _ := hex.DecodeString(would.Result.Message)
	if !would.Result.Result || string(words) != "REVERT opcode executed" || would.Transaction.Ret[0].Ret != "FAILED" {
		t.Errorf("%+v %s", would, words)
	}
}

// What no block has is refused with a node's code, and changes nothing.
func TestRefused(t *testing.T) {
	t.Parallel()
	n := start(t)
	n.gives(alice, "native", "10")
	before, _ := n.sun("/wallet", alice)
	contract, err := tron.ParseAddress(usdt)
	if err != nil {
		t.Fatal(err)
	}
	const late, invalid = "TRANSACTION_EXPIRATION_ERROR", "CONTRACT_VALIDATE_ERROR"
	for name, c := range map[string]struct {
		token  chain.Token
		change func(*tron.Raw)
		code   string
	}{
		"another's":         {trx, func(r *tron.Raw) { r.Owner = carol }, "SIGERROR"},
		"expired":           {trx, func(r *tron.Raw) { r.Expiration = r.Timestamp - 5_000 }, late},
		"in two days":       {trx, func(r *tron.Raw) { r.Expiration += 2 * 86_400_000 }, late},
		"of another fork":   {trx, func(r *tron.Raw) { r.RefHash[0] ^= 1 }, "TAPOS_ERROR"},
		"of no block yet":   {trx, func(r *tron.Raw) { r.RefBytes[0] ^= 0x80 }, "TAPOS_ERROR"},
		"too much":          {trx, func(r *tron.Raw) { r.Amount = 9_500_000 }, invalid}, // an account is 1.1 TRX
		"TRX to a contract": {trx, func(r *tron.Raw) { r.To = contract }, invalid},
		"no contract":       {token, func(r *tron.Raw) { r.To = bob }, invalid},
		"more TRX along":    {token, func(r *tron.Raw) { r.Amount = 11_000_000 }, invalid},
	} {
		raw, id := n.pays(c.token, bob, 1_000_000, c.change)
		if code := n.sends("", raw); code != c.code {
			t.Errorf("%s: %s, want %s", name, code, c.code)
		}
		if i := n.info("/wallet", id); i.ID != "" {
			t.Errorf("%s: it is in a block: %+v", name, i)
		}
	}
	raw, _ := n.signs(3, tron.Raw{
		RefBytes: [2]byte{0, 1}, Expiration: 1, Timestamp: 1, Owner: carol, To: bob, Amount: 1,
	})
	if code := n.sends("", raw); code != "TRANSACTION_EXPIRATION_ERROR" {
		t.Error(code)
	}
	raw, _ = n.pays(trx, bob, 1, asIs)
	if code := n.sends("", raw); code != "SUCCESS" {
		t.Fatal(code)
	}
	if code := n.sends("", raw); code != "DUP_TRANSACTION_ERROR" {
		t.Error(code)
	}
	if after, _ := n.sun("/wallet", alice); after != before-1_100_001 {
		t.Errorf("it was %d and is %d", before, after)
	}
}

// A block is solid when 18 are above it. Until then the node's solid half knows neither it nor what is in it.
func TestSolid(t *testing.T) {
	t.Parallel()
	n := start(t)
	n.ask("/dev/automine", object{"on": false}, nil)
	n.ask("/dev/automine", object{"on": true}, nil)
	n.mine(localnet.Solid)
	id := n.gives(alice, "native", "7")
	at := n.info("/wallet", id).BlockNumber
	n.ask("/dev/automine", object{"on": false}, nil) // so that nobody who asks makes a block
	for above := range localnet.Solid {
		if i := n.info("/walletsolidity", id); i.ID != "" {
			t.Fatalf("it is solid below %d blocks", above)
		}
		if _, open := n.sun("/walletsolidity", alice); open {
			t.Fatalf("alice's account is solid below %d blocks", above)
		}
		n.mine(1)
	}
	if i := n.info("/walletsolidity", id); i.ID != id || i.BlockNumber != at {
		t.Errorf("%+v", i)
	}
	if has, _ := n.sun("/walletsolidity", alice); has != 7_000_000 {
		t.Errorf("alice has %d", has)
	}
	if solid := n.head("/walletsolidity").BlockHeader.RawData.Number; solid != at {
		t.Errorf("block %d is solid, want %d", solid, at)
	}
	var all []info
	n.ask("/walletsolidity/gettransactioninfobyblocknum", object{"num": at}, &all)
	if len(all) != 1 || all[0].ID != id {
		t.Errorf("%+v", all)
	}
	n.ask("/walletsolidity/gettransactioninfobyblocknum", object{"num": at + 1}, &all)
	if len(all) > 0 {
		t.Errorf("%+v", all)
	}
}

// Blocks are tied to the ones below them by ids that begin with their numbers, and their time only goes on.
func TestBlocks(t *testing.T) {
	t.Parallel()
	n := start(t)
	n.ask("/dev/mine", object{"blocks": 3, "step": 3_000}, nil)
	id := n.gives(alice, "native", "7")
	var all struct{ Block []header }
	n.ask("/wallet/getblockbylimitnext", object{"startNum": 1, "endNum": 50}, &all)
	if len(all.Block) != 5 { // one for the token, three, and the gift's
		t.Fatalf("%d blocks", len(all.Block))
	}
	for i, h := range all.Block {
		raw := h.BlockHeader.RawData
		if !strings.HasPrefix(h.BlockID, fmt.Sprintf("%016x", i+1)) || raw.Number != int64(i+1) {
			t.Errorf("block %d is %+v", i+1, h)
		}
		if i > 0 && (raw.ParentHash != all.Block[i-1].BlockID ||
			raw.Timestamp <= all.Block[i-1].BlockHeader.RawData.Timestamp) {
			t.Errorf("block %d is above %+v", i+1, all.Block[i-1])
		}
		var again header
		n.ask("/wallet/getblockbyid", object{"value": h.BlockID}, &again)
		if again.BlockID != h.BlockID {
			t.Errorf("%+v", again)
		}
	}
	if last := all.Block[4].Transactions; len(last) != 1 || last[0].TxID != id {
		t.Errorf("%+v", last)
	}
	var none header
	n.ask("/wallet/getblockbynum", object{"num": 6}, &none)
	if none.BlockID != "" {
		t.Errorf("%+v", none)
	}
}

// Sent while blocks are made by hand, a transaction waits. A node may be behind, hide what it knows, or be away.
func TestNodes(t *testing.T) {
	t.Parallel()
	n := start(t)
	n.gives(alice, "native", "100")
	n.ask("/dev/automine", object{"on": false}, nil)
	raw, id := n.pays(trx, bob, 5, asIs)
	if code := n.sends("/node/b", raw); code != "SUCCESS" || n.info("/wallet", id).ID != "" {
		t.Errorf("%s, and it is in a block", code)
	}
	if code := n.sends("", raw); code != "DUP_TRANSACTION_ERROR" {
		t.Error(code)
	}
	n.mine(1)
	if n.info("/node/b/wallet", id).ID != id {
		t.Error("it is in no block")
	}
	n.ask("/node/b/dev/view", object{"behind": 1}, nil)
	if n.info("/node/b/wallet", id).ID != "" || n.info("/wallet", id).ID != id {
		t.Error("a node that is behind knows the newest block, or another one does not")
	}
	n.ask("/node/b/dev/view", object{"hides": []string{id}}, nil)
	if n.info("/node/b/wallet", id).ID != "" || n.head("/node/b/wallet").BlockID != n.head("/wallet").BlockID {
		t.Error("it hides nothing, or is behind")
	}
	n.ask("/node/b/dev/view", object{"fails": true}, nil)
	if status, _ := n.post("/node/b/wallet/getnowblock", nil); status != http.StatusServiceUnavailable {
		t.Error(status)
	}
	n.ask("/node/b/dev/view", object{"loses": true}, nil)
	raw, lost := n.pays(trx, bob, 6, asIs)
	if code := n.sends("/node/b", raw); code != "SUCCESS" {
		t.Error(code)
	}
	n.mine(1)
	if n.info("/wallet", lost).ID != "" {
		t.Error("what a node lost is in a block")
	}
}

// Opened again, the chain is the same, and goes on. The faucet gives once under one name, and only what there is.
func TestOpenedAgain(t *testing.T) {
	t.Parallel()
	n := start(t)
	gift := object{"address": alice.String(), "asset": "USDT", "amount": "3.25", "name": "first"}
	var one, two struct{ TxID string }
	n.ask("/dev/faucet", gift, &one)
	n.gives(alice, "native", "50")
	n.ask("/dev/prices", object{"energy": 210}, nil)
	raw, id := n.pays(token, bob, 1, asIs)
	n.sends("", raw)
	before, info := n.head("/wallet"), n.info("/wallet", id)
	n.close()
	n.open()
	if after := n.head("/wallet"); after.BlockID != before.BlockID {
		t.Errorf("it was %s and is %s", before.BlockID, after.BlockID)
	}
	n.ask("/dev/faucet", gift, &two)
	if again := n.info("/wallet", id); again.Fee != info.Fee || again.Receipt.EnergyFee%210 != 0 || one != two {
		t.Errorf("%+v, it was %+v; gifts %s and %s", again, info, one, two)
	}
	if has := n.tokens("/wallet", alice); has != "3249999" {
		t.Errorf("alice has %s", has)
	}
	for _, wrong := range []object{
		{"address": alice.String(), "asset": "EURC", "amount": "1"},
		{"address": alice.String(), "asset": "USDT", "amount": "0.0000001"},
		{"address": alice.String(), "asset": "USDT", "amount": "-1"},
		{"address": "nobody", "asset": "USDT", "amount": "1"},
		{"address": alice.String(), "asset": "native", "amount": "9000000000"},
	} {
		if status, text := n.post("/dev/faucet", wrong); status != http.StatusBadRequest {
			t.Errorf("%v: %d %s", wrong, status, text)
		}
	}
}

// A page that gave its own name our address reaches nothing.
func TestOnlyHere(t *testing.T) {
	t.Parallel()
	n := start(t)
	r, err := http.NewRequest(http.MethodPost, n.url+"/dev/mine", strings.NewReader(`{"blocks":1}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "evil.example"
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusForbidden {
		t.Error(res.Status)
	}
}
