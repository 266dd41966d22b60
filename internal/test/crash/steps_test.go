package crash_test

import (
	"fmt"
	"net/http"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

const (
	preparePath = "/v1/transactions/prepare"
	confirmPath = "/v1/transactions/confirm"
	walletPath  = "/v1/signing/wallets/confirm"
	accountPath = "/v1/signing/wallets/accounts/confirm"
)

// register makes a sub-organization. Challenges are in the signer's memory
// alone: who had one when it died asks for another, and finds the e-mail free.
func register(w *world, arm func()) {
	w.made++
	email := fmt.Sprintf("number%d@example.com", w.made)
	for range 3 {
		var ch *railkit.PasskeyChallenge
		w.until("challenge", func() (err error) {
			ch, err = w.api.SubOrganizations.Challenge(w.t.Context(), email)
			return err
		})
		body, key := w.RegisterBody(ch, email), uuid.NewString()
		arm()
		arm = func() {}
		first := w.insist(http.MethodPost, "/v1/signing/passkeys/register", body, key)
		if first.Status == http.StatusCreated {
			if again := w.insist(http.MethodPost,
				"/v1/signing/passkeys/register", body, key); again.Body != first.Body {
				w.t.Errorf("registered again: %s\nat first: %s", again.Body, first.Body)
			}
			return
		}
		if first.Field("error") != "challenge_invalid" {
			w.t.Fatalf("register: %d %s", first.Status, first.Body)
		}
	}
	w.t.Errorf("%s could not be registered", email)
}

func prepareWallet(w *world, arm func()) {
	arm()
	w.once(http.MethodPost, walletPath, w.prepareWallet().confirmation(w.t, "walletRequestId", nil))
}

func confirmWallet(w *world, arm func()) {
	p := w.prepareWallet()
	arm()
	w.once(http.MethodPost, walletPath, p.confirmation(w.t, "walletRequestId", nil))
}

func prepareAccount(w *world, arm func()) {
	arm()
	w.once(http.MethodPost, accountPath, w.prepareAccount().confirmation(w.t, "walletAccountRequestId", nil))
}

func confirmAccount(w *world, arm func()) {
	p := w.prepareAccount()
	arm()
	w.once(http.MethodPost, accountPath, p.confirmation(w.t, "walletAccountRequestId", nil))
}

func prepare(w *world, arm func()) {
	arm()
	w.sign(w.prepareTransaction(), nil)
}

func confirm(w *world, arm func()) {
	p := w.prepareTransaction()
	arm()
	w.sign(p, nil)
}

func hold(w *world, arm func()) {
	p := w.prepareTransaction()
	arm()
	w.sign(p, map[string]any{"broadcast": false})
	w.once(http.MethodPost, "/v1/transactions/broadcast/"+p.id, "")
}

func broadcast(w *world, arm func()) {
	p := w.prepareTransaction()
	w.sign(p, map[string]any{"broadcast": false})
	arm()
	w.once(http.MethodPost, "/v1/transactions/broadcast/"+p.id, "")
}

func cancel(w *world, arm func()) {
	p := w.prepareTransaction()
	arm()
	w.once(http.MethodDelete, "/v1/transactions/sign/"+p.id, "")
	w.ends[p.id] = "cancelled"
	late, err := w.send(http.MethodPost, confirmPath, p.confirmation(w.t, "transactionId", nil), uuid.NewString())
	if err != nil || late.Status != http.StatusConflict {
		w.t.Errorf("a stamp for what was cancelled: %d %s, %v", late.Status, late.Body, err)
	}
}

// signed is where the enclave has signed, and nobody else knows.
const signed = "Submit.after-call"

// abandon has a body signed for a client that never hears of it nor asks again,
// and the server die at each thing that it then does by itself.
func (w *world) abandon(path, body, signed string, points ...string) {
	w.t.Helper()
	w.Arm(apptest.Server, signed)
	w.until("the server dies", func() error {
		_, _ = w.send(http.MethodPost, path, body, uuid.NewString()) // nobody hears the answer
		return w.dead(apptest.Server, signed)
	})
	for _, point := range points {
		w.Arm(apptest.Server, point)
		w.until("the server's own work", func() error { return w.dead(apptest.Server, point) })
	}
}

func abandoned(w *world) {
	tx := w.prepareTransaction()
	w.ends[tx.id] = "confirmed"
	w.abandon(confirmPath, tx.confirmation(w.t, "transactionId", nil), signed, abandonedTransaction...)
	w.abandon(walletPath, w.prepareWallet().confirmation(w.t, "walletRequestId", nil), signed, abandonedWallet...)
	abandonedPolicy(w)
	abandonedOutside(w)
	abandonedReplacement(w)
	abandonedRival(w)
}

func (w *world) dead(part, point string) error {
	if !w.Died(part, point) {
		return fmt.Errorf("the %s lives, armed with %s", part, point)
	}
	return nil
}
