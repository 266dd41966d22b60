package crash_test

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/apptest"
)

// finish hands in the stamp as the page does, which has no key: it sends the same
// stamp until there is an answer, and what that is about is the same each time.
func (w *world) finish(p prepared) apptest.Answer {
	w.t.Helper()
	_, token, _ := strings.Cut(p.ceremony, "/#")
	body := apptest.JSON(w.t, map[string]any{"token": token, "stamp": p.signed.Stamp})
	a := w.answer("finish", func() (apptest.Answer, error) {
		return do(http.MethodPost, w.Origin+"/finish", body, "Origin", w.Origin)
	})
	if a.Status/100 != 2 {
		w.t.Fatalf("finish: %d %s", a.Status, a.Body)
	}
	return a
}

func finishWallet(w *world, arm func()) {
	p := w.prepareWallet()
	arm()
	first := walletIn(w.finish(p))
	again := walletIn(w.finish(p))
	asked := walletIn(w.insist(http.MethodPost, walletPath,
		p.confirmation(w.t, "walletRequestId", nil), uuid.NewString()))
	if first == "" || again != first || asked != first {
		w.t.Errorf("wallet %s was made, then %s, and %s for the API", first, again, asked)
	}
}

func walletIn(a apptest.Answer) string {
	var made struct{ Data struct{ WalletID string } }
	_ = json.Unmarshal([]byte(a.Body), &made) // what is not JSON has made nothing
	return made.Data.WalletID
}

func finishTransaction(w *world, arm func()) {
	p := w.prepareTransaction()
	arm()
	first := signedIn(w.finish(p))
	if again := signedIn(w.finish(p)); again != first {
		w.t.Errorf("signed %s at first and %s for the same stamp", first, again)
	}
	w.confirmed(p.id, p.confirmation(w.t, "transactionId", nil), first)
}
