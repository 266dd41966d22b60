package child

import (
	"context"
	"errors"
	"flag"
	"io"
	"log/slog"
	"strings"

	"github.com/railkit/railkit/requestid"
)

// LevelDoc says what --log-level takes, in each program's help.
const LevelDoc = "least serious lines of the log: debug, info, warn or error"

// Level registers --log-level.
func Level(f *flag.FlagSet) *slog.Level {
	level := slog.LevelInfo
	f.Func("log-level", LevelDoc+" (default info)", func(text string) (err error) {
		level, err = ParseLevel(text)
		return err
	})
	return &level
}

// ParseLevel reads a level of the log. Nothing is info.
func ParseLevel(text string) (slog.Level, error) {
	switch text {
	case "debug":
		return slog.LevelDebug, nil
	case "info", "":
		return slog.LevelInfo, nil
	case "warn":
		return slog.LevelWarn, nil
	case "error":
		return slog.LevelError, nil
	}
	return 0, errors.New("must be debug, info, warn or error")
}

// NewLog is the log of a process: lines of JSON, from a level on, each with the id of the request that it is about.
func NewLog(to io.Writer, level slog.Level) *slog.Logger {
	return requestid.Log(slog.New(slog.NewJSONHandler(to, &slog.HandlerOptions{Level: level})))
}

// LogStart writes the one line of a process that answers from now on: what it is,
// and what it works with.
func LogStart(log *slog.Logger, version string, facts ...any) {
	log.Info("started", append([]any{"version", version}, facts...)...)
}

// LogEnd writes the one line of its end, and gives err on: main ends with exit
// code 1 where there is one, and with 0 where a signal or its parent ended it.
func LogEnd(ctx context.Context, log *slog.Logger, err error) error {
	if err != nil {
		log.Error("ended", "why", strings.ReplaceAll(err.Error(), "\n", "; "), "code", 1)
		return err
	}
	log.Info("ended", "why", why(ctx), "code", 0)
	return nil
}

// why is what ended a context: the signal's name, or that the parent is gone.
func why(ctx context.Context) string {
	if cause := context.Cause(ctx); cause != nil {
		return cause.Error()
	}
	return "it was done"
}
