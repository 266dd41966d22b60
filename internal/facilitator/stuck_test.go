package facilitator_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/facilitator"
	"github.com/railkit/railkit/internal/test/x402test"
)

// health is what GET /healthz answers.
func health(f *x402test.Facilitator) (int, string) {
	w := httptest.NewRecorder()
	f.Handler("secret").ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/healthz", nil))
	return w.Code, w.Body.String()
}

// Health says what waits, for what and since when, and that nothing is settled any more where it waits for long. It
// names nobody who pays.
func TestAgents_FacilitatorHealthSaysWhatWaits(t *testing.T) {
	c := x402test.NewChain(t)
	ahead := time.Duration(0)
	signer := &deaf{Signer: &x402test.Signer{Key: x402test.NewKey(t)}}
	c.Give(signer.Address(), "native", "1")
	f := c.FacilitatorOf(signer.Signer, func(config *facilitator.Config) {
		config.Signer = signer
		config.Clock = clock.Func(func() time.Time { return time.Now().Add(ahead) })
	})
	if status, body := health(f); status != 200 || body != `{"ready":true,"waiting":0}` {
		t.Errorf("%d %s", status, body)
	}
	buyer := c.Buyer("1")
	r, _, _ := c.Pay(buyer, c.Offer("10000", x402test.NewKey(t).Address))
	if _, err := f.Settle(t.Context(), r); !errors.Is(err, errLost) {
		t.Fatal(err)
	}
	status, body := health(f)
	for _, want := range []string{
		`"ready":true`, `"waiting":1`, `"network":"eip155:84532"`, `"unsigned":1`, `"unmined":0`, `"nonce":0`,
		`"since":"20`,
	} {
		if status != 200 || !strings.Contains(body, want) {
			t.Errorf("%s is not in %d %s", want, status, body)
		}
	}
	ahead = 6 * time.Minute
	if status, body = health(f); status != 503 || !strings.Contains(body, `"eip155:84532: nonce 0 waits for 6m`) ||
		strings.Contains(strings.ToLower(body), strings.ToLower(buyer.Address.String())) {
		t.Errorf("%d %s", status, body)
	}
}

// An operator gives back what the signer never answered, once nobody can sign it any more, and nothing else.
func TestAgents_FacilitatorOperatorGivesBack(t *testing.T) {
	c := x402test.NewChain(t)
	signer := &deaf{Signer: &x402test.Signer{Key: x402test.NewKey(t)}}
	c.Give(signer.Address(), "native", "1")
	folder := t.TempDir()
	same := func(config *facilitator.Config) { config.Signer, config.Folder = signer, folder }
	f, seller := c.FacilitatorOf(signer.Signer, same), x402test.NewKey(t).Address
	r, _, _ := c.Pay(c.Buyer("1"), c.Offer("10000", seller))
	if _, err := f.Settle(t.Context(), r); !errors.Is(err, errLost) {
		t.Fatal(err)
	}
	all, err := facilitator.ListWaiting(t.Context(), folder) // also while it runs
	if err != nil || len(all) != 1 || all[0].Account != signer.Address().String() || all[0].Nonce != 0 ||
		all[0].Transaction != "" || !strings.HasPrefix(all[0].Payment, "eip155:84532 eip3009 0x") {
		t.Fatalf("%+v %v", all, err)
	}
	give := func(payment string, at time.Time) error {
		return facilitator.GiveBack(t.Context(), folder, signer.Address().String(), payment, at)
	}
	later := time.Now().Add(time.Hour + time.Second)
	if err := give(all[0].Payment, later); err == nil || !strings.Contains(err.Error(), "another facilitator") {
		t.Errorf("while it runs: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []struct {
		payment string
		at      time.Time
		want    error
	}{
		{all[0].Payment, time.Now(), facilitator.ErrTooYoung},
		{"eip155:1 eip3009 0x0 00", later, facilitator.ErrNoPayment},
		{all[0].Payment, later, nil}, {all[0].Payment, later, facilitator.ErrNoPayment},
	} {
		if err := give(wrong.payment, wrong.at); !errors.Is(err, wrong.want) {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
	g := c.FacilitatorOf(signer.Signer, same)
	c.Automine(false)
	defer c.Automine(true)
	g.Wait = time.Millisecond
	if got, err := g.Settle(t.Context(), r); err != nil || !got.Pending() {
		t.Fatalf("%+v %v", got, err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	if err := give(all[0].Payment, later); !errors.Is(err, facilitator.ErrHasBytes) {
		t.Errorf("it is signed: %v", err)
	}
}
