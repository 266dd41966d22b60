package signing_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// solPayee has nothing yet, on any chain of Solana.
const solPayee = "9B5XszUGdMaxCZ7uSQhPzdks5ZQSmWxrmzCSvtJ6Ns6g"

// solWorld is an application with a chain of Solana of its own, which has two nodes, a and b, and an owner with money.
type solWorld struct {
	*apptest.App
	*apptest.Solana
	t     *testing.T
	c     *railkit.Client
	alice apptest.Owner
	mint  string
}

func newSolWorld(t *testing.T, options ...apptest.Option) *solWorld {
	t.Helper()
	return startSolWorld(t, apptest.Rig, options...)
}

// startSolWorld is newSolWorld with a signer in the test's program, or as a program of its own.
func startSolWorld(
	t *testing.T, start func(testing.TB, ...apptest.Option) *apptest.App, options ...apptest.Option,
) *solWorld {
	t.Helper()
	net := apptest.NewSolana(t)
	w := &solWorld{Solana: net, t: t, mint: net.Mint}
	w.App = start(t, append(options, net.Nodes)...)
	w.c = w.Client()
	w.alice = w.owner("solana@example.com")
	w.Control("a", "dev_faucet", w.alice.Address.Address, "native", "1")
	w.Control("a", "dev_faucet", w.alice.Address.Address, "USDC", "100")
	return w
}

// owner is a user with a wallet and an account on Solana.
func (w *solWorld) owner(email string) apptest.Owner {
	w.t.Helper()
	o := w.Register(w.c, email)
	var err error
	if o.Wallet, err = w.c.Wallets.Create(ctx, o.Passkey, railkit.PrepareWalletRequest{
		WalletName: "Wallet of " + email, SubOrganizationID: o.Sub.SubOrganizationID,
	}); err != nil {
		w.t.Fatal(err)
	}
	if o.Address, err = w.c.Addresses.Create(ctx, o.Passkey, railkit.PrepareAccountRequest{
		WalletID: o.Wallet.WalletID, Chain: "solana",
	}); err != nil {
		w.t.Fatal(err)
	}
	return o
}

// pay is a payment of USDC on Solana.
func (w *solWorld) pay(to, amount string) railkit.PrepareTransactionRequest {
	return railkit.PrepareTransactionRequest{
		Type: railkit.TransferToken, PayAgain: true, SignWith: w.alice.Address.Address, Network: "solana", To: to,
		Amount: amount, TokenAddress: w.mint,
	}
}

// becomes waits for a status, and gives the transaction.
func (w *solWorld) becomes(id, status string) *railkit.Broadcast {
	w.t.Helper()
	var b *railkit.Broadcast
	apptest.Eventually(w.t, "the transaction is "+status, func() bool {
		var err error
		b, err = w.c.Transactions.GetBroadcast(ctx, id)
		return err == nil && b.Status == status
	})
	return b
}

// A payment with the payee's account created, one of SOL, what the history and the node say of them, and what is not
// done on Solana.
func TestSigning_Solana(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t)
	if a := w.alice.Address; a.Path != "m/44'/501'/0'/0'" || a.AddressFormat != "ADDRESS_FORMAT_SOLANA" {
		t.Errorf("the account is %+v", a)
	}
	sent, err := w.c.Transactions.Send(ctx, w.alice.Passkey, w.pay(solPayee, "1.5"))
	if err != nil {
		t.Fatalf("%v\n%s", err, w.Log)
	}
	if sent.Status != "broadcast" || sent.Nonce != nil || sent.LastHeight == 0 || sent.ChainID != 0 ||
		sent.Network != "solana" || sent.Fee.MaxRent == "" || sent.Fee.MaxFeePerGas != "" {
		t.Errorf("sent %+v", sent)
	}
	if b := w.becomes(sent.TransactionID, "confirmed"); b.BlockNumber == nil || b.Confirmations != 1 {
		t.Errorf("confirmed %+v", b)
	}
	if _, micro := w.Held(solPayee); micro != 1_500_000 {
		t.Errorf("the payee has %d", micro)
	}
	coins := w.pay(solPayee, "0.01")
	coins.Type, coins.TokenAddress = railkit.TransferNative, ""
	second, err := w.c.Transactions.Send(ctx, w.alice.Passkey, coins)
	if err != nil {
		t.Fatalf("%v\n%s", err, w.Log)
	}
	w.becomes(second.TransactionID, "confirmed")
	if lamports, _ := w.Held(solPayee); lamports != 10_000_000 {
		t.Errorf("the payee has %d lamports", lamports)
	}
	w.reads()
	for _, kind := range []string{"void", "speed_up"} {
		got := w.Do(w.Keys.BenchKey, "POST", "/v1/transactions/prepare",
			`{"type":"`+kind+`","replaces":"`+sent.TransactionID+`"}`)
		if got.Status != 409 {
			t.Errorf("%s: %d %s", kind, got.Status, got.Body)
		}
	}
}

// reads looks at what the server says of the owner's money.
func (w *solWorld) reads() {
	w.t.Helper()
	get := func(path string) string {
		got := w.Do(w.Keys.BenchKey, "GET", path, "")
		if got.Status != 200 {
			w.t.Errorf("%s: %d %s", path, got.Status, got.Body)
		}
		return got.Body
	}
	from := w.alice.Address.Address
	if got := get("/v1/balance/token?chain=solana&symbol=USDC&address=" + from); !strings.Contains(got,
		`"balance":"98500000"`) {
		w.t.Errorf("the balance is %s", got)
	}
	if got := get("/v1/balance/activity?chain=solana&address=" + from); strings.Count(got, `"txHash"`) != 2 ||
		!strings.Contains(got, `"direction":"out"`) || !strings.Contains(got, solPayee) {
		w.t.Errorf("the activity is %s", got)
	}
	apptest.Eventually(w.t, "the history has what came and what went", func() bool {
		lines, err := w.c.Wallets.ListTransactions(ctx, w.alice.Wallet.WalletID, railkit.ListOptions{})
		return err == nil && len(lines.Items) == 3
	})
}

// What would fail is refused before anything is signed, with the field or the reason.
func TestSigning_SolanaRefusals(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t)
	account, err := solana.ParseAddress(w.alice.Address.Address)
	mint, err2 := solana.ParseAddress(w.mint)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	at := solana.AssociatedAddress(account, mint, solana.TokenProgram).String()
	vault := offCurve(t)
	type request = railkit.PrepareTransactionRequest
	for name, c := range map[string]struct {
		change func(*request)
		status int
		words  string
	}{
		"more than there is": {func(r *request) { r.Amount = "101" }, 422, "insufficient_balance"},
		"to a token account": {func(r *request) { r.To, r.AllowContract = at, true }, 400, "token account"},
		"to a mint":          {func(r *request) { r.To = w.mint }, 422, "known_contract"},
		"to nobody's key":    {func(r *request) { r.To = vault }, 422, "payee_without_key"},
		"a price of gas":     {func(r *request) { r.MaxFeePerGas = "5" }, 400, "maxFeePerGas"},
		"too little gas":     {func(r *request) { r.GasLimit = "2" }, 422, "gas_limit_too_low"},
		"a dust of SOL": {func(r *request) {
			r.Type, r.TokenAddress, r.Amount = railkit.TransferNative, "", "0.0000001"
		}, 422, "less SOL than a new account"},
		"nearly all SOL": {func(r *request) {
			r.Type, r.TokenAddress, r.Amount = railkit.TransferNative, "", "0.9999"
		}, 422, "would leave less SOL"},
		"a call": {func(r *request) {
			r.Type, r.TokenAddress, r.Amount, r.Data = "call", "", "", "0x01"
		}, 400, "type"},
	} {
		r := w.pay(solPayee, "1")
		c.change(&r)
		got := w.Do(w.Keys.BenchKey, "POST", "/v1/transactions/prepare", apptest.JSON(t, r))
		if got.Status != c.status || !strings.Contains(got.Body, c.words) {
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
		}
	}
	r := w.pay(vault, "1")
	r.AllowContract = true
	if got := w.Do(w.Keys.BenchKey, "POST", "/v1/transactions/prepare", apptest.JSON(t, r)); got.Status != 200 {
		t.Errorf("with consent: %d %s", got.Status, got.Body)
	}
}

// offCurve is an address that no key has.
func offCurve(t *testing.T) string {
	t.Helper()
	for i := range 256 {
		a := solana.Address{31: 1, 0: byte(i), 7: 9}
		if !a.OnCurve() {
			return a.String()
		}
	}
	t.Fatal("there is none")
	return ""
}

// Payments alike, all at once: each is a message of its own, and each is paid.
func TestSigning_SolanaPaymentsAlike(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t)
	const n = 8
	var sending sync.WaitGroup
	ids := make([]string, n)
	for i := range n {
		sending.Go(func() {
			sent, err := w.c.Transactions.Send(ctx, w.alice.Passkey, w.pay(solPayee, "2"))
			if err != nil {
				t.Errorf("%v\n%s", err, w.Log)
				return
			}
			ids[i] = sent.TransactionID
		})
	}
	sending.Wait()
	for _, id := range ids {
		w.becomes(id, "confirmed")
	}
	if _, micro := w.Held(solPayee); micro != n*2_000_000 {
		t.Errorf("the payee has %d", micro)
	}
}

// One body confirmed by many at once is one message, paid once.
func TestSigning_SolanaConfirmSixtyFourTimes(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t)
	id, signed := w.prepared("3")
	var confirming sync.WaitGroup
	hashes := sync.Map{}
	for range 64 {
		confirming.Go(func() {
			got := w.confirm(id, signed, true)
			var a struct{ Data struct{ TxHash string } }
			if err := json.Unmarshal([]byte(got.Body), &a); got.Status != 200 || err != nil {
				t.Errorf("%d %s", got.Status, got.Body)
			}
			hashes.Store(a.Data.TxHash, true)
		})
	}
	confirming.Wait()
	w.becomes(id, "confirmed")
	count := 0
	hashes.Range(func(any, any) bool { count++; return true })
	if _, micro := w.Held(solPayee); micro != 3_000_000 || count != 1 {
		t.Errorf("the payee has %d, by %d messages", micro, count)
	}
}

// prepared is a payment that is stamped and not confirmed.
func (w *solWorld) prepared(amount string) (string, railkit.SignedActivity) {
	w.t.Helper()
	p, err := w.c.Transactions.Prepare(ctx, w.pay(solPayee, amount))
	if err != nil {
		w.t.Fatal(err)
	}
	return p.TransactionID, railkit.SignedActivity{Body: p.UnsignedActivity.Body,
		Stamp: railkit.Stamp(*stampOf(w.t, w.alice, p.UnsignedActivity.Body))}
}

func (w *solWorld) confirm(id string, signed railkit.SignedActivity, send bool) apptest.Answer {
	return w.Do(w.Keys.BenchKey, "POST", "/v1/transactions/confirm", apptest.JSON(w.t, map[string]any{
		"transactionId": id, "signedActivity": signed, "broadcast": send,
	}))
}

// The curl lines of docs/solana.md work when they are pasted, twice.
func TestSigning_SolanaLinesOfTheDocumentation(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t, func(c *app.Config) { c.RPCURLs["solana"] = c.DevnetURL + "/solana" })
	lines := shellLines(t, "../../docs/solana.md", "$API")
	script := exec.Command("sh", "-eu", "-c", lines+"\n"+lines)
	script.Env = append(os.Environ(), "API="+a.BaseURL, "KEY="+a.Keys.BenchKey)
	out, err := script.CombinedOutput()
	text := string(out)
	if good := strings.Count(text, `"success":true`); err != nil || good != 2*strings.Count(lines, "curl ") ||
		strings.Count(text, `"symbol":"USDC"`) != 2 {
		t.Errorf("%v, %d calls worked:\n%s", err, good, text)
	}
}
