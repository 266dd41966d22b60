package signing_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// lent is an owner with a delegation that any request may use.
func lent(t *testing.T, c *railkit.Client, o apptest.Owner) *railkit.Policy {
	t.Helper()
	req := policyOn(o, railkit.PolicyRules{Delegation: &railkit.Delegation{
		AnyRequest: true, ExpiresAt: time.Now().Add(time.Hour).UTC().Format(time.RFC3339), MaxValueUSD: "50",
		DailyUSD: "500", AllowedDestinations: []string{receiver},
	}})
	req.SignedActivity = stampedBy(t, o)(c.Policies.Prepare(ctx, req))
	p, err := c.Policies.Create(ctx, req)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// bytesOf are exact bytes of a payment of so many wei.
func bytesOf(o apptest.Owner, nonce uint64, wei int64) railkit.SignTransactionRequest {
	to, _ := evm.ParseAddress(receiver)
	tx := evm.Tx{
		Type: evm.DynamicFee, ChainID: 84532, Nonce: nonce, MaxFeePerGas: big.NewInt(3e9),
		MaxPriorityFeePerGas: big.NewInt(1e9), GasLimit: 21000,
		To: &to, Value: big.NewInt(wei),
	}
	return railkit.SignTransactionRequest{
		SignWith: o.Address.Address, UnsignedTransaction: chain.Hex(tx.Unsigned()), Type: railkit.TypeEthereum,
		ChainID: 84532,
	}
}

// permitted is typed data of Permit2: the receiver may take a cent's worth of USDC.
func permitted(nonce int, deadline time.Time) string {
	return fmt.Sprintf(`{"types":{"EIP712Domain":[{"name":"chainId","type":"uint256"},{"name":"verifyingContract","type":"address"}],`+
		`"TokenPermissions":[{"name":"token","type":"address"},{"name":"amount","type":"uint256"}],`+
		`"PermitTransferFrom":[{"name":"permitted","type":"TokenPermissions"},{"name":"spender","type":"address"},{"name":"nonce","type":"uint256"},{"name":"deadline","type":"uint256"}]},`+
		`"primaryType":"PermitTransferFrom","domain":{"chainId":84532,"verifyingContract":%q},`+
		`"message":{"permitted":{"token":%q,"amount":"10000"},"spender":%q,"nonce":"%d","deadline":"%d"}}`,
		evm.Permit2Address().String(), apptest.USDC().Address, receiver, nonce, deadline.Unix())
}

// Whoever takes a delegation away is told what was signed under it and can still
// land, with what makes it worthless; and can ask again later.
func TestSigning_RevokedDelegationTellsWhatIsLeft(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	p := lent(t, c, alice)
	sent := bytesOf(alice, 0, 1)
	sent.Broadcast = true
	first, err := c.Transactions.Sign(ctx, sent)
	if err != nil {
		t.Fatal(err)
	}
	confirmed(t, a, c, first.TransactionID)
	_, err = c.Transactions.Sign(ctx, bytesOf(alice, 65535, 1))
	var e *railkit.Error
	if !errors.As(err, &e) ||
		e.Status != http.StatusConflict || e.Code != "nonce_not_next" || !strings.Contains(e.Message, "which is 1") {
		t.Errorf("a nonce that leaves others out: %v", err)
	}
	kept, err := c.Transactions.Sign(ctx, bytesOf(alice, 1, 2))
	if err != nil {
		t.Fatal(err)
	}
	ends := time.Now().Add(10 * time.Minute)
	if _, err := c.Messages.Sign(ctx, railkit.SignMessageRequest{
		SignWith: alice.Address.Address, Type: railkit.MessageTypedData, Payload: permitted(513, ends),
	}); err != nil {
		t.Fatal(err)
	}
	_, err = c.Messages.Sign(ctx, railkit.SignMessageRequest{
		SignWith: alice.Address.Address, Type: railkit.MessageTypedData,
		Payload: permitted(514, time.Now().Add(2*time.Hour)),
	})
	wantQueued(t, err)

	gone, err := c.Policies.Delete(ctx, p.ID, stampedBy(t, alice)(c.Policies.PrepareDeletion(ctx, p.ID)))
	if err != nil {
		t.Fatal(err)
	}
	left := gone.Outstanding
	if left == nil || len(left.Transactions) != 1 ||
		len(left.Authorizations) != 1 || !left.Complete || len(left.Mined) != 1 || left.Mined[0].Nonce != 1 {
		t.Fatalf("left %+v", left)
	}
	tx, permit := left.Transactions[0], left.Authorizations[0]
	if tx.TransactionID != kept.TransactionID || tx.TxHash != kept.TxHash ||
		tx.Nonce == nil || *tx.Nonce != 1 || tx.Network != "base" || tx.Void.Prepare[0].Replaces != kept.TransactionID {
		t.Errorf("the transaction: %+v", tx)
	}
	if permit.Type != "PermitTransferFrom" ||
		permit.Nonces[0] != "513" || permit.EndsAt == nil || permit.Effects[0].Spender != receiver ||
		!strings.HasPrefix(permit.Void.Prepare[0].Data, "0x3ff9dcb1") ||
		permit.Void.Prepare[0].To != evm.Permit2Address().String() {
		t.Errorf("the authorization: %+v", permit)
	}

	instead, err := c.Transactions.PrepareReplacement(
		ctx, railkit.ReplaceRequest{Type: railkit.TypeVoid, Replaces: kept},
	)
	if err != nil {
		t.Fatal(err)
	}
	signed, send := stampedBy(t, alice)(&instead.Prepared, nil), false
	void, err := c.Transactions.Confirm(ctx, railkit.ConfirmTransactionRequest{
		TransactionID: instead.TransactionID, SignedActivity: *signed, Broadcast: &send,
	})
	if err != nil {
		t.Fatal(err)
	}
	again, err := c.Policies.Outstanding(ctx, p.ID)
	if err != nil || len(again.Transactions) != 1 ||
		again.Transactions[0].ReplacedBy != void.TransactionID || len(again.Transactions[0].Void.Prepare) != 0 {
		t.Fatalf("with a replacement under way: %+v, %v", again, err)
	}
	if _, err := c.Transactions.Broadcast(ctx, void.TransactionID); err != nil {
		t.Fatal(err)
	}
	confirmed(t, a, c, void.TransactionID)
	if again, err = c.Policies.Outstanding(ctx, p.ID); err != nil ||
		len(again.Transactions) != 0 || len(again.Authorizations) != 1 {
		t.Errorf("after it is void: %+v, %v", again, err)
	}
	if _, err := c.Policies.Outstanding(ctx, "11111111-1111-4111-8111-111111111111"); !railkit.IsNotFound(err) {
		t.Errorf("of no policy: %v", err)
	}
}

// An empty key made the broadest delegation there is.
func TestSigning_DelegationNamesItsKeyOrAnyRequest(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	delegation := func(members string) string {
		return fmt.Sprintf(`{"name":"x","walletId":%q,"rules":{"delegation":{%s"expiresAt":%q,"maxValueUsd":1,"dailyUsd":1,"allowedDestinations":[%q]}}}`,
			alice.Wallet.WalletID, members, time.Now().Add(time.Hour).UTC().Format(time.RFC3339), receiver)
	}
	const key = `"publicKey":"036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",`
	for members, field := range map[string]string{
		`"publicKey":"",`: "publicKey", ``: "publicKey", `"anyRequest":false,`: "publicKey",
		`"publicKey":"","anyRequest":true,`: "publicKey",
		key + `"anyRequest":true,`:          "anyRequest", key + `"maxValiditySeconds":86401,`: "maxValiditySeconds",
	} {
		for _, path := range []string{policies, policies + "?prepare=true"} {
			got := a.Do(a.Keys.BenchKey, "POST", path, delegation(members))
			if got.Status != 400 || !strings.Contains(got.Body, "rules.delegation."+field) {
				t.Errorf("%s of %s: %d %s", path, members, got.Status, got.Body)
			}
		}
	}
	got := a.Do(a.Keys.BenchKey, "POST", policies+"?prepare=true", delegation(`"anyRequest":true,`))
	if got.Status != 200 || !strings.Contains(got.Body, "any request of the server can use this delegation") {
		t.Errorf("asked for by name: %d %s", got.Status, got.Body)
	}
	p := lent(t, c, alice)
	if d := p.Rules.Delegation; d == nil || !d.AnyRequest || d.PublicKey != "" || d.MaxValiditySeconds != 0 {
		raw, _ := json.Marshal(p.Rules)
		t.Errorf("made %s", raw)
	}
	lower, err := c.Policies.Update(ctx, p.ID, railkit.PolicyUpdate{Rules: railkit.RulesPatch{"maxValueUsd": 5}})
	if err != nil || lower.Rules.Delegation == nil || lower.Outstanding != nil {
		t.Errorf("a limit beside it: %+v, %v", lower, err)
	}
	ended, err := c.Policies.Update(ctx, p.ID, railkit.PolicyUpdate{Rules: railkit.RulesPatch{"delegation": nil}})
	if err != nil || ended.Rules.Delegation != nil ||
		ended.Outstanding == nil || len(ended.Outstanding.Transactions) != 0 || !ended.Outstanding.Complete {
		t.Errorf("taken away, unused: %+v, %v", ended, err)
	}
}
