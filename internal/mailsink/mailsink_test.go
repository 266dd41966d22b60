package mailsink

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestPlatform_MailViewer(t *testing.T) {
	s := New()
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for i := range keep + 5 {
		if err := s.take(Mail{
			At:      at.Add(time.Duration(i) * time.Second),
			To:      []string{"ada@example.com"},
			Subject: "<script>alert(1)</script>",
			Text:    "a link\n\nhttps://example.com/#\"><b>",
		}); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.Mails(); len(got) != keep || !got[0].At.Equal(at.Add((keep+4)*time.Second)) {
		t.Errorf("%d mails, the first of %v", len(got), got[0].At)
	}
	get := func(path, host string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Host = host
		w := httptest.NewRecorder()
		s.Viewer().ServeHTTP(w, r)
		return w
	}
	page := get("/", "localhost:1")
	if page.Code != 200 || strings.Contains(page.Body.String(), "<script>") ||
		!strings.Contains(page.Body.String(), `<a href="https://example.com/#%22%3e%3cb%3e">`) ||
		!strings.Contains(page.Header().Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("%d %v", page.Code, page.Header())
	}
	if list := get("/mails.json", "127.0.0.1:1"); list.Code != 200 ||
		!strings.Contains(list.Body.String(), `"to":["ada@example.com"]`) {
		t.Errorf("%d", list.Code)
	}
	if other := get("/mails.json", "evil.example:1"); other.Code != 403 {
		t.Errorf("by another name: %d", other.Code)
	}
}
