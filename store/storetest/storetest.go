// Package storetest is what every engine behind store must do.
package storetest

import (
	"context"
	"encoding/json"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/idempotency"
	"github.com/railkit/railkit/store"
	rows "github.com/railkit/railkit/store/signing"
)

// Open makes an empty database whose time is the clock's. The test's cleanup closes it.
type Open func(t *testing.T, clk clock.Clock) *store.Store

// Two tenants: what is written for one must not exist for the other.
const (
	Ours   = "0c8e1a52-6a67-4a7e-8f3e-0b5b1f0f0001"
	Theirs = "0c8e1a52-6a67-4a7e-8f3e-0b5b1f0f0002"
)

// Start is when the tests begin.
var Start = time.Date(2026, 11, 21, 12, 0, 0, 123456000, time.UTC)

// Run runs the suite of transactions, of their record, of the watcher's rows and of the signing kit's. Platformtest and
// payouttest have the others.
func Run(t *testing.T, open Open) {
	for _, part := range []map[string]func(*testing.T, *bench){
		signingTests,
		rulesTests,
		payeesTests,
		recoveryTests,
		auditTests,
		watchTests,
		x402Tests,
	} {
		RunEach(t, open, part, func(b *Bench) *bench { return &bench{b, b.Signing()} })
	}
}

// RunEach runs tests by name, each with an empty database.
func RunEach[B any](t *testing.T, open Open, tests map[string]func(*testing.T, B), as func(*Bench) B) {
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clk := &hands{now: Start}
			test(t, as(&Bench{open(t, clk), clk}))
		})
	}
}

var signingTests = map[string]func(*testing.T, *bench){
	"Empty":                  testEmpty,
	"RoundTrip":              testRoundTrip,
	"ForeignWorkspace":       testForeignWorkspace,
	"DoubleInsert":           testDoubleInsert,
	"AddressSpelling":        testAddressSpelling,
	"AddressDirectory":       testAddressDirectory,
	"RenamePasskey":          testRenamePasskey,
	"LastActivity":           testLastActivity,
	"Workspaces":             testWorkspaces,
	"Keys":                   testKeys,
	"WalletPages":            testWalletPages,
	"WalletSearch":           testWalletSearch,
	"WalletSort":             testWalletSort,
	"TransactionPages":       testTransactionPages,
	"TransactionFilters":     testTransactionFilters,
	"TransactionSort":        testTransactionSort,
	"Waiting":                testWaiting,
	"WaitingHeld":            testWaitingHeld,
	"Unsent":                 testUnsent,
	"UnsentDue":              testUnsentDue,
	"LookLater":              testLookLater,
	"TransactionSigned":      testTransactionSigned,
	"WaitingGoesOn":          testWaitingGoesOn,
	"CursorBothWays":         testCursorBothWays,
	"AddressesOf":            testAddressesOf,
	"TouchPasskey":           testTouchPasskey,
	"PendingPaths":           testPendingPaths,
	"MoveTransaction":        testMoveTransaction,
	"MoveClears":             testMoveClears,
	"MoveLoser":              testMoveLoser,
	"MoveRace":               testMoveRace,
	"MoveActivity":           testMoveActivity,
	"RetryActivity":          testRetryActivity,
	"Nonce":                  testNonce,
	"Replaced":               testReplaced,
	"CommitAudits":           testCommitAudits,
	"CommitRefuses":          testCommitRefuses,
	"CommitFails":            testCommitFails,
	"CommitPanics":           testCommitPanics,
	"CommitIsolated":         testCommitIsolated,
	"CommitStops":            testCommitStops,
	"ReplayParallel":         testReplayParallel,
	"ReplayOfAnotherRequest": testReplayOfAnotherRequest,
	"ReplayAfterFailure":     testReplayAfterFailure,
	"ReplayPerWorkspace":     testReplayPerWorkspace,
	"ReplayExpires":          testReplayExpires,
	"ReplayRowSealed":        testReplayRowSealed,
	"DropAnswers":            testDropAnswers,
	"Ceremony":               testCeremony,
	"CeremonyFinished":       testCeremonyFinished,
	"CeremonyDeclined":       testCeremonyDeclined,
	"ReturnOrigins":          testReturnOrigins,
	"DropCeremonies":         testDropCeremonies,
	"Work":                   testWork,
	"Jobs":                   testJobs,
	"SignerMarks":            testSignerMarks,
	"EndedAgents":            testEndedAgents,
}

// hands is a clock that the test moves.
type hands struct {
	mu  sync.Mutex
	now time.Time
}

func (h *hands) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func (h *hands) set(t time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = t
}

// Bench is one database under test.
type Bench struct {
	*store.Store
	Clock *hands
}

// At sets the time.
func (b *Bench) At(t time.Time) { b.Clock.set(t) }

type signingRows = rows.Store

// bench is one as the signing kit sees it.
type bench struct {
	*Bench
	signingRows
}

type writes = func(context.Context, signing.Tx) error

// commit runs fn as a command that succeeds.
func (b *bench) commit(t *testing.T, cmd *command.Command, fn writes) (command.Answer, error) {
	t.Helper()
	return b.Commit(t.Context(), cmd, func(ctx context.Context, tx signing.Tx) (command.Reply, error) {
		if err := fn(ctx, tx); err != nil {
			return command.Reply{}, err
		}
		return command.Reply{Status: 201, Data: "done", Audit: command.Audit{Action: "test.write", Resource: "it"}}, nil
	})
}

// write is commit that must succeed.
func (b *bench) write(t *testing.T, fn writes) {
	t.Helper()
	if _, err := b.commit(t, Called(Ours), fn); err != nil {
		t.Fatalf("writing: %v", err)
	}
}

// try is commit whose error the test wants to see.
func (b *bench) try(t *testing.T, fn writes) error {
	t.Helper()
	_, err := b.commit(t, Called(Ours), fn)
	return err
}

// Count counts rows, past the interfaces.
func (b *Bench) Count(t *testing.T, from string, args ...any) int {
	t.Helper()
	var n int
	if err := b.Store.Writer().QueryRowContext(
		t.Context(), "SELECT COUNT(*) FROM "+from, args...,
	).Scan(&n); err != nil {
		t.Fatalf("counting %s: %v", from, err)
	}
	return n
}

// Called is a command without a key.
func Called(workspaceID string) *command.Command {
	return &command.Command{
		Principal: auth.Principal{Tenant: auth.Tenant{WorkspaceID: workspaceID}, Kind: auth.ByKey, ID: "key-1"},
		Operation: "testOperation", RequestID: "request-1", RemoteIP: "192.0.2.1",
		Render: func(r command.Reply) ([]byte, error) { return json.Marshal(r.Data) },
	}
}

// keyed is a command with a key of the caller's, for a request with the body.
func keyed(t *testing.T, workspaceID, key, body string) *command.Command {
	t.Helper()
	cmd := Called(workspaceID)
	var err error
	cmd.Key, err = idempotency.Key(
		workspaceID, key, idempotency.Request{Method: "POST", Path: "/v1/x", Body: []byte(body)},
	)
	if err != nil {
		t.Fatal(err)
	}
	return cmd
}

func newKey() string { return uuid.NewString() }

// OK ends the test at an error.
func OK(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Equal wants one and the other to be the same.
func Equal[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

// Missing wants the 404 of the resource.
func Missing(t *testing.T, resource string, err error) {
	t.Helper()
	f, is := fault.As(err)
	if !is || f.Kind != fault.NotFound || f.Message != resource+" not found" {
		t.Errorf("got %v, want the 404 of %s", err, resource)
	}
}
