package webhook_test

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/railkit/railkit/internal/test/freeport"
	"github.com/railkit/railkit/internal/test/nametest"
	"github.com/railkit/railkit/internal/test/npmtest"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/platform/fetch"
	"github.com/railkit/railkit/platform/webhook"
	"github.com/railkit/railkit/rest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// verifies tells which of the verifiers in Go take a request under a secret: ours and that of the specification's
// makers. They have to agree.
func verifies(t *testing.T, r request, secret string) bool {
	t.Helper()
	theirs, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	wrong := theirs.Verify(r.raw, r.header)
	e, err := railkit.VerifyWebhook(r.header, r.raw, secret)
	if (wrong == nil) != (err == nil) {
		t.Fatalf("theirs: %v; ours: %v", wrong, err)
	}
	if err == nil && (e.ID != r.id || e.Type != r.body.Type) {
		t.Errorf("%+v", e)
	}
	return err == nil
}

// W4: during a rotation both secrets verify, and a receiver may have either; then the new one alone. What was shown is
// nowhere in the database.
func TestPlatform_W4_Rotation(t *testing.T) {
	inBubble(t, 5*time.Second, func(w *world) {
		e := w.endpoint(here)
		sent := func() request {
			w.forget()
			w.tell("order")
			time.Sleep(20 * time.Second)
			return w.events(here)[0]
		}
		rotate := func(hours *int) rest.WebhookEndpointCreated {
			a, err := w.Rotate(w.Context(), caller("rotate"), e.ID, rest.WebhookRotation{OldSecretHours: hours})
			return answered[rest.WebhookEndpointCreated](w, a, err)
		}
		if r := sent(); !verifies(t, r, e.Secret) {
			t.Error("the first secret does not verify")
		}
		second := rotate(nil)
		if second.OldSecretEndsAt == nil || !at(t, *second.OldSecretEndsAt).Equal(time.Now().Add(24*time.Hour)) {
			t.Errorf("%+v", second)
		}
		r := sent()
		if !verifies(t, r, e.Secret) || !verifies(t, r, second.Secret) {
			t.Error("two secrets are not live")
		}
		third := rotate(nil)
		r = sent()
		if verifies(t, r, e.Secret) || !verifies(t, r, second.Secret) || !verifies(t, r, third.Secret) {
			t.Error("after a second rotation the last two secrets are not those that are live")
		}
		time.Sleep(24*time.Hour + time.Second)
		r = sent()
		if verifies(t, r, second.Secret) || !verifies(t, r, third.Secret) {
			t.Error("the old secret signs for longer than was said")
		}
		none := 0
		fourth := rotate(&none)
		r = sent()
		if verifies(t, r, third.Secret) || !verifies(t, r, fourth.Secret) {
			t.Error("a secret that leaked is not ended at once")
		}
		w.nowhere(e.Secret, second.Secret, third.Secret, fourth.Secret)
	})
}

// nowhere fails where a text is in the endpoints' rows or in the record.
func (w *world) nowhere(secrets ...string) {
	w.Helper()
	for _, query := range []string{
		"SELECT sealed || old_sealed || url || reason FROM webhook_endpoints",
		"SELECT detail || before || after FROM audit",
	} {
		rows, err := w.store.Writer().Query(query)
		if err != nil {
			w.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var text string
			if err := rows.Scan(&text); err != nil {
				w.Fatal(err)
			}
			for _, secret := range secrets {
				if strings.Contains(text, strings.TrimPrefix(secret, "whsec_")) {
					w.Errorf("%s shows a secret", query)
				}
			}
		}
	}
}

// The verifier that most receivers in Node have takes what is sent, and nothing that was changed on the way.
func TestPlatform_W4_VerifierFromNPM(t *testing.T) {
	w := newWorld(t, 0)
	t.Cleanup(w.close)
	stop := w.runs(w.Service)
	e := w.endpoint(here)
	a, err := w.Rotate(w.Context(), caller("rotate"), e.ID, rest.WebhookRotation{})
	next := answered[rest.WebhookEndpointCreated](w, a, err)
	w.tell("Ärger mit Ümläuten 🙂")
	testwait.Until(t, "the event is sent", func() bool { return len(w.events(here)) == 1 })
	stop()
	r := w.events(here)[0]
	as := func(secret, id, body string) npmtest.Webhook {
		return npmtest.Webhook{Secret: secret, Body: body, Headers: map[string]string{
			"webhook-id": id, "webhook-timestamp": r.header.Get("webhook-timestamp"),
			"webhook-signature": r.header.Get("webhook-signature"),
		}}
	}
	other := newWorld(t, 0)
	t.Cleanup(other.close)
	all, err := npmtest.InstallWebhooks(t).Verify(
		as(e.Secret, r.id, string(r.raw)), as(next.Secret, r.id, string(r.raw)),
		as(e.Secret, "other", string(r.raw)), as(e.Secret, r.id, string(r.raw)+" "),
		as(other.endpoint(here).Secret, r.id, string(r.raw)),
	)
	if err != nil || len(all) != 5 {
		t.Fatalf("%+v, %v", all, err)
	}
	for i, v := range all {
		if good := i < 2; good != (v.Error == "") || good && string(v.Event) != string(r.raw) {
			t.Errorf("%d: %s %s", i, v.Event, v.Error)
		}
	}
}

// W5: an endpoint is a place of the Internet: by its text when it is made, and by the address that its name has each
// time that something is sent.
func TestPlatform_W5_Endpoints(t *testing.T) {
	w := newWorld(t, 0)
	t.Cleanup(w.close)
	for _, url := range []string{
		"http://hooks.example.com/", "https://127.0.0.1/", "https://127.8.8.8/", "https://[::1]/", "https://localhost/",
		"https://169.254.169.254/latest/meta-data/", "https://10.0.0.1/", "https://192.168.1.1/", "https://172.16.9.9/",
		"https://[::ffff:127.0.0.1]/", "https://[::ffff:7f00:1]/", "https://[::ffff:169.254.169.254]/",
		"https://[64:ff9b::a00:1]/", "https://[fd00::1]/", "https://[fe80::1]/", "https://[2002:7f00:1::]/",
		"https://0.0.0.0/", "https://2130706433/", "https://0x7f.1/", "https://127.1/", "https://db.internal/",
		"https://hooks.example.com:8080/", "https://user:pw@hooks.example.com/", "ftp://hooks.example.com/",
		"https://hooks.example.com/#x", "//hooks.example.com/", "hooks.example.com", "https://",
	} {
		_, err := w.Create(t.Context(), caller("create"), rest.WebhookEndpointRequest{URL: url})
		if err == nil || !strings.Contains(fmt.Sprintf("%+v", err), "validation_failed") {
			t.Errorf("%s: %v", url, err)
		}
	}
	asked := 0
	inside := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	t.Cleanup(inside.Close)
	for _, at := range []string{"127.0.0.1", "::1", "::ffff:127.0.0.1", "10.0.0.1", "169.254.169.254"} {
		ping := w.pingOf(t, at, port(t, inside.URL))
		if ping.Attempt.Reason != "remote_refused" || ping.Endpoint.Status != "disabled" {
			t.Errorf("a name that leads to %s: %+v", at, ping)
		}
	}
	if asked > 0 {
		t.Error("a machine inside was asked")
	}
}

func port(t *testing.T, url string) string {
	t.Helper()
	_, p, err := net.SplitHostPort(strings.TrimPrefix(url, "https://"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// pingOf pings an endpoint whose name leads to an address. Requests leave as they do in production.
func (w *world) pingOf(t *testing.T, at, port string) rest.WebhookPing {
	t.Helper()
	policy, err := fetch.NewPolicy([]string{port}, nil)
	if err != nil {
		t.Fatal(err)
	}
	client := fetch.New(fetch.Config{
		Policy: policy, RootCAs: x509.NewCertPool(), Resolver: nametest.Resolver(t, [][]string{{at}}),
	})
	s := w.serverWith(w.store.Webhooks(), policy, func() webhook.Sender { return client.Session() })
	a, err := s.Create(t.Context(), caller("create"), rest.WebhookEndpointRequest{
		URL: "https://hooks.example.com:" + port + "/",
	})
	e := answered[rest.WebhookEndpointCreated](t, a, err)
	a, err = s.Ping(context.Background(), caller("ping"), e.ID)
	return answered[rest.WebhookPing](t, a, err)
}

// What docs/webhooks.md has receivers run takes what is sent, and nothing that was changed on the way.
func TestPlatform_W4_ReceiversOfTheDocument(t *testing.T) {
	document, err := os.ReadFile("../../docs/webhooks.md")
	if err != nil {
		t.Fatal(err)
	}
	block := func(kind string) string {
		_, after, found := strings.Cut(string(document), "```"+kind+"\n")
		text, _, ended := strings.Cut(after, "```")
		if !found || !ended {
			t.Fatalf("the document has no %s", kind)
		}
		return text
	}
	const secret, id = "whsec_q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=", "event"
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		t.Fatal(err)
	}
	const body = `{"id":"event","type":"order.completed","object":{"id":"Ä"}}`
	at := strconv.FormatInt(time.Now().Unix(), 10)
	header := map[string]string{
		"webhook-id": id, "webhook-timestamp": at,
		"webhook-signature": "v1,AAAA " + railkit.SignWebhook(key, id, at, []byte(body)),
	}
	told, err := json.Marshal(map[string]any{"headers": header, "body": body, "secret": secret})
	if err != nil {
		t.Fatal(err)
	}
	python := exec.Command("python3", "-c", block("python")+`
import json, sys
q = json.load(sys.stdin)
print(verify(q["headers"], q["body"].encode(), q["secret"]), verify(q["headers"], b"{}", q["secret"]))
`)
	python.Stdin = bytes.NewReader(told)
	if out, err := python.CombinedOutput(); err != nil || string(out) != "True False\n" {
		t.Errorf("Python: %v\n%s", err, out)
	}

	dir := t.TempDir()
	server := filepath.Join(dir, "server.mjs")
	if err := errors.Join(
		os.WriteFile(server, []byte(block("js")), 0o600),
		os.Symlink(npmtest.InstallWebhooks(t).Modules(), filepath.Join(dir, "node_modules")),
	); err != nil {
		t.Fatal(err)
	}
	addr := freeport.Addr()
	_, free, _ := net.SplitHostPort(addr)
	node := exec.CommandContext(t.Context(), "node", server)
	node.Env = append(os.Environ(), "PORT="+free, "WEBHOOK_SECRET="+secret)
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	post := func(body string) (status int) {
		testwait.Until(t, "the receiver answers", func() bool {
			q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+addr, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			for name, value := range header {
				q.Header.Set(name, value)
			}
			res, err := http.DefaultClient.Do(q)
			if err != nil {
				return false
			}
			status = res.StatusCode
			return res.Body.Close() == nil
		})
		return status
	}
	if good, bad := post(body), post("{}"); good != 204 || bad != 401 {
		t.Errorf("Node: %d, %d", good, bad)
	}
}

// A receiver in Go refuses what is old, unsigned, of another id or signed by another secret, and takes either secret of
// a rotation.
func TestPlatform_W4_VerifyWebhook(t *testing.T) {
	const (
		secret = "whsec_q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA="
		other  = "whsec_AAAAEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA="
	)
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	signed := func(id string, age time.Duration, body string) http.Header {
		at := strconv.FormatInt(time.Now().Add(-age).Unix(), 10)
		return http.Header{
			"Webhook-Id": {id}, "Webhook-Timestamp": {at},
			"Webhook-Signature": {"v2,x " + railkit.SignWebhook(key, id, at, []byte(body))},
		}
	}
	const body = `{"id":"event"}`
	if _, err := railkit.VerifyWebhook(signed("event", 4*time.Minute, body), []byte(body), other, secret); err != nil {
		t.Error(err)
	}
	for what, c := range map[string]struct {
		header  http.Header
		body    string
		secrets []string
	}{
		"old":             {signed("event", 6*time.Minute, body), body, []string{secret}},
		"from the future": {signed("event", -6*time.Minute, body), body, []string{secret}},
		"another body":    {signed("event", 0, body), body + " ", []string{secret}},
		"another id":      {signed("other", 0, body), body, []string{secret}},
		"another secret":  {signed("event", 0, body), body, []string{other}},
		"no secret":       {signed("event", 0, body), body, nil},
		"a short secret":  {signed("event", 0, body), body, []string{"whsec_AAAA"}},
		"no headers":      {http.Header{}, body, []string{secret}},
	} {
		if e, err := railkit.VerifyWebhook(c.header, []byte(c.body), c.secrets...); err == nil {
			t.Errorf("%s: %+v", what, e)
		}
	}
}
