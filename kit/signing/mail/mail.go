// Package mail is the port through which mails of the signing kit leave: plain text, to one person.
package mail

import (
	"context"
	"errors"
	"log/slog"
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

// ErrRefused says that a mail will never be taken, however often it is tried.
var ErrRefused = errors.New("the mail is refused for good")

// Send sends a mail. One that the mail server refuses for good counts as sent, so that the others go on.
func Send(ctx context.Context, by Mailer, log *slog.Logger, m Message) error {
	err := by.Send(ctx, m)
	if errors.Is(err, ErrRefused) {
		log.WarnContext(ctx, "a mail is refused for good", "id", m.ID, "error", err)
		return nil
	}
	return err
}
