package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/smtp"
	"net/url"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/cmd/railkit/internal/cli"
)

// checkMail speaks to the mail server as far as TLS, and sends nothing.
func checkMail(ctx context.Context, t target) []finding { return checkMailWith(ctx, t, nil) }

// checkMailWith trusts the given authorities; nil are the machine's.
func checkMailWith(ctx context.Context, t target, trusted *x509.CertPool) []finding {
	if t.SMTPURL == "" {
		if t.dev != nil {
			return []finding{{note, "mail", "railkit dev keeps it, and shows it at " + t.dev.MailURL}}
		}
		if t.Environment == string(chain.Production) {
			return []finding{{warning, "mail", "RAILKIT_SMTP_URL names no server: nobody can be invited"}}
		}
		return []finding{{note, "mail", "no server is named: the mails of invitations wait until one is"}}
	}
	u, err := url.Parse(t.SMTPURL)
	if err != nil {
		return []finding{{failure, "mail", "RAILKIT_SMTP_URL is not of the form smtps://user:password@host:port"}}
	}
	ctx, cancel := context.WithTimeout(ctx, dial)
	defer cancel()
	if err := greet(ctx, u, &tls.Config{ServerName: u.Hostname(), RootCAs: trusted}); err != nil {
		return []finding{{failure, "mail", cli.OneLine(err)}}
	}
	if u.Scheme == "smtp+plaintext" {
		return []finding{{warning, "mail", "the server answers, and is spoken to in plain text"}}
	}
	return []finding{{fine, "mail", "the server answers under TLS"}}
}

// smtpPorts are those of each scheme where the URL names none.
var smtpPorts = map[string]string{"smtps": "465", "smtp": "587", "smtp+plaintext": "25"}

func greet(ctx context.Context, u *url.URL, t *tls.Config) error {
	port := u.Port()
	if port == "" {
		port = smtpPorts[u.Scheme]
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return errors.New("nobody answers at the mail server's address")
	}
	defer conn.Close()
	if deadline, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(deadline.Add(-100 * time.Millisecond)); err != nil {
			return err
		}
	}
	if u.Scheme == "smtps" {
		secure := tls.Client(conn, t)
		if err := secure.HandshakeContext(ctx); err != nil {
			return tlsFault(err)
		}
		conn = secure
	}
	c, err := smtp.NewClient(conn, u.Hostname())
	if err != nil {
		return errors.New("what answers at the mail server's address does not speak SMTP")
	}
	return startTLS(c, u.Scheme, t)
}

// startTLS goes as far as a mail would, before its first word.
func startTLS(c *smtp.Client, scheme string, t *tls.Config) error {
	if err := c.Hello("localhost"); err != nil {
		return errors.New("the mail server does not take EHLO")
	}
	if scheme == "smtp" {
		if ok, _ := c.Extension("STARTTLS"); !ok {
			return errors.New("the mail server does not offer STARTTLS, and no mail is sent in plain text: " +
				"use smtps:// or another server")
		}
		if err := c.StartTLS(t); err != nil {
			return tlsFault(err)
		}
	}
	_ = c.Quit() // a courtesy: what was asked is answered
	return nil
}

func tlsFault(err error) error {
	var wrong *tls.CertificateVerificationError
	if errors.As(err, &wrong) {
		return errors.New("the mail server's certificate is not one that this machine trusts for that name")
	}
	return errors.New("the mail server does not speak TLS where its URL says so")
}
