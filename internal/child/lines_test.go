package child

import (
	"bytes"
	"flag"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/railkit/railkit/requestid"
)

func TestLevel(t *testing.T) {
	for text, want := range map[string]slog.Level{
		"": slog.LevelInfo, "debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn,
		"error": slog.LevelError,
	} {
		f := flag.NewFlagSet("test", flag.ContinueOnError)
		level := Level(f)
		var args []string
		if text != "" {
			args = []string{"--log-level", text}
		}
		if err := f.Parse(args); err != nil || *level != want {
			t.Errorf("%q is %v, %v", text, *level, err)
		}
		var out bytes.Buffer
		log := NewLog(&out, *level)
		for _, l := range []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError} {
			log.Log(requestid.With(t.Context(), "r1"), l, "a line")
		}
		if n := strings.Count(out.String(), `"request_id":"r1"`); n != int(slog.LevelError-want)/4+1 {
			t.Errorf("%q writes %d lines", text, n)
		}
	}
	for _, text := range []string{"INFO", "loud", "info+1", "-4", " "} {
		f := flag.NewFlagSet("test", flag.ContinueOnError)
		f.SetOutput(io.Discard)
		Level(f)
		err := f.Parse([]string{"--log-level", text})
		if err == nil || !strings.Contains(err.Error(), "log-level: must be debug, info, warn or error") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
