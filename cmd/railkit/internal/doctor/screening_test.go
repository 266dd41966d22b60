package doctor

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/railkit/railkit/internal/config"
)

func TestPlatform_DoctorOnScreening(t *testing.T) {
	file := func(text string) string {
		path := filepath.Join(t.TempDir(), "deny")
		must(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer the-key-of-the-test" {
			w.WriteHeader(http.StatusUnauthorized)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"screened":[],"hits":[]}`)
	}))
	t.Cleanup(web.Close)
	for _, c := range []struct {
		about    string
		settings config.Server
		want     []string
	}{
		{"production without", config.Server{Environment: "production", PartnerURL: "https://partner.example"},
			[]string{"warn screening no --screening-url and no --screening-deny: nobody screens"}},
		{"without payouts", config.Server{Environment: "production"},
			[]string{"note screening no --screening-url and no --screening-deny name a list"}},
		{"sandbox", config.Server{Environment: "sandbox"},
			[]string{"ok screening the sandbox's own deny list has names: 2, addresses: 1"}},
		{"a list", config.Server{ScreeningDeny: file("a name Ana\n")},
			[]string{"ok screening the deny list has names: 1, addresses: 0"}},
		{"an empty list", config.Server{ScreeningDeny: file("# Ana\n")},
			[]string{"warn screening the deny list has names: 0, addresses: 0"}},
		{"a broken list", config.Server{ScreeningDeny: file("a name Ana\nb\n")},
			[]string{"fail screening --screening-deny (RAILKIT_SCREENING_DENY): line 2: it must be of the form"}},
		{"no file", config.Server{ScreeningDeny: filepath.Join(t.TempDir(), "none")},
			[]string{"fail screening --screening-deny (RAILKIT_SCREENING_DENY): open "}},
		{"a provider", config.Server{ScreeningURL: web.URL, ScreeningKey: "the-key-of-the-test"},
			[]string{"ok screening the provider answers, and takes the key"}},
		{"another key", config.Server{ScreeningURL: web.URL, ScreeningKey: "the-key-of-another"}, []string{
			"fail screening the provider does not answer as it should, and payouts wait: screening: no usable answer: status 401",
		}},
		{"a short key", config.Server{ScreeningURL: web.URL, ScreeningKey: "short"},
			[]string{"fail screening --screening-url (RAILKIT_SCREENING_URL): needs an http(s) URL"}},
	} {
		wantFindings(t, c.about, checkScreening(context.Background(), told(c.settings)), c.want...)
	}
}
