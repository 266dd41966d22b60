package notify_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"github.com/railkit/railkit/internal/mailsink"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/platform/notify"
)

var letter = mail.Message{
	ID: "id-1", To: "ada@example.com", Subject: "Your invitation", Text: "Open https://example.com/#token\n",
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func sink(t *testing.T) (*mailsink.Sink, string) {
	t.Helper()
	s, l := mailsink.New(), listen(t)
	go func() { _ = s.Serve(l) }() // ends when it is closed
	t.Cleanup(func() { _ = s.Close() })
	return s, l.Addr().String()
}

func mailer(t *testing.T, c notify.SMTPConfig) *notify.SMTP {
	t.Helper()
	c.From = "Railkit <railkit@example.com>"
	m, err := notify.NewSMTP(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestPlatform_MailInPlainText(t *testing.T) {
	s, addr := sink(t)
	m := mailer(t, notify.SMTPConfig{URL: "smtp+plaintext://" + addr, Plaintext: true})
	if err := m.Send(t.Context(), letter); err != nil {
		t.Fatal(err)
	}
	got := s.Mails()
	if len(got) != 1 || got[0].To[0] != letter.To || got[0].From != "railkit@example.com" ||
		got[0].Subject != letter.Subject ||
		got[0].ID != "id-1@example.com" || got[0].Text != letter.Text {
		t.Errorf("got %+v", got)
	}
	s.Refuse(550)
	if err := m.Send(t.Context(), letter); !errors.Is(err, mail.ErrRefused) {
		t.Errorf("refused for good: %v", err)
	}
	s.Refuse(451)
	if err := m.Send(t.Context(), letter); err == nil || errors.Is(err, mail.ErrRefused) {
		t.Errorf("refused for now: %v", err)
	}
}

// A mail in another language than English comes as it was written, whatever lies between.
func TestPlatform_MailInSpanish(t *testing.T) {
	s, addr := sink(t)
	m := mailer(t, notify.SMTPConfig{URL: "smtp+plaintext://" + addr, Plaintext: true})
	spanish := letter
	spanish.Subject = "Una solicitud está por vencer: ¿qué llave de acceso, y de quién, en qué billetera está?"
	spanish.Text = "Su invitación:\n\n" + strings.Repeat("a=b ñ ", 400) + "https://example.com/#token\n"
	if err := m.Send(t.Context(), spanish); err != nil {
		t.Fatal(err)
	}
	if got := s.Mails(); len(got) != 1 || got[0].Subject != spanish.Subject || got[0].Text != spanish.Text {
		t.Errorf("got %+v", got)
	}
}

// Outside of the sandbox nothing goes out without TLS, whatever the server says.
func TestPlatform_MailNeedsTLS(t *testing.T) {
	s, addr := sink(t)
	for _, url := range []string{
		"smtp+plaintext://" + addr, "http://" + addr, "", "smtp://", "smtp+plaintext://u:hunter2@[x",
	} {
		if _, err := notify.NewSMTP(notify.SMTPConfig{
			URL: url, From: "a@example.com",
		}); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", url, err)
		}
	}
	if _, err := notify.NewSMTP(notify.SMTPConfig{
		URL: "smtp+plaintext://u:hunter2@" + addr, From: "a@example.com", Plaintext: true,
	}); err == nil {
		t.Error("a password goes out in plain text")
	}
	for _, scheme := range []string{"smtp://", "smtps://"} { // the sink has neither STARTTLS nor TLS
		m := mailer(t, notify.SMTPConfig{URL: scheme + "u:hunter2@" + addr, Plaintext: true})
		if err := m.Send(t.Context(), letter); err == nil || strings.Contains(err.Error(), "hunter2") ||
			errors.Is(err, mail.ErrRefused) {
			t.Errorf("%s: %v", scheme, err)
		}
	}
	if len(s.Mails()) != 0 {
		t.Error("mail went out in plain text")
	}
}

// Nothing of a mail becomes a header or a recipient of its own.
func TestPlatform_MailHeaders(t *testing.T) {
	s, addr := sink(t)
	m := mailer(t, notify.SMTPConfig{URL: "smtp+plaintext://" + addr, Plaintext: true})
	for name, change := range map[string]func(*mail.Message){
		"recipient":      func(m *mail.Message) { m.To = "ada@example.com\r\nBcc: eve@example.com" },
		"two recipients": func(m *mail.Message) { m.To = "ada@example.com, eve@example.com" },
		"a name":         func(m *mail.Message) { m.To = "Ada <ada@example.com>" },
		"subject":        func(m *mail.Message) { m.Subject = "Hello\r\nBcc: eve@example.com" },
		"subject, LF":    func(m *mail.Message) { m.Subject = "Hello\nBcc: eve@example.com" },
		"id":             func(m *mail.Message) { m.ID = "x\r\nBcc: eve@example.com" },
	} {
		bad := letter
		change(&bad)
		if err := m.Send(t.Context(), bad); !errors.Is(err, mail.ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(s.Mails()) != 0 {
		t.Errorf("sent %+v", s.Mails())
	}
	long := letter
	long.Text = ".\r\nMAIL FROM:<eve@example.com>\r\n.\r\n"
	if err := m.Send(t.Context(), long); err != nil {
		t.Fatal(err)
	}
	if got := s.Mails(); len(got) != 1 || !strings.Contains(got[0].Text, "MAIL FROM") {
		t.Errorf("got %+v", got)
	}
}

// guarded is a mail server with TLS that asks for a password.
type guarded struct {
	user, password string
	took           chan string
}

func (g *guarded) NewSession(*smtp.Conn) (smtp.Session, error) { return &visit{server: g}, nil }

type visit struct {
	server *guarded
	known  bool
}

func (v *visit) AuthMechanisms() []string { return []string{sasl.Plain} }

func (v *visit) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if v.known = user == v.server.user && password == v.server.password; !v.known {
			return &smtp.SMTPError{Code: 535, EnhancedCode: smtp.EnhancedCode{5, 7, 8}, Message: "no: " + password}
		}
		return nil
	}), nil
}

func (v *visit) Mail(string, *smtp.MailOptions) error {
	if !v.known {
		return smtp.ErrAuthRequired
	}
	return nil
}
func (v *visit) Rcpt(string, *smtp.RcptOptions) error { return nil }
func (v *visit) Reset()                               {}
func (v *visit) Logout() error                        { return nil }
func (v *visit) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	v.server.took <- string(raw)
	return err
}

// certify makes a certificate of 127.0.0.1 and whoever trusts it.
func certify(t *testing.T) (*tls.Config, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "mail"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(cert)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{raw}, PrivateKey: key}}}, roots
}

// Over TLS, from the first byte or after STARTTLS, with a password; to nobody
// whose certificate is not good.
func TestPlatform_MailOverTLS(t *testing.T) {
	config, roots := certify(t)
	for _, scheme := range []string{"smtp", "smtps"} {
		g := &guarded{user: "u", password: "hunter2", took: make(chan string, 1)}
		server, l := smtp.NewServer(g), listen(t)
		server.Domain, server.TLSConfig = "localhost", config
		if scheme == "smtps" {
			l = tls.NewListener(l, config)
		}
		go func() { _ = server.Serve(l) }() // ends when it is closed
		t.Cleanup(func() { _ = server.Close() })
		url := func(password string) string { return scheme + "://u:" + password + "@" + l.Addr().String() }
		if err := mailer(t, notify.SMTPConfig{
			URL: url("hunter2"), Roots: roots,
		}).Send(t.Context(), letter); err != nil {
			t.Fatalf("%s: %v", scheme, err)
		}
		if text := <-g.took; !strings.Contains(text, "#token") || strings.Contains(text, "text/html") {
			t.Errorf("%s: %s", scheme, text)
		}
		if err := mailer(t, notify.SMTPConfig{URL: url("hunter2")}).Send(t.Context(), letter); err == nil {
			t.Errorf("%s: sent to a server that nobody vouches for", scheme)
		}
		err := mailer(t, notify.SMTPConfig{URL: url("wrongpass"), Roots: roots}).Send(t.Context(), letter)
		if err == nil || strings.Contains(err.Error(), "wrongpass") || errors.Is(err, mail.ErrRefused) {
			t.Errorf("%s with a wrong password: %v", scheme, err)
		}
	}
}
