package takeover

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/railkit/railkit/internal/testbin"
)

// attack is one thing that the actor tries.
type attack struct {
	id    string
	tries string
	lacks string // without this check, see enclave/weak, it succeeds
	run   func(h *host)
}

// attacks are all, in the groups of what they are after.
var attacks = slices.Concat(stamps, requests, votes, rulesOfWallets, messages, recoveries, retries)

// TestTakeover runs every attack against the program that is shipped.
func TestTakeover(t *testing.T) {
	t.Parallel()
	program, err := testbin.Path("railkit-enclave")
	if err != nil {
		t.Fatal(err)
	}
	var ran, signatures, unwanted atomic.Int64
	t.Cleanup(func() { // once all have ended
		fmt.Printf("takeover: %d attacks ran, %d signatures came out, %d of them nobody had agreed to\n", ran.Load(), signatures.Load(), unwanted.Load())
	})
	shared := takeOver(t, program, "")
	for _, a := range attacks {
		t.Run(a.name(), func(t *testing.T) {
			h := shared
			if strings.HasPrefix(a.id, "R") { // a recovery takes its time
				t.Parallel()
				h = takeOver(t, program, "")
			}
			h.t = t
			before, made := h.ledger.found()
			a.run(h)
			after, all := h.ledger.found()
			if after != before {
				t.Errorf("%s: %d signatures that nobody agreed to: %s", a.tries, after-before, h.ledger.why())
			}
			ran.Add(1)
			signatures.Add(int64(all - made))
			unwanted.Add(int64(after - before))
		})
	}
}

// TestTakeoverMutations takes one check away at a time. The attacks that it stops
// have to succeed then: else they prove nothing.
func TestTakeoverMutations(t *testing.T) {
	program, err := testbin.Weakened("railkit-enclave")
	if err != nil {
		t.Fatal(err)
	}
	for _, check := range checks(t) {
		t.Run(check, func(t *testing.T) {
			t.Parallel()
			h, tried := takeOver(t, program, check), 0
			for _, a := range attacks {
				if a.lacks != check {
					continue
				}
				tried++
				before, _ := h.ledger.found()
				a.run(h)
				if after, _ := h.ledger.found(); after == before {
					t.Errorf("%s: without the check it must succeed, and does not: %s", a.name(), a.tries)
				}
			}
			if tried == 0 {
				t.Error("no attack is stopped by this check")
			}
		})
	}
}

// Every attack has its check, and a name of its own.
func TestTakeoverTable(t *testing.T) {
	all, names := checks(t), map[string]bool{}
	for _, a := range attacks {
		if names[a.name()] || !slices.Contains(all, a.lacks) || a.tries == "" {
			t.Errorf("%s: %s: its name is taken, or its check %q is none", a.name(), a.tries, a.lacks)
		}
		names[a.name()] = true
	}
}

func (a attack) name() string { return a.id + "_" + strings.ReplaceAll(a.tries, " ", "_") }

// checks are those that a weakened program can lack.
func checks(t *testing.T) []string {
	t.Helper()
	raw, err := os.ReadFile("../../enclave/weak/on.go")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.ParseFile(token.NewFileSet(), "on.go", raw, 0); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, m := range regexp.MustCompile(`lacks\("([a-zA-Z]+)"\)`).FindAllSubmatch(raw, -1) {
		all = append(all, string(m[1]))
	}
	return all
}

// What is shipped has no trace of any of this.
func TestTakeoverLeavesNoTrace(t *testing.T) {
	program, err := testbin.Path("railkit-enclave")
	if err != nil {
		t.Fatal(err)
	}
	shipped, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	weakened, err := testbin.Weakened("railkit-enclave")
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(weakened)
	if err != nil {
		t.Fatal(err)
	}
	for _, trace := range []string{"RAILKIT_TEST_WEAK", "railkit/enclave/weak."} {
		if strings.Contains(string(shipped), trace) || !strings.Contains(string(other), trace) {
			t.Errorf("%q is in the shipped program, or not in the weakened one", trace)
		}
	}
}
