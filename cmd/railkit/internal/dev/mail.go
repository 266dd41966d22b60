package dev

import (
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/railkit/railkit/internal/mailsink"
)

// mailbox is where a local platform's mail ends: a sink, and a page that shows it.
type mailbox struct {
	smtpURL, viewURL string
	close            func()
}

// openMailbox runs both in this process, on free ports. What came in is gone with it.
func openMailbox() (mailbox, error) {
	incoming, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return mailbox{}, fmt.Errorf("listening for mail: %w", err)
	}
	view, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		incoming.Close()
		return mailbox{}, fmt.Errorf("listening for the mail page: %w", err)
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
