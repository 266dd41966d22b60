package crash_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testwait"
	railkit "github.com/railkit/railkit/sdk/go"
)

const patience = testwait.Bound

// world is an application of processes, an owner with money, and what should
// have come of it all.
type world struct {
	*apptest.Processes
	t       *testing.T
	api     *railkit.Client
	owner   apptest.Owner
	payee   string
	made    int               // wallets, policies and e-mail addresses
	policed string            // a wallet that has policies, once there is one
	ends    map[string]string // the state that each transaction must end in
	rivals  [][2]string       // transactions of which one must be mined, whichever
	outside outsider
	solana  onSolana
	bodies  map[string]string // what was stamped for it
	answers map[string]string // the transaction as the first answer showed it, signed
}

// until calls again and again, as a client does that knows its call to be
// idempotent.
func (w *world) until(what string, try func() error) {
	w.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) { // between two tries
		err := try()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("%s: %v\n%s", what, err, w.Log.Tail(60))
		}
	}
}

var httpClient = &http.Client{Timeout: time.Minute}

// send makes one call, which may meet a process that is just dying.
func (w *world) send(method, path, body, key string) (apptest.Answer, error) {
	return do(method, w.BaseURL+path, body, "Authorization", "ApiKey "+w.Keys.BenchKey, "Idempotency-Key", key)
}

// do is send to any address. Headers come in pairs.
func do(method, url, body string, headers ...string) (apptest.Answer, error) {
	req, err := http.NewRequestWithContext(context.Background(), method, url, strings.NewReader(body))
	if err != nil {
		return apptest.Answer{}, err
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := httpClient.Do(req)
	if err != nil {
		return apptest.Answer{}, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	return apptest.Answer{Status: resp.StatusCode, Header: resp.Header, Body: string(raw)}, err
}

// insist calls under one key until there is an answer for good.
func (w *world) insist(method, path, body, key string) apptest.Answer {
	w.t.Helper()
	return w.answer(method+" "+path, func() (apptest.Answer, error) { return w.send(method, path, body, key) })
}

func (w *world) answer(what string, call func() (apptest.Answer, error)) (a apptest.Answer) {
	w.t.Helper()
	w.until(what, func() (err error) {
		a, err = call()
		if err == nil && (a.Status >= 500 || a.Status == http.StatusConflict) {
			err = fmt.Errorf("%d %s", a.Status, a.Body)
		}
		return err
	})
	return a
}

// once is insist, and once more: the second answer is the first one's bytes.
func (w *world) once(method, path, body string) apptest.Answer {
	w.t.Helper()
	key := uuid.NewString()
	first := w.insist(method, path, body, key)
	if first.Status/100 != 2 {
		w.t.Fatalf("%s %s: %d %s", method, path, first.Status, first.Body)
	}
	again := w.insist(method, path, body, key)
	if again.Body != first.Body || again.Status != first.Status || again.Header.Get("Idempotent-Replayed") != "true" {
		w.t.Errorf("%s %s: again %d %s\nat first %d %s", method, path, again.Status, again.Body,
			first.Status, first.Body)
	}
	return first
}

// prepared is a body with its stamp.
type prepared struct {
	id       string
	signed   railkit.SignedActivity
	ceremony string // the link to the page that stamps it too
}

func (w *world) prepare(path string, request any) prepared {
	w.t.Helper()
	return w.stamped(w.once(http.MethodPost, path, apptest.JSON(w.t, request)))
}

// stamped is what a prepare answered, with the owner's stamp.
func (w *world) stamped(a apptest.Answer) prepared {
	w.t.Helper()
	var p struct {
		Data struct {
			WalletRequestID, WalletAccountRequestID, TransactionID string
			railkit.Prepared
		}
	}
	if err := json.Unmarshal([]byte(a.Body), &p); err != nil {
		w.t.Fatal(err)
	}
	stamp, err := w.owner.Passkey.Stamp(p.Data.UnsignedActivity.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return prepared{p.Data.WalletRequestID + p.Data.WalletAccountRequestID + p.Data.TransactionID,
		p.Data.Signed(stamp), p.Data.CeremonyURL}
}

func (w *world) prepareWallet() prepared {
	w.made++
	return w.prepare("/v1/signing/wallets/prepare", railkit.PrepareWalletRequest{
		WalletName: fmt.Sprintf("Wallet %d", w.made), Chain: "base", SubOrganizationID: w.owner.Sub.SubOrganizationID,
	})
}

func (w *world) prepareAccount() prepared {
	return w.prepare("/v1/signing/wallets/accounts/prepare", railkit.PrepareAccountRequest{
		WalletID: w.owner.Wallet.WalletID, Chain: "base",
	})
}

func (w *world) prepareTransaction() prepared {
	w.t.Helper()
	return w.prepareAny(w.owner.Payment(w.payee, "1"))
}

func (w *world) prepareAny(request any) prepared {
	w.t.Helper()
	p := w.prepare(preparePath, request)
	w.bodies[p.id] = p.signed.Body
	return p
}

// confirmation is the body of a confirm call.
func (p prepared) confirmation(t *testing.T, field string, more map[string]any) string {
	t.Helper()
	body := map[string]any{field: p.id, "signedActivity": p.signed}
	for k, v := range more {
		body[k] = v
	}
	return apptest.JSON(t, body)
}

// sign confirms a transaction that was stamped.
func (w *world) sign(p prepared, more map[string]any) {
	w.t.Helper()
	w.confirm(p.id, p.confirmation(w.t, "transactionId", more))
}

func (w *world) confirm(id, body string) {
	w.t.Helper()
	first := signedIn(w.once(http.MethodPost, confirmPath, body))
	w.confirmed(id, body, first)
}

// confirmed holds a call under another key against the first answer.
func (w *world) confirmed(id, body, first string) {
	w.t.Helper()
	other := w.insist(http.MethodPost, confirmPath, body, uuid.NewString())
	if first == "" || signedIn(other) != first {
		w.t.Errorf("signed %s at first and %s under another key", first, signedIn(other))
	}
	w.answers[id], w.ends[id] = first, "confirmed"
}

func signedIn(a apptest.Answer) string {
	var t struct{ Data railkit.Transaction }
	_ = json.Unmarshal([]byte(a.Body), &t) // what is not JSON has signed nothing
	return t.Data.SignedTransaction
}
