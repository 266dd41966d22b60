package payout_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testlog"
	"github.com/railkit/railkit/job/queue"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/fx"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/price"
	"github.com/railkit/railkit/kit/payout/quote"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/watch"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store"
	rows "github.com/railkit/railkit/store/payout"
)

const ws = "0c8e1a52-6a67-4a7e-8f3e-0b5b1f0f0001"

// pendulum is a clock that the test moves.
type pendulum struct {
	mu  sync.Mutex
	now time.Time
}

func (h *pendulum) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func (h *pendulum) move(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(d)
}

// sightings is what a watcher would have written.
type sightings struct {
	mu    sync.Mutex
	clock *pendulum
	all   map[string]watch.Transfer
	head  int64
}

func (s *sightings) Transfer(_ context.Context, _, id string) (watch.Transfer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.all[id]
	if !ok {
		return t, fault.Missing("Transfer")
	}
	return t, nil
}

func (s *sightings) TransfersSince(
	_ context.Context, _ watch.OwnerKind, after page.Cursor, _ int,
) (rows []watch.Transfer, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.all {
		if t.UpdatedAt.After(after.CreatedAt) {
			rows = append(rows, t)
		}
	}
	return rows, nil
}

func (s *sightings) Head(context.Context, string) (watch.Cursor, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return watch.Cursor{Number: s.head}, true, nil
}

// rig is the kit with a database, a partner in memory, and a clock of its own.
type rig struct {
	*payout.Kit
	t         testing.TB
	db        *store.Store
	store     rows.Store
	queue     *queue.Queue
	desk      *till
	clock     *pendulum
	sees      *sightings
	log       *testlog.Log
	ahead     time.Duration // of the server's clock is the database's
	recipient recipient.Recipient
	account   account.Account
	proofs    proofs
	allowed   atomic.Pointer[workspace.Workspace] // what the operator allows the workspace
}

// shared is the time by the database's clock.
func (r *rig) shared() time.Time { return r.clock.Now().Add(r.ahead) }

func newRig(t testing.TB, configure ...func(*payout.Config)) *rig {
	t.Helper()
	r := emptyRig(t)
	r.db, r.queue = apptest.OpenStore(t, r.clock)
	return r.begin(configure...)
}

// emptyRig has no database yet.
func emptyRig(t testing.TB) *rig {
	t.Helper()
	clk := &pendulum{now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
	return &rig{
		t: t, desk: newTill(t, clk), clock: clk, log: &testlog.Log{},
		sees: &sightings{clock: clk, all: map[string]watch.Transfer{}, head: 100},
	}
}

// begin makes the kit and its first payee.
func (r *rig) begin(configure ...func(*payout.Config)) *rig {
	r.t.Helper()
	r.serve(configure...)
	r.allow(workspace.KYBApproved, auth.Payout)
	r.recipient, r.account = r.payee("Ana")
	return r
}

// serve makes the kit anew on the rig's database, as a server does that starts.
func (r *rig) serve(configure ...func(*payout.Config)) {
	r.t.Helper()
	r.store = r.db.Payout()
	log := slog.New(slog.NewTextHandler(r.log, nil))
	c := payout.Config{
		Stores: timed(r.store.Stores(), r.shared), Partner: r.desk, Workspaces: r, Clock: r.clock, Log: log,
		Transfers: r.sees, Wallets: r, Proofs: &r.proofs, Vault: newVault(r.t),
		Rates:   fx.New(fx.Config{Source: r.desk, Clock: r.clock, Log: log, Keep: time.Second, Oldest: time.Minute}),
		Quoting: quote.Settings{Life: 5 * time.Minute, Most: money.Of(1_000_000_000_000, money.USDC)},
		Fees:    price.Stock, Band: 500, Least: money.Of(1_000_000, money.USDC),
		Chains:      []string{"base", "polygon", "solana"},
		Environment: chain.Sandbox, Deposits: price.DepositsOf(price.StockOnRamp, nil, nil),
	}
	for _, change := range configure {
		change(&c)
	}
	r.Kit = payout.New(c)
}

// thief is the address of a wallet that somebody would like to have refunds sent to.
const thief = "0x00000000000000000000000000000000000000dd"

// AddressOn is where refunds go.
func (r *rig) AddressOn(_ context.Context, _, walletID, chain string) (string, string, error) {
	switch walletID {
	case "wallet":
		if chain == "solana" {
			return walletID, solanaWallet, nil
		}
		return walletID, "0x00000000000000000000000000000000000000ff", nil
	case "thief":
		return walletID, thief, nil
	case "elsewhere":
		return walletID, "", nil
	}
	return "", "", fault.Missing("Wallet")
}

// Workspace is who the customer is.
func (r *rig) Workspace(_ context.Context, id string) (workspace.Workspace, error) {
	w := *r.allowed.Load()
	w.ID = id
	return w, nil
}

// allow is what an operator says of the workspace.
func (r *rig) allow(kyb string, modules ...auth.Module) {
	r.allowed.Store(&workspace.Workspace{
		Name: "Acme", Email: "acme@example.com", KYBStatus: kyb, Modules: modules, UpdatedAt: r.clock.Now(),
	})
}

// write is a transaction of the test's.
func (r *rig) write(fn func(context.Context, payout.Tx) error) {
	r.t.Helper()
	err := r.store.Work(r.t.Context(), ws, func(ctx context.Context, tx payout.Tx) (command.Audit, error) {
		return command.Audit{}, fn(ctx, tx)
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

// payee is a recipient with a bank account that can be paid.
func (r *rig) payee(name string) (recipient.Recipient, account.Account) {
	r.t.Helper()
	now := r.clock.Now()
	who := recipient.Recipient{
		WorkspaceID: ws, ID: uuid.NewString(), Name: name, Owner: recipient.Individual, Status: recipient.Active,
		CreatedAt: now, UpdatedAt: now,
	}
	where := account.Account{
		WorkspaceID: ws, ID: uuid.NewString(), RecipientID: who.ID, Currency: money.MXN, Rail: fiat.SPEI, Country: "MX",
		Shown: account.Shown{LastFour: "9719"}, Fingerprint: uuid.NewString(), Registration: account.Active,
		Active: true, PartnerID: uuid.NewString(),
		Version: 1, CreatedAt: now, UpdatedAt: now,
	}
	r.write(func(ctx context.Context, tx payout.Tx) error {
		return errors.Join(tx.InsertRecipient(ctx, who), tx.InsertBankAccount(ctx, where))
	})
	return who, where
}

func call() *command.Command {
	return &command.Command{
		Principal: auth.Principal{Tenant: auth.Tenant{WorkspaceID: ws}, Kind: auth.ByKey, ID: "key-1"},
		Operation: "test", RequestID: "request-1",
		Render: func(r command.Reply) ([]byte, error) { return json.Marshal(r.Data) },
	}
}

// address is the withdrawal address of the rig's bank account; wallet "" has no
// place for refunds.
func (r *rig) address(wallet string) withdraw.Address { return r.addressOn(wallet, "base", money.USDC) }

func (r *rig) addressOn(wallet, chain string, token money.Currency) withdraw.Address {
	r.t.Helper()
	a, err := r.Addresses.Create(r.t.Context(), call(), rest.WithdrawAddressRequest{
		BeneficiaryAccountID: r.account.ID, WalletID: wallet, Chain: chain, Currency: string(token),
	})
	if err != nil {
		r.t.Fatal(err)
	}
	var v rest.WithdrawAddress
	if err := json.Unmarshal(a.Body, &v); err != nil {
		r.t.Fatal(err)
	}
	row, err := r.store.WithdrawAddress(r.t.Context(), ws, v.ID)
	if err != nil {
		r.t.Fatal(err)
	}
	return row
}

// arrive is a transfer that the watcher sees, or what became of it.
func (r *rig) arrive(a withdraw.Address, id, amount string, state watch.State, change ...func(*watch.Transfer)) {
	r.t.Helper()
	r.clock.move(time.Millisecond)
	r.sees.mu.Lock()
	was, known := r.sees.all[id]
	t := watch.Transfer{
		WorkspaceID: ws, ID: id, Owner: watch.Withdraw, OwnerID: a.ID, Chain: "base", Tx: "0x" + id, Token: "0xusdc",
		Symbol: "USDC", Decimals: 6,
		From: "0xpayer", To: a.Address, Amount: amount, State: state, BlockNumber: r.sees.head, SeenAt: r.clock.Now(),
		UpdatedAt: r.clock.Now(),
	}
	if known {
		t.SeenAt = was.SeenAt
	}
	for _, c := range change {
		c(&t)
	}
	r.sees.all[id] = t
	r.sees.mu.Unlock()
}

// take has the kit take in a transfer.
func (r *rig) take(id string) {
	r.t.Helper()
	if _, err := r.Arrivals.Take(r.t.Context(), ws, id); err != nil {
		r.t.Fatal(err)
	}
}

// drain is what the kit says of a transfer.
func (r *rig) drain(a withdraw.Address, id string) rest.Drain {
	r.t.Helper()
	all, _, _, err := r.Arrivals.List(
		r.t.Context(), auth.Principal{Tenant: auth.Tenant{WorkspaceID: ws}}, a.ID, page.Page{Limit: 200},
	)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, d := range all {
		if d.ID == id {
			return d
		}
	}
	r.t.Fatalf("there is no drain of %s", id)
	return rest.Drain{}
}

// orderOf is the order that a transfer pays for.
func (r *rig) orderOf(id string) order.Order {
	r.t.Helper()
	d, err := r.store.Arrival(r.t.Context(), ws, id)
	if err != nil {
		r.t.Fatal(err)
	}
	return r.order(d.OrderID)
}

func (r *rig) order(id string) order.Order {
	r.t.Helper()
	o, err := r.store.Order(r.t.Context(), ws, id)
	if err != nil {
		r.t.Fatal(err)
	}
	return o
}

// advance does what there is to do for an order, which must go well.
func (r *rig) advance(id string) (order.Order, time.Duration) {
	r.t.Helper()
	again, err := r.Payments.Advance(r.t.Context(), ws, id)
	if err != nil {
		r.t.Fatal(err)
	}
	return r.order(id), again
}

// want holds an order's status.
func (r *rig) want(what string, o order.Order, status order.Status) {
	r.t.Helper()
	if o.Status != status {
		r.t.Fatalf(
			"%s: %s (hold %q, delay %q, failure %+v), want %s", what, o.Status, o.Hold, o.Delay, o.Failure, status,
		)
	}
}

// has holds what an account has.
func (r *rig) has(a ledger.Account, c money.Currency, want int64) {
	r.t.Helper()
	b, err := r.store.Balance(r.t.Context(), ws, a, c)
	if err != nil {
		r.t.Fatal(err)
	}
	if b.Posted.Minor != want || b.PendingIn.Minor != 0 || b.PendingOut.Minor != 0 {
		r.t.Errorf(
			"%s has %s (pending %s in, %s out), want %s", a, b.Posted, b.PendingIn, b.PendingOut, money.Of(want, c),
		)
	}
}

// sums holds that the ledger is zero in each currency.
func (r *rig) sums() {
	r.t.Helper()
	rows, err := r.db.Writer().QueryContext(r.t.Context(), `SELECT e.currency, SUM(e.amount) FROM ledger_entries e
		JOIN ledger_transactions t ON t.workspace_id = e.workspace_id AND t.ref = e.ref GROUP BY e.currency, t.ref HAVING SUM(e.amount) <> 0`)
	if err != nil {
		r.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var c string
		var sum int64
		if err := rows.Scan(&c, &sum); err != nil {
			r.t.Fatal(err)
		}
		r.t.Errorf("a transaction of the ledger is %d %s too much", sum, c)
	}
}

// kinds is an order's timeline in short.
func (r *rig) kinds(id string) (all []order.Kind) {
	r.t.Helper()
	rows, err := r.store.Timeline(r.t.Context(), ws, id)
	if err != nil {
		r.t.Fatal(err)
	}
	for i, e := range rows {
		if e.Seq != int64(i+1) {
			r.t.Errorf("entry %d has number %d", i+1, e.Seq)
		}
		all = append(all, e.Kind)
	}
	return all
}

// quote is an order of a quote that waits for a deposit.
func (r *rig) quote(a withdraw.Address, minor int64, life time.Duration) order.Order {
	r.t.Helper()
	o := r.quoted(a, minor)
	o.ExpiresAt = r.clock.Now().Add(life)
	r.apply(o, order.Event{Kind: order.Created, By: order.User, At: r.clock.Now()})
	return r.order(o.ID)
}

// quoted is the order of a quote, which nobody has written down yet.
func (r *rig) quoted(a withdraw.Address, minor int64) order.Order {
	r.t.Helper()
	rate, err := money.ParseRate("18.4075")
	if err != nil {
		r.t.Fatal(err)
	}
	terms, err := price.Stock.OfGross(money.Of(minor, money.USDC), rate, money.MXN)
	if err != nil {
		r.t.Fatal(err)
	}
	terms.Quoted = true
	return order.Order{
		WorkspaceID: ws, ID: uuid.NewString(), Reference: "OFR-20261121-" + uuid.NewString(), Type: order.OffRamp,
		Origin:      order.FromQuote,
		RecipientID: r.recipient.ID, RecipientName: r.recipient.Name, BankAccountID: r.account.ID, LastFour: "9719",
		WithdrawAddressID: a.ID,
		Address:           a.Address, ReturnAddress: a.ReturnAddress, QuoteID: uuid.NewString(), Chain: "base",
		Source: money.USDC, Destination: money.MXN,
		Rail: fiat.SPEI, Expected: terms.Gross, Terms: terms,
	}
}

// apply writes an event down, as a call would.
func (r *rig) apply(o order.Order, e order.Event) {
	r.t.Helper()
	c, err := order.Apply(o, e)
	if err != nil {
		r.t.Fatal(err)
	}
	r.write(func(ctx context.Context, tx payout.Tx) error { return tx.Apply(ctx, c) })
}

// applying is a transaction of one change.
func applying(c order.Change) func(context.Context, payout.Tx) (command.Audit, error) {
	return func(ctx context.Context, tx payout.Tx) (command.Audit, error) {
		return command.Audit{}, tx.Apply(ctx, c)
	}
}
