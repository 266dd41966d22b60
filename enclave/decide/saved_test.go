package decide

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/railkit/railkit/enclave/payee"
	"github.com/railkit/railkit/enclave/stamp"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/testenv"
)

// A state that was saved and restored at any moment goes on as the one that
// lived through everything: the same decisions, refusals and previews. An ordinary run lives six of the 18 lives, and
// the nightly run, which lives all, counts what happens in them.
func TestSigning_K04_SavedStateIsTheState(t *testing.T) {
	kinds := map[string]int{}
	for _, seed := range testenv.Sample(t, []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}, 6) {
		l := newLife(t, seed)
		for i := range 900 {
			if i%80 == 40 {
				l.states = append(l.states, l.restored())
			}
			l.step()
		}
		for i, s := range l.states[1:] {
			if !reflect.DeepEqual(l.states[0], s) {
				t.Errorf("seed %d: state %d differs", seed, i)
			}
		}
		s := l.states[0]
		kinds["organizations"] += len(s.organizations)
		kinds["wallets"] += len(s.wallets)
		kinds["nonces"] += len(s.nonces)
		for _, signed := range s.messages {
			kinds["messages of Solana"] += len(signed)
		}
		kinds["outcomes"] += len(s.outcomeBook)
		kinds["replacements"] += l.places
		kinds["agents"] += len(s.agents)
		kinds["further passkeys"] += len(s.credentials) - len(s.organizations)
		kinds["what waits"] += l.holds
		kinds["recoveries"] += l.recoveries
		kinds["marks"] += l.marks
		kinds["sheets"] += l.sheets
		kinds["amendments"] += l.amendments
		kinds["lent"] += len(s.delegated)
		for _, o := range s.organizations {
			kinds["overrides"] += len(o.overrides)
		}
		for _, kind := range []EventKind{
			EventMessage, EventHeld, EventVote, EventDenied, EventPolicy, EventPolicyDeleted, EventConfig,
			EventPayee, EventPayeeRemoved, EventAgentDeleted, EventKillSwitch,
			"paid by an agent", "bought by an agent", "held for an agent", "not a payee",
			"executed after votes", "spent", "delegated", "over a cap",
		} {
			kinds[string(kind)] += l.kinds[kind]
		}
	}
	for kind, n := range kinds {
		if testenv.Nightly() && n < 10 {
			t.Errorf("only %d %s: the histories show too little", n, kind)
		}
	}
}

func (l *life) restored() *State {
	l.t.Helper()
	raw, err := l.states[0].Save("v1")
	if err != nil {
		l.t.Fatal(err)
	}
	s, err := Restore(constants(), "v1", raw)
	if err != nil {
		l.t.Fatal(err)
	}
	return s
}

func TestSigning_K04_SavedByAnotherProgram(t *testing.T) {
	raw, err := NewState(constants()).Save("v1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Restore(constants(), "v2", raw); !errors.Is(err, ErrOtherProgram) {
		t.Errorf("another version: %v", err)
	}
	older := bytes.Replace(raw, []byte(`"format":13,`), []byte(`"format":12,`), 1)
	if _, err := Restore(constants(), "v1", older); bytes.Equal(older, raw) || !errors.Is(err, ErrOtherProgram) {
		t.Errorf("an older format: %v", err)
	}
	if _, err := Restore(constants(), "v1", raw[:len(raw)-1]); err == nil {
		t.Error("half a state was restored")
	}
}

// Whoever adds a field to what the state is made of has to save it; the histories
// above would not notice one that they do not fill.
func TestEveryFieldOfStateIsSaved(t *testing.T) {
	for of, want := range map[reflect.Type]int{
		reflect.TypeFor[State]():                15, // Constants are given, recovering is made again
		reflect.TypeFor[nonceBook]():            4,
		reflect.TypeFor[priceBook]():            4, // the constants are given
		reflect.TypeFor[delegationBook]():       1,
		reflect.TypeFor[agentBook]():            5,
		reflect.TypeFor[amendmentBook]():        2, // pastPriceKeys are made again
		reflect.TypeFor[Past]():                 3,
		reflect.TypeFor[organization]():         17, // names are made again
		reflect.TypeFor[payee.Book]():           2,
		reflect.TypeFor[payee.Entry]():          3, // keys are made again
		reflect.TypeFor[quote]():                7,
		reflect.TypeFor[dataFee]():              5,
		reflect.TypeFor[override]():             3,
		reflect.TypeFor[hold]():                 4,
		reflect.TypeFor[tally]():                4,
		reflect.TypeFor[nonceTotals]():          2,
		reflect.TypeFor[delegatedSignings]():    3,
		reflect.TypeFor[delegatedTransaction](): 8,
		reflect.TypeFor[amended]():              3,
		reflect.TypeFor[Amendment]():            4,
		reflect.TypeFor[NewToken]():             2,
		reflect.TypeFor[delegatedMessage]():     2,
		reflect.TypeFor[credential]():           4,
		reflect.TypeFor[wallet]():               5,
		reflect.TypeFor[agent]():                4,
		reflect.TypeFor[NewAgent]():             6,
		reflect.TypeFor[wire.Agent]():           7,
		reflect.TypeFor[account]():              2, // the family is made again
		reflect.TypeFor[window]():               2,
		reflect.TypeFor[nonceKey]():             2,
		reflect.TypeFor[emailRef]():             2,
		reflect.TypeFor[stamp.Credential]():     4,
	} {
		if n := of.NumField(); n != want {
			t.Errorf("%s has %d fields, %d are saved: see saved.go, and raise savedFormat", of, n, want)
		}
	}
}
