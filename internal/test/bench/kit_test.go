package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/internal/test/pgtest"
	"github.com/railkit/railkit/job/queue"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/fx"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/price"
	"github.com/railkit/railkit/kit/payout/quote"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/idempotency"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store"
	rows "github.com/railkit/railkit/store/payout"
	"github.com/railkit/railkit/store/storetest/payouttest"
)

// kit is the payout kit in this process, over a database of its own: no HTTP, a
// partner that answers at once, and nobody who works through the jobs.
type kit struct {
	*payout.Kit
	db        *store.Store
	store     rows.Store
	queue     *queue.Queue
	desk      *desk
	sightings *sightings
	addresses []withdraw.Address
}

const kitWorkspaces, kitPayees = 8, 6 // of each workspace

// openKit makes a database with recipients.
func openKit(tb testing.TB, engine string) *kit {
	tb.Helper()
	st, queue := openStore(tb, engine)
	k := &kit{db: st, store: st.Payout(), queue: queue, desk: &desk{}, sightings: &sightings{}}
	log := slog.New(slog.DiscardHandler)
	k.Kit = payout.New(payout.Config{
		Stores: k.store.Stores(), Partner: k.desk, Workspaces: k.desk, Clock: clock.System{}, Log: log,
		Transfers: k.sightings,
		Rates: fx.New(fx.Config{
			Source: k.desk, Clock: clock.System{}, Log: log, Keep: time.Minute, Oldest: time.Hour,
		}),
		Fees: price.Stock, Least: money.Of(1_000_000, money.USDC), Chains: []string{"base"},
		Environment: chain.Sandbox,
		Quoting:     quote.Settings{Life: 24 * time.Hour, Most: money.Of(1e12, money.USDC)},
	})
	var err error
	k.addresses, err = many(kitWorkspaces*kitPayees, func(i int) (withdraw.Address, error) {
		return k.payee(fmt.Sprintf("00000000-0000-7000-8000-%012d", i%kitWorkspaces))
	})
	must(tb, err)
	return k
}

func openStore(tb testing.TB, engine string) (*store.Store, *queue.Queue) {
	tb.Helper()
	ctx, newQueue := context.Background(), queue.SQLite
	if engine == "postgres" {
		newQueue = queue.Postgres
	}
	queue, err := newQueue()
	must(tb, err)
	var st *store.Store
	if engine == "postgres" {
		url, _ := pgtest.Durable(tb)
		st, err = store.OpenPostgres(ctx, url, queue, clock.System{})
	} else {
		st, err = store.OpenSQLite(ctx, filepath.Join(tb.TempDir(), "kit.db"), queue, clock.System{})
	}
	must(tb, err)
	tb.Cleanup(func() { _ = st.Close() })
	return st, queue
}

// payee makes a recipient with an account and an address.
func (k *kit) payee(ws string) (a withdraw.Address, err error) {
	ctx, now := context.Background(), time.Now()
	who := recipient.Recipient{
		WorkspaceID: ws, ID: uuid.NewString(), Name: "Ana", Owner: recipient.Individual, Status: recipient.Active,
		CreatedAt: now, UpdatedAt: now,
	}
	where := account.Account{
		WorkspaceID: ws, ID: uuid.NewString(), RecipientID: who.ID, Currency: money.MXN, Rail: fiat.SPEI, Country: "MX",
		Shown: account.Shown{LastFour: "9719"}, Fingerprint: uuid.NewString(), Registration: account.Active,
		Active: true, PartnerID: uuid.NewString(), Version: 1, CreatedAt: now, UpdatedAt: now,
	}
	err = k.store.Work(ctx, ws, func(ctx context.Context, tx payout.Tx) (command.Audit, error) {
		return command.Audit{}, errors.Join(tx.InsertRecipient(ctx, who), tx.InsertBankAccount(ctx, where))
	})
	if err != nil {
		return a, err
	}
	made, err := k.Addresses.Create(ctx, asked(ws), rest.WithdrawAddressRequest{
		BeneficiaryAccountID: where.ID, Chain: "base", Currency: "usdc",
	})
	if err != nil {
		return a, err
	}
	var view rest.WithdrawAddress
	if err := json.Unmarshal(made.Body, &view); err != nil {
		return a, err
	}
	return k.store.WithdrawAddress(ctx, ws, view.ID)
}

// asked is a call as the edge passes it on, under a key.
func asked(ws string) *command.Command {
	key, err := idempotency.Key(ws, uuid.NewString(), idempotency.Request{Method: "POST", Path: "/"})
	if err != nil {
		panic(err) // of a UUID
	}
	return &command.Command{
		Principal: auth.Principal{Tenant: auth.Tenant{WorkspaceID: ws}, Kind: auth.ByKey, ID: "key-1"},
		Operation: "bench", RequestID: "bench", Key: key,
		Render: func(r command.Reply) ([]byte, error) { return json.Marshal(r.Data) },
	}
}

// order is a quote that is executed.
func (k *kit) order(a withdraw.Address) error {
	ctx := context.Background()
	answer, err := k.Quotes.Create(ctx, asked(a.WorkspaceID), rest.QuoteRequest{
		BeneficiaryID: a.RecipientID, Amount: "100", Currency: "USDC",
	})
	if err != nil {
		return err
	}
	var offer struct{ QuoteID string }
	if err := json.Unmarshal(answer.Body, &offer); err != nil {
		return err
	}
	_, err = k.Quotes.Execute(ctx, asked(a.WorkspaceID), rest.ExecuteRequest{
		QuoteID: offer.QuoteID, BeneficiaryID: a.RecipientID,
	})
	return err
}

// payment is a deposit, seen and then final, that is paid out.
func (k *kit) payment(a withdraw.Address) error {
	ctx, id := context.Background(), uuid.NewString()
	for _, final := range []bool{false, true} {
		k.sightings.put(a, id, final)
		if _, err := k.Arrivals.Take(ctx, a.WorkspaceID, id); err != nil {
			return err
		}
	}
	d, err := k.store.Arrival(ctx, a.WorkspaceID, id)
	if err != nil {
		return err
	}
	if _, err := k.Payments.Advance(ctx, a.WorkspaceID, d.OrderID); err != nil {
		return err
	}
	if o, err := k.store.Order(ctx, a.WorkspaceID, d.OrderID); err != nil || o.Status != order.Completed {
		return cmp.Or(err, fmt.Errorf("%s %s", o.Status, o.Hold))
	}
	return nil
}

// change is the same five changes of an order, and nothing else.
func (k *kit) change(a withdraw.Address) error {
	now, id := time.Now(), uuid.NewString()
	o, detected := payouttest.Deposited(a.WorkspaceID, id, a.ID, now)
	events := []order.Event{detected}
	for i := 0; i < len(events); i++ {
		err := k.store.Work(context.Background(), a.WorkspaceID,
			func(ctx context.Context, tx payout.Tx) (command.Audit, error) {
				next, err := payouttest.Walk(ctx, tx, o, events[i])
				o = next
				return command.Audit{}, err
			})
		if err != nil {
			return err
		}
		if i == 0 {
			events = append(events, payouttest.Paid(o, now)...)
		}
	}
	return nil
}

// lazyKit is a kit that is opened where a flow is wanted.
type lazyKit struct {
	tb     testing.TB
	engine string
	once   sync.Once
	kit    *kit
}

func (l *lazyKit) open() *kit {
	l.once.Do(func() { l.kit = openKit(l.tb, l.engine) })
	return l.kit
}

// Which payees a flow has.
func eachPayee(all []withdraw.Address) (of []withdraw.Address) {
	for i := 0; i < len(all); i += kitWorkspaces {
		of = append(of, all[i])
	}
	return of
}

func onePayee(all []withdraw.Address) []withdraw.Address { return all[:1] }

func eachWorkspace(all []withdraw.Address) []withdraw.Address { return all[:kitWorkspaces] }

type choice func([]withdraw.Address) []withdraw.Address

func (l *lazyKit) orders(of choice) func(n int) ([]call, error)   { return l.calls(of, (*kit).order) }
func (l *lazyKit) payments(of choice) func(n int) ([]call, error) { return l.calls(of, (*kit).payment) }
func (l *lazyKit) changes(of choice) func(n int) ([]call, error)  { return l.calls(of, (*kit).change) }

func (l *lazyKit) calls(of choice, do func(*kit, withdraw.Address) error) func(n int) ([]call, error) {
	return func(n int) ([]call, error) {
		k := l.open()
		addresses := of(k.addresses)
		return many(n, func(i int) (call, error) {
			a := addresses[i%len(addresses)]
			return func() error { return do(k, a) }, nil
		})
	}
}

// Workspace is who the customer is.
func (*desk) Workspace(_ context.Context, id string) (workspace.Workspace, error) {
	return workspace.Workspace{
		ID: id, Name: "Acme", Email: "acme@example.com", KYBStatus: workspace.KYBApproved,
		Modules: []auth.Module{auth.Payout},
	}, nil
}
