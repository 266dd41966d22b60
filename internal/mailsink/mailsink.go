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
	"mime"
	"mime/quotedprintable"
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

// decoded is the body of a mail as its reader sees it.
func decoded(m *mail.Message) io.Reader {
	if strings.EqualFold(m.Header.Get("Content-Transfer-Encoding"), "quoted-printable") {
		return quotedprintable.NewReader(m.Body)
	}
	return m.Body
}

func subject(m *mail.Message) string {
	text := m.Header.Get("Subject")
	if plain, err := new(mime.WordDecoder).DecodeHeader(text); err == nil {
		return plain
	}
	return text
}

// Data is called by the server.
func (v *visit) Data(r io.Reader) error {
	m, err := mail.ReadMessage(r)
	if err != nil {
		return fmt.Errorf("reading a mail: %w", err)
	}
	text, err := io.ReadAll(decoded(m))
	if err != nil {
		return fmt.Errorf("reading a mail: %w", err)
	}
	got := v.mail
	got.At, got.ID, got.Subject = time.Now().UTC(), strings.Trim(
		m.Header.Get("Message-Id"), "<>",
	), subject(m)
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

// linked cuts a mail's text into lines, so that one that is a link can be followed.
func linked(text string) []string { return strings.Split(strings.TrimSpace(text), "\n") }

func isLink(line string) bool {
	return strings.HasPrefix(line, "http://") || strings.HasPrefix(line, "https://")
}

var page = template.Must(template.New("mails").Funcs(template.FuncMap{
	"lines": linked, "isLink": isLink,
}).Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Mail of the sandbox</title>
<style>
:root{color-scheme:light dark;--line:color-mix(in srgb,currentColor 18%,transparent)}
body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:2.5rem auto;padding:0 1rem}
h1{font-size:1.4rem;margin:0}h2{font-size:1.05rem;margin:0}
p{margin:.2rem 0}.dim{opacity:.65;font-size:.875rem}
article{border:1px solid var(--line);border-radius:.5rem;padding:1rem 1.25rem;margin:1.25rem 0;overflow-wrap:anywhere}
article div{border-top:1px solid var(--line);margin-top:.75rem;padding-top:.75rem;white-space:pre-wrap}
</style>
<h1>Mail of the sandbox</h1>
<p class="dim">Nothing here was delivered. The newest is first; the last 100 are kept until railkit dev stops. <a href="/">Look again</a>, or read <a href="/mails.json">JSON</a>.</p>
{{range .}}<article><h2>{{.Subject}}</h2>
<p class="dim">to {{range $i, $to := .To}}{{if $i}}, {{end}}{{$to}}{{end}} · from {{.From}} · {{.At.Format "2006-01-02 15:04:05"}} UTC</p>
<div>{{range lines .Text}}{{if isLink .}}<a href="{{.}}">{{.}}</a>{{else}}{{.}}{{end}}
{{end}}</div></article>
{{else}}<p>No mail yet.</p>
{{end}}</html>
`))
