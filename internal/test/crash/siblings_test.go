package crash_test

import (
	"fmt"
	"net/http"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/apptest"
)

func (w *world) prepareReplacement(kind, replaced string) prepared {
	w.t.Helper()
	return w.prepareAny(map[string]any{"type": kind, "replaces": replaced})
}

// held is a transaction that is signed and not sent.
func (w *world) held() prepared {
	w.t.Helper()
	p := w.prepareTransaction()
	w.sign(p, map[string]any{"broadcast": false})
	return p
}

// replace signs a replacement that nothing can stop: the other was never sent.
func (w *world) replace(replaced, p prepared) {
	w.t.Helper()
	w.sign(p, nil)
	w.ends[replaced.id] = "failed"
}

func (w *world) automine(on bool) {
	w.t.Helper()
	w.until("automine", func() error { return w.Devnet.SetAutomine(w.t.Context(), "base", on) })
}

func prepareReplacement(w *world, arm func()) {
	held := w.held()
	arm()
	w.replace(held, w.prepareReplacement("speed_up", held.id))
}

// speedUp outbids what waits in the pool. A chain that dies forgets its pool, or
// mines what it remembers: which of the two it is then, it alone knows.
func speedUp(w *world, arm func()) {
	first, p := w.rival()
	arm()
	w.sign(p, nil)
	delete(w.ends, first.id)
	delete(w.ends, p.id)
	w.rivals = append(w.rivals, [2]string{first.id, p.id})
	w.automine(true)
}

// rival is a transaction in the pool, and one that outbids it. A chain that began
// again meanwhile mines by itself, and may have had the first: then the next one.
func (w *world) rival() (first, p prepared) {
	w.t.Helper()
	for {
		w.automine(false)
		first = w.prepareTransaction()
		w.sign(first, nil)
		body, key := apptest.JSON(w.t, map[string]any{"type": "speed_up", "replaces": first.id}), uuid.NewString()
		var a apptest.Answer
		w.until("a rival", func() (err error) {
			if a, err = w.send(http.MethodPost, preparePath, body, key); err == nil && a.Status >= 500 {
				err = fmt.Errorf("%d %s", a.Status, a.Body)
			}
			return err
		})
		if a.Field("error") != "not_replaceable" {
			p = w.stamped(a)
			w.bodies[p.id] = p.signed.Body
			return first, p
		}
	}
}

func void(w *world, arm func()) {
	held := w.held()
	p := w.prepareReplacement("void", held.id)
	arm()
	w.replace(held, p)
}

// abandonedReplacement is a replacement of which nobody hears: the server writes
// down by itself whose place it has, sends it, and ends the other.
func abandonedReplacement(w *world) {
	held := w.held()
	p := w.prepareReplacement("speed_up", held.id)
	w.ends[held.id], w.ends[p.id] = "failed", "confirmed"
	w.abandon(confirmPath, p.confirmation(w.t, "transactionId", nil), signed,
		"transaction.recover.before-commit", "transaction.broadcast.before-commit", "transaction.failed.before-commit")
}

// abandonedRival is a replacement that is signed before anybody knows, while its
// owner has what it should replace sent and mined after all. Who asks for the
// replacement then gets what was signed, and that it has failed.
func abandonedRival(w *world) {
	held := w.held()
	p := w.prepareReplacement("speed_up", held.id)
	body := p.confirmation(w.t, "transactionId", nil)
	w.abandon(confirmPath, body, signed)
	w.once(http.MethodPost, "/v1/transactions/broadcast/"+held.id, "")
	w.until("the first is mined", func() error {
		now, err := w.api.Transactions.Get(w.t.Context(), held.id)
		if err == nil && now.Status != "confirmed" {
			err = fmt.Errorf("it is %s", now.Status)
		}
		return err
	})
	w.Arm(apptest.Server, "transaction.failed.before-commit")
	w.confirmed(p.id, body, signedIn(w.insist(http.MethodPost, confirmPath, body, uuid.NewString())))
	w.until("the server dies", func() error { return w.dead(apptest.Server, "transaction.failed.before-commit") })
	w.ends[p.id] = "failed"
}
