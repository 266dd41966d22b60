package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/google/uuid"

	railkit "github.com/railkit/railkit/sdk/go"
)

// payee is who is paid: with one bank account, and a withdrawal address of it.
type payee struct{ key, recipientID, address string }

// orderFlows are quotes that are executed, and orders from deposit to bank. The
// floor of the former is the kit without HTTP: the same statements. That of the
// latter are the order's changes alone.
func (c *customers) orderFlows(engine string) []flow {
	// Apart: a deposit pays for a quote that waits.
	k, paid := &lazyKit{tb: c.tb, engine: engine}, &lazyKit{tb: c.tb, engine: engine}
	flows := []flow{
		{"order", 1, 20, 0.5, c.orders(c.spread), k.orders(eachPayee)},
		{"order", 8, 80, 0.5, c.orders(c.spread), k.orders(eachPayee)},
		{"order", 32, 160, 0.5, c.orders(c.spread), k.orders(eachPayee)},
		{"order, one recipient", 8, 80, 0.5, c.orders(c.hot), k.orders(onePayee)},
		{"order, 8 workspaces", 8, 80, 0.5, c.orders(c.apart), k.orders(eachWorkspace)},
		{"order to bank, kit", 8, 40, 0.5, paid.payments(eachPayee), paid.changes(eachPayee)},
		{"order to bank, kit, one address", 8, 40, 0.5, paid.payments(onePayee), paid.changes(onePayee)},
	}
	if engine == "postgres" {
		flows = append(flows, flow{"order, pgbench", 8, 80, 0.25, c.orders(c.spread), nil},
			flow{"order, pgbench", 32, 160, 0.25, c.orders(c.spread), nil},
			flow{"order, 8 workspaces, pgbench", 8, 80, 0.25, c.orders(c.apart), nil})
	}
	return flows
}

// orders are quotes over HTTP that are executed at once: two commits each, both
// under an idempotency key.
func (c *customers) orders(whom func() ([]payee, error)) func(n int) ([]call, error) {
	return func(n int) ([]call, error) {
		payees, err := whom()
		if err != nil {
			return nil, err
		}
		return many(n, func(i int) (call, error) {
			p := payees[i%len(payees)]
			return func() error { return c.order(p) }, nil
		})
	}
}

func (c *customers) order(p payee) error {
	var quote struct{ Data railkit.Quote }
	err := c.post(p.key, "/v1/payout/accounts/quote",
		railkit.QuoteRequest{BeneficiaryID: p.recipientID, Amount: "100", Currency: "USDC"}, http.StatusOK, &quote)
	if err != nil {
		return err
	}
	var order struct{ Data railkit.Payment }
	return c.post(p.key, "/v1/payout/accounts/execute",
		railkit.ExecuteRequest{QuoteID: quote.Data.QuoteID, BeneficiaryID: p.recipientID}, http.StatusCreated, &order)
}

func (c *customers) post(key, path string, body any, want int, into any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	told, err := answer(http.MethodPost, c.url()+path, key, raw,
		map[string]string{"Idempotency-Key": uuid.NewString()}, want)
	if err != nil {
		return err
	}
	return json.Unmarshal(told, into)
}

// spread are many recipients of one workspace.
func (c *customers) spread() (all []payee, err error) {
	if c.payees == nil {
		c.payees, err = many(len(c.all), func(i int) (payee, error) { return c.newPayee(c.keys.BenchKey, i) })
	}
	return c.payees, err
}

// hot is one of them.
func (c *customers) hot() ([]payee, error) {
	all, err := c.spread()
	if err != nil {
		return nil, err
	}
	return all[:1], nil
}

// apart is one of each of several workspaces.
func (c *customers) apart() ([]payee, error) {
	tenants, err := c.manyTenants()
	if err != nil {
		return nil, err
	}
	if c.payeesApart == nil {
		c.payeesApart, err = many(len(tenants), func(i int) (payee, error) { return c.newPayee(tenants[i].key, i) })
	}
	return c.payeesApart, err
}

func (c *customers) newPayee(key string, i int) (payee, error) {
	ctx, client := context.Background(), c.clientOf(key)
	r, err := client.Recipients.Create(ctx, railkit.RecipientRequest{
		Name: fmt.Sprintf("Recipient %d", i), OwnerType: "individual",
		Address: railkit.PostalAddress{Street: "S 1", City: "CDMX", Country: "MX"},
	})
	if err != nil {
		return payee{}, err
	}
	a, err := client.BankAccounts.Create(ctx, r.ID, railkit.BankAccountRequest{
		Currency: "mxn", Country: "MX", CLABE: "032180000118359719",
	})
	if err != nil {
		return payee{}, err
	}
	w, err := client.WithdrawAddresses.Create(ctx, railkit.WithdrawAddressRequest{BeneficiaryAccountID: a.ID})
	if err != nil {
		return payee{}, err
	}
	return payee{key, r.ID, w.Address}, nil
}
