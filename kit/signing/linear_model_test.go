package signing_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// fact is what one call tells of one transaction, in the order of the model. A
// call that decides and then writes the row down gives two facts of the same
// time: a reader may see the row as it was until the call has answered.
type fact struct {
	tx    string
	what  string
	bytes string // signed transaction; "" is not known
}

// The facts.
const (
	factSigned    = "signed"     // these bytes and no others
	factKept      = "kept"       // the row says so
	factCancelled = "cancelled"  // never to be signed
	factDropped   = "dropped"    // the row says so
	factMaybe     = "maybe "     // in front of the others: the call failed, and may have worked
	factRefused   = "too late"   // confirm, after a cancel
	factTooLate   = "not taken"  // cancel, after a signature
	factOther     = "other came" // confirm, after another signature
	factAwaiting  = "row awaits" // what a reader sees
	factSeen      = "row signed"
	factGone      = "row cancelled"
	factNothing   = "undecided" // what the enclave says in the end
)

// written is a transaction in the model: what was decided, and what its row says.
type written struct {
	decided, row string // "", factSigned, factCancelled
	bytes        string
}

// step applies a fact, or says that it cannot be true now.
func (r written) step(f fact) (bool, written) {
	switch f.what {
	case factSigned:
		return r.sign(f.bytes)
	case factCancelled:
		return r.cancel()
	case factKept:
		return r.write(factSigned)
	case factDropped:
		return r.write(factCancelled)
	case factMaybe + factSigned, factMaybe + factCancelled, factMaybe + factKept, factMaybe + factDropped:
		f.what = f.what[len(factMaybe):]
		if ok, next := r.step(f); ok {
			return true, next
		}
		return true, r
	case factRefused:
		return r.decided == factCancelled, r
	case factTooLate:
		return r.decided == factSigned, r
	case factOther:
		return r.decided == factSigned && r.bytes != f.bytes, r
	case factAwaiting:
		return r.row == "", r
	case factSeen:
		return r.row == factSigned && (r.bytes == "" || r.bytes == f.bytes), written{r.decided, r.row, f.bytes}
	case factGone:
		return r.row == factCancelled, r
	case factNothing:
		return r.decided == "", r
	}
	return false, r
}

func (r written) sign(bytes string) (bool, written) {
	switch {
	case r.decided == "":
		return true, written{factSigned, r.row, bytes}
	case r.decided == factSigned && (r.bytes == "" || r.bytes == bytes):
		return true, written{factSigned, r.row, bytes}
	}
	return r.decided == factSigned && bytes == "", r
}

func (r written) cancel() (bool, written) {
	return r.decided != factSigned, written{factCancelled, r.row, r.bytes}
}

func (r written) write(what string) (bool, written) {
	return r.decided == what, written{r.decided, what, r.bytes}
}

// linearModel is one transaction; others have no part in it.
var linearModel = porcupine.Model{
	Partition: func(all []porcupine.Operation) [][]porcupine.Operation {
		by, order := map[string][]porcupine.Operation{}, []string{}
		for _, op := range all {
			tx := op.Input.(fact).tx
			if by[tx] == nil {
				order = append(order, tx)
			}
			by[tx] = append(by[tx], op)
		}
		parts := make([][]porcupine.Operation, len(order))
		for i, tx := range order {
			parts[i] = by[tx]
		}
		return parts
	},
	Init: func() any { return written{} },
	Step: func(state, input, _ any) (bool, any) { return state.(written).step(input.(fact)) },
}

// withoutEchoes leaves one of several failed calls of the same kind: what each
// may have done happens once, at any time after the first of them began. The
// search would try all their orders.
func withoutEchoes(part []porcupine.Operation) []porcupine.Operation {
	first, kept := map[fact]int{}, []porcupine.Operation(nil)
	for _, op := range part {
		f := op.Input.(fact)
		if i, echo := first[f]; echo && op.Return == math.MaxInt64 {
			kept[i].Call = min(kept[i].Call, op.Call)
			continue
		}
		if op.Return == math.MaxInt64 {
			first[f] = len(kept)
		}
		kept = append(kept, op)
	}
	return kept
}

// checkHistory finds the first transaction whose facts fit no order of its calls.
func checkHistory(history []porcupine.Operation) error {
	for _, part := range linearModel.Partition(history) {
		if got := porcupine.CheckOperationsTimeout(linearModel, withoutEchoes(part), time.Minute); got != porcupine.Ok {
			text := fmt.Sprintf("%s: no order of these calls explains them:", got)
			for _, op := range part {
				f := op.Input.(fact)
				text += fmt.Sprintf(
					"\n%12d %20d  client %d  %s %.20s", op.Call, op.Return, op.ClientId, f.what, f.bytes,
				)
			}
			return fmt.Errorf("%s", text)
		}
	}
	return nil
}

// The model must tell right from wrong, or it proves nothing.
func TestSigning_A03_TheModelBites(t *testing.T) {
	t.Parallel()
	at := func(call, back int64, what, bytes string) porcupine.Operation {
		return porcupine.Operation{Input: fact{"tx", what, bytes}, Call: call, Return: back}
	}
	const ever = math.MaxInt64
	for name, c := range map[string]struct {
		history []porcupine.Operation
		fits    bool
	}{
		"signed once, seen later": {[]porcupine.Operation{
			at(1, 9, factSigned, "a"), at(1, 9, factKept, ""), at(2, 3, factAwaiting, ""), at(10, 11, factSeen, "a"),
		}, true},
		"seen before it was kept": {
			[]porcupine.Operation{at(1, 9, factSigned, "a"), at(1, 9, factKept, ""), at(10, 11, factAwaiting, "")},
			false,
		},
		"both signed and cancelled": {
			[]porcupine.Operation{at(1, 9, factSigned, "a"), at(1, 9, factCancelled, "")}, false,
		},
		"two signatures": {
			[]porcupine.Operation{at(1, 9, factSigned, "a"), at(2, 8, factSigned, "b")}, false,
		},
		"the same twice": {
			[]porcupine.Operation{at(1, 9, factSigned, "a"), at(2, 8, factSigned, "a")}, true,
		},
		"refused without a cancel": {[]porcupine.Operation{at(1, 9, factRefused, "")}, false},
		"signed after a refusal": {
			[]porcupine.Operation{at(1, 2, factCancelled, ""), at(3, 4, factSigned, "a")}, false,
		},
		"too late before it is": {
			[]porcupine.Operation{at(1, 2, factTooLate, ""), at(3, 4, factSigned, "a")}, false,
		},
		"too late, row not written": {[]porcupine.Operation{
			at(1, 9, factSigned, "a"), at(1, 9, factKept, ""), at(2, 3, factTooLate, ""), at(4, 5, factAwaiting, ""),
		}, true},
		"a failed call that worked": {[]porcupine.Operation{
			at(1, ever, factMaybe+factSigned, ""), at(1, ever, factMaybe+factKept, ""), at(3, 4, factTooLate, ""),
			at(5, 6, factSeen, "a"),
		}, true},
		"a failed call that did not": {[]porcupine.Operation{
			at(1, ever, factMaybe+factSigned, ""), at(3, 4, factCancelled, ""), at(3, 4, factDropped, ""),
			at(5, 6, factGone, ""),
		}, true},
		"a failed call with two fates": {[]porcupine.Operation{
			at(1, ever, factMaybe+factSigned, ""), at(3, 4, factTooLate, ""), at(5, 6, factCancelled, ""),
		}, false},
		"another signature, its own": {
			[]porcupine.Operation{at(1, 2, factSigned, "a"), at(3, 4, factOther, "a")}, false,
		},
		"another signature":    {[]porcupine.Operation{at(1, 2, factSigned, "a"), at(3, 4, factOther, "b")}, true},
		"undecided in the end": {[]porcupine.Operation{at(1, 2, factSigned, "a"), at(3, 4, factNothing, "")}, false},
	} {
		if err := checkHistory(c.history); (err == nil) != c.fits {
			t.Errorf("%s: %v", name, err)
		}
	}
}
