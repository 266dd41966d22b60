package signing_test

import (
	"crypto/rand"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

func TestSigning_H05_RetrySendsTheSameBytes(t *testing.T) {
	t.Parallel()
	var node *apptest.Node
	a := apptest.Rig(t, func(c *apptest.Config) {
		node = apptest.NewNode(t, c.RPCURLs["base"])
		c.RPCURLs["base"] = node.URL
	})
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	node.Break("eth_sendRawTransaction", apptest.Says("invalid sender"))
	sent, err := c.Transactions.Send(ctx, alice.Passkey, alice.Payment(receiver, "1"))
	if err != nil || sent.Status != "pending" {
		t.Fatalf("refused by the node: %+v, %v", sent, err)
	}
	apptest.Eventually(t, "the job gives up", func() bool {
		b, err := c.Transactions.GetBroadcast(ctx, sent.TransactionID)
		return err == nil && b.Status == "failed"
	})
	wantError(
		t, a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/broadcast/"+sent.TransactionID+"/retry", ""), 502,
		"node_refused",
	)
	node.Break("eth_sendRawTransaction", nil)
	again, err := c.Transactions.RetryBroadcast(ctx, sent.TransactionID)
	// The sweep may find it in a block before the retry has noted that it was sent.
	if err != nil || again.Status != "broadcast" && again.Status != "confirmed" || again.TxHash != sent.TxHash {
		t.Fatalf("retry: %+v, %v", again, err)
	}
	confirmed(t, a, c, sent.TransactionID)
	now, err := c.Transactions.Get(ctx, sent.TransactionID)
	if err != nil || now.SignedTransaction != sent.SignedTransaction || now.Reason != "" {
		t.Errorf("after the retry: %+v, %v", now, err)
	}
	wantError(
		t, a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/broadcast/"+sent.TransactionID+"/retry", ""), 409,
		"not_failed",
	)

	// One that the chain takes and reverts: its nonce is gone, a retry cannot help.
	node.Break("eth_estimateGas", apptest.Gives("0xffff"))
	broken, err := c.Transactions.Send(ctx, alice.Passkey, railkit.PrepareTransactionRequest{
		Type: "call", SignWith: alice.Address.Address, ChainID: 84532, To: apptest.USDC().Address, Data: "0xdeadbeef",
	})
	if err != nil {
		t.Fatal(err)
	}
	apptest.Eventually(t, "it is mined and reverted", func() bool {
		b, err := c.Transactions.GetBroadcast(ctx, broken.TransactionID)
		return err == nil && b.Status == "failed" && b.BlockNumber != nil
	})
	wantError(
		t, a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/broadcast/"+broken.TransactionID+"/retry", ""), 409,
		"reverted_on_chain",
	)
}

func TestSigning_H04_BroadcastRaw(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	secret := make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		t.Fatal(err)
	}
	from, err := evm.AddressOf(secp256k1.PrivKeyFromBytes(secret).PubKey().SerializeCompressed())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Sandbox.Faucet(
		ctx, railkit.FaucetRequest{Chain: "base", Address: from.String(), Asset: "native", Amount: "1"},
	); err != nil {
		t.Fatal(err)
	}
	to, err := evm.ParseAddress(receiver)
	if err != nil {
		t.Fatal(err)
	}
	tx := evm.Tx{
		Type: evm.DynamicFee, ChainID: 84532, MaxFeePerGas: big.NewInt(5e9), MaxPriorityFeePerGas: big.NewInt(1e9),
		GasLimit: 21_000, To: &to, Value: big.NewInt(7),
	}
	signed := func(tx evm.Tx) string {
		raw, err := evm.SignTx(tx, secret, from)
		if err != nil {
			t.Fatal(err)
		}
		return chain.Hex(raw)
	}
	raw := signed(tx)
	other, mainnet, rich := tx, tx, tx
	other.Value, mainnet.ChainID = big.NewInt(8), 1
	rich.Value, rich.Nonce = new(big.Int).Exp(big.NewInt(10), big.NewInt(24), nil), tx.Nonce+1
	sent, err := c.Transactions.BroadcastRaw(ctx, railkit.RawTransaction{SignedTransaction: raw, ChainID: 84532})
	bytes, _ := chain.ParseHex(raw)
	if id := evm.ID(bytes); err != nil ||
		sent.TxHash != chain.Hex(id[:]) || sent.Status != "broadcast" || sent.Network != "base" {
		t.Fatalf("sent %+v, %v", sent, err)
	}
	apptest.Eventually(t, "it arrives", func() bool {
		_, err := c.Transactions.BroadcastRaw(
			ctx, railkit.RawTransaction{SignedTransaction: strings.TrimPrefix(raw, "0x")},
		)
		return err == nil // the same bytes again are the same transaction
	})
	post := func(body string) apptest.Answer {
		return a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/broadcast/raw", body)
	}
	if got := post(fmt.Sprintf(`{"rawSignedTransaction":%q,"network":"base"}`, raw)); got.Status != 200 {
		t.Errorf("the other dialect: %d %s", got.Status, got.Body)
	}
	old := fmt.Sprintf(`{"signedTransaction":%q}`, signed(other))
	apptest.Eventually(t, "its nonce is used up", func() bool { return post(old).Status == 422 })
	for name, c := range map[string]struct {
		body   string
		status int
		code   string
	}{
		"unsigned": {
			fmt.Sprintf(`{"signedTransaction":%q}`, chain.Hex(tx.Unsigned())), 400, "validation_failed",
		},
		"no hex":             {`{"signedTransaction":"0xzz"}`, 400, "validation_failed"},
		"another chain id":   {fmt.Sprintf(`{"signedTransaction":%q,"chainId":80002}`, raw), 400, "validation_failed"},
		"another network":    {fmt.Sprintf(`{"signedTransaction":%q,"network":"polygon"}`, raw), 400, "validation_failed"},
		"of the main net":    {fmt.Sprintf(`{"signedTransaction":%q}`, signed(mainnet)), 400, "validation_failed"},
		"trailing bytes":     {fmt.Sprintf(`{"signedTransaction":%q}`, raw+"00"), 400, "validation_failed"},
		"a nonce that's old": {old, 422, "not_accepted"},
		"above the balance":  {fmt.Sprintf(`{"signedTransaction":%q}`, signed(rich)), 422, "not_accepted"},
	} {
		t.Run(name, func(t *testing.T) { wantError(t, post(c.body), c.status, c.code) })
	}
}
