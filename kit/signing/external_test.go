package signing_test

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
	railkit "github.com/railkit/railkit/sdk/go"
)

func TestSigning_A04_SignedOutside(t *testing.T) {
	t.Parallel()
	signedOutside(t, apptest.Shared(t))
}

func signedOutside(t *testing.T, a *apptest.App) {
	t.Helper()
	o := newOutsider(t, a)
	approve := "0x095ea7b3000000000000000000000000" + strings.ToLower(receiver[2:]) + fmt.Sprintf("%064x", 5)
	to, err := evm.ParseAddress(receiver)
	if err != nil {
		t.Fatal(err)
	}
	legacy := evm.Tx{
		ChainID: 84532, Nonce: 3, GasPrice: big.NewInt(3_000_000_000), GasLimit: 21_000, To: &to, Value: big.NewInt(5),
	}
	for i, req := range []railkit.PrepareTransactionRequest{
		o.payment("0.01"),
		{
			Type: railkit.TransferToken, PayAgain: true, SignWith: strings.ToLower(o.from.String()), ChainID: 84532,
			To: receiver, Amount: "2.5", TokenAddress: apptest.USDC().Address,
		},
		{Type: railkit.Call, SignWith: o.from.String(), ChainID: 84532, To: apptest.USDC().Address, Data: approve},
		{
			Type: railkit.SignExact, SignWith: o.from.String(), ChainID: 84532,
			UnsignedTransaction: chain.Hex(legacy.Unsigned()),
		},
	} {
		p := o.prepared(req)
		if p.Tx.Nonce != uint64(i) || p.Notice == "" || p.Status != "awaiting_signature" || p.ExpiresAt == "" {
			t.Errorf("%s: prepared %+v", req.Type, p)
		}
		if names := p.Fee.MaxPriorityFeePerGas != "0"; names == (req.Type == railkit.SignExact) {
			t.Errorf(
				"%s: a tip of %s, and only the legacy transaction names none", req.Type, p.Fee.MaxPriorityFeePerGas,
			)
		}
		signed := o.sign(p.Tx)
		sent, err := o.client.Transactions.ConfirmSigned(
			ctx, railkit.ConfirmSignedRequest{TransactionID: p.TransactionID, SignedTransaction: signed},
		)
		if err != nil {
			t.Fatalf("%s: %v\n%s", req.Type, err, a.Log.Tail(10))
		}
		if sent.Status != "broadcast" ||
			sent.Custody != railkit.CustodyExternal || *sent.Nonce != uint64(i) || sent.Proof != nil {
			t.Errorf("%s: sent %+v", req.Type, sent)
		}
		confirmed(t, a, o.client, p.TransactionID)
		again := data(t, o.confirm(p.TransactionID, strings.ToUpper(signed[2:])))
		if again["txHash"] != sent.TxHash || again["status"] != "confirmed" {
			t.Errorf("%s: the same bytes again: %v", req.Type, again)
		}
		wantError(t, o.confirm(p.TransactionID, o.signAgain(p.Tx)), 409, "not_awaiting_signature")
	}
	page, err := o.client.Transactions.List(ctx, railkit.TransactionListOptions{Status: "confirmed"})
	if err != nil || len(page.Items) != 4 || page.Items[0].Custody != railkit.CustodyExternal {
		t.Errorf("list: %+v, %v", page, err)
	}
	if n := count(t, a, "audit WHERE workspace_id = $1 AND action = 'transaction.sign' AND actor = 'api_key'", a.Keys.WorkspaceID); n != 4 {
		t.Errorf("%d signatures in the audit", n)
	}
}

// What prepare says of an address of no wallet, and of one of a wallet.
func TestSigning_A04_PrepareSaysWhoSigns(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	o := newOutsider(t, a)
	alice := a.Fund(o.client, "alice@example.com")
	prepare := func(key string, req railkit.PrepareTransactionRequest) apptest.Answer {
		return a.Do(key, "POST", "/v1/transactions/prepare", apptest.JSON(t, req))
	}
	outside := data(t, prepare(a.Keys.BenchKey, o.payment("1")))
	if outside["custody"] != "external" ||
		!strings.Contains(fmt.Sprint(outside["notice"]), "No policy and no approval applies") {
		t.Errorf("outside: %v", outside)
	}
	for _, field := range []string{
		"unsignedActivity", "fingerprint", "challenge", "allowCredentials", "preview", "ceremonyUrl",
	} {
		if _, is := outside[field]; is {
			t.Errorf("%s of a transaction that nobody stamps", field)
		}
	}
	inside := data(t, prepare(a.Keys.BenchKey, alice.Payment(receiver, "1")))
	if inside["custody"] != "enclave" ||
		inside["notice"] != nil || inside["expiresAt"] == nil || inside["preview"] == nil {
		t.Errorf("inside: %v", inside)
	}
	if _, err := o.client.Transactions.Send(ctx, alice.Passkey, o.payment("1")); !errors.Is(err, railkit.ErrExternal) {
		t.Errorf("stamping what cannot be stamped: %v", err)
	}

	// An address of somebody else's wallet is as unknown as any id.
	_, stranger := a.NewWorkspace([]auth.Scope{auth.Integrator}, auth.Signing)
	for _, signWith := range []string{
		alice.Address.Address, strings.ToLower(alice.Address.Address), alice.Address.AddressID, "0x12",
		o.from.String()[:41] + "g",
	} {
		req := alice.Payment(receiver, "1")
		req.SignWith = signWith
		got := prepare(stranger, req)
		wantError(t, got, 404, "not_found")
		if got.Field("message") != "Address not found" {
			t.Errorf("%s: %s", signWith, got.Body)
		}
	}

	// The chain's own refusals come before anything is stored.
	before := count(t, a, "transactions WHERE workspace_id = $1", a.Keys.WorkspaceID)
	poor := o.payment("11")
	lacks := prepare(a.Keys.BenchKey, poor)
	wantError(t, lacks, 422, "insufficient_balance")
	wantDetail(t, lacks, "asset", "ETH")
	wantDetail(t, lacks, "have", "10")
	if !strings.Contains(lacks.Body, `"need":"11.`) { // and the fee
		t.Errorf("need of %s is not 11 and a fee", lacks.Body)
	}
	gasless := outsiderWith(t, a, "USDC").payment("2")
	gasless.Type, gasless.TokenAddress = railkit.TransferToken, apptest.USDC().Address
	wantError(t, prepare(a.Keys.BenchKey, gasless), 422, "insufficient_balance")
	to, _ := evm.ParseAddress(receiver)
	exact := func(tx evm.Tx) railkit.PrepareTransactionRequest {
		return railkit.PrepareTransactionRequest{
			Type: railkit.SignExact, SignWith: o.from.String(), ChainID: 84532,
			UnsignedTransaction: chain.Hex(tx.Unsigned()),
		}
	}
	rich := evm.Tx{
		ChainID: 84532, GasPrice: big.NewInt(1e9), GasLimit: 21_000, To: &to,
		Value: new(big.Int).Mul(big.NewInt(1e9), big.NewInt(2e10)),
	}
	wantError(t, prepare(a.Keys.BenchKey, exact(rich)), 422, "insufficient_balance")
	// Down to the last wei: 10 ETH less the gas and the data fee of the whole transaction.
	perByte, _ := new(big.Int).SetString(apptest.DataFee, 10)
	fits := rich
	fits.Value = new(big.Int).SetUint64(1e19 - 21_000*1e9) // as long as what is left of it
	fits.Value = new(big.Int).Sub(fits.Value, fits.DataFee(perByte))
	over := fits
	over.Value = new(big.Int).Add(fits.Value, big.NewInt(1))
	wantError(t, prepare(a.Keys.BenchKey, exact(over)), 422, "insufficient_balance")
	far := rich
	far.Value, far.Nonce = big.NewInt(1), 1<<63
	wantError(t, prepare(a.Keys.BenchKey, exact(far)), 400, "validation_failed")
	if n := count(t, a, "transactions WHERE workspace_id = $1", a.Keys.WorkspaceID); n != before {
		t.Errorf("%d rows of refused prepares", n-before)
	}
	if got := prepare(a.Keys.BenchKey, exact(fits)); got.Status != 200 {
		t.Errorf("all of it, but for the fees: %d %s", got.Status, got.Body)
	}
}

func TestSigning_A04_SignedHexIsRefused(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	o, other := newOutsider(t, a), newOutsider(t, a)
	alice := a.Fund(o.client, "alice@example.com")
	p := o.prepared(o.payment("1"))
	stranger := o.prepared(o.payment("2"))
	tx, otherChain, more, rewrap := p.Tx, p.Tx, p.Tx, p.Tx
	otherChain.ChainID, more.Value = 80002, big.NewInt(9)
	rewrap.Type, rewrap.GasPrice, rewrap.MaxFeePerGas = evm.AccessList, tx.MaxFeePerGas, nil
	rewrap.MaxPriorityFeePerGas = nil
	honest := o.sign(tx)
	_, sig, err := evm.DecodeSigned(mustHex(t, o.sign(more)))
	if err != nil {
		t.Fatal(err)
	}
	otherKey, err := evm.SignTx(tx, other.secret, other.from)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		signed string
		status int
		code   string
	}{
		"another chain id":                 {o.sign(otherChain), 422, "signed_transaction_differs"},
		"another amount":                   {o.sign(more), 422, "signed_transaction_differs"},
		"another prepared transaction":     {o.sign(stranger.Tx), 422, "signed_transaction_differs"},
		"rewrapped as EIP-2930":            {o.sign(rewrap), 422, "signed_transaction_differs"},
		"a byte at the end":                {honest + "00", 422, "signed_transaction_invalid"},
		"a byte at the end, in the list":   {grown(t, honest), 422, "signed_transaction_invalid"},
		"another signer":                   {chain.Hex(otherKey), 422, "signer_differs"},
		"a signature over another":         {chain.Hex(tx.Assemble(sig)), 422, "signer_differs"},
		"legacy without a chain id":        {o.unprotected(tx), 422, "signed_transaction_invalid"},
		"the high-s twin":                  {highS(t, honest), 422, "signed_transaction_invalid"},
		"no signature":                     {chain.Hex(tx.Unsigned()), 422, "signed_transaction_invalid"},
		"a blob transaction":               {"0x03" + honest[4:], 422, "signed_transaction_invalid"},
		"garbage":                          {"0xdeadbeef", 422, "signed_transaction_invalid"},
		"no hex":                           {"0xzz", 422, "signed_transaction_invalid"},
		"no bytes":                         {"0x", 422, "signed_transaction_invalid"},
		"nothing":                          {"", 400, "validation_failed"},
		"more than any transaction can be": {"0x" + strings.Repeat("00", 1<<17+1), 400, "validation_failed"},
	} {
		got := o.confirm(p.TransactionID, c.signed)
		wantError(t, got, c.status, c.code)
		if message := fmt.Sprint(got.Field("message")); !strings.Contains(message, "signedTransaction") {
			t.Errorf("%s: the field is not named: %s", name, message)
		}
		if now := status(t, o.client, p.TransactionID); now.Status != "awaiting_signature" || now.TxHash != "" {
			t.Fatalf("%s: left %+v", name, now)
		}
	}

	// Each custody takes its own signature only.
	id, stamped := prepared(t, o.client, alice, "1")
	wantError(t, o.confirm(id, honest), 422, "custody_enclave")
	wantError(
		t, a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm", confirmBody(t, p.TransactionID, stamped)), 422,
		"custody_external",
	)
	both := apptest.JSON(t, map[string]any{"transactionId": id, "signedActivity": stamped, "signedTransaction": honest})
	for body, field := range map[string]string{
		both: "signedTransaction", `{"transactionId":"` + id + `"}`: "signedActivity",
	} {
		got := a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm", body)
		wantError(t, got, 400, "validation_failed")
		if !strings.Contains(fmt.Sprint(got.Field("message")), "Validation failed: "+field+" ") {
			t.Errorf("not %s: %s", field, got.Body)
		}
	}
	if now := status(t, o.client, id); now.Status != "awaiting_signature" {
		t.Errorf("the wallet's transaction: %+v", now)
	}
	if got := o.confirm(p.TransactionID, honest); got.Status != 200 {
		t.Errorf("the true signature: %d %s", got.Status, got.Body)
	}
}

func mustHex(t *testing.T, text string) []byte {
	t.Helper()
	raw, err := chain.ParseHex(text)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// grown is a typed transaction with one more item at the end of its list.
func grown(t *testing.T, signed string) string {
	t.Helper()
	raw := mustHex(t, signed)
	if raw[1] != 0xf8 || raw[2] == 0xff { // a list of one byte of length
		t.Fatalf("a list that begins %x", raw[:3])
	}
	raw[2]++
	return chain.Hex(append(raw, 0x01))
}

// The server dies between the two commits: no cancel comes through any more, and
// the broadcast job finishes.
func TestSigning_A04_CrashBetweenTheCommits(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t, apptest.WithoutSweeper())
	o := newOutsider(t, a)
	p := o.prepared(o.payment("1"))
	signed, key := o.sign(p.Tx), uuid.NewString()
	allow := refuse(t, a, "INSERT", "audit", "NEW.action = 'transaction.sign'")
	wantError(t, o.confirm(p.TransactionID, signed, "Idempotency-Key", key), 500, "internal")
	if now := status(t, o.client, p.TransactionID); now.Status != "pending" ||
		!strings.EqualFold(now.SignedTransaction, signed) {
		t.Fatalf("after the first commit: %+v", now)
	}
	wantError(
		t, a.Do(a.Keys.BenchKey, "DELETE", "/v1/transactions/sign/"+p.TransactionID, ""), 409, "not_awaiting_signature",
	)
	wantError(t, o.confirm(p.TransactionID, o.signAgain(p.Tx)), 409, "not_awaiting_signature")
	confirmed(t, a, o.client, p.TransactionID) // the job needs no caller
	allow()
	again := data(t, o.confirm(p.TransactionID, signed, "Idempotency-Key", key))
	if again["status"] != "confirmed" || again["signedTransaction"] != signed {
		t.Errorf("the caller's retry: %v", again)
	}
	wantError(t, o.confirm(p.TransactionID, o.signAgain(p.Tx), "Idempotency-Key", key), 422, "idempotency_key_reused")
}

// One that is held waits for its owner; the node's faults end as with any other.
func TestSigning_A04_HeldAndRetried(t *testing.T) {
	t.Parallel()
	a, node, late := throughNode(t)
	o := newOutsider(t, a)
	p := o.prepared(o.payment("1"))
	no := false
	held, err := o.client.Transactions.ConfirmSigned(
		ctx,
		railkit.ConfirmSignedRequest{TransactionID: p.TransactionID, SignedTransaction: o.sign(p.Tx), Broadcast: &no},
	)
	if err != nil || held.Status != "pending" {
		t.Fatalf("held: %+v, %v", held, err)
	}
	late.forward(3 * time.Minute)
	if err := a.Signing.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	if again := data(t, o.confirm(p.TransactionID, o.sign(p.Tx))); again["status"] != "pending" ||
		count(t, a, "river_job WHERE kind = 'signing_broadcast'") != 0 {
		t.Errorf("held no more: %v", again)
	}
	node.Break("eth_sendRawTransaction", apptest.Says("invalid sender"))
	wantError(t, a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/broadcast/"+p.TransactionID, ""), 502, "node_refused")
	node.Break("eth_sendRawTransaction", nil)
	if sent, err := o.client.Transactions.Broadcast(ctx, p.TransactionID); err != nil ||
		sent.Status != "broadcast" || sent.TxHash != held.TxHash {
		t.Fatalf("sent: %+v, %v", sent, err)
	}
	confirmed(t, a, o.client, p.TransactionID)

	node.Break("eth_getTransactionCount", apptest.Gives("0x8000000000000000")) // a lie, and not the caller's fault
	wantError(
		t, a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/prepare", apptest.JSON(t, o.payment("1"))), 502,
		"node_unreachable",
	)
	node.Break("eth_getTransactionCount", nil)
	p = o.prepared(o.payment("1"))
	node.Break("eth_sendRawTransaction", apptest.Says("invalid sender"))
	if got := data(t, o.confirm(p.TransactionID, o.sign(p.Tx))); got["status"] != "pending" || got["reason"] == nil {
		t.Fatalf("refused by the node: %v", got)
	}
	if err := a.Signing.Broadcasts.Deliver(ctx, a.Keys.WorkspaceID, p.TransactionID); err != nil {
		t.Fatal(err)
	}
	if now := status(t, o.client, p.TransactionID); now.Status != "failed" {
		t.Fatalf("refused for good: %+v", now)
	}
	node.Break("eth_sendRawTransaction", nil)
	if again, err := o.client.Transactions.RetryBroadcast(ctx, p.TransactionID); err != nil ||
		again.Status != "broadcast" {
		t.Fatalf("retry: %+v, %v", again, err)
	}
	confirmed(t, a, o.client, p.TransactionID)
}
