package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/railkit/railkit/kit/agent/life"
	"github.com/railkit/railkit/kit/signing/rollback"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
)

// The mark of the signer goes up and never down, but by an operator's word; from then on servers that have not heard of
// it change nothing.
func testSignerMarks(t *testing.T, b *bench) {
	marks := b.Signing().SignerMarks()
	holds := func(what string, want rollback.Mark) {
		t.Helper()
		if got, err := marks.Mark(t.Context()); err != nil || got != want {
			t.Errorf("%s: %+v, want %+v, %v", what, got, want, err)
		}
	}
	raise := func(generation, seq int64, head string) rollback.Mark {
		t.Helper()
		at := Start.Add(time.Duration(seq) * time.Second)
		m := rollback.Mark{Generation: generation, Seq: seq, Head: head, SeenAt: at}
		if err := marks.Raise(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	holds("before the first", rollback.Mark{})
	if seq, err := marks.RowsSeq(t.Context()); err != nil || seq != 0 {
		t.Errorf("rows name entry %d, %v", seq, err)
	}
	raise(0, 5, "five")
	seven := raise(0, 7, "seven")
	raise(0, 6, "six")
	raise(0, 7, "another seven")
	holds("the highest", seven)
	err := marks.Work(t.Context(), Ours, func(ctx context.Context, tx rollback.Tx) (command.Audit, error) {
		return command.Audit{}, tx.ReplaceSignerMark(ctx, 3, "three", Start)
	})
	if err != nil {
		t.Fatal(err)
	}
	three := rollback.Mark{Generation: 1, Seq: 3, Head: "three", SeenAt: Start}
	raise(0, 9, "nine")
	holds("an operator's", three)
	holds("and on from there", raise(1, 4, "four"))
}

// An agent that has ended has ended for good, and is another's business in another workspace.
func testEndedAgents(t *testing.T, b *bench) {
	for range 2 {
		err := record.Do(t.Context(), b.Signing().Others().Agents, Ours, func(ctx context.Context, tx life.Tx) error {
			return tx.EndAgent(ctx, Ours, "agent", Start)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		workspaceID, agentID string
		ended                bool
	}{{Ours, "agent", true}, {Theirs, "agent", false}, {Ours, "other", false}} {
		if got, err := b.Signing().AgentEnded(t.Context(), c.workspaceID, c.agentID); err != nil || got != c.ended {
			t.Errorf("%s of %s has ended: %v, %v", c.agentID, c.workspaceID, got, err)
		}
	}
}
