package sandbox_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/railkit/railkit/fiat/sandbox"
)

func (p *partner) customer() object {
	p.t.Helper()
	return p.made("/v0/customers", object{"business_legal_name": "Acme", "email": "ops@acme.test"})
}

// A notice holds the object as GET answers it.
func TestPartner_NoticeBody(t *testing.T) {
	bodies := make(chan []byte, 10)
	web := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		bodies <- body
	}))
	t.Cleanup(web.Close)
	p := start(t, sandbox.Config{DevnetURL: "http://127.0.0.1:1", WebhookURL: web.URL})
	c := p.customer()
	var n object
	if err := json.Unmarshal(<-bodies, &n); err != nil {
		t.Fatal(err)
	}
	if n["api_version"] != "v0" || n["event_object_id"] != c["id"] ||
		text(n, "event_object", "email") != "ops@acme.test" || n["event_object_changes"] == nil {
		t.Errorf("the notice is %v", n)
	}
}
