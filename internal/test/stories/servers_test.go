package stories_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/signingtest"
	"github.com/railkit/railkit/internal/test/testenv"
	"github.com/railkit/railkit/kit/payout/reconcile"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/audit"
	railkit "github.com/railkit/railkit/sdk/go"
)

// servers are three of one database and one signer, each of which works on jobs, with callers who come to any of them.
type servers struct {
	*apptest.App
	t      *testing.T
	all    []*apptest.App
	owner  apptest.Owner
	dice   *dice
	paid   atomic.Int64 // micro-USDC that left the owner's wallet
	orders sync.Map     // true, by id
	sent   sync.Map     // the same of transactions
}

const (
	payments, payouts = 6, 3
	tries, fits       = 9, 4 // of an agent to pay, and how many its budget allows
	cent              = 10_000
	shop              = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
)

// Whichever server a caller comes to, also with one key at two of them at once: money is where it was sent, once, what
// a key did is one thing, and the record and the events have neither a gap nor a double.
func TestPlatform_ThreeServers(t *testing.T) {
	t.Parallel()
	s := newServers(t)
	bot, wallet := s.agent()
	var callers sync.WaitGroup
	for range payments {
		callers.Go(func() { s.pays(fmt.Sprintf("0x%040x", s.dice.below(1<<62)), "0.01") })
	}
	for i := range payouts {
		to := s.recipient(i)
		callers.Go(func() { s.paysOut(to) })
	}
	var agentPaid, refused atomic.Int64
	for range tries {
		callers.Go(func() {
			switch err := s.tries(bot); {
			case err == nil:
				agentPaid.Add(1)
			case signingtest.Code(err) == "budget_exhausted":
				refused.Add(1)
			default:
				t.Errorf("an agent's payment: %v", err)
			}
		})
	}
	callers.Wait()
	if t.Failed() {
		return
	}
	if agentPaid.Load() != fits || refused.Load() != tries-fits {
		t.Errorf("the agent paid %d times and was refused %d times", agentPaid.Load(), refused.Load())
	}
	apptest.Eventually(t, "all is mined and paid out", func() bool {
		return s.HoldsUSDC("base", s.owner.Address.Address) <= 1000*100*cent-s.paid.Load() &&
			s.HoldsUSDC("base", wallet) <= 10*100*cent-fits*cent && s.settled()
	})
	if s.HoldsUSDC("base", s.owner.Address.Address) != 1000*100*cent-s.paid.Load() ||
		s.HoldsUSDC("base", wallet) != 10*100*cent-fits*cent {
		t.Error("more left a wallet than was confirmed")
	}
	s.recorded()
	s.numbered()
	s.paidOutOnce()
}

func newServers(t *testing.T) *servers {
	t.Helper()
	a := apptest.Rig(t, apptest.WithPostgres(t), apptest.WithPartner(t))
	s := &servers{App: a, t: t, all: []*apptest.App{a}, dice: newDice(t)}
	for range 2 {
		other := a.Another()
		if err := other.Start(context.Background()); err != nil {
			t.Fatal(err)
		}
		s.all = append(s.all, other)
	}
	s.owner = a.Fund(a.Client(), "owner@example.com")
	return s
}

// dice are a run's, thrown by many callers.
type dice struct {
	mu sync.Mutex
	r  *rand.Rand
}

func newDice(t *testing.T) *dice { return &dice{r: rand.New(rand.NewPCG(testenv.Seed(t), 0))} }

func (d *dice) below(n int64) int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.r.Int64N(n)
}

// any is one of the servers.
func (s *servers) any() *apptest.App { return s.all[s.dice.below(int64(len(s.all)))] }

// once sends a request under one key to two servers at once, and to the third afterwards: one does it, and all say so.
func (s *servers) once(path string, body, into any) {
	s.t.Helper()
	raw, key, first := apptest.JSON(s.t, body), uuid.NewString(), int(s.dice.below(3))
	answers := make([]apptest.Answer, 2)
	var both sync.WaitGroup
	for i := range answers {
		both.Go(func() { answers[i] = s.insists(s.all[(first+i)%3], path, raw, key) })
	}
	both.Wait()
	answers = append(answers, s.insists(s.all[(first+2)%3], path, raw, key))
	replayed := 0
	for _, got := range answers {
		if got.Status/100 != 2 || got.Body != answers[0].Body {
			s.t.Errorf("%s: %d %s\nand %d %s", path, got.Status, got.Body, answers[0].Status, answers[0].Body)
		}
		if got.Header.Get("Idempotent-Replayed") == "true" {
			replayed++
		}
	}
	if replayed != 2 {
		s.t.Errorf("%s: %d of three answers were repeated", path, replayed)
	}
	if err := json.Unmarshal([]byte(answers[0].Body), &struct{ Data any }{into}); err != nil {
		s.t.Errorf("%s: %v", path, err)
	}
}

// insists comes again while another server is at the same key.
func (s *servers) insists(at *apptest.App, path, body, key string) (got apptest.Answer) {
	s.t.Helper()
	apptest.Eventually(s.t, "the key is free", func() bool {
		got = at.Do(s.Keys.BenchKey, "POST", path, body, "Idempotency-Key", key)
		return got.Status != 409
	})
	return got
}

// pays is prepared at one server and confirmed at others.
func (s *servers) pays(to, amount string) {
	s.t.Helper()
	p, err := s.any().Client().Transactions.Prepare(s.t.Context(), s.owner.Payment(to, amount))
	if err != nil {
		s.t.Errorf("preparing: %v", err)
		return
	}
	stamp, err := s.owner.Passkey.Stamp(p.UnsignedActivity.Body)
	if err != nil {
		s.t.Error(err)
		return
	}
	var made railkit.Transaction
	s.once("/v1/transactions/confirm", railkit.ConfirmTransactionRequest{
		TransactionID: p.TransactionID, SignedActivity: p.Signed(stamp),
	}, &made)
	s.sent.Store(p.TransactionID, true)
	sum, err := money.Parse(amount, money.USDC)
	if err != nil {
		s.t.Error(err)
	}
	s.paid.Add(sum.Minor)
}

// payee has a bank account, and an address that pays into it.
type payee struct{ id, address string }

func (s *servers) recipient(i int) payee {
	s.t.Helper()
	ctx, c := s.t.Context(), s.Client()
	r, err := c.Recipients.Create(ctx, railkit.RecipientRequest{
		Name: fmt.Sprint("Ana ", i), OwnerType: "individual",
		Address: railkit.PostalAddress{Street: "S 1", City: "CDMX", PostalCode: "06600", Country: "MX"},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	account, err := c.BankAccounts.Create(ctx, r.ID, railkit.BankAccountRequest{
		Country: "MX", Currency: "mxn", CLABE: "032180000118359719",
	})
	if err != nil {
		s.t.Fatal(err)
	}
	w, err := c.WithdrawAddresses.Create(ctx, railkit.WithdrawAddressRequest{BeneficiaryAccountID: account.ID})
	if err != nil {
		s.t.Fatal(err)
	}
	return payee{r.ID, w.Address}
}

// paysOut has an order quoted at one server and executed at others, and pays for it from the wallet.
func (s *servers) paysOut(to payee) {
	s.t.Helper()
	q, err := s.any().Client().Payments.Quote(s.t.Context(), railkit.QuoteRequest{
		BeneficiaryID: to.id, Amount: "20", Currency: "USDC",
	})
	if err != nil {
		s.t.Errorf("quoting: %v", err)
		return
	}
	var made railkit.Payment
	s.once("/v1/payout/accounts/execute", railkit.ExecuteRequest{QuoteID: q.QuoteID, BeneficiaryID: to.id}, &made)
	s.orders.Store(made.OrderID, true)
	s.pays(to.address, q.SourceAmount.String())
}

// agent may pay anybody, so often, and has 10 USDC.
func (s *servers) agent() (made *railkit.AgentChange, wallet string) {
	s.t.Helper()
	ctx, c := s.t.Context(), s.Client()
	made, err := c.Agents.Create(ctx, s.owner.Passkey, railkit.AgentRequest{
		Name: "Payer", SubOrganizationID: s.owner.Sub.SubOrganizationID, ChainID: 84532,
		Budget: railkit.AgentBudget{
			InfraMonthlyUSD: "50", TokensMonthlyUSD: "50",
			PaymentsMonthlyUSDC: railkit.Number(fmt.Sprintf("0.%02d", fits)),
		},
		AgentReach: railkit.AgentReach{AllowedRecipients: []string{shop}},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	got, err := c.Agents.Get(ctx, made.AgentID)
	if err != nil {
		s.t.Fatal(err)
	}
	for asset, amount := range map[string]string{"native": "1", "USDC": "10"} {
		if _, err := c.Sandbox.Faucet(ctx, railkit.FaucetRequest{
			Chain: "base", Address: got.WalletAddress, Asset: asset, Amount: amount,
		}); err != nil {
			s.t.Fatal(err)
		}
	}
	return made, got.WalletAddress
}

// tries has the agent pay at any server.
func (s *servers) tries(bot *railkit.AgentChange) error {
	s.t.Helper()
	c, err := railkit.NewAgentClient(railkit.AgentConfig{
		BaseURL: s.any().BaseURL, AgentID: bot.AgentID, Secret: bot.AgentSecret, HTTPSignatures: true,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	_, err = c.Pay(s.t.Context(), railkit.AgentPayment{
		ActionType: "payment", Amount: "10000", Destination: shop, TokenMint: "USDC", Cluster: "base",
	})
	return err
}

// settled reports whether every payment is final and every order paid out, as any server says.
func (s *servers) settled() bool {
	s.t.Helper()
	is := func(what string, all *sync.Map, state func(id string) (string, error), want string) bool {
		done := true
		all.Range(func(id, _ any) bool {
			got, err := state(id.(string))
			if err != nil {
				s.t.Errorf("%s: %v", what, err)
			}
			done = got == want
			return done
		})
		return done
	}
	return is("a transaction", &s.sent, func(id string) (string, error) {
		tx, err := s.any().Client().Transactions.Get(s.t.Context(), id)
		if err != nil {
			return "", err
		}
		return tx.Status, nil
	}, "confirmed") && is("an order", &s.orders, func(id string) (string, error) {
		o, err := s.any().Client().Orders.Get(s.t.Context(), id)
		if err != nil {
			return "", err
		}
		return o.Status, nil
	}, railkit.OrderCompleted)
}

// recorded verifies the record's chain, and the books.
func (s *servers) recorded() {
	s.t.Helper()
	report, err := audit.Verify(s.t.Context(), s.Store, s.Keys.WorkspaceID, nil, func(int) {})
	if err != nil || len(report.Faults) > 0 || report.Rows < payments+payouts {
		s.t.Errorf("the record: %+v, %v", report, err)
	}
	books := reconcile.NewBooks(s.Store.Payout(), clock.System{}, slog.New(slog.DiscardHandler))
	if err := books.Sweep(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	if at, differences := books.Last(); at.IsZero() || differences > 0 {
		s.t.Errorf("the books have %d differences at %v", differences, at)
	}
}

// numbered reads all events, each page at another server: what happened once is told once. The numbers have no gap,
// also not those of events that the key may not read.
func (s *servers) numbered() {
	s.t.Helper()
	after, told := int64(0), map[string]int{}
	for more := true; more; {
		page, err := s.any().Client().Events.List(s.t.Context(), railkit.EventOptions{After: &after, Limit: 20})
		if err != nil {
			s.t.Fatal(err)
		}
		for _, e := range page.Events {
			if e.Sequence <= after {
				s.t.Fatalf("event %d comes after %d", e.Sequence, after)
			}
			after = e.Sequence
			told[e.Type+" "+e.Object.ID]++
		}
		after, more = page.After, page.HasMore
	}
	var rows, last, head int64
	err := s.Store.Writer().QueryRowContext(s.t.Context(), `SELECT COUNT(e.seq), MAX(e.seq), MAX(h.events)
		FROM events e JOIN audit_heads h ON h.workspace_id = e.workspace_id WHERE e.workspace_id = $1`,
		s.Keys.WorkspaceID).Scan(&rows, &last, &head)
	if err != nil || rows != last || last != head {
		s.t.Errorf("%d events, of which the last is %d, and the next one follows %d: %v", rows, last, head, err)
	}
	for kind, all := range map[string]*sync.Map{"order.completed ": &s.orders, "transaction.confirmed ": &s.sent} {
		all.Range(func(id, _ any) bool {
			if n := told[kind+id.(string)]; n != 1 {
				s.t.Errorf("%s%s is told %d times", kind, id, n)
			}
			return true
		})
	}
}

// paidOutOnce asks the partner: jobs of three servers gave it one transfer an order.
func (s *servers) paidOutOnce() {
	s.t.Helper()
	theirs, err := s.Partner.Ledger(s.t.Context(), "")
	if err != nil || !theirs.Balanced || len(theirs.Payouts) != payouts {
		s.t.Fatalf("the partner has %+v, %v", theirs, err)
	}
	for _, p := range theirs.Payouts {
		if p.Paid != 1 || p.Returned != 0 || len(p.Transfers) != 1 {
			s.t.Errorf("%+v", p)
		}
	}
}
