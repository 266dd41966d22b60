package signing_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// Any sequence of calls, with a passkey or with a key outside, finds a
// transaction in the one state that the calls before have left it in.
func TestSigning_A03_StateMachine(t *testing.T) {
	t.Parallel()
	l := newLinear(t, apptest.Rig(t, apptest.WithoutSweeper()), "1s", "1s")
	_, foreign := prepared(t, l.client, l.owner, "0.0001")
	steps := rapid.SliceOfN(
		rapid.SampledFrom([]string{"confirm", "again", "forge", "misplace", "cancel", "expire", "send"}), 1, 8,
	)
	rapid.Check(t, func(rt *rapid.T) {
		x := l.inside()
		if rapid.Bool().Draw(rt, "outside") {
			x = l.beyond(foreign)
		}
		for _, step := range steps.Draw(rt, "steps") {
			x.do(rt, step)
			x.look(rt, step)
		}
	})
}

// life is one transaction as its callers must find it.
type life struct {
	*linear
	id      string
	outside bool
	state   string // its status in the API
	bytes   string // once it is signed

	confirms        [2]string // bodies; outside they are two signatures
	signed          [2]string // of each, known beforehand only outside
	forged, foreign string    // bodies of confirms that must not work
}

func (l *linear) body(id, field string, value any) string {
	return apptest.JSON(l.t, map[string]any{"transactionId": id, field: value, "broadcast": false})
}

func (l *linear) inside() *life {
	id, stamped := prepared(l.t, l.client, l.owner, "0.0001")
	forged := stamped
	forged.Body += " "
	same := l.body(id, "signedActivity", stamped)
	return &life{
		linear: l, id: id, state: "awaiting_signature", confirms: [2]string{same, same},
		forged: l.body(id, "signedActivity", forged), foreign: l.body(id, "signedTransaction", "0xdeadbeef"),
	}
}

func (l *linear) beyond(foreign railkit.SignedActivity) *life {
	p := l.outside.prepared(l.outside.payment("0.0001"))
	id, one, two := p.TransactionID, l.outside.sign(p.Tx), l.outside.signAgain(p.Tx)
	return &life{
		linear: l, id: id, outside: true, state: "awaiting_signature", signed: [2]string{one, two},
		confirms: [2]string{l.body(id, "signedTransaction", one), l.body(id, "signedTransaction", two)},
		forged:   l.body(id, "signedTransaction", highS(l.t, one)), foreign: l.body(id, "signedActivity", foreign),
	}
}

func (x *life) do(rt *rapid.T, step string) {
	switch step {
	case "confirm":
		x.confirm(rt, 0)
	case "again":
		x.confirm(rt, 1)
	case "forge":
		x.want(
			rt, step, x.post(x.forged), 422,
			x.refusal(map[bool]string{true: "signed_transaction_invalid", false: "stamped_body_differs"}[x.outside]),
		)
	case "misplace":
		x.want(
			rt, step, x.post(x.foreign), 422,
			map[bool]string{true: "custody_external", false: "custody_enclave"}[x.outside],
		)
	case "cancel":
		x.cancel(rt)
	case "expire":
		x.expire(rt)
	case "send":
		if x.bytes == "" {
			x.want(
				rt, step, x.app.Do(x.app.Keys.BenchKey, "POST", "/v1/transactions/broadcast/"+x.id, ""), 409,
				"not_signed",
			)
		}
	}
}

func (x *life) post(body string) apptest.Answer {
	return x.app.Do(x.app.Keys.BenchKey, "POST", "/v1/transactions/confirm", body)
}

// refusal is what a wrong confirm is told in the present state.
func (x *life) refusal(awaiting string) string {
	switch x.state {
	case "cancelled":
		return "transaction_cancelled"
	case "expired":
		return "transaction_expired"
	case "pending":
		if !x.outside {
			return "not_awaiting_signature"
		}
	}
	return awaiting
}

func (x *life) want(rt *rapid.T, step string, got apptest.Answer, status int, code string) {
	if code == "transaction_cancelled" || code == "transaction_expired" || code == "not_awaiting_signature" {
		status = 409
	}
	if got.Status != status || got.Field("error") != code {
		rt.Fatalf(
			"%s of a transaction that is %s: %d %s, want %d %s", step, x.state, got.Status, got.Body, status, code,
		)
	}
}

func (x *life) confirm(rt *rapid.T, which int) {
	got := x.post(x.confirms[which])
	switch {
	case x.state == "awaiting_signature":
		x.bytes, x.state = signedIn(x.t, got), "pending"
	case x.state == "pending" && (x.signed[which] == "" || x.signed[which] == x.bytes):
	default:
		x.want(rt, "confirm", got, 409, x.refusal("not_awaiting_signature"))
		return
	}
	if signed := signedIn(x.t, got); signed != x.bytes || x.signed[which] != "" && signed != x.signed[which] {
		rt.Fatalf("confirm gave other bytes: %s", got.Body)
	}
}

func (x *life) cancel(rt *rapid.T) {
	got := x.app.Do(x.app.Keys.BenchKey, "DELETE", "/v1/transactions/sign/"+x.id, "")
	if x.state == "awaiting_signature" || x.state == "cancelled" {
		x.state = "cancelled"
		if got.Status != 200 {
			rt.Fatalf("cancel: %d %s", got.Status, got.Body)
		}
		return
	}
	x.want(rt, "cancel", got, 409, "not_awaiting_signature")
}

// expire lets the row's time run out. Only what waits expires.
func (x *life) expire(rt *rapid.T) {
	edit(x.t, x.app, "UPDATE transactions SET expires_at = 1, updated_at = 1 WHERE id = $1", x.id)
	if err := x.app.Signing.Sweep(ctx); err != nil {
		rt.Fatal(err)
	}
	if x.state == "awaiting_signature" {
		x.state = "expired"
	}
}

func (x *life) look(rt *rapid.T, step string) {
	got := data(x.t, x.app.Do(x.app.Keys.BenchKey, "GET", "/v1/transactions/sign/"+x.id, ""))
	signed, _ := got["signedTransaction"].(string)
	if got["status"] != x.state || signed != x.bytes {
		rt.Fatalf("after %s it is %v with %q, want %s with %q", step, got["status"], signed, x.state, x.bytes)
	}
}
