package enclave

import (
	"encoding/json"
	"log/slog"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/containerd/ttrpc"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/requestid"
)

// logging is a world whose signer logs everything.
func logging(t *testing.T) (*world, *logged) {
	log, all := &logged{}, &slog.HandlerOptions{Level: slog.LevelDebug}
	return newWorldWith(t, Options{Log: slog.New(slog.NewJSONHandler(log, all))}), log
}

// The id of the server's request is in the signer's line of the call, and in nothing that is journaled or signed.
func TestSigning_LogHasTheRequest(t *testing.T) {
	w, log := logging(t)
	c := w.client(w.serve(os.Getuid()))
	const id = "request-4711"
	ctx := requestid.With(t.Context(), id)
	if _, err := c.Cancel(ctx, "no fingerprint"); err == nil {
		t.Fatal("the signer cancels what is no body")
	}
	line := log.Tail(1)
	for _, part := range []string{`"request_id":"` + id + `"`, `"call":"Cancel"`, `"refused":"`, `"level":"INFO"`} {
		if !strings.Contains(line, part) {
			t.Errorf("%s is missing: %s", part, line)
		}
	}
	if _, err := c.Info(t.Context()); err != nil || strings.Contains(log.Tail(1), requestid.Key) ||
		!strings.Contains(log.Tail(1), `"level":"DEBUG"`) {
		t.Errorf("a call of no request: %v %s", err, log.Tail(1))
	}
	raw, err := os.ReadFile(w.dir + "/journal.log")
	if err != nil || strings.Contains(string(raw), id) {
		t.Errorf("the journal has the id, or cannot be read: %v", err)
	}
}

// A server that somebody else has writes no line of its own into the signer's log.
func TestSigning_LogCannotBeForged(t *testing.T) {
	w, log := logging(t)
	conn, err := net.Dial("unix", w.serve(os.Getuid()))
	if err != nil {
		t.Fatal(err)
	}
	c := ttrpc.NewClient(conn)
	defer c.Close()
	before := strings.Count(log.String(), "\n")
	hostile := []string{
		"a\n{\"level\":\"INFO\",\"msg\":\"forged\"}", `a","msg":"forged`, strings.Repeat("forged", 1000),
		"forged\x00", "forged ",
	}
	for _, id := range hostile {
		var out wrapperspb.BytesValue
		ctx := ttrpc.WithMetadata(t.Context(), ttrpc.MD{requestid.Key: {id}, "forged": {"forged"}})
		if err := c.Call(ctx, wire.Service, wire.MInfo, wrapperspb.Bytes(called(t, struct{}{})), &out); err != nil {
			t.Errorf("%.20q: %v", id, err)
		}
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")[before:]
	if len(lines) != len(hostile) || strings.Contains(strings.Join(lines, ""), "forged") {
		t.Errorf("%d lines:\n%s", len(lines), strings.Join(lines, "\n"))
	}
	for _, line := range lines {
		if !json.Valid([]byte(line)) {
			t.Errorf("no JSON: %s", line)
		}
	}
}
