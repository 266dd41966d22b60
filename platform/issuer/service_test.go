package issuer_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testlog"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/issuer"
	"github.com/railkit/railkit/store"
)

// nodes are those of a network: what they say, and how often they were asked.
type nodes struct {
	mu    sync.Mutex
	by    map[string]string // who makes a token, by its address; of others that is circle
	part  bool              // one of them does not answer
	err   error
	asked int
}

func (n *nodes) Issuer(_ context.Context, token string) ([]node.Fact, bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked++
	by, ok := n.by[token]
	if !ok {
		by = "circle"
	}
	return []node.Fact{{Name: "program", Value: "tokens"}, {Name: "mint authority", Value: by}}, !n.part, n.err
}

func (n *nodes) say(change func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	change()
}

type bench struct {
	*issuer.Service
	t   *testing.T
	db  *store.Store
	at  *nodes
	log *testlog.Log
}

var tokens = []issuer.Token{{Network: "solana", Address: "mint-1", Symbol: "USDC"},
	{Network: "solana", Address: "mint-2", Symbol: "USDT"}}

func newBench(t *testing.T) *bench {
	t.Helper()
	db, _ := apptest.OpenStore(t, clock.System{})
	b := &bench{t: t, db: db, at: &nodes{by: map[string]string{}}, log: &testlog.Log{}}
	b.Service = b.server(b.at, time.Nanosecond) // it remembers nothing
	return b
}

// server is a further one of the same database.
func (b *bench) server(at *nodes, every time.Duration) *issuer.Service {
	return issuer.New(issuer.Config{
		Store: b.db.Issuers(), Nodes: map[string]node.Issuing{"solana": at}, Tokens: tokens, Every: every,
		Clock: clock.System{}, Log: slog.New(slog.NewJSONHandler(b.log, nil)),
	})
}

// says checks a token, and gives the error's code; "" of none.
func (b *bench) says(s *issuer.Service, token string) string {
	b.t.Helper()
	err := s.Check(b.t.Context(), "solana", token)
	if err == nil {
		return ""
	}
	f, ok := fault.As(err)
	if !ok {
		b.t.Fatal(err)
	}
	return f.Code + ": " + f.Message
}

func (b *bench) want(what, token, code string) {
	b.t.Helper()
	if got := b.says(b.Service, token); !strings.HasPrefix(got, code) || code == "" && got != "" {
		b.t.Errorf("%s: %q, not %q", what, got, code)
	}
}

func (b *bench) accept(token, hash string) error {
	b.t.Helper()
	i, err := issuer.Find(b.t.Context(), b.db.Issuers(), "solana", token)
	if err != nil {
		return err
	}
	cmd := &command.Command{
		Principal: auth.Principal{Kind: "operator", ID: "ada", Tenant: auth.Tenant{WorkspaceID: issuer.Platform}},
		Operation: "admin token accept", Render: func(command.Reply) ([]byte, error) { return nil, nil },
	}
	return issuer.Accept(b.t.Context(), b.db.Issuers(), cmd, i, hash, "looked", time.Now())
}

func (b *bench) seen(token string) string {
	b.t.Helper()
	i, err := issuer.Find(b.t.Context(), b.db.Issuers(), "solana", token)
	if err != nil {
		b.t.Fatal(err)
	}
	return i.Seen.Hash()
}

func (b *bench) entries(action string) (n int) {
	b.t.Helper()
	err := b.db.Writer().QueryRowContext(b.t.Context(),
		"SELECT COUNT(*) FROM audit WHERE workspace_id = 'platform' AND action = $1", action).Scan(&n)
	if err != nil {
		b.t.Fatal(err)
	}
	return n
}

// A token whose issuer changed is refused with what changed and what the operator types, until he accepts what he saw.
// Other tokens and networks go on.
func TestIssuer_Changes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.want("at first sight", "mint-1", "")
	b.want("at first sight", "mint-2", "")
	first := b.seen("USDC")
	b.at.say(func() { b.at.by["mint-1"] = "thief" })
	b.want("moved", "mint-1", "token_issuer_changed")
	got := b.says(b.Service, "mint-1")
	for _, part := range []string{
		"USDC on solana", "mint authority was circle, is thief",
		"railkit admin token accept --network solana --token mint-1 --hash " + b.seen("usdc"),
	} {
		if !strings.Contains(got, part) {
			t.Errorf("%q does not say %q", got, part)
		}
	}
	if held := b.Held(t.Context(), "solana", []string{"mint-1", "mint-2"}); len(held) != 1 || held[0] != "mint-1" {
		t.Errorf("held %q", held)
	}
	b.want("another token", "mint-2", "")
	if err := b.Check(t.Context(), "base", "mint-1"); err != nil {
		t.Errorf("a network without issuers: %v", err)
	}
	if n := strings.Count(b.log.String(), "who issues a token has changed"); n != 1 {
		t.Errorf("the log says so %d times", n)
	}
	looked := b.seen("USDC")
	b.at.say(func() { b.at.by["mint-1"] = "another thief" })
	b.want("moved again", "mint-1", "token_issuer_changed")
	for what, hash := range map[string]string{"what was kept": first, "what is no more": looked, "nothing": ""} {
		if err := b.accept("USDC", hash); !errors.Is(err, issuer.ErrOther) {
			t.Errorf("%s is accepted: %v", what, err)
		}
	}
	if err := b.accept("mint-1", b.seen("USDC")); err != nil {
		t.Fatal(err)
	}
	b.want("accepted", "mint-1", "")
	b.at.say(func() { b.at.by["mint-1"] = "circle" })
	b.want("as it was at first, and is not any more", "mint-1", "token_issuer_changed")
	b.at.say(func() { b.at.by["mint-1"] = "another thief" })
	b.want("back to what was accepted", "mint-1", "")
	if err := b.accept("USDC", b.seen("USDC")); !errors.Is(err, issuer.ErrNothing) {
		t.Errorf("nothing is accepted: %v", err)
	}
	if err := b.accept("EURC", "x"); !errors.Is(err, issuer.ErrNone) {
		t.Errorf("a token that nobody saw is accepted: %v", err)
	}
	if kept, accepted := b.entries("token.keep_issuer"), b.entries("token.accept_issuer"); kept != 2 || accepted != 1 {
		t.Errorf("%d and %d entries", kept, accepted)
	}
}

// At first sight every node has to say the same. Later one may be away, and none may contradict another.
func TestIssuer_Nodes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.at.part = true
	b.want("one is away at first sight", "mint-1", "token_issuer_unknown")
	b.at.part, b.at.err = false, node.ErrDisagree
	b.want("two disagree at first sight", "mint-1", "token_issuer_unknown")
	if all, err := b.db.Issuers().Issuers(t.Context()); err != nil || len(all) > 0 {
		t.Fatalf("kept all the same: %v, %v", all, err)
	}
	b.at.err = nil
	b.want("all answer", "mint-1", "")
	b.at.part = true
	b.want("one is away", "mint-1", "")
	for what, err := range map[string]error{
		"two disagree": node.ErrDisagree, "nobody answers": errors.New("connection refused"),
	} {
		b.at.err = err
		b.want(what, "mint-1", "token_issuer_unknown")
	}
	b.at.err = nil
	b.want("in the end", "mint-1", "")
}

// A server asks once in a while, not at each payment, and again as soon as another one has heard something else, or an
// operator has accepted it.
func TestIssuer_Remembers(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	slow := b.server(b.at, time.Hour)
	for range 5 {
		if got := b.says(slow, "mint-1"); got != "" {
			t.Fatal(got)
		}
	}
	if b.at.asked != 1 {
		t.Errorf("the nodes were asked %d times", b.at.asked)
	}
	b.at.say(func() { b.at.by["mint-1"] = "thief" })
	if got := b.says(slow, "mint-1"); got != "" {
		t.Errorf("what it remembers: %s", got)
	}
	b.want("the other server", "mint-1", "token_issuer_changed")
	if got := b.says(slow, "mint-1"); !strings.HasPrefix(got, "token_issuer_changed") {
		t.Errorf("after another one has heard it: %q", got)
	}
	if err := b.accept("USDC", b.seen("USDC")); err != nil {
		t.Fatal(err)
	}
	if got := b.says(slow, "mint-1"); got != "" {
		t.Errorf("after it was accepted: %s", got)
	}
}

// Of many servers that see a token first at once, one keeps it, and the record has it once.
func TestIssuer_FirstSightAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var all sync.WaitGroup
	for i := range 12 {
		at := &nodes{by: map[string]string{}}
		if i%3 == 0 {
			at.by["mint-1"] = "thief"
		}
		all.Go(func() { _ = b.server(at, time.Hour).Check(t.Context(), "solana", "mint-1") })
	}
	all.Wait()
	if n := b.entries("token.keep_issuer"); n != 1 {
		t.Errorf("%d first sights", n)
	}
}

// Run looks at every token by itself, and at the others where one cannot be told.
func TestIssuer_Run(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); b.server(b.at, 5*time.Millisecond).Run(ctx) }()
	until := func(what string, is func(all []issuer.Issuer) bool) {
		t.Helper()
		apptest.Eventually(t, what, func() bool {
			all, err := b.db.Issuers().Issuers(t.Context())
			return err == nil && is(all)
		})
	}
	until("both are kept", func(all []issuer.Issuer) bool { return len(all) == 2 })
	b.at.say(func() { b.at.by["mint-2"] = "thief" })
	until("one has changed", func(all []issuer.Issuer) bool {
		return len(all[0].Changed()) == 0 && len(all[1].Changed()) == 1
	})
	stop()
	<-done
}

// A token that is held because its issuer is not known is told to the operator: by Unknown, and by one line of the log
// for each reason and for the end.
func TestIssuer_TellsUnknown(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.at.part = true
	s := b.server(b.at, 5*time.Millisecond)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.Run(ctx) }()
	const warned, ended = `"level":"WARN","msg":"who issues a token is not known`, "who issues a token is known again"
	becomes := func(what string, unknown bool, reason string, lines, ends int) {
		t.Helper()
		apptest.Eventually(t, what, func() bool {
			all := s.Unknown()
			return len(all) == 2 && all[tokens[0]] == unknown && all[tokens[1]] == unknown &&
				strings.Count(b.log.String(), ended) == ends && strings.Contains(b.log.String(), reason)
		})
		b.at.mu.Lock()
		asked := b.at.asked
		b.at.mu.Unlock()
		apptest.Eventually(t, "it looks again", func() bool {
			b.at.mu.Lock()
			defer b.at.mu.Unlock()
			return b.at.asked > asked+6
		})
		if n := strings.Count(b.log.String(), warned); n != lines {
			t.Errorf("%s: %d warnings, not %d:\n%s", what, n, lines, b.log)
		}
	}
	becomes("one node is away at first sight", true, "at first sight every node has to answer", 2, 0)
	b.at.say(func() { b.at.err = node.ErrDisagree })
	becomes("two contradict each other", true, "the nodes contradict each other", 4, 0)
	b.at.say(func() { b.at.part, b.at.err = false, nil })
	becomes("all say the same", false, "", 4, 2)
	b.at.say(func() { b.at.err = errors.New("connection refused") })
	becomes("nobody answers", true, "no node answers", 6, 2)
	b.at.say(func() { b.at.err = nil })
	becomes("they answer again", false, "", 6, 4)
	stop()
	<-done
}

// While the nodes' last answer counts, a look that fails holds nothing and is not told.
func TestIssuer_FailedLook(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		at, log := &nodes{by: map[string]string{}}, &testlog.Log{}
		s := issuer.New(issuer.Config{
			Store: kept{}, Nodes: map[string]node.Issuing{"solana": at}, Tokens: tokens[:1], Every: 10 * time.Second,
			Clock: clock.System{}, Log: slog.New(slog.NewJSONHandler(log, nil)),
		})
		ctx, stop := context.WithCancel(t.Context())
		go s.Run(ctx)
		synctest.Wait()
		at.say(func() { at.err = errors.New("connection refused") })
		for second := range 60 {
			held := s.Check(ctx, "solana", "mint-1") != nil
			if told := s.Unknown()[tokens[0]]; told != held || held != (second >= 30) {
				t.Fatalf("after %d seconds it is held: %v, told: %v:\n%s", second, held, told, log)
			}
			time.Sleep(time.Second)
			synctest.Wait()
		}
		stop()
		synctest.Wait()
	})
}

// kept is a store in which a token has the issuer that nodes tell.
type kept struct{ issuer.Store }

func (kept) Issuer(context.Context, string, string) (i issuer.Issuer, found bool, err error) {
	const facts = "program: tokens\nmint authority: circle"
	return issuer.Issuer{Token: tokens[0], Kept: facts, Seen: facts}, true, nil
}
