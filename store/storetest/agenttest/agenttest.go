// Package agenttest is what every engine behind store must do with what agents spend and report. The rules are those of
// the kit, over the rows of the engine: what is tried here is that both hold under callers who come at once.
package agenttest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/agent/budget"
	"github.com/railkit/railkit/kit/agent/event"
	"github.com/railkit/railkit/kit/agent/killswitch"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store"
	"github.com/railkit/railkit/store/storetest"
)

// Price is that of a call: 0.0001 USD.
const Price = budget.Nano(100_000)

// Bench is a database and the kit's rules over it.
type Bench struct {
	*storetest.Bench
	Budgets *budget.Service
	Events  *event.Service
	Signer  *Signer
	clock   *hand
}

// Run runs the suite.
func Run(t *testing.T, open storetest.Open) {
	for _, part := range []map[string]func(*testing.T, *Bench){holdTests, monthTests, eventTests, otherTests} {
		storetest.RunEach(t, open, part, NewBench)
	}
}

// NewBench puts the kit over a database.
func NewBench(b *storetest.Bench) *Bench {
	signer, clock := &Signer{limits: Limits("1", "1")}, &hand{}
	budgets := newBudgets(b.Store, signer, clock)
	return &Bench{
		Bench: b, Budgets: budgets, Signer: signer, clock: clock,
		Events: event.New(events{b.Agents().Events(), clock}, signer, budgets),
	}
}

// newBudgets is the kit over a database as one server has it.
func newBudgets(s *store.Store, signer *Signer, clock *hand) *budget.Service {
	return budget.New(budget.Config{
		Store: budgets{s.Agents().Budgets(), clock}, Signer: signer, Switch: killswitch.New(s.Agents().Switch()),
		Tenants: withAgents{}, CallPrice: Price,
	})
}

// withAgents are workspaces whose agents may pay.
type withAgents struct{}

func (withAgents) Tenant(_ context.Context, id string) (auth.Tenant, error) {
	return auth.Tenant{WorkspaceID: id, Modules: []auth.Module{auth.Agents}}, nil
}

// Server is the kit over a database with the database's own clock.
func Server(s *store.Store) *budget.Service { return newBudgets(s, &Signer{}, &hand{}) }

// Signer knows one agent and what became of bodies.
type Signer struct {
	mu       sync.Mutex
	limits   *wire.AgentLimits
	outcomes map[string]wire.OutcomeState
	away     bool
}

// Agent tells of the agent: it has the limits of now.
func (s *Signer) Agent(_ context.Context, id string) (wire.AgentReply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Agent(id, s.limits), nil
}

// Outcome tells what became of a body.
func (s *Signer) Outcome(_ context.Context, fingerprint string) (client.Outcome, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away {
		return client.Outcome{}, fault.ErrUnavailable
	}
	if state, known := s.outcomes[fingerprint]; known {
		return client.Outcome{State: state}, nil
	}
	return client.Outcome{State: wire.Unknown}, nil
}

// Limits are limits of the two layers.
func Limits(infra, tokens string) *wire.AgentLimits {
	return &wire.AgentLimits{InfraMonthlyUSD: infra, TokensMonthlyUSD: tokens}
}

// Agent is an agent of ours as the signer tells of it.
func Agent(id string, limits *wire.AgentLimits) wire.AgentReply {
	return wire.AgentReply{WorkspaceID: storetest.Ours, AgentID: id, Status: wire.AgentActive, Limits: limits}
}

// hand is the database's clock, where the test has set it.
type hand struct {
	mu sync.Mutex
	at time.Time
}

func (h *hand) set(t *testing.T, at string) {
	t.Helper()
	when, err := time.Parse(time.RFC3339Nano, at)
	if err != nil {
		t.Fatal(err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = when
}

func (h *hand) or(real func() (time.Time, error)) (time.Time, error) {
	h.mu.Lock()
	at := h.at
	h.mu.Unlock()
	if at.IsZero() {
		return real()
	}
	return at, nil
}

// budgets is the store of budgets, with the test's clock in the place of the database's.
type budgets struct {
	budget.Store
	clock *hand
}

func (s budgets) Now(ctx context.Context) (time.Time, error) {
	return s.clock.or(func() (time.Time, error) { return s.Store.Now(ctx) })
}

func (s budgets) Work(
	ctx context.Context, workspaceID string, fn func(context.Context, budget.Tx) (command.Audit, error),
) error {
	return s.Store.Work(ctx, workspaceID, func(ctx context.Context, tx budget.Tx) (command.Audit, error) {
		return fn(ctx, budgetTx{tx, s.clock})
	})
}

type budgetTx struct {
	budget.Tx
	clock *hand
}

func (t budgetTx) Now(ctx context.Context) (time.Time, error) {
	return t.clock.or(func() (time.Time, error) { return t.Tx.Now(ctx) })
}

// events is the same of events.
type events struct {
	event.Store
	clock *hand
}

func (s events) Commit(
	ctx context.Context, cmd *command.Command, fn func(context.Context, event.Tx) (command.Reply, error),
) (command.Answer, error) {
	return s.Store.Commit(ctx, cmd, func(ctx context.Context, tx event.Tx) (command.Reply, error) {
		return fn(ctx, eventTx{tx, s.clock})
	})
}

type eventTx struct {
	event.Tx
	clock *hand
}

func (t eventTx) Now(ctx context.Context) (time.Time, error) {
	return t.clock.or(func() (time.Time, error) { return t.Tx.Now(ctx) })
}

// report reports events as the agent.
func (b *Bench) report(t *testing.T, agentID string, all ...event.AgentEvent) rest.ReportedEvents {
	t.Helper()
	var done rest.ReportedEvents
	cmd := storetest.Called(storetest.Ours)
	cmd.Principal.Kind, cmd.Principal.ID = auth.ByAgent, agentID
	cmd.Render = func(r command.Reply) ([]byte, error) {
		done = r.Data.(rest.ReportedEvents)
		return []byte("{}"), nil
	}
	_, err := b.Events.Report(t.Context(), cmd, fmt.Sprint(time.Now().UnixNano()), event.ReportEventsInput{Events: all})
	storetest.OK(t, err)
	return done
}

// Together calls n times at once, and gives the errors.
func Together(n int, call func(i int) error) []error {
	errs := make([]error, n)
	var ready, wg sync.WaitGroup
	gate := make(chan struct{})
	ready.Add(n)
	for i := range n {
		wg.Go(func() {
			ready.Done()
			<-gate
			errs[i] = call(i)
		})
	}
	ready.Wait()
	close(gate)
	wg.Wait()
	return errs
}

// Passed counts the calls that passed; every other one must be refused by these layers.
func Passed(t *testing.T, errs []error, layers ...string) (n int) {
	t.Helper()
	for _, err := range errs {
		if err == nil {
			n++
			continue
		}
		refused(t, err, layers...)
	}
	return n
}

// refused wants budget_exhausted of these layers, and gives what it says of each.
func refused(t *testing.T, err error, layers ...string) []*wire.Shortfall {
	t.Helper()
	f, is := fault.As(err)
	if !is || f.Code != "budget_exhausted" || f.Kind != fault.Forbidden {
		t.Fatalf("got %v, want budget_exhausted", err)
	}
	lacks, _ := f.Details["layers"].([]*wire.Shortfall)
	storetest.Equal(t, "failedLayers", f.Details["failedLayers"], any(layers))
	if len(lacks) != len(layers) {
		t.Fatalf("%d layers are told of, want %v", len(lacks), layers)
	}
	for i, l := range lacks {
		storetest.Equal(t, "layer", l.Layer, layers[i])
	}
	return lacks
}

// sums are an agent's accounts of a month.
func (b *Bench) sums(t *testing.T, agentID string, m budget.Month) (infra, tokens budget.Sum) {
	t.Helper()
	all, err := b.Agents().Budgets().Spending(t.Context(), storetest.Ours, agentID, m)
	storetest.OK(t, err)
	return all[budget.Infra], all[budget.Tokens]
}

// month is that of the database's clock.
func (b *Bench) month(t *testing.T) budget.Month {
	t.Helper()
	now, err := b.clock.or(func() (time.Time, error) { return b.Agents().Budgets().Now(t.Context()) })
	storetest.OK(t, err)
	return budget.MonthOf(now)
}
