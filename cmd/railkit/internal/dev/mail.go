package dev

import (
	"net/http"
	"time"

	"github.com/railkit/railkit/internal/mailsink"
)

// mailbox is where a local platform's mail ends: a sink, and a page that shows it.
type mailbox struct {
	smtpURL, viewURL string
	close            func()
}

// openMailbox runs both in this process. What came in is gone with it.
func openMailbox(at *ports) (mailbox, error) {
	incoming, err := at.listen("mail server")
	if err != nil {
		return mailbox{}, err
	}
	view, err := at.listen("mail page")
	if err != nil {
		incoming.Close()
		return mailbox{}, err
	}
	sink := mailsink.New()
	viewer := &http.Server{Handler: sink.Viewer(), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = sink.Serve(incoming) }() // both end when they are closed
	go func() { _ = viewer.Serve(view) }()
	return mailbox{
		smtpURL: "smtp+plaintext://" + incoming.Addr().String(), viewURL: "http://" + asLocalhost(view.Addr().String()),
		close: func() { _ = sink.Close(); _ = viewer.Close() },
	}, nil
}
