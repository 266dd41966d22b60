package follow_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/solana/follow"
	"github.com/railkit/railkit/internal/test/testenv"
)

// life is what happens to one transaction: blocks are made while nodes are asked.
type life struct {
	*rand.Rand
	height    int64 // of the newest final block
	lastValid int64
	lands     int64 // the height of its block; 0: it never lands
	failed    string
}

const since = 10 // a slot before the transaction was signed

// slotOf leaves slots out.
func slotOf(height int64) int64 { return height*6/5 + since }

// pass makes some blocks, as time goes on between two questions.
func (l *life) pass() { l.height += l.Int64N(3) }

// witness is a node. An honest one may be behind, away, or without old blocks, and each question may come to another
// machine behind its address; a liar says anything.
type witness struct {
	*life
	honest bool
	behind int64 // at most so many blocks, at each question another number of them
	away   int   // so many of 100 questions are not answered
	keeps  int64 // newest blocks that it has; 0: all
}

var errAway = errors.New("away")

func (w witness) at() (int64, error) {
	w.pass()
	if w.IntN(100) < w.away {
		return 0, errAway
	}
	if w.behind == 0 {
		return w.height, nil
	}
	return max(0, w.height-w.Int64N(w.behind+1)), nil
}

func (w witness) Tip(context.Context) (follow.Tip, error) {
	h, err := w.at()
	if !w.honest && w.IntN(2) == 0 {
		h = w.lastValid + w.Int64N(40) - 20
	}
	return follow.Tip{Slot: slotOf(h), Height: h}, err
}

func (w witness) BlockhashLives(_ context.Context, _ string, slot int64) (bool, error) {
	h, err := w.at()
	if !w.honest {
		return w.IntN(2) == 0, err
	}
	if slotOf(h) < slot {
		return false, errAway
	}
	return h <= w.lastValid, err
}

func (w witness) Status(context.Context, string) (s follow.Status, found bool, looked int64, err error) {
	h, err := w.at()
	if !w.honest {
		return follow.Status{Slot: slotOf(h), Final: w.IntN(2) == 0}, w.IntN(3) == 0, slotOf(h) + w.Int64N(9) - 4, err
	}
	s = follow.Status{Slot: slotOf(w.lands), Final: true, Failed: w.failed}
	return s, w.lands > 0 && w.lands <= h && w.lands >= w.first(h), slotOf(h), err
}

func (w witness) first(h int64) int64 {
	if w.keeps == 0 {
		return 0
	}
	return max(0, h-w.keeps)
}

func (w witness) FirstBlock(context.Context) (int64, error) {
	h, err := w.at()
	if !w.honest {
		return w.Int64N(2 * since), err
	}
	if w.keeps == 0 {
		return 0, err
	}
	return slotOf(w.first(h)), err
}

func newLife(d *rand.Rand) *life {
	l := &life{Rand: d, lastValid: 150 + d.Int64N(5)}
	l.height = l.lastValid + d.Int64N(30) - 20
	if d.IntN(2) == 0 { // a block may have it as long as the one below counts the blockhash
		l.lands = 1 + d.Int64N(l.lastValid+1)
		if d.IntN(2) == 0 {
			l.lands = l.lastValid + 1 - d.Int64N(4)
		}
		l.failed = []string{"", `"AccountNotFound"`}[d.IntN(2)]
	}
	return l
}

func (l *life) witness(honest bool) witness {
	w := witness{life: l, honest: honest, away: l.IntN(2) * l.IntN(40)}
	if l.IntN(2) == 0 {
		w.behind = l.Int64N(12)
	}
	if l.IntN(3) == 0 {
		w.keeps = 1 + l.Int64N(200)
	}
	return w
}

func rounds(n int) int {
	if testenv.Nightly() {
		return 50 * n
	}
	return n
}

// With one honest node among several, a transaction that expired is in no block and never will be, whatever the others
// say, however the honest one falls behind, and whatever is made while it is asked.
func TestJudge_ExpiredIsForGood(t *testing.T) {
	t.Parallel()
	d := rand.New(rand.NewPCG(testenv.Seed(t), 1))
	seen := map[follow.Fate]int{}
	for range rounds(12_000) {
		l := newLife(d)
		nodes := []follow.Witness{l.witness(true)}
		for range d.IntN(3) {
			nodes = append(nodes, l.witness(d.IntN(2) == 0))
		}
		d.Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
		v, err := follow.Judge(t.Context(), nodes, follow.Sent{ID: "id", LastValid: l.lastValid, Since: since})
		if err != nil {
			t.Fatal(err)
		}
		seen[v.Fate]++
		if v.Fate == follow.Expired && l.lands > 0 {
			t.Fatalf("it landed at %d, up to %d, and is %s at %d: %+v", l.lands, l.lastValid, v, l.height, nodes)
		}
	}
	if len(seen) != 3 || seen[follow.Expired] < 100 || seen[follow.Landed] < 100 {
		t.Errorf("%v", seen)
	}
}

// Nodes that are well tell the truth: landed with how it ended, expired as soon as it can be said, else open.
func TestJudge_HonestNodes(t *testing.T) {
	t.Parallel()
	d := rand.New(rand.NewPCG(testenv.Seed(t), 2))
	for range rounds(6_000) {
		l := newLife(d)
		nodes := []follow.Witness{witness{life: l, honest: true}, witness{life: l, honest: true}}
		began := l.height
		v, err := follow.Judge(t.Context(), nodes, follow.Sent{ID: "id", LastValid: l.lastValid, Since: since})
		switch landed := l.lands > 0 && l.lands <= began; {
		case err != nil:
			t.Fatal(err)
		case landed && (v.Fate != follow.Landed || v.Status.Failed != l.failed || v.Denied):
			t.Fatalf("it landed at %d and is %+v at %d", l.lands, v, began)
		case l.lands == 0 && began > l.lastValid && v.Fate != follow.Expired:
			t.Fatalf("it can land up to %d and is %s at %d", l.lastValid, v, began)
		case v.Fate == follow.Landed && l.lands > l.height, v.Fate == follow.Expired && l.height <= l.lastValid:
			t.Fatalf("%+v at %d", v, l.height)
		}
	}
}

// fixed answers what it is told.
type fixed struct {
	tip    follow.Tip
	lives  bool
	status *follow.Status
	looked int64
	first  int64
	err    map[string]error
}

func (f fixed) Tip(context.Context) (follow.Tip, error) { return f.tip, f.err["tip"] }

func (f fixed) BlockhashLives(context.Context, string, int64) (bool, error) {
	return f.lives, f.err["lives"]
}

func (f fixed) FirstBlock(context.Context) (int64, error) { return f.first, f.err["first"] }

func (f fixed) Status(context.Context, string) (follow.Status, bool, int64, error) {
	if f.status == nil {
		return follow.Status{}, false, f.looked, f.err["status"]
	}
	return *f.status, true, f.looked, f.err["status"]
}

// Each line of the rule by itself: whatever one node lacks keeps the transaction open, and a sentence says what.
func TestJudge_EachLine(t *testing.T) {
	t.Parallel()
	sent := follow.Sent{ID: "id", LastValid: 150, Since: 100}
	well := fixed{tip: follow.Tip{Slot: 300, Height: 151}, looked: 300, first: 100}
	for name, change := range map[string]func(*fixed){
		"no tip":       func(f *fixed) { f.err = map[string]error{"tip": errAway} },
		"behind":       func(f *fixed) { f.tip.Height = 150 },
		"no answer":    func(f *fixed) { f.err = map[string]error{"lives": errAway} },
		"it lives":     func(f *fixed) { f.lives = true },
		"no history":   func(f *fixed) { f.err = map[string]error{"status": errAway} },
		"looked short": func(f *fixed) { f.looked = 299 },
		"not final":    func(f *fixed) { f.status = &follow.Status{Slot: 250} },
		"pruned":       func(f *fixed) { f.first = 101 },
		"no first":     func(f *fixed) { f.err = map[string]error{"first": errAway} },
	} {
		worse := well
		change(&worse)
		v, err := follow.Judge(t.Context(), []follow.Witness{well, worse}, sent)
		if err != nil || v.Fate != follow.Broadcast || len(v.Open) != 1 {
			t.Errorf("%s: %s %v", name, v, err)
		}
	}
	if v, err := follow.Judge(t.Context(), []follow.Witness{well, well}, sent); err != nil || v.Fate != follow.Expired {
		t.Errorf("%s %v", v, err)
	}
	knows := well
	knows.status = &follow.Status{Slot: 250, Final: true, Failed: "x"}
	v, err := follow.Judge(t.Context(), []follow.Witness{well, knows}, sent)
	if err != nil || v.Fate != follow.Landed || !v.Denied || v.Status != *knows.status {
		t.Errorf("%+v %v", v, err)
	}
	knows.tip.Height = 20 // behind, and still it found it
	if v, err := follow.Judge(t.Context(), []follow.Witness{knows, well}, sent); err != nil || v.Fate != follow.Landed {
		t.Errorf("%+v %v", v, err)
	}
	if v, err := follow.Judge(t.Context(), nil, sent); !errors.Is(err, node.ErrNobody) || v.Fate != follow.Broadcast {
		t.Errorf("%+v %v", v, err)
	}
}
