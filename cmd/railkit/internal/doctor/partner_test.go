package doctor

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/internal/test/apptest"
)

func TestPlatform_DoctorOnThePartner(t *testing.T) {
	const answers, key = "ok partner the sandbox's partner answers, " +
		"and moves no real money", "--partner-webhook-key-file"
	c := apptest.New(t, apptest.WithPartner(t)).Config().Server
	check := func(change func(*config.Server)) []finding {
		s := config.Server{
			PartnerURL: c.PartnerURL, PartnerKey: c.PartnerKey, PartnerWebhookKeyFile: c.PartnerWebhookKeyFile,
		}
		change(&s)
		return checkPartner(context.Background(), told(s))
	}
	nonsense := filepath.Join(t.TempDir(), "key.pem")
	must(t, os.WriteFile(nonsense, []byte("-----BEGIN"), 0o600))
	other := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(other.Close)
	wantFindings(t, "good", check(func(*config.Server) {}), answers,
		"ok notices there is a key that they are believed with")
	wantFindings(t, "without a key for notices", check(func(s *config.Server) { s.PartnerWebhookKeyFile = "" }),
		answers, "note notices no "+key)
	wantFindings(t, "a key that is none", check(func(s *config.Server) { s.PartnerWebhookKeyFile = nonsense }), answers,
		"fail notices "+key+": not an RSA public key")
	wantFindings(t, "a key that is not there", check(func(s *config.Server) { s.PartnerWebhookKeyFile = "none" }),
		answers, "fail notices "+key+": open none")
	wantFindings(t, "another API key", check(func(s *config.Server) { s.PartnerKey = "wrong" }),
		"fail partner it gives no rate: it does not answer, or does not take the key")
	wantFindings(t, "another server", check(func(s *config.Server) { s.PartnerURL = other.URL }),
		"fail partner it gives no rate: ")
	wantFindings(t, "no partner", check(func(s *config.Server) { s.PartnerURL = "" }), "note partner no --partner-url")
}
