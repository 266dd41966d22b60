// Package notify sends mail over SMTP: plain text, to one person.
package notify

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	netmail "net/mail"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	gomail "github.com/wneessen/go-mail"

	"github.com/railkit/railkit/platform/mail"
)

// patience is how long one mail may take.
const patience = 20 * time.Second

// SMTP sends mail by a server.
type SMTP struct {
	host    string
	from    *netmail.Address
	options []gomail.Option
	secret  []string // what must be in no error
}

// The schemes of a mail server's URL.
const (
	overTLS   = "smtps"          // TLS from the first byte
	startTLS  = "smtp"           // STARTTLS, or no mail
	Plaintext = "smtp+plaintext" // the sandbox's
)

// SMTPConfig is what an SMTP needs.
type SMTPConfig struct {
	URL       string // smtps://user:password@host:port, or smtp://
	From      string // Name <name@example.com>
	Plaintext bool   // may the URL be smtp+plaintext://
	Roots     *x509.CertPool
}

// NewSMTP makes one and asks nobody. Its errors hold nothing of the URL.
func NewSMTP(c SMTPConfig) (*SMTP, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Hostname() == "" {
		return nil, errors.New("the mail server's URL is not of the form smtps://user:password@host:port")
	}
	from, err := netmail.ParseAddress(c.From)
	if err != nil {
		return nil, errors.New("the sender of mails is not of the form Name <name@example.com>")
	}
	s := &SMTP{host: u.Hostname(), from: from, options: []gomail.Option{gomail.WithTimeout(patience)}}
	port := map[string]int{overTLS: 465, startTLS: 587, Plaintext: 25}[u.Scheme]
	if given, err := strconv.Atoi(u.Port()); err == nil {
		port = given
	}
	s.options = append(s.options, gomail.WithPort(port),
		gomail.WithTLSConfig(&tls.Config{ServerName: s.host, RootCAs: c.Roots, MinVersion: tls.VersionTLS12}))
	switch {
	case u.Scheme == overTLS:
		s.options = append(s.options, gomail.WithSSL())
	case u.Scheme == startTLS:
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	case u.Scheme == Plaintext && c.Plaintext:
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.NoTLS))
	default:
		return nil, errors.New("mail needs TLS: the mail server's URL must begin with smtps:// or smtp:// (STARTTLS)")
	}
	return s.login(u)
}

// login adds the URL's user, never without TLS.
func (s *SMTP) login(u *url.URL) (*SMTP, error) {
	password, _ := u.User.Password()
	if u.User.Username() == "" {
		return s, nil
	}
	if u.Scheme == Plaintext {
		return nil, errors.New("a mail server's password is not sent without TLS")
	}
	for _, secret := range []string{password, url.QueryEscape(password), url.PathEscape(password)} {
		if secret != "" {
			s.secret = append(s.secret, secret)
		}
	}
	s.options = append(s.options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover),
		gomail.WithUsername(u.User.Username()), gomail.WithPassword(password))
	return s, nil
}

// Send hands a mail to the server, in a connection of its own.
func (s *SMTP) Send(ctx context.Context, m mail.Message) error {
	letter, err := s.letter(m)
	if err != nil {
		return errors.Join(mail.ErrRefused, err)
	}
	client, err := gomail.NewClient(s.host, s.options...)
	if err != nil {
		return s.quiet("preparing to send mail", err)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err = client.DialAndSendWithContext(ctx, letter); err == nil {
		return nil
	}
	var refused *gomail.SendError
	if errors.As(err, &refused) && refused.ErrorCode() >= 500 && refused.ErrorCode() < 600 {
		return errors.Join(mail.ErrRefused, s.quiet("sending mail", err))
	}
	return s.quiet("sending mail", err)
}

// letter is the mail as it is sent. Nothing of it can become a header of its own.
func (s *SMTP) letter(m mail.Message) (*gomail.Msg, error) {
	for _, text := range []string{m.ID, m.To, m.Subject} {
		if strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c == 0x7f }) {
			return nil, errors.New("a header of the mail has a control character")
		}
	}
	to, err := netmail.ParseAddress(m.To)
	if err != nil || to.Address != m.To {
		return nil, errors.New("the mail's recipient is not one address")
	}
	letter := gomail.NewMsg(gomail.WithEncoding(encoding(m.Text)), gomail.WithNoDefaultUserAgent())
	letter.FromMailAddress(s.from)
	letter.ToMailAddress(to)
	letter.Subject(m.Subject)
	letter.SetDate()
	letter.SetMessageIDWithValue(m.ID + s.from.Address[strings.LastIndexByte(s.from.Address, '@'):])
	letter.SetBodyString(gomail.TypeTextPlain, m.Text)
	return letter, nil
}

// encoding is plain for a text that every mail server takes as it is: ASCII, in lines that are not too long.
func encoding(text string) gomail.Encoding {
	const longest = 900 // RFC 5321 has 998
	for line := range strings.Lines(text) {
		if len(line) > longest || strings.ContainsFunc(line, func(r rune) bool { return r > unicode.MaxASCII }) {
			return gomail.EncodingQP
		}
	}
	return gomail.NoEncoding
}

// quiet is an error without what the server may have repeated of the password.
func (s *SMTP) quiet(what string, err error) error {
	text := err.Error()
	for _, secret := range s.secret {
		text = strings.ReplaceAll(text, secret, "…")
	}
	return fmt.Errorf("%s: %s", what, strings.ReplaceAll(text, "\n", " "))
}
