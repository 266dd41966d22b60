package facilitator_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/x402test"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/x402"
)

// A wallet of the signer that has USDC and no coins: its passkey stamps the authorization, within the wallet's
// policies, and the facilitator hands it in and pays the gas.
func TestAgents_FacilitatorRelaysForAWalletWithoutGas(t *testing.T) {
	a := apptest.Shared(t)
	c := x402test.NewChain(t)
	f, client := c.Facilitator(), a.Client()
	o := a.Register(client, "nogas@example.com")
	var err error
	if o.Wallet, err = client.Wallets.Create(t.Context(), o.Passkey, railkit.PrepareWalletRequest{
		WalletName: "No gas", SubOrganizationID: o.Sub.SubOrganizationID,
	}); err != nil {
		t.Fatal(err)
	}
	if o.Address, err = client.Addresses.Create(t.Context(), o.Passkey, railkit.PrepareAccountRequest{
		WalletID: o.Wallet.WalletID, Chain: "base",
	}); err != nil {
		t.Fatal(err)
	}
	from, err := evm.ParseAddress(o.Address.Address)
	if err != nil {
		t.Fatal(err)
	}
	c.Give(from, "USDC", "5")
	if _, err := client.Policies.Create(t.Context(), railkit.PolicyRequest{
		Name: "at most 2", WalletID: o.Wallet.WalletID, Rules: railkit.PolicyRules{MaxValueUSD: "2"},
	}); err != nil {
		t.Fatal(err)
	}
	to := x402test.NewKey(t).Address
	ends := c.Now().Add(2 * time.Minute).Unix()
	receipt, err := f.Settle(t.Context(), relayed(t, c, client, o, to, "1500000", ends))
	if settled(t, receipt, err); c.Balance(to) != 1_500_000 || c.Balance(from) != 3_500_000 {
		t.Errorf("the receiver has %d", c.Balance(to))
	}
	if _, err := authorize(t, c, client, o, to, "2000001", ends); err == nil ||
		!strings.Contains(err.Error(), "policy_denied") {
		t.Errorf("above the wallet's policy: %v", err)
	}
}

// authorize has the owner's passkey sign an authorization.
func authorize(t *testing.T, c *x402test.Chain, client *railkit.Client, o apptest.Owner, to evm.Address, value string,
	ends int64,
) (signature string, err error) {
	t.Helper()
	var fields []string
	for _, f := range []string{
		"address from", "address to", "uint256 value", "uint256 validAfter", "uint256 validBefore", "bytes32 nonce",
	} {
		kind, name, _ := strings.Cut(f, " ")
		fields = append(fields, fmt.Sprintf(`{"name":%q,"type":%q}`, name, kind))
	}
	req := railkit.SignMessageRequest{
		SignWith: o.Address.Address, Type: railkit.MessageTypedData,
		Payload: fmt.Sprintf(`{"types":{"EIP712Domain":[{"name":"name","type":"string"},`+
			`{"name":"version","type":"string"},{"name":"chainId","type":"uint256"},{"name":"verifyingContract","type":"address"}],`+
			`"TransferWithAuthorization":[%s]},"primaryType":"TransferWithAuthorization",`+
			`"domain":{"name":%q,"version":%q,"chainId":%d,"verifyingContract":%q},"message":%s}`,
			strings.Join(fields, ","), c.USDC.DomainName, c.USDC.DomainVersion, c.Network.ChainID, c.USDC.Address,
			message(o, to, value, ends)),
	}
	prepared, err := client.Messages.Prepare(t.Context(), req)
	if err != nil {
		return "", err
	}
	signed, err := prepared.Stamp(o.Passkey)
	if err != nil {
		return "", err
	}
	req.SignedActivity = &signed
	made, err := client.Messages.Sign(t.Context(), req)
	if err != nil {
		return "", err
	}
	return made.Signature, nil
}

func message(o apptest.Owner, to evm.Address, value string, ends int64) string {
	return fmt.Sprintf(`{"from":%q,"to":%q,"value":%q,"validAfter":"0","validBefore":"%d","nonce":"0x%064d"}`,
		o.Address.Address, to, value, ends, 7)
}

func relayed(t *testing.T, c *x402test.Chain, client *railkit.Client, o apptest.Owner, to evm.Address, value string,
	ends int64,
) x402.Request {
	t.Helper()
	signature, err := authorize(t, c, client, o, to, value, ends)
	if err != nil {
		t.Fatal(err)
	}
	offer, err := json.Marshal(c.Offer(value, to))
	if err != nil {
		t.Fatal(err)
	}
	return x402.Request{Version: 2, Requirements: offer, Payload: fmt.Appendf(nil,
		`{"x402Version":2,"accepted":%s,"payload":{"signature":%q,"authorization":%s}}`, offer, signature,
		message(o, to, value, ends))}
}
