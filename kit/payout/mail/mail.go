// Package mail is what invites and alerts have in common: a mail in plain text, how
// far it is, and the port through which it leaves. A mail is queued with the change
// that it tells of; a job sends it, and a sweep makes a new job after a minute
// (Alone) where that one was lost. It becomes sent, or failed where the mail server
// refuses it for good.
package mail

import (
	"context"
	"errors"
	"time"
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
var ErrRefused = errors.New("payout: the mail is refused for good")

// Status is how far a mail is; "" where there is none.
type Status string

// The mail statuses.
const (
	Queued Status = "queued" // waits for the mail server, as long as that takes
	Sent   Status = "sent"
	Failed Status = "failed" // refused for good, or the link in it was over before
)

// Alone is how old a queued mail is when the sweeper makes another job of it.
const Alone = time.Minute
