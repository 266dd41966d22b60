package enclave

import (
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/sdk/go/passkey"
)

// stranger is nobody's destination.
const stranger = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"

// funded is a world with prices, an owner and a wallet. Payments cost their amount
// and fees of 0.60 USD at most: 0.0002 ETH at 3000 USD, of which 0.000000001 is for data.
func funded(t testing.TB) (*world, owner, wire.Account) {
	t.Helper()
	w := newWorld(t)
	w.prices(time.Now(), market)
	alice := w.register("alice@example.com")
	return w, alice, w.wallet(alice, "Main")
}

// call asks for a call of a contract on base.
func call(from, to, data string) wire.SignIntentParams {
	p := payment(from)
	p.To, p.Data, p.Transfer = to, data, nil
	return p
}

// pay is a transfer of millionths of a USDC.
func pay(from, to string, micro int64) wire.SignIntentParams {
	address, _ := evm.ParseAddress(to)
	data, _ := evm.EncodeTransfer(address, big.NewInt(micro))
	return call(from, usdc, chain.Hex(data))
}

// policy makes a policy and gives its id.
func (w *world) policy(o owner, walletID string, r wire.Rules) string {
	w.t.Helper()
	return w.done(
		w.body(w.fresh(o, wire.CreatePolicy, wire.CreatePolicyParams{WalletID: walletID, Rules: r})), o,
	).Policy.ID
}

// denied submits a stamped intent that a rule has to refuse.
func (w *world) denied(o owner, p wire.SignIntentParams) wire.Denial {
	w.t.Helper()
	st := w.in(wire.Denied, w.body(w.fresh(o, wire.SignIntent, p)), o)
	if st.Result.Transaction != nil {
		w.t.Error("a denied transaction was signed")
	}
	return *st.Result.Denial
}

// What a rule refuses is recorded with every field, and final for the body.
func TestSigning_E01_DenialsAreFinal(t *testing.T) {
	w, alice, account := funded(t)
	id := w.policy(alice, account.WalletID, wire.Rules{AllowedDestinations: []string{receiver}, MaxValueUSD: "20"})
	body := w.body(w.fresh(alice, wire.SignIntent, pay(account.Address, stranger, 1)))
	want := &wire.Denial{
		PolicyID: id,
		WalletID: account.WalletID,
		Rule:     "allowedDestinations",
		Field:    "to",
		Observed: stranger,
		Limit:    receiver,
	}
	if shown, err := w.preview(body); err != nil || !reflect.DeepEqual(shown.Denial, want) ||
		shown.CostUSD != "0.600001" || shown.Waits != nil {
		t.Errorf("preview: %+v, %v", shown, err)
	}
	first := w.in(wire.Denied, body, alice)
	if !reflect.DeepEqual(first.Result.Denial, want) {
		t.Errorf("%+v", first.Result.Denial)
	}
	w.done(w.body(w.fresh(alice, wire.DeletePolicy, wire.DeletePolicyParams{PolicyID: id})), alice)
	w.reopen()
	if again := w.in(wire.Denied, body, alice); !reflect.DeepEqual(again, first) {
		t.Errorf("without the policy: %+v", again)
	}
	w.done(w.body(w.fresh(alice, wire.SignIntent, pay(account.Address, stranger, 1))), alice)
}

// Each attack on a wallet with rules, and the rule that stops it.
func TestSigning_E02_AttacksOnAPolicy(t *testing.T) {
	w, alice, account := funded(t)
	rules := wire.Rules{
		MaxValueUSD:         "20",
		AllowedDestinations: []string{receiver},
		AllowedChains:       []string{"base"},
		AllowedTokens:       []string{"USDC", "ETH"},
	}
	w.policy(alice, account.WalletID, rules)
	approval := func(to string) string {
		return "0x095ea7b3" + strings.Repeat("0", 24) + strings.ToLower(to[2:]) + strings.Repeat("f", 64)
	}
	coin := func(to, wei string) wire.SignIntentParams {
		p := call(account.Address, to, "0x")
		p.Value = wei
		return p
	}
	fee := pay(account.Address, receiver, 1)
	fee.MaxTotalFee = "6999999999000000"
	elsewhere := coin(receiver, "1")
	elsewhere.Chain, elsewhere.ChainID = "polygon", "80002"
	for name, c := range map[string]struct {
		p    wire.SignIntentParams
		want wire.Denial
	}{
		"E01 recipient in calldata": {pay(account.Address, stranger, 1),
			wire.Denial{Rule: "allowedDestinations", Field: "to", Observed: stranger, Limit: receiver}},
		"E02 infinite allowance": {call(account.Address, usdc, approval(receiver)),
			wire.Denial{Rule: "maxValueUsd", Field: "value", Observed: "unlimited", Limit: "20"}},
		"E02 spender": {call(account.Address, usdc, approval(stranger)),
			wire.Denial{Rule: "allowedDestinations", Field: "spender", Observed: stranger, Limit: receiver}},
		"E03 unknown call": {call(account.Address, receiver, "0xdeadbeef"), wire.Denial{
			Rule:     "unknownCall",
			Field:    "contract",
			Observed: "base " + receiver + " 0xdeadbeef",
			Limit:    "what the signer understands",
		}},
		"E09 gas drain": {fee, wire.Denial{Rule: "maxValueUsd", Field: "value", Observed: "21.000001", Limit: "20"}},
		"E13 no price": {elsewhere,
			wire.Denial{Rule: "allowedChains", Field: "chain", Observed: "polygon", Limit: "base"}},
		"too much coin": {coin(receiver, "10000000000000000"),
			wire.Denial{Rule: "maxValueUsd", Field: "value", Observed: "30.6", Limit: "20"}},
		"too much": {pay(account.Address, receiver, 19_400_001),
			wire.Denial{Rule: "maxValueUsd", Field: "value", Observed: "20.000001", Limit: "20"}},
	} {
		got := w.denied(alice, c.p)
		got.PolicyID, got.WalletID = "", ""
		if got != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
	w.done(w.body(w.fresh(alice, wire.SignIntent, pay(account.Address, receiver, 19_400_000))), alice)
	w.done(w.body(w.fresh(alice, wire.SignIntent, coin(receiver, "1000"))), alice)
}

// E06: exact bytes that make a contract.
func TestSigning_E06_DeployUnderAPolicy(t *testing.T) {
	w, alice, account := funded(t)
	deploy := exact(account.Address, 84532, 0)
	tx := evm.Tx{Type: evm.Legacy, ChainID: 84532, GasLimit: 21000, Data: []byte{0x60}}
	deploy.UnsignedTransaction = chain.Hex(tx.Unsigned())
	w.policy(alice, account.WalletID, wire.Rules{AllowedChains: []string{"base"}})
	st := w.in(wire.Denied, w.body(w.fresh(alice, wire.SignTransaction, deploy)), alice)
	if d := st.Result.Denial; d.Rule != "unknownCall" || d.Field != "effect" || d.Observed != "deploy" {
		t.Errorf("%+v", d)
	}
}

// E13: a price that is missing or stale denies under a limit, and under a limit only.
func TestSigning_E13_DeniedWithoutPrices(t *testing.T) {
	wall := time.Now().Round(0)
	w := newWorldWith(t, Options{wall: func() time.Time { return wall }, AcceptTime: true})
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	other := w.wallet(alice, "Other")
	w.policy(alice, account.WalletID, wire.Rules{DailyUSD: "100"})
	w.policy(alice, other.WalletID, wire.Rules{AllowedChains: []string{"base"}})
	want := wire.Denial{Rule: "unknownPrice", Field: "value", Observed: "no price of USDC", Limit: "dailyUsd 100"}
	isDenied := func(when string) {
		t.Helper()
		d := w.denied(alice, payment(account.Address))
		d.PolicyID, d.WalletID = "", ""
		if d != want {
			t.Errorf("%s: %+v", when, d)
		}
	}
	isDenied("before any sheet")
	w.prices(wall.Add(-wire.MaxSheetLife+time.Minute), market)
	w.done(w.body(w.fresh(alice, wire.SignIntent, payment(account.Address))), alice)
	wall = wall.Add(2 * time.Minute)
	isDenied("with a stale sheet")
	w.done(w.body(w.fresh(alice, wire.SignIntent, payment(other.Address))), alice)
	w.prices(wall, map[string]string{"ETH": "3000", "USDC": "1.06"})
	isDenied("with a price that jumped")
}

// E15: however many come at once, what is signed is never more than the cap.
func TestSigning_E15_CapsUnderParallelRequests(t *testing.T) {
	w := newWorld(t)
	w.prices(time.Now(), market)
	alice := w.synced("alice@example.com")
	account := w.wallet(alice, "Main")
	w.policy(alice, account.WalletID, wire.Rules{DailyUSD: "100", MonthlyUSD: "1000"})
	const n = 200
	bodies, outcomes := make([]string, n), make(chan wire.OutcomeState, n)
	for i := range bodies {
		// 1.60 with the fee
		bodies[i] = w.body(w.fresh(alice, wire.SignIntent, pay(account.Address, receiver, 1_000_000)))
	}
	stamps := make([]*wire.Stamp, n)
	for i, b := range bodies {
		stamps[i] = w.stamp(alice, b)
	}
	for i, b := range bodies {
		go func() {
			out, err := w.Submit(wire.SubmitRequest{Body: b, Stamp: stamps[i], Volatile: volatile(0)})
			if err != nil {
				t.Error(err)
			}
			outcomes <- out.State
		}()
	}
	states := map[wire.OutcomeState]int{}
	for range n {
		states[<-outcomes]++
	}
	if states[wire.Done] != 62 || states[wire.Denied] != n-62 {
		t.Errorf("%v", states)
	}
	if spent := w.spent(); spent != 99_200_000 {
		t.Errorf("signed for %d", spent)
	}
	w.capHolds(alice, account)
}

// synced registers an owner whose passkey does not count, as one that is synced:
// its stamps may come in any order.
func (w *world) synced(email string) owner {
	w.t.Helper()
	key := passkey.New(origin).Misbehaving(passkey.Tamper{SignCount: func(uint32) uint32 { return 0 }})
	out, err := w.Submit(wire.SubmitRequest{Body: w.registration(email, key)})
	if err != nil {
		w.t.Fatal(err)
	}
	return owner{key, w.statement(out.Proof).Result.SubOrganization.ID}
}

// capHolds tries to get past a cap of 100 of which 99.20 are spent, on the living
// enclave, after a restart, from a checkpoint, and on another machine that goes on
// with the journal of one that was killed.
func (w *world) capHolds(o owner, account wire.Account) {
	w.t.Helper()
	over := pay(account.Address, receiver, 200_001)
	full := wire.Denial{Rule: "dailyUsd", Field: "dailyTotal", Observed: "100.000001", Limit: "100"}
	for _, restart := range []func(){func() {}, w.reopen, func() { w.checkpointNow(); w.reopen() }, w.failOver} {
		restart()
		got := w.denied(o, over)
		got.PolicyID, got.WalletID = "", ""
		if got != full {
			w.t.Errorf("%+v", got)
		}
	}
	w.done(w.body(w.fresh(o, wire.SignIntent, pay(account.Address, receiver, 200_000))), o)
	if spent := w.spent(); spent != 100_000_000 {
		w.t.Errorf("signed for %d", spent)
	}
	for _, restart := range []func(){func() {}, w.reopen} {
		restart()
		w.denied(o, pay(account.Address, receiver, 0))
	}
}

// failOver goes on with a copy of the folder, as it was when its enclave was killed.
func (w *world) failOver() {
	w.t.Helper()
	copied := w.t.TempDir()
	w.copyTo(copied)
	if err := w.Close(); err != nil {
		w.t.Fatal(err)
	}
	w.dir = copied
	w.open()
}

// spent is what the journal says was signed for.
func (w *world) spent() (micro int64) {
	w.t.Helper()
	for seq := uint64(1); seq <= w.journal.Position().Seq; seq++ {
		_, raw, err := w.journal.Read(seq)
		var e decide.Event
		if err == nil {
			err = json.Unmarshal(raw, &e)
		}
		if err != nil {
			w.t.Fatal(err)
		}
		if (e.Spend != nil) != (e.Transaction != nil) {
			w.t.Errorf("entry %d: a transaction without its cost, or a cost without a transaction", seq)
		}
		if e.Spend != nil {
			micro += e.Spend.MicroUSD
		}
	}
	return micro
}

// E14: nothing that is cut into pieces, taken elsewhere or given up escapes a cap.
func TestSigning_E14_SplitsCount(t *testing.T) {
	w, alice, account := funded(t)
	second := w.done(w.body(w.fresh(alice, wire.CreateWalletAccounts, wire.CreateWalletAccountsParams{
		WalletID: account.WalletID, Accounts: ethereum(1),
	})), alice).Accounts[0]
	spend := func(want string, p wire.SignIntentParams) (body string) {
		t.Helper()
		body = w.body(w.fresh(alice, wire.SignIntent, p))
		w.done(body, alice)
		if spent := fmt.Sprint(w.spent()); spent != want {
			t.Errorf("spent %s, want %s", spent, want)
		}
		return body
	}
	spend("10600000", pay(account.Address, receiver, 10_000_000)) // before there was a policy
	w.policy(alice, account.WalletID, wire.Rules{DailyUSD: "45"})
	body := spend("21200000", pay(second.Address, receiver, 10_000_000)) // another address of the wallet
	w.done(body, alice)                                                  // the same body again
	coin := call(account.Address, receiver, "0x")
	coin.Value = "4000000000000000"
	spend("33800000", coin) // another asset
	arbitrum := call(account.Address, receiver, "0x")
	arbitrum.Chain, arbitrum.ChainID, arbitrum.Value = "arbitrum", "421614", "3000000000000000"
	body = spend("43400000", arbitrum) // another network
	if _, err := w.Cancel(wire.FingerprintRequest{Fingerprint: wire.Fingerprint(body)}); err != nil {
		t.Fatal(err)
	}
	d := w.denied(alice, pay(account.Address, receiver, 1_000_001))
	if d.Observed != "45.000001" {
		t.Errorf("%+v", d)
	}
	other := w.wallet(alice, "Other")
	w.done(w.body(w.fresh(alice, wire.SignIntent, pay(other.Address, receiver, 50_000_000))), alice)
	w.done(w.body(w.fresh(alice, wire.SignIntent, pay(account.Address, receiver, 1_000_000))), alice)
}

// Days and months end at midnight UTC, by the enclave's clock.
func TestSigning_E14_DayAndMonthEdges(t *testing.T) {
	wall := time.Date(2027, 1, 30, 23, 50, 0, 0, time.UTC)
	w := newWorldWith(t, Options{wall: func() time.Time { return wall }, AcceptTime: true})
	at := func(day, hour, minute int) {
		t.Helper()
		wall = time.Date(2027, 1, day, hour, minute, 0, 0, time.UTC)
		w.reopen() // the operator accepts the time
		w.prices(wall, market)
	}
	at(30, 23, 51)
	alice := w.register("alice@example.com")
	body := func(kind wire.ActivityType, p any) string {
		b := w.fresh(alice, kind, p)
		b.TimestampMs, b.ExpiresAtMs = strconv.FormatInt(
			wall.UnixMilli(), 10,
		), strconv.FormatInt(wall.Add(time.Minute).UnixMilli(), 10)
		return w.body(b)
	}
	account := w.done(body(wire.CreateWallet, wire.CreateWalletParams{
		WalletName: "Main", MnemonicLength: "12", Accounts: ethereum(0),
	}), alice).Accounts[0]
	w.done(body(wire.CreatePolicy, wire.CreatePolicyParams{
		WalletID: account.WalletID, Rules: wire.Rules{DailyUSD: "10", MonthlyUSD: "15"},
	}), alice)
	sign := func(micro int64, rule string) {
		t.Helper()
		want := wire.Done
		if rule != "" {
			want = wire.Denied
		}
		st := w.in(want, body(wire.SignIntent, pay(account.Address, receiver, micro-600_000)), alice)
		if rule != "" && st.Result.Denial.Rule != rule {
			t.Errorf("%s: %+v", wall, st.Result.Denial)
		}
	}
	sign(9_000_000, "")
	at(30, 23, 59)
	sign(1_000_001, "dailyUsd")
	at(31, 0, 0)
	sign(6_000_001, "monthlyUsd")
	sign(6_000_000, "")
	at(31, 23, 59)
	sign(600_000, "monthlyUsd")
	at(32, 0, 0)
	sign(10_000_000, "")
	sign(600_000, "dailyUsd")
}

// copyTo copies the folder file by file.
func (w *world) copyTo(dir string) {
	w.t.Helper()
	if err := os.CopyFS(dir, os.DirFS(w.dir)); err != nil {
		w.t.Fatal(err)
	}
}
