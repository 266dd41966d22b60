// Package mailsink is a mail server that delivers nothing: it keeps the last
// mails and shows them. The sandbox and tests send there. It speaks to this
// machine only and without TLS, which production refuses.
package mailsink

import (
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"log"
	"net"
	"net/http"
	"net/mail"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emersion/go-smtp"
)

const (
	keep    = 100
	largest = 1 << 20
)

// Mail is one that came in.
type Mail struct {
	At      time.Time `json:"at"`
	ID      string    `json:"id"`
	From    string    `json:"from"`
	To      []string  `json:"to"`
	Subject string    `json:"subject"`
	Text    string    `json:"text"`
}

// Sink keeps mails, the newest first.
type Sink struct {
	server *smtp.Server

	mu     sync.Mutex
	mails  []Mail
	refuse *smtp.SMTPError
}

// New makes a Sink.
func New() *Sink {
	s := &Sink{}
	s.server = smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &visit{sink: s}, nil }))
	s.server.Domain, s.server.MaxMessageBytes, s.server.MaxRecipients = "localhost", largest, 10
	s.server.ReadTimeout, s.server.WriteTimeout = 30*time.Second, 30*time.Second
	s.server.ErrorLog = log.New(io.Discard, "", 0)
	return s
}

// Serve takes mail until Close.
func (s *Sink) Serve(l net.Listener) error { return s.server.Serve(l) }

// Close ends Serve.
func (s *Sink) Close() error { return s.server.Close() }

// Mails are those that are kept, the newest first.
func (s *Sink) Mails() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.mails)
}

// Refuse has every mail refused with an SMTP status from now on; 0 takes mail again.
func (s *Sink) Refuse(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = nil
	if status != 0 {
		s.refuse = &smtp.SMTPError{Code: status, EnhancedCode: smtp.EnhancedCode{status / 100, 7, 1}, Message: "No"}
	}
}

// visit is one connection.
type visit struct {
	sink *Sink
	mail Mail
}

// Reset is called by the server.
func (v *visit) Reset() { v.mail = Mail{} }

// Logout is called by the server.
func (v *visit) Logout() error { return nil }

// Mail is called by the server.
func (v *visit) Mail(from string, _ *smtp.MailOptions) error {
	v.mail.From = from
	return nil
}

// Rcpt is called by the server.
func (v *visit) Rcpt(to string, _ *smtp.RcptOptions) error {
	v.mail.To = append(v.mail.To, to)
	return nil
}

// Data is called by the server.
func (v *visit) Data(r io.Reader) error {
	m, err := mail.ReadMessage(r)
	if err != nil {
		return fmt.Errorf("reading a mail: %w", err)
	}
	text, err := io.ReadAll(m.Body)
	if err != nil {
		return fmt.Errorf("reading a mail: %w", err)
	}
	got := v.mail
	got.At, got.ID, got.Subject = time.Now().UTC(), strings.Trim(m.Header.Get("Message-Id"), "<>"), m.Header.Get("Subject")
	got.Text = strings.ReplaceAll(string(text), "\r\n", "\n")
	return v.sink.take(got)
}

func (s *Sink) take(m Mail) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuse != nil {
		return s.refuse
	}
	s.mails = slices.Insert(s.mails, 0, m)
	s.mails = s.mails[:min(len(s.mails), keep)]
	return nil
}

// Viewer shows the mails: as a page, and as JSON at /mails.json.
func (s *Sink) Viewer() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		shown(w, "text/html; charset=utf-8")
		_ = page.Execute(w, s.Mails()) // the reader has gone, or it worked
	})
	mux.HandleFunc("GET /mails.json", func(w http.ResponseWriter, _ *http.Request) {
		shown(w, "application/json")
		_ = json.NewEncoder(w).Encode(s.Mails())
	})
	return loopback(mux)
}

func shown(w http.ResponseWriter, kind string) {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
}

// loopback refuses other names of this machine: a page of another site that made
// its own name lead here would read the mails.
func loopback(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if host != "localhost" && host != "127.0.0.1" {
			http.Error(w, "only at localhost", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

var page = template.Must(template.New("mails").Parse(`<!doctype html>
<html lang="en"><title>Mail of the sandbox</title>
<style>body{font:16px/1.5 system-ui;max-width:48rem;margin:2rem auto;padding:0 1rem}pre{white-space:pre-wrap;background:#f4f4f4;padding:1rem}</style>
<h1>Mail of the sandbox</h1><p>Nothing here was delivered. The newest is first; the last 100 are kept.</p>
{{range .}}<h2>{{.Subject}}</h2><p>to {{range .To}}{{.}} {{end}}from {{.From}}, {{.At.Format "2006-01-02 15:04:05"}} UTC</p><pre>{{.Text}}</pre>
{{else}}<p>No mail yet.</p>{{end}}</html>
`))
