package signing_test

import (
	"math/big"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/rpc"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/kit/signing/transaction"
	railkit "github.com/railkit/railkit/sdk/go"
)

// onBase is an application on the network that every test uses, which mines at once.
func onBase(t *testing.T, options ...apptest.Option) *lane {
	t.Helper()
	return onBaseOf(t, apptest.Rig, options...)
}

// onBaseOf is onBase of an application that apptest.New or apptest.Rig starts.
func onBaseOf(t *testing.T, start func(testing.TB, ...apptest.Option) *apptest.App, options ...apptest.Option) *lane {
	t.Helper()
	l := &lane{t: t}
	l.chain.ChainID, l.chain.Slug = 84532, "base"
	options = append(options, func(c *apptest.Config) {
		l.node = apptest.NewNode(t, c.RPCURLs["base"])
		c.RPCURLs["base"] = l.node.URL
	})
	l.App = start(t, options...)
	l.c = l.Client()
	l.alice = l.Fund(l.c, "alice@example.com")
	return l
}

func (l *lane) prepareReplacement(
	kind railkit.TransactionType, replaced *railkit.Transaction,
) *railkit.PreparedTransaction {
	l.t.Helper()
	p, err := l.c.Transactions.PrepareReplacement(ctx, railkit.ReplaceRequest{Type: kind, Replaces: replaced})
	l.ok(err)
	return p
}

func (l *lane) stamped(p *railkit.PreparedTransaction) string {
	l.t.Helper()
	stamp, err := l.alice.Passkey.Stamp(p.UnsignedActivity.Body)
	l.ok(err)
	return confirmBody(l.t, p.TransactionID, p.Signed(stamp))
}

func TestSigning_ReplacementRefusals(t *testing.T) {
	t.Parallel()
	l := onBase(t)
	held := l.hold(l.alice.Payment(receiver, "1"))
	for field, value := range map[string]any{
		"signWith": l.alice.Address.Address, "chainId": 84532, "network": "base", "to": receiver, "amount": "1",
		"tokenAddress": apptest.USDC().Address,
		"value":        "1", "data": "0x01", "gasLimit": "30000", "unsignedTransaction": "0x02",
	} {
		l.refused(
			map[string]any{"type": "speed_up", "replaces": held.TransactionID, field: value}, 400,
			"Validation failed: "+field+" must not be given",
		)
	}
	l.refused(map[string]any{"type": "void"}, 400, "Validation failed: replaces is required")
	l.refused(
		map[string]any{"type": "call", "replaces": held.TransactionID}, 400,
		"Validation failed: replaces must only be given",
	)
	l.refused(map[string]any{"type": "call"}, 400, "Validation failed: signWith is required")
	l.refused(
		map[string]any{"type": "void", "replaces": held.TransactionID, "maxFeePerGas": "1"}, 400,
		"Validation failed: maxFeePerGas must be at least an eighth above",
	)
	l.refused(map[string]any{"type": "void", "replaces": l.Keys.WorkspaceID}, 404, "not_found")

	waiting, _ := prepared(t, l.c, l.alice, "1")
	l.refused(map[string]any{"type": "void", "replaces": waiting}, 409, "it is not signed")
	_, err := l.c.Transactions.Cancel(ctx, waiting)
	l.ok(err)
	l.refused(map[string]any{"type": "void", "replaces": waiting}, 409, "it was never signed")
	outside := l.outside()
	l.refused(map[string]any{"type": "void", "replaces": outside}, 409, "its key is outside")

	second := l.confirm(l.prepareReplacement(railkit.TypeVoid, held), false)
	l.refused(
		map[string]any{"type": "void", "replaces": held.TransactionID}, 409, "was replaced by "+second.TransactionID,
	)
	_, err = l.c.Transactions.Broadcast(ctx, second.TransactionID)
	l.ok(err)
	confirmed(t, l.App, l.c, second.TransactionID)
	l.refused(map[string]any{"type": "speed_up", "replaces": second.TransactionID}, 409, "it is mined")
}

// outside prepares a transaction whose key is in no wallet.
func (l *lane) outside() string {
	l.t.Helper()
	_, err := l.c.Sandbox.Faucet(
		ctx, railkit.FaucetRequest{Chain: "base", Address: receiver, Asset: "native", Amount: "1"},
	)
	l.ok(err)
	p, err := l.c.Transactions.PrepareExternal(ctx, railkit.PrepareTransactionRequest{
		Type: railkit.TransferNative, PayAgain: true, SignWith: receiver, ChainID: 84532, To: l.alice.Address.Address,
		Amount: "0.1",
	})
	l.ok(err)
	return p.TransactionID
}

func signedBytes(t *testing.T, x *railkit.Transaction) evm.Tx {
	t.Helper()
	raw, err := chain.ParseHex(x.SignedTransaction)
	if err != nil {
		t.Fatal(err)
	}
	tx, _, err := evm.DecodeSigned(raw)
	if err != nil {
		t.Fatal(err)
	}
	return tx
}

// eighthMore says that a fee is high enough for every node to take it instead.
func eighthMore(now, was *big.Int) bool {
	return new(big.Int).Mul(now, big.NewInt(8)).Cmp(new(big.Int).Mul(was, big.NewInt(9))) >= 0
}

// Exact bytes are replaced by an intent that does the same, and a replacement by
// another; each pays an eighth more, whatever the network asks by then.
func TestSigning_ReplacementDoesTheSameForMore(t *testing.T) {
	t.Parallel()
	l := onBase(t)
	to, err := evm.ParseAddress(apptest.USDC().Address)
	l.ok(err)
	data, err := chain.ParseHex(
		"0x095ea7b3000000000000000000000000" + strings.ToLower(receiver[2:]) + strings.Repeat("0", 63) + "5",
	)
	l.ok(err)
	legacy := evm.Tx{
		ChainID: 84532, GasPrice: big.NewInt(9_000_000_001), GasLimit: 90_000, To: &to, Value: new(big.Int), Data: data,
	}
	exact := l.hold(railkit.PrepareTransactionRequest{
		Type: railkit.SignExact, ChainID: 84532, SignWith: l.alice.Address.Address,
		UnsignedTransaction: chain.Hex(legacy.Unsigned()),
	})
	p := l.prepareReplacement(railkit.TypeSpeedUp, exact)
	// The network asks for more than was prepared, and for less of it as a tip.
	l.node.Break("eth_maxPriorityFeePerGas", apptest.Gives("0x1"))
	l.node.Break("eth_getBlockByNumber", apptest.Gives(map[string]string{"baseFeePerGas": "0x271d94900"})) // 10.5 gwei
	second := l.confirm(p, false)
	l.node.Break("eth_maxPriorityFeePerGas", nil)
	l.node.Break("eth_getBlockByNumber", nil)
	third := l.confirm(l.prepareReplacement(railkit.TypeSpeedUp, second), true)
	was := legacy
	for _, x := range []*railkit.Transaction{second, third} {
		now := signedBytes(t, x)
		if *now.To != to ||
			now.Value.Sign() != 0 || chain.Hex(now.Data) != chain.Hex(data) || now.Nonce != legacy.Nonce {
			t.Errorf("it does another thing: %+v", now)
		}
		if !eighthMore(now.GasFeeCap(), was.GasFeeCap()) || !eighthMore(now.GasTipCap(), was.GasTipCap()) {
			t.Errorf(
				"it pays %s and %s after %s and %s", now.GasFeeCap(), now.GasTipCap(), was.GasFeeCap(), was.GasTipCap(),
			)
		}
		was = now
	}
	confirmed(t, l.App, l.c, third.TransactionID)
	for _, x := range []*railkit.Transaction{exact, second} {
		l.becomes(x.TransactionID, "failed", "replaced by another transaction")
	}
}

// A contract that is to be made can only be given up.
func TestSigning_ReplacementOfACreation(t *testing.T) {
	t.Parallel()
	l := onBase(t)
	creation := evm.Tx{
		ChainID: 84532, GasPrice: big.NewInt(3_000_000_000), GasLimit: 90_000, Value: new(big.Int), Data: []byte{0x00},
	}
	held := l.hold(railkit.PrepareTransactionRequest{
		Type: railkit.SignExact, ChainID: 84532, SignWith: l.alice.Address.Address,
		UnsignedTransaction: chain.Hex(creation.Unsigned()),
	})
	l.refused(map[string]any{"type": "speed_up", "replaces": held.TransactionID}, 409, "it creates a contract")
	void, err := l.c.Transactions.Void(ctx, l.alice.Passkey, held)
	l.ok(err)
	confirmed(t, l.App, l.c, void.TransactionID)
}

// Of several replacements of one transaction the first stamp wins, and after a
// block none.
func TestSigning_TwoReplacementsAtOnce(t *testing.T) {
	t.Parallel()
	l := onBase(t)
	held := l.hold(l.alice.Payment(receiver, "1"))
	bodies := []string{
		l.stamped(l.prepareReplacement(railkit.TypeSpeedUp, held)),
		l.stamped(l.prepareReplacement(railkit.TypeSpeedUp, held)),
	}
	answers := make([]apptest.Answer, len(bodies))
	var wg sync.WaitGroup
	for i, body := range bodies {
		wg.Go(func() { answers[i] = l.Do(l.Keys.BenchKey, "POST", "/v1/transactions/confirm", body) })
	}
	wg.Wait()
	won := 0
	for _, got := range answers {
		if got.Status == 200 {
			won++
			continue
		}
		wantError(t, got, 409, "already_replaced")
	}
	if won != 1 {
		t.Errorf("%d won: %+v", won, answers)
	}
	l.becomes(held.TransactionID, "failed", "replaced by another transaction")

	late := l.hold(l.alice.Payment(receiver, "1"))
	body := l.stamped(l.prepareReplacement(railkit.TypeVoid, late))
	_, err := l.c.Transactions.Broadcast(ctx, late.TransactionID)
	l.ok(err)
	confirmed(t, l.App, l.c, late.TransactionID)
	wantError(t, l.Do(l.Keys.BenchKey, "POST", "/v1/transactions/confirm", body), 409, "nonce_mined")
}

// The owner sees on the page what is replaced, and stamps it there.
func TestSigning_ReplacementByCeremony(t *testing.T) {
	t.Parallel()
	l := onBase(t)
	held := l.hold(l.alice.Payment(receiver, "1"))
	p := l.prepareReplacement(railkit.TypeSpeedUp, held)
	var shown wire.Statement
	v := opened(t, l.App, token(t, l.App, p.CeremonyURL), link.Transaction)
	l.ok(apptest.Answer{Body: `{"data":` + v.Stamp.Preview.Payload + `}`}.Into(&shown))
	if shown.Preview.Replaces == "" ||
		shown.Preview.Nonce != "0" || len(shown.Preview.Effects) != 1 || shown.Preview.Effects[0].Symbol != "USDC" {
		t.Errorf("shown = %+v", shown.Preview)
	}
	var done transaction.TransactionView
	stamped(t, l.App, p.CeremonyURL, link.Transaction, l.alice.Passkey, http.StatusOK, &done)
	confirmed(t, l.App, l.c, p.TransactionID)
	l.becomes(held.TransactionID, "failed", "replaced by another transaction")
}

// A crash after the enclave has signed a replacement and before anything of it
// is stored: whose nonce it took is found again with it.
func TestSigning_ReplacementSurvivesACrash(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	late := time.Duration(0)
	now := clock.Func(func() time.Time { mu.Lock(); defer mu.Unlock(); return time.Now().UTC().Add(late) })
	l := onBaseOf(t, apptest.New, apptest.WithClock(now), apptest.WithoutSweeper())
	held := l.hold(l.alice.Payment(receiver, "1"))
	p := l.prepareReplacement(railkit.TypeSpeedUp, held)
	stamp, err := l.alice.Passkey.Stamp(p.UnsignedActivity.Body)
	l.ok(err)
	enclave := client.New(l.EnclaveSock, l.EnclaveKey)
	defer enclave.Close()
	out, err := enclave.Submit(ctx, wire.SubmitRequest{
		Body: p.UnsignedActivity.Body, Stamp: (*wire.Stamp)(&stamp),
		Volatile: &wire.Volatile{
			NonceFloor: "0", MaxFeePerGas: p.Fee.MaxFeePerGas, MaxPriorityFeePerGas: p.Fee.MaxPriorityFeePerGas,
		},
	}, p.Fingerprint)
	l.ok(err)
	l.KillEnclave()
	l.StopServer()
	l.StartServer()
	l.c = l.Client()
	if was := status(t, l.c, held.TransactionID); was.ReplacedBy != "" {
		t.Errorf("before it was found: %+v", was)
	}
	body := confirmBody(t, p.TransactionID, p.Signed(stamp))
	mu.Lock()
	late = 20 * time.Second
	mu.Unlock()
	apptest.Eventually(t, "the sweeper finds it", func() bool { return l.Signing.Sweep(ctx) == nil })
	if was := status(t, l.c, held.TransactionID); was.ReplacedBy != p.TransactionID {
		t.Errorf("after it was found: %+v", was)
	}
	confirmed(t, l.App, l.c, p.TransactionID)
	again := l.Do(l.Keys.BenchKey, "POST", "/v1/transactions/confirm", body)
	if again.Status != 200 || txHash(again) != out.Statement.Result.Transaction.TxHash {
		t.Errorf("the client's retry: %d %s", again.Status, again.Body)
	}
	l.becomes(held.TransactionID, "failed", "replaced by another transaction")
}

// Whoever has the bytes can send them: what was replaced unsent is found mined,
// and its replacement ends, be it sent or not.
func TestSigning_ReplacedAndSentByAnother(t *testing.T) {
	t.Parallel()
	l := onBase(t, apptest.WithoutSweeper())
	for _, sent := range []bool{true, false} {
		held := l.hold(l.alice.Payment(receiver, "1"))
		p := l.prepareReplacement(railkit.TypeVoid, held)
		l.node.Break("eth_sendRawTransaction", apptest.Down)
		void := l.confirm(p, sent)
		l.sendAround(held)
		l.node.Break("eth_sendRawTransaction", nil)
		apptest.Eventually(t, "the sweeper or the other's job finds it", func() bool {
			if !sent {
				edit(
					t, l.App, "UPDATE transactions SET updated_at = 1 WHERE id = $1 AND state = 'pending'",
					held.TransactionID,
				)
				l.ok(l.Signing.Sweep(ctx))
			}
			return status(t, l.c, held.TransactionID).Status != "pending"
		})
		confirmed(t, l.App, l.c, held.TransactionID)
		l.becomes(void.TransactionID, "failed", "the transaction it replaces was mined")
	}
}

// sendAround has bytes mined past the server.
func (l *lane) sendAround(x *railkit.Transaction) {
	l.t.Helper()
	network, _ := chain.BySlug(chain.Sandbox, "base")
	node, err := rpc.Dial(ctx, l.Devnet.RPCURL("base"), network)
	l.ok(err)
	raw, err := chain.ParseHex(x.SignedTransaction)
	l.ok(err)
	defer node.Close()
	l.ok(node.Send(ctx, raw))
	id := evm.ID(raw)
	apptest.Eventually(l.t, "it is mined", func() bool {
		_, found, err := node.Receipt(ctx, chain.Hex(id[:]))
		return err == nil && found
	})
}

// The end of what was replaced and never sent does not hang on one job.
func TestSigning_ReplacedEndsBySweep(t *testing.T) {
	t.Parallel()
	l := onBase(t, apptest.WithoutSweeper())
	held := l.hold(l.alice.Payment(receiver, "1"))
	void, err := l.c.Transactions.Void(ctx, l.alice.Passkey, held)
	l.ok(err)
	confirmed(t, l.App, l.c, void.TransactionID)
	l.becomes(held.TransactionID, "failed", "replaced by another transaction")
	edit(t, l.App, "UPDATE transactions SET state = 'pending', reason = '', failed_at = 0, updated_at = 1 WHERE id = $1", held.TransactionID)
	l.ok(l.Signing.Sweep(ctx))
	l.becomes(held.TransactionID, "failed", "replaced by another transaction")
}
