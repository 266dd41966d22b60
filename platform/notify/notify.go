// Package notify sends mail: plain text, to one person, over SMTP.
package notify

import (
	"context"
	"errors"
)

// Message is one mail.
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

// ErrRefused says that the mail server will not take this mail, however often it
// is tried. Any other error may be over the next time.
var ErrRefused = errors.New("the mail server refused the mail for good")
