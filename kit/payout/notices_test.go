package payout_test

import (
	"bytes"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/rsatest"
	"github.com/railkit/railkit/kit/payout/notice"
	"github.com/railkit/railkit/platform/page"
)

const noticesPath = "/v1/payout/rails/webhooks"

// notifier signs as a partner does.
type notifier struct {
	t    *testing.T
	a    *apptest.App
	key  *rsa.PrivateKey
	path string
}

func newNotifier(t *testing.T) *notifier {
	t.Helper()
	key := rsatest.Key()
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "partner.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return &notifier{t: t, key: key, path: path}
}

// partner is one that nobody can reach and whose notices are believed.
func (n *notifier) partner(c *apptest.Config) {
	c.PartnerURL, c.PartnerKey, c.PartnerWebhookKeyFile = "http://127.0.0.1:1", "k", n.path
}

func (n *notifier) sign(body string, at time.Time) string {
	n.t.Helper()
	stamp := fmt.Sprint(at.UnixMilli())
	inner := sha256.Sum256([]byte(stamp + "." + body))
	outer := sha256.Sum256(inner[:])
	s, err := rsa.SignPKCS1v15(nil, n.key, crypto.SHA256, outer[:])
	if err != nil {
		n.t.Fatal(err)
	}
	return "t=" + stamp + ",v0=" + base64.StdEncoding.EncodeToString(s)
}

func (n *notifier) post(body, signature string) (int, string) {
	n.t.Helper()
	r, err := http.NewRequestWithContext(n.t.Context(), "POST", n.a.BaseURL+noticesPath, strings.NewReader(body))
	if err != nil {
		n.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Webhook-Signature", signature)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		n.t.Fatal(err)
	}
	defer res.Body.Close()
	var text bytes.Buffer
	_, _ = text.ReadFrom(res.Body)
	return res.StatusCode, text.String()
}

func event(id, category, object string) string {
	return fmt.Sprintf(`{"event_id":%q,"event_category":%q,"event_object_id":%q,"event_object":{"customer_id":"c-1"}}`, id, category, object)
}

// in lists the notices in a state.
func (n *notifier) in(state notice.State) []notice.Notice {
	n.t.Helper()
	rows, _, err := n.a.Store.Payout().Notices(n.t.Context(), state, page.Page{Limit: 9})
	if err != nil {
		n.t.Fatal(err)
	}
	return rows
}

// Bad signature, stale timestamp, duplicates: what is no news does nothing, and
// what is news is kept as it came and answered at once, with nobody asked.
func TestPayout_NoticesOverHTTP(t *testing.T) {
	t.Parallel()
	n := newNotifier(t)
	n.a = apptest.New(t, n.partner)
	now, news := time.Now(), event("e-1", "transfer", "tr-1")
	for _, c := range []struct {
		name, body, signature string
		status                int
		want                  string
	}{
		{"news", news, n.sign(news, now), 200, `"eventId":"e-1","first":true`},
		{"the same again", news, n.sign(news, now.Add(time.Second)), 200, `"first":false`},
		{"replayed", news, n.sign(news, now), 200, `"first":false`},
		{"not signed", news, "", 401, "notice_not_signed"},
		{"changed", news + " ", n.sign(news, now), 401, "notice_not_signed"},
		{"old", news, n.sign(news, now.Add(-11*time.Minute)), 400, "notice_too_old"},
		{"not yet", news, n.sign(news, now.Add(2*time.Minute)), 400, "notice_too_old"},
		{"none", "[]", n.sign("[]", now), 400, "notice_unreadable"},
		{"too long", news, strings.Repeat("x", 10_000), 401, "notice_not_signed"},
	} {
		if status, body := n.post(c.body, c.signature); status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s: %d %s", c.name, status, body)
		}
	}
	rows := n.in(notice.StateReceived)
	if len(rows) != 1 || rows[0].Seen != 3 || rows[0].Body != news || rows[0].CustomerID != "c-1" {
		t.Errorf("%+v", rows)
	}
	for id, object := range map[string]string{
		"e-2": "x-1", "e-1": "x-2",
	} { // and an id that is used again for something else
		body := event(id, "card_account", object)
		if status, answer := n.post(body, n.sign(body, now)); status != 200 ||
			!strings.Contains(answer, `"first":true`) {
			t.Errorf("%s: %d %s", id, status, answer)
		}
	}
	apptest.Eventually(t, "both to be looked at", func() bool { return len(n.in(notice.StateIgnored)) == 2 })
}

// Without a key of the partner nobody is believed.
func TestPayout_NoticesWithoutAKey(t *testing.T) {
	t.Parallel()
	n := newNotifier(t)
	n.a = apptest.New(t)
	body := event("e-1", "transfer", "tr-1")
	if status, answer := n.post(body, n.sign(body, time.Now())); status != 401 ||
		!strings.Contains(answer, "notice_not_signed") {
		t.Errorf("%d %s", status, answer)
	}
}
