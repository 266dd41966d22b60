package rollback

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/testlog"
	"github.com/railkit/railkit/platform/command"
)

// journal is a signer's journal: the hash of each entry.
type journal []string

func (j *journal) Info(context.Context) (wire.InfoReply, error) {
	return wire.InfoReply{Seq: strconv.Itoa(len(*j)), Head: (*j)[len(*j)-1]}, nil
}

func (j *journal) Heads(_ context.Context, seqs []string) (wire.Proof, error) {
	n, err := strconv.Atoi(seqs[0])
	if err != nil || n > len(*j) {
		return wire.Proof{}, errors.New("no such entry")
	}
	st, err := json.Marshal(wire.Statement{Heads: []wire.JournalHead{{Seq: seqs[0], Head: (*j)[n-1]}}})
	return wire.Proof{Payload: string(st)}, err
}

// row is the database.
type row struct {
	mark Mark
	rows int64
}

func (r *row) Mark(context.Context) (Mark, error)     { return r.mark, nil }
func (r *row) RowsSeq(context.Context) (int64, error) { return r.rows, nil }

func (r *row) Raise(_ context.Context, m Mark) error {
	if r.mark.SeenAt.IsZero() || m.Generation == r.mark.Generation && m.Seq > r.mark.Seq {
		r.mark = m
	}
	return nil
}

func (r *row) ReplaceSignerMark(_ context.Context, seq int64, head string, at time.Time) error {
	r.mark = Mark{r.mark.Generation + 1, seq, head, at}
	return nil
}

func (r *row) Commit(
	ctx context.Context, _ *command.Command, fn func(context.Context, Tx) (command.Reply, error),
) (a command.Answer, err error) {
	_, err = fn(ctx, r)
	return a, err
}

func (r *row) Work(ctx context.Context, _ string, fn func(context.Context, Tx) (command.Audit, error)) error {
	_, err := fn(ctx, r)
	return err
}

const (
	pays  = `{"type":"ACTIVITY_TYPE_SIGN_INTENT","parameters":{}}`
	kills = `{"type":"ACTIVITY_TYPE_SET_AGENT_STATUS","parameters":{"agentId":"a","status":"killed"}}`
	wakes = `{"type":"ACTIVITY_TYPE_SET_AGENT_STATUS","parameters":{"agentId":"a","status":"active"}}`
	stops = `{"type":"ACTIVITY_TYPE_SET_KILL_SWITCH","parameters":{"on":true}}`
	frees = `{"type":"ACTIVITY_TYPE_SET_KILL_SWITCH","parameters":{"on":false}}`
)

// An older copy of the signer's folder signs nothing until an operator confirms it, also where it has made entries of
// its own that reach beyond what was seen; what stops agents is handed in meanwhile.
func TestGuard(t *testing.T) {
	for name, c := range map[string]struct {
		seen, older journal
		rows        int64 // that name an entry, before any mark
	}{
		"it ends before":                  {journal{"a", "b", "c"}, journal{"a", "b"}, 0},
		"it went on with others":          {journal{"a", "b", "c"}, journal{"a", "b", "x", "y"}, 0},
		"it never was seen, but rows say": {nil, journal{"a", "b"}, 3},
	} {
		log, db, j := &testlog.Log{}, &row{rows: c.rows}, c.seen
		look := func(g *Guard) *Guard {
			t.Helper()
			if err := g.Look(t.Context()); err != nil {
				t.Fatal(name, err)
			}
			return g
		}
		guard := func() *Guard { return New(db, &j, clock.System{}, slog.New(slog.NewTextHandler(log, nil))) }
		g := guard()
		if g.Open(pays) == nil {
			t.Errorf("%s: it signs before anybody looked", name)
		}
		if j != nil {
			if look(g); g.Open(pays) != nil || g.Behind() {
				t.Errorf("%s: it does not sign: %v", name, g.Open(pays))
			}
		}
		j = c.older
		for _, g := range []*Guard{g, guard()} { // put back under a server, and before its start
			look(look(g))
			for body, may := range map[string]bool{
				pays: false, kills: true, wakes: false, stops: true, frees: false, "": false, "{": false,
			} {
				if err := g.Open(body); may != (err == nil) || !may && !errors.Is(err, ErrBehind) {
					t.Errorf("%s: %s: %v", name, body, err)
				}
			}
		}
		if !strings.Contains(log.String(), "put back to an older copy") {
			t.Errorf("%s: nobody is told", name)
		}
		if err := Accept(t.Context(), db, &j, &command.Command{}, time.Now(), "restored"); err != nil {
			t.Fatal(name, err)
		}
		if look(g); g.Open(pays) != nil || db.mark.Head != c.older[len(c.older)-1] {
			t.Errorf("%s: confirmed: %v, %+v", name, g.Open(pays), db.mark)
		}
		if err := db.Raise(t.Context(), Mark{Seq: 99}); err != nil || db.mark.Seq == 99 {
			t.Errorf("%s: a server that has not seen the confirmation raises the mark: %+v", name, db.mark)
		}
	}
}
