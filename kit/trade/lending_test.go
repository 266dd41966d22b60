package trade_test

import (
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/devnet"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/signingtest"
	"github.com/railkit/railkit/internal/test/x402test"
	railkit "github.com/railkit/railkit/sdk/go"
)

const baseID, fujiID = 84532, 43113

// lend stamps the steps of an order until its last one is confirmed, and tells which they were.
func lend(
	t *testing.T, c *railkit.Client, by apptest.Owner, prepare func() (*railkit.PreparedLending, error),
) (steps []string, last string) {
	t.Helper()
	for range 3 {
		p, err := prepare()
		if err != nil {
			t.Fatalf("after %v: %v", steps, err)
		}
		steps = append(steps, p.Step)
		stamp, err := by.Passkey.Stamp(p.UnsignedActivity.Body)
		if err != nil {
			t.Fatal(err)
		}
		tx, err := c.Transactions.Confirm(ctx, railkit.ConfirmTransactionRequest{
			TransactionID: p.TransactionID, SignedActivity: p.Signed(stamp),
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Transactions.WaitConfirmed(ctx, tx.TransactionID, 20*time.Millisecond); err != nil {
			t.Fatal(err)
		}
		if p.Step == "supply" || p.Step == "withdraw" {
			return steps, tx.TransactionID
		}
	}
	t.Fatalf("no end: %v", steps)
	return nil, ""
}

// A wallet supplies a token and the network's coin, sees both in its positions, and takes them out again, each step
// under its owner's passkey.
func TestWidget_LendingFromAWallet(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	address := alice.Address.Address
	usdc := railkit.LendingOrderRequest{SignWith: address, TokenAddress: "USDC", Amount: "10.5", ChainID: baseID}
	type prepared = railkit.PreparedLending
	steps, id := lend(t, c, alice, func() (*prepared, error) { return c.Lending.PrepareSupply(ctx, usdc) })
	if strings.Join(steps, " ") != "approve supply" {
		t.Errorf("a token: %v", steps)
	}
	coin := railkit.LendingOrderRequest{SignWith: address, TokenAddress: "native", Amount: "0.25", ChainID: baseID}
	steps, _ = lend(t, c, alice, func() (*prepared, error) { return c.Lending.PrepareSupply(ctx, coin) })
	if strings.Join(steps, " ") != "supply" {
		t.Errorf("the coin: %v", steps)
	}
	s, err := c.Lending.Status(ctx, id)
	if err != nil || s.Status != "confirmed" || s.BlockNumber == "" || s.Confirmations < 2 || s.TransactionHash == "" {
		t.Errorf("status: %+v, %v", s, err)
	}
	p, err := c.Lending.Positions(ctx, address, baseID)
	if err != nil || len(p.Supplies) != 2 || p.Supplies[0].Symbol != "USDC" || len(p.Borrows) != 0 ||
		p.HealthFactor != nil ||
		!strings.HasPrefix(p.Supplies[0].Amount, "10.5") || !strings.HasPrefix(p.Supplies[1].Amount, "0.25") ||
		!strings.HasPrefix(p.TotalSuppliedUSD, "760.5") || p.TotalBorrowedUSD != "0" {
		t.Errorf("positions: %+v, %v", p, err)
	}
	m, err := c.Lending.Markets(ctx, address, baseID)
	if err != nil || len(m.SupplyReserves) != 2 || len(m.AllMarketsData) != 2 || m.UserState == nil {
		t.Fatalf("markets: %+v, %v", m, err)
	}
	if r := m.SupplyReserves[0]; r.Symbol != "USDC" || r.USDExchangeRate != "1" || r.SuppliableAmount != "989.5" ||
		!r.CanBeCollateral || !r.CanBeBorrowed || r.IsInIsolationMode || !strings.HasPrefix(r.UserBalance, "10.5") ||
		!strings.HasPrefix(r.SupplyAPYFormatted, "5.") || !strings.HasPrefix(r.BorrowableAmount, "607.8") {
		t.Errorf("USDC: %+v", r) // 75 % of 10.5 and 80 % of 750
	}
	usdc.Amount = "10.6"
	var refused *railkit.Error
	_, err = c.Lending.PrepareWithdrawal(ctx, usdc)
	if !errors.As(err, &refused) || refused.Code != "insufficient_supply" {
		t.Errorf("more than is supplied: %v", err)
	}
	usdc.Amount = "10.5"
	steps, _ = lend(t, c, alice, func() (*prepared, error) { return c.Lending.PrepareWithdrawal(ctx, usdc) })
	if strings.Join(steps, " ") != "withdraw" {
		t.Errorf("a token back: %v", steps)
	}
	if has, err := c.Balances.Token(ctx, "base", address, "USDC"); err != nil || has.Formatted != "1000" {
		t.Errorf("after it: %+v, %v", has, err)
	}
	steps, _ = lend(t, c, alice, func() (*prepared, error) { return c.Lending.PrepareWithdrawal(ctx, coin) })
	if strings.Join(steps, " ") != "approve withdraw" {
		t.Errorf("the coin back: %v", steps)
	}
}

// Whatever an execute cannot do is refused by name, and what is no lending has no status.
func TestWidget_LendingRefusals(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	address, stranger := alice.Address.Address, x402test.NewKey(t).Address.String()
	const one = `"tokenAddress":"USDC","amount":1`
	for name, r := range map[string]struct{ path, body, says string }{
		"autoApprove":   {"supply", one + `,"autoApprove":true`, "autoApprove must not be true"},
		"autobroadcast": {"withdraw", one + `,"autoBroadcast":true`, "autoBroadcast must not be true"},
		"a token":       {"supply", `"tokenAddress":"` + stranger + `","amount":1`, "tokenAddress is not native"},
		"nothing":       {"supply", `"tokenAddress":"USDC","amount":0`, "amount must be more than zero"},
		"a digit more":  {"supply", `"tokenAddress":"USDC","amount":0.0000001`, "amount must be a plain decimal"},
		"too much":      {"supply", `"tokenAddress":"USDC","amount":100000`, "Insufficient balance"},
	} {
		got := a.Do(a.Keys.BenchKey, "POST", "/v1/protocols/lending/aave/execute/"+r.path,
			`{"signWith":"`+address+`","chainId":84532,`+r.body+`}`)
		if got.Status < 400 || got.Status > 422 || !strings.Contains(got.Body, r.says) {
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
		}
	}
	for name, body := range map[string]string{
		"signWith must be an address of one": `{"signWith":"` + stranger + `","chainId":84532,` + one + `}`,
		"chainId must be that of a network with a lending pool": `{"signWith":"` + address +
			`","chainId":1,` + one + `}`,
	} {
		got := a.Do(a.Keys.BenchKey, "POST", "/v1/protocols/lending/aave/execute/supply", body)
		if got.Status != 400 || !strings.Contains(got.Body, name) {
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
		}
	}
	_, err := c.Lending.AvaxSupply(ctx, address, baseID)
	if err == nil || !strings.Contains(err.Error(), "coin is AVAX") {
		t.Errorf("AVAX on Base: %v", err)
	}
	tx, err := c.Transactions.Send(ctx, alice.Passkey, alice.Payment(stranger, "1"))
	if err != nil {
		t.Fatal(err)
	}
	var e *railkit.Error
	if _, err := c.Lending.Status(ctx, tx.TransactionID); !errors.As(err, &e) || e.Code != "lending_not_found" {
		t.Errorf("the status of a payment: %v", err)
	}
	h, err := c.Lending.Health(ctx)
	if err != nil || h.Status == "unavailable" || h.Service != "lending" || h.Timestamp == 0 {
		t.Errorf("health: %+v, %v", h, err)
	}
	all, err := c.Lending.Chains(ctx)
	if err != nil || len(all.Mainnets) != 0 || !all.TestnetsEnabled || len(all.Testnets) == 0 ||
		!all.Testnets[0].IsTestnet {
		t.Errorf("chains: %+v, %v", all, err)
	}
}

// withFuji has the server use the devnet's Avalanche, too.
func withFuji(c *apptest.Config) {
	const fuji = "avalanche_c_chain"
	c.RPCURLs[fuji] = devnet.NewClient(c.DevnetURL).RPCURL(fuji)
}

// The unsigned transactions are signed and sent by the owner of an address that is nobody's wallet.
func TestWidget_LendingUnsigned(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t, withFuji)
	c := a.Client()
	key := x402test.NewKey(t)
	user := key.Address.String()
	if _, err := c.Sandbox.Faucet(ctx, railkit.FaucetRequest{
		Chain: "avalanche_c_chain", Address: user, Asset: "native", Amount: "5",
	}); err != nil {
		t.Fatal(err)
	}
	send := func(made *railkit.LendingTransaction, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if !made.Success || made.Message == "" || made.GasEstimation.GasLimit == "" ||
			!strings.HasPrefix(made.GasEstimation.EstimatedCost, "0.") {
			t.Errorf("%+v", made)
		}
		if _, err := c.Transactions.BroadcastRaw(ctx, railkit.RawTransaction{
			SignedTransaction: signUnsigned(t, key, made.SerializedTransaction),
		}); err != nil {
			t.Fatal(err)
		}
		if err := a.Devnet.Mine(ctx, "avalanche_c_chain", 1); err != nil {
			t.Fatal(err)
		}
		return made.Step
	}
	avax := railkit.AvaxLendingRequest{UserAddress: user, Amount: "1.5", ChainID: fujiID}
	if step := send(c.Lending.SupplyAvax(ctx, avax)); step != "supply" {
		t.Errorf("supply-avax: %s", step)
	}
	if got, err := c.Lending.AvaxSupply(ctx, user, fujiID); err != nil || !strings.HasPrefix(got, "1.5") {
		t.Errorf("my-avax-supply: %s, %v", got, err)
	}
	avax.Amount = "1"
	for _, want := range []string{"approve", "withdraw"} {
		if step := send(c.Lending.WithdrawAvax(ctx, avax)); step != want {
			t.Errorf("withdraw-avax: %s, want %s", step, want)
		}
	}
	if got, err := c.Lending.AvaxSupply(ctx, user, fujiID); err != nil || !strings.HasPrefix(got, "0.5") {
		t.Errorf("after it: %s, %v", got, err)
	}
	usdc := railkit.LendingSupplyRequest{UserAddress: user, TokenAddress: "usdc", Amount: "20", ChainID: fujiID}
	if _, err := c.Sandbox.Faucet(ctx, railkit.FaucetRequest{
		Chain: "avalanche_c_chain", Address: user, Asset: "USDC", Amount: "50",
	}); err != nil {
		t.Fatal(err)
	}
	send(c.Lending.Supply(ctx, usdc)) // an allowance of 20 stands
	usdc.Amount = "30"
	for _, want := range []string{"revoke", "approve", "supply"} {
		if step := send(c.Lending.Supply(ctx, usdc)); step != want {
			t.Errorf("supply: %s, want %s", step, want)
		}
	}
	// Under the other name, with the fields of the specification and no data.
	got := a.Do(a.Keys.APIKey, "POST", "/v1/protocols/lending/supply-avax",
		`{"userAddress":"`+user+`","amount":0.1,"chainId":43113}`)
	var answer map[string]any
	err := json.Unmarshal([]byte(got.Body), &answer)
	if err != nil || answer["success"] != true || answer["data"] != nil ||
		answer["serializedTransaction"] == "" || answer["gasEstimation"] == nil {
		t.Errorf("%s, %v", got.Body, err)
	}
}

// signUnsigned signs as the owner of a key does who reads the bytes that he was given.
func signUnsigned(t *testing.T, key x402test.Key, unsigned string) string {
	t.Helper()
	family, _ := families.Of(chain.EVM)
	raw, err := chain.ParseHex(unsigned)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := family.DecodeUnsigned(raw)
	if err != nil || tx.Value.Cmp(big.NewInt(0)) < 0 {
		t.Fatal(err)
	}
	signature, err := evm.Sign(key.Secret, [32]byte(tx.Payload))
	if err != nil {
		t.Fatal(err)
	}
	signed, err := family.Attach(tx, "", signature.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return chain.Hex(signed)
}

// The curl lines of docs/lending.md work when they are pasted.
func TestWidget_LendingLinesOfTheDocumentation(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t, withFuji)
	alice := a.Fund(a.Client(), "alice@example.com")
	if _, err := a.Client().Sandbox.Faucet(ctx, railkit.FaucetRequest{
		Chain: "avalanche_c_chain", Address: alice.Address.Address, Asset: "native", Amount: "5",
	}); err != nil {
		t.Fatal(err)
	}
	script := exec.Command("sh", "-eu", "-c", signingtest.ShellLines(t, "../../docs/lending.md", "lending"))
	script.Env = append(os.Environ(), "API="+a.BaseURL, "KEY="+a.Keys.APIKey, "ADDRESS="+alice.Address.Address)
	out, err := script.CombinedOutput()
	if text := string(out); err != nil || strings.Count(text, `"success":true`) != 8 ||
		!strings.Contains(text, `"step":"approve"`) || !strings.Contains(text, `"avaxSupply":"0"`) {
		t.Errorf("%v\n%s", err, out)
	}
}

// A pool that lends the token no more, or takes no supplies of it, is named, and so is a node that does not answer:
// nothing is prepared then.
func TestWidget_LendingPoolsThatRefuse(t *testing.T) {
	t.Parallel()
	var node *apptest.Node
	a := apptest.Rig(t, func(c *apptest.Config) {
		node = apptest.NewNode(t, c.RPCURLs["base"])
		c.RPCURLs["base"] = node.URL
	})
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	order := railkit.LendingOrderRequest{
		SignWith: alice.Address.Address, TokenAddress: "USDC", Amount: "1", ChainID: baseID,
	}
	frozen := make([]byte, 15*32)
	frozen[31-57/8], frozen[8*32+31], frozen[10*32+31] = 1<<(57%8), 1, 2 // frozen, aToken 1, debt token 2
	for code, answer := range map[string]http.HandlerFunc{
		"no_lending_pool":  apptest.Gives(chain.Hex(make([]byte, 15*32))), // it lends no such token
		"lending_closed":   apptest.Gives(chain.Hex(frozen)),
		"node_unreachable": apptest.Down,
	} {
		node.Break("eth_call", answer)
		var e *railkit.Error
		if _, err := c.Lending.PrepareSupply(ctx, order); !errors.As(err, &e) || e.Code != code {
			t.Errorf("%s: %v", code, err)
		}
	}
	node.Break("eth_call", apptest.Gives("0x"))
	if m, err := c.Lending.Markets(ctx, "", baseID); err != nil || len(m.AllMarketsData) != 0 {
		t.Errorf("a network whose pool is not there: %+v, %v", m, err)
	}
}

// The client refuses a step that does something else than was asked for.
func TestWidget_LendingOfALyingServer(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	alice := a.Fund(a.Client(), "alice@example.com")
	honest, err := url.Parse(a.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	liar := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(honest)
			raw, _ := io.ReadAll(r.In.Body) // a body that is cut is refused
			lie := strings.Replace(string(raw), `"amount":1,`, `"amount":2,`, 1)
			r.Out.Body, r.Out.ContentLength = io.NopCloser(strings.NewReader(lie)), int64(len(lie))
		},
	})
	t.Cleanup(liar.Close)
	c, err := railkit.New(railkit.Config{
		BaseURL: liar.URL, APIKey: a.Keys.BenchKey, EnclaveKey: a.EnclaveKey, Environment: "sandbox", RPID: "localhost",
	})
	if err != nil {
		t.Fatal(err)
	}
	var tampered *railkit.TamperError
	order := railkit.LendingOrderRequest{
		SignWith: alice.Address.Address, TokenAddress: "USDC", Amount: "1", ChainID: baseID,
	}
	if p, err := c.Lending.PrepareSupply(ctx, order); !errors.As(err, &tampered) {
		t.Errorf("an allowance of twice as much: %+v, %v", p, err)
	}
	order.TokenAddress = "native"
	order.Amount = "0.001"
	if _, err := c.Lending.PrepareSupply(ctx, order); err != nil {
		t.Errorf("what is not changed: %v", err)
	}
}
