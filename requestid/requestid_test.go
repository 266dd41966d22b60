package requestid_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/railkit/railkit/requestid"
)

func TestValid(t *testing.T) {
	for id, want := range map[string]bool{
		"R7M2K4QZ": true, "01890a5d-ac96-774b-bcce-b302099a8057": true, "a.b_c:d-e": true,
		strings.Repeat("a", 64): true,
		"":                      false, strings.Repeat("a", 65): false, "a b": false, "a\nb": false, "a\x00": false,
		`a"b`: false,
		"{}":  false, "ä": false, "a\u2028b": false, "%0a": false, "a/b": false,
	} {
		if got := requestid.Valid(id); got != want {
			t.Errorf("%q: %v", id, got)
		}
		if got := requestid.Of(requestid.With(t.Context(), id)); (got == id && id != "") != want {
			t.Errorf("%q came back as %q", id, got)
		}
	}
}

// Every line that is logged with a request's context has its id, once, whatever the logger was given meanwhile.
func TestLog(t *testing.T) {
	var out bytes.Buffer
	log := requestid.Log(requestid.Log(slog.New(slog.NewJSONHandler(&out, nil)))).With("process", "test")
	ctx := requestid.With(t.Context(), "r1")
	log.InfoContext(ctx, "one")
	requestid.Log(log).With("b", 2).WarnContext(context.WithoutCancel(ctx), "two")
	log.InfoContext(t.Context(), "three")
	log.Info("four")
	for i, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil || fields["process"] != "test" {
			t.Errorf("%s: %v", line, err)
		}
		n, has := strings.Count(line, requestid.Key), i < 2
		if has && (n != 1 || fields[requestid.Key] != "r1") || !has && n != 0 {
			t.Errorf("line %d: %s", i, line)
		}
	}
}

func BenchmarkLine(b *testing.B) {
	for name, log := range map[string]*slog.Logger{
		"Plain":  slog.New(slog.NewJSONHandler(discard{}, nil)),
		"WithID": requestid.Log(slog.New(slog.NewJSONHandler(discard{}, nil))),
	} {
		b.Run(name, func(b *testing.B) {
			ctx := requestid.With(b.Context(), "01890a5d-ac96-774b-bcce-b302099a8057")
			b.ReportAllocs()
			for b.Loop() {
				log.LogAttrs(ctx, slog.LevelInfo, "request", slog.Int("status", 200))
			}
		})
	}
}

// discard is no io.Discard, for which slog would not even write the line.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
