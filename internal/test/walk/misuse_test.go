package walk_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/walk"
	"github.com/railkit/railkit/platform/auth"
)

// While a call runs, a second one under its key waits five seconds and is told to
// come back, whatever it asks for; another workspace's key of the same text is not
// even held up. Then the first answer is that of all, and of no other request.
func TestPlatform_H02_KeyInFlight(t *testing.T) {
	t.Parallel()
	var node *apptest.Node
	a := apptest.New(t, func(c *apptest.Config) {
		node = apptest.NewNode(t, c.RPCURLs["base"])
		c.DevnetURL = node.URL // its faucet answers when the test lets it
	})
	_, foreign := a.NewWorkspace([]auth.Scope{auth.Integrator}, auth.Signing)
	release := make(chan struct{})
	node.Break("dev_faucet", func(w http.ResponseWriter, r *http.Request) {
		<-release
		apptest.Gives("0x1")(w, r)
	})
	fund := func(amount string) string {
		return `{"chain":"base","address":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8","asset":"native","amount":"` +
			amount + `"}`
	}
	key := []string{"Idempotency-Key", uuid.NewString()}
	post := func(body string) apptest.Answer {
		return a.Do(a.Keys.BenchKey, "POST", "/v1/sandbox/faucet", body, key...)
	}

	first, second, other := make(chan apptest.Answer, 1), make(chan apptest.Answer, 1), make(chan apptest.Answer, 1)
	go func() { first <- post(fund("1")) }()
	apptest.Eventually(t, "the first caller is at the faucet", func() bool { return node.Calls("dev_faucet") == 1 })
	go func() { second <- post(fund("1")) }()
	go func() { other <- post(fund("2")) }()
	if got := a.Do(foreign, "POST", walk.ChallengePath,
		`{"email":"a@example.com"}`, key...); got.Status != http.StatusCreated {
		t.Errorf("the key's text in another workspace: %s", brief(got))
	}
	for what, answer := range map[string]chan apptest.Answer{"the same": second, "another body": other} {
		if got := <-answer; got.Status != http.StatusConflict || got.Field("error") != "idempotency_key_in_flight" ||
			got.Header.Get("Retry-After") == "" {
			t.Errorf("%s, in flight: %s", what, brief(got))
		}
	}
	close(release)
	done := <-first
	if again := post(fund("1")); done.Status != http.StatusOK || again.Body != done.Body ||
		again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("at first: %s\nagain: %s", brief(done), brief(again))
	}
	if got := post(fund("2")); got.Status != http.StatusUnprocessableEntity ||
		got.Field("error") != "idempotency_key_reused" {
		t.Errorf("another body: %s", brief(got))
	}
	if n := node.Calls("dev_faucet"); n != 1 {
		t.Errorf("%d calls reached the faucet", n)
	}
}
