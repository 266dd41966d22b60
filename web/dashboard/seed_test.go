package dashboard_test

import (
	"errors"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
	railkit "github.com/railkit/railkit/sdk/go"
)

// stranger is somebody whose address nobody here has.
const stranger = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"

// seeded are the ids of what a workspace in use has, one of each.
type seeded struct{ wallet, address, transaction, approval, order, recipient, agent string }

func must[T any](got T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
}

// seed makes one of everything, with each text that a caller can choose as named says.
func (w *world) seed(t *testing.T, named func(string) string) seeded {
	t.Helper()
	c, ctx := w.Client(), t.Context()
	owner := w.Fund(c, "grace@example.com")
	s := seeded{wallet: owner.Wallet.WalletID, address: owner.Address.Address}
	sent := must(c.Transactions.Send(ctx, owner.Passkey, owner.Payment(stranger, "12.50")))(t)
	s.transaction = sent.TransactionID
	must(c.Transactions.WaitConfirmed(ctx, s.transaction, 0))(t)
	must(c.Policies.Create(ctx, railkit.PolicyRequest{
		Name: named("Daily spending"), WalletID: s.wallet, Rules: railkit.PolicyRules{MaxValueUSD: "500"},
	}))(t)
	if _, err := c.Transactions.Prepare(ctx, owner.Payment(stranger, "900")); err == nil {
		t.Fatal("the rule refuses nothing")
	}
	payee := must(c.Payees.Prepare(ctx, railkit.PayeeRequest{
		Name: "Acme Supplies", Address: stranger, Network: "base", Kind: "wallet",
		SubOrganizationID: owner.Sub.SubOrganizationID,
	}))(t)
	must(c.Payees.AddPrepared(ctx, owner.Passkey, *payee))(t)
	s.agent = must(c.Agents.Create(ctx, owner.Passkey, railkit.AgentRequest{
		Name: "Data buyer", Description: named("Buys market data"), SubOrganizationID: owner.Sub.SubOrganizationID,
		ChainID: 84532, AgentReach: railkit.AgentReach{AllowedRecipients: []string{stranger}},
		Budget: railkit.AgentBudget{
			InfraMonthlyUSD: "50", TokensMonthlyUSD: "200", PaymentsMonthlyUSDC: "100", PerTxUSDC: "5",
			ApprovalThresholdUSDC: "2",
		},
	}))(t).AgentID
	w.seedOrder(t, c, &s, named)
	w.seedApproval(t, c, owner, &s)
	return s
}

// seedOrder pays a recipient by a deposit at an address of its own.
func (w *world) seedOrder(t *testing.T, c *railkit.Client, s *seeded, named func(string) string) {
	t.Helper()
	ctx := t.Context()
	s.recipient = must(c.Recipients.Create(ctx, railkit.RecipientRequest{
		Name: named("Ana Ruiz"), Email: "ana@example.com", OwnerType: "individual",
		Address: railkit.PostalAddress{Street: named("Calle Uno 1"), City: "Ciudad de México", Country: "MX"},
	}))(t).ID
	account := must(c.BankAccounts.Create(ctx, s.recipient, railkit.BankAccountRequest{
		Currency: "mxn", Country: "MX", CLABE: "032180000118359719", BankName: "STP",
	}))(t)
	address := must(c.WithdrawAddresses.Create(ctx, railkit.WithdrawAddressRequest{
		BeneficiaryAccountID: account.ID, WalletID: s.wallet,
	}))(t)
	must(c.Sandbox.Faucet(ctx, railkit.FaucetRequest{
		Chain: "base", Address: address.Address, Asset: "USDC", Amount: "250",
	}))(t)
	apptest.Eventually(t, "the order is paid", func() bool {
		orders, err := c.Orders.List(ctx, railkit.OrderListOptions{})
		if err != nil || len(orders.Items) == 0 {
			return false
		}
		s.order = orders.Items[0].ID
		return orders.Items[0].Status == "completed"
	})
}

// seedApproval has a payment wait for two people.
func (w *world) seedApproval(t *testing.T, c *railkit.Client, owner apptest.Owner, s *seeded) {
	t.Helper()
	on := true
	must(c.Approvals.UpdateConfig(t.Context(), railkit.ApprovalConfigRequest{
		Enabled: &on, ThresholdUSD: "20", RequiredApprovers: 1, SubOrganizationID: owner.Sub.SubOrganizationID,
	}))(t)
	_, err := c.Transactions.Send(t.Context(), owner.Passkey, owner.Payment(stranger, "44"))
	var waits *railkit.QueuedError
	if !errors.As(err, &waits) {
		t.Fatalf("the payment did not wait: %v", err)
	}
	s.approval = waits.ApprovalID
}

// pages are all pages, by the names of their pictures.
func (s seeded) pages() [][2]string {
	return [][2]string{
		{"home", "/"}, {"approvals", "/approvals"}, {"approval", "/approvals/" + s.approval},
		{"wallets", "/wallets"}, {"wallet", "/wallets/" + s.wallet}, {"send", "/wallets/" + s.wallet + "/send"},
		{"transactions", "/transactions"}, {"transaction", "/transactions/" + s.transaction}, {"payees", "/payees"},
		{"orders", "/orders"}, {"order", "/orders/" + s.order}, {"recipients", "/recipients"},
		{"recipient", "/recipients/" + s.recipient}, {"agents", "/agents"}, {"agent", "/agents/" + s.agent},
		{"workspace", "/workspace"}, {"kyb", "/kyb"}, {"members", "/members"}, {"keys", "/keys"}, {"audit", "/audit"},
		{"me", "/me"}, {"missing", "/no/such/page"},
	}
}

// used is a workspace with one of everything, and an admin in it.
func used(t *testing.T, named func(string) string) (*world, seeded, *person) {
	t.Helper()
	w := newWorld(t, apptest.WithPartner(t))
	w.Prices(t, map[string]string{"ETH": "3000", "USDC": "1"})
	s := w.seed(t, named)
	return w, s, w.joins(t, "ada@example.com", auth.RoleAdmin)
}
