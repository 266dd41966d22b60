// Package mail is what the server writes to people: the port through which mails leave, and all their words. The words
// are files, one folder for each language; a letter is a Go type with the values that its file shows.
//
// Read mail.go (the port), letters.go (which letters there are), words.go (how values are shown, so that a name that a
// stranger chose is no link), then write.go.
package mail

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/railkit/railkit/platform/record"
)

// Message is one mail, in plain text.
type Message struct {
	ID      string // the same for each try to send it
	To      string
	Subject string
	Text    string
}

// Mailer sends mail.
type Mailer interface {
	Send(ctx context.Context, m Message) error
}

// ErrRefused says that the mail server will not take this mail, however often it is tried. Any other error may be over
// the next time.
var ErrRefused = errors.New("the mail server refused the mail for good")

// Status is how far a mail is; "" where there is none.
type Status string

// The mail statuses.
const (
	Queued  Status = "queued" // waits for the mail server, as long as that takes
	Sent    Status = "sent"
	Failed  Status = "failed"  // refused for good, or the link in it was over before
	Dropped Status = "dropped" // there was nothing left to say when it was to be sent
)

// Alone is how old a queued mail is when the sweeper makes another job of it.
const Alone = time.Minute

// Readers knows the language of those who are mailed.
type Readers interface {
	// Language is that of the workspace's member with the e-mail address; of anybody else it is English.
	Language(ctx context.Context, workspaceID, email string) (Language, error)
}

// Post writes letters in the language of who gets them, and sends them.
type Post struct {
	mailer  Mailer
	readers Readers
	log     *slog.Logger
}

// NewPost is nil where there is no mailer: mail waits until there is one.
func NewPost(m Mailer, r Readers, log *slog.Logger) *Post {
	if m == nil {
		return nil
	}
	return &Post{m, r, log}
}

// Send sends a letter to somebody of a workspace. The id is the same for each try.
func (p *Post) Send(ctx context.Context, workspaceID, to, id string, l Letter) error {
	language := English
	if p.readers != nil {
		var err error
		if language, err = p.readers.Language(ctx, workspaceID, to); err != nil {
			return err
		}
	}
	return p.SendIn(ctx, language, to, id, l)
}

// SendIn is Send in a language that the caller knows.
func (p *Post) SendIn(ctx context.Context, language Language, to, id string, l Letter) error {
	subject, text, err := Write(language, l)
	if err != nil {
		return err
	}
	return p.mailer.Send(ctx, Message{ID: id, To: to, Subject: subject, Text: text})
}

// Deliver is Send for a notice to several people: one that the mail server refuses for good counts as sent, so that
// the others get theirs.
func (p *Post) Deliver(ctx context.Context, workspaceID, to, id string, l Letter) error {
	err := p.Send(ctx, workspaceID, to, id, l)
	if errors.Is(err, ErrRefused) {
		p.log.WarnContext(ctx, "a mail is refused for good", "id", id, "error", err)
		return nil
	}
	return err
}

// DeliverAll is Deliver to each of several people, also where one of the mails fails. Who is among them twice, be it in
// other letters, gets one. The id of each one's mail is made of the notice's and the address: the same for each try, so
// that a mail client drops the copies.
func (p *Post) DeliverAll(ctx context.Context, workspaceID string, all []string, l Letter, notice ...string) error {
	all = slices.SortedFunc(slices.Values(all), func(a, b string) int {
		return strings.Compare(strings.ToLower(a), strings.ToLower(b))
	})
	var err error
	for _, to := range slices.CompactFunc(all, strings.EqualFold) {
		id := record.DerivedID(append(slices.Clone(notice), strings.ToLower(to))...)
		err = errors.Join(err, p.Deliver(ctx, workspaceID, to, id, l))
	}
	return err
}

// Dashboard is the origin of the members' pages; "": there are none. All links to them are made here. A page asks for a
// login, and changes nothing when it is opened.
type Dashboard string

// Page is the address of a page.
func (d Dashboard) Page(path ...string) Link {
	if d == "" {
		return ""
	}
	link := string(d)
	for _, part := range path {
		link += "/" + url.PathEscape(part)
	}
	return Link(link)
}
